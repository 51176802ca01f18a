import assert from 'node:assert/strict';
import { isTillgateError, present } from '../../core/index.ts';
import type {
  ErrorCode,
  LightningBalance,
  LightningNode,
  LightningPayOutcome,
  LightningPaymentRequest,
  LightningPaymentView,
  Settlement,
} from '../../core/index.ts';
import type { ForeignInvoice, LightningTricks, LightningWorld } from './lightning-harness.ts';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;
/** Enough for every payment of these tests on any node. */
export const FEE_LIMIT = 100_000n;

export function trick<Name extends keyof LightningTricks>(
  { tricks }: LightningWorld,
  name: Name,
): LightningTricks[Name] {
  return present<LightningTricks[Name] | undefined>(tricks[name], `the trick ${name}`) as LightningTricks[Name];
}

export function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  return assert.rejects(
    work,
    (error: unknown) => isTillgateError(error, code) || assert.fail(`not ${code}: ${String(error)}`),
  );
}

/** Repeats until there is an answer. An error of the node counts as no answer, a failed assertion does not. */
export async function until<T>(what: string, ask: () => Promise<T | null | false>): Promise<T> {
  let last: unknown = null;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== false) return answer;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`waited in vain for ${what}`, { cause: last });
}

export function request(
  { paymentHash, paymentRequest }: ForeignInvoice,
  terms: Partial<LightningPaymentRequest> = {},
): LightningPaymentRequest {
  return { paymentHash, paymentRequest, msat: null, maxFeeMsat: FEE_LIMIT, ...terms };
}

/** Pays and waits for the outcome. */
export async function payToEnd(node: LightningNode, payment: LightningPaymentRequest): Promise<LightningPayOutcome> {
  const first = await node.pay(payment);
  return first.state === 'in-flight' ? end(node, payment.paymentHash) : first;
}

/** Waits for the outcome of a payment. */
export function end(node: LightningNode, paymentHash: string): Promise<LightningPaymentView> {
  return until(`the end of the payment ${paymentHash}`, async () => {
    const view = await node.payment(paymentHash);
    return view === null || view.state === 'in-flight' ? null : view;
  });
}

/** Reads every settlement after a cursor, in batches of this size, up to that of a hash. */
export async function settlements(
  node: LightningNode,
  cursor: string | null,
  lastHash: string,
  limit = 100,
): Promise<readonly Settlement[]> {
  const all: Settlement[] = [];
  await until(`the settlement of ${lastHash}`, async () => {
    for (;;) {
      const page = await node.settledAfter(all.at(-1)?.cursor ?? cursor, limit);
      assert.ok(page.length <= limit, 'no more than were asked for');
      all.push(...page);
      if (page.length === 0) return all.some(({ paymentHash }) => paymentHash === lastHash);
    }
  });
  return all;
}

/** The balance once no payment is in progress: an amount settled a moment ago is then on one side. */
export function restingBalance(node: LightningNode): Promise<LightningBalance> {
  return until('the payments to rest', async () => {
    const balance = await node.balance();
    return balance.unsettledMsat === 0n && balance;
  });
}

let amounts = 0n;

/** An invoice of the till, in whole satoshis, with a unique amount. */
export async function newInvoice(node: LightningNode): Promise<ForeignInvoice & { readonly msat: bigint }> {
  const msat = 50_000n + (amounts += 1n) * 1_000n;
  return { ...(await node.createInvoice({ msat, memo: 'an order', expirySeconds: 1_800 })), msat };
}

/** A paid invoice of the till. */
export async function paidInvoice(world: LightningWorld): Promise<ForeignInvoice & { readonly msat: bigint }> {
  const invoice = await newInvoice(world.node);
  await world.pay(invoice.paymentRequest);
  return invoice;
}
