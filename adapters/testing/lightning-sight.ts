import assert from 'node:assert/strict';
import { isTillgateError, present } from '../../core/index.ts';
import type { ErrorCode, LightningNode, LightningPaymentRequest, LightningPaymentView, Settlement } from '../../core/index.ts';
import type { ForeignInvoice, LightningTricks, LightningWorld } from './lightning-harness.ts';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;
/** Enough for every payment here, on any node. */
export const FEE_LIMIT = 100_000n;

export function trick<Name extends keyof LightningTricks>({ tricks }: LightningWorld, name: Name): LightningTricks[Name] {
  return present<LightningTricks[Name] | undefined>(tricks[name], `the trick ${name}`) as LightningTricks[Name];
}

export function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  return assert.rejects(work, (error: unknown) => isTillgateError(error, code) || assert.fail(`not ${code}: ${String(error)}`));
}

/** Asks until the answer is there; an error of the node counts as none, a broken promise does not. */
export async function until<T>(what: string, ask: () => Promise<T | null | false>): Promise<T> {
  let last: unknown = null;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
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

export function request({ paymentHash, paymentRequest }: ForeignInvoice, terms: Partial<LightningPaymentRequest> = {}): LightningPaymentRequest {
  return { paymentHash, paymentRequest, msat: null, maxFeeMsat: FEE_LIMIT, ...terms };
}

/** Pays and waits for the end. */
export async function payToEnd(node: LightningNode, payment: LightningPaymentRequest): Promise<LightningPaymentView> {
  const first = await node.pay(payment);
  return first.state === 'in-flight' ? end(node, payment.paymentHash) : first;
}

/** How a payment ended. */
export function end(node: LightningNode, paymentHash: string): Promise<LightningPaymentView> {
  return until(`the end of the payment ${paymentHash}`, async () => {
    const view = await node.payment(paymentHash);
    return view === null || view.state === 'in-flight' ? null : view;
  });
}

/** Every settlement after a cursor, fetched so many at a time, until the one of a hash was seen. */
export async function settlements(node: LightningNode, cursor: string | null, lastHash: string, limit = 100): Promise<readonly Settlement[]> {
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

let amounts = 0n;

/** An invoice of the till's, of whole satoshis and an amount that no other has. */
export async function newInvoice(node: LightningNode): Promise<ForeignInvoice & { readonly msat: bigint }> {
  const msat = 50_000n + (amounts += 1n) * 1_000n;
  return { ...(await node.createInvoice({ msat, memo: 'an order', expirySeconds: 1_800 })), msat };
}

/** An invoice of the till's that was paid. */
export async function paidInvoice(world: LightningWorld): Promise<ForeignInvoice & { readonly msat: bigint }> {
  const invoice = await newInvoice(world.node);
  await world.pay(invoice.paymentRequest);
  return invoice;
}
