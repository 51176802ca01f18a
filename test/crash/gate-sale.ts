import assert from 'node:assert/strict';
import type { OrderId } from '../../core/index.ts';
import { answered, asked, keyOf } from '../e2e/paid-gate-fixture.ts';
import type { GateReply } from '../e2e/paid-gate-fixture.ts';
import { PAYER } from '../e2e/till-on-anvil.ts';
import { signed } from '../e2e/x402-payer.ts';
import { read } from '../support/contracts.ts';
import { PLAN } from './crash-till.ts';
import type { CrashTill } from './crash-till.ts';
import { payments, settle } from './scenarios.ts';
import type { Run, Scenario } from './scenarios.ts';

/** A client without a key that pays the gateway by its request, and repeats it until the node has answered. */
class GateSale implements Run {
  readonly #till: CrashTill;
  readonly #before: Facts;
  #orderId = '' as OrderId;
  #payment = '';
  #units = 0n;
  #key = '';

  constructor(till: CrashTill, before: Facts) {
    this.#till = till;
    this.#before = before;
  }

  async push(): Promise<void> {
    if (this.#key !== '') return;
    if (this.#payment === '') await this.#sign();
    if (this.#payment === '') return;
    const reply = await this.#till.paidGate({ payment: this.#payment });
    // 202: the payment is accepted, but not confirmed yet.
    if (reply === null || reply.status === 202) return;
    this.#key = keyOfAnswered(reply);
  }

  async #sign(): Promise<void> {
    const refusal = await this.#till.paidGate();
    if (refusal === null) return;
    const terms = asked(refusal);
    this.#payment = await signed(terms);
    this.#orderId = terms.extra.ticket.split('.')[0] as OrderId;
    this.#units = BigInt(terms.amount);
  }

  async done(): Promise<boolean> {
    if (this.#key === '') return false;
    const deposits = await this.#till.storage.deposits.byOrder(this.#orderId);
    return deposits.some(({ status }) => status === 'SPENDABLE') && (await this.#till.quiet());
  }

  async verify(): Promise<void> {
    await this.#checkOnce();
    const again = await this.#till.paidGate({ payment: this.#payment });
    assert(again !== null);
    assert.equal(keyOfAnswered(again), this.#key, 'the same request has the same key');
    const called = await this.#till.paidGate({ key: this.#key });
    assert(called !== null && answered(called), called?.text);
    await this.#checkOnce();
  }

  async #checkOnce(): Promise<void> {
    const { prepaid } = this.#till.storage;
    const { sent, held, apps } = await factsOf(this.#till);
    assert.equal(sent - this.#before.sent, 1, 'one payment on the chain');
    assert.equal(this.#before.held - held, this.#units, 'its payer paid once');
    assert.equal(apps - this.#before.apps, 1, 'one App');
    const offer = await prepaid.gateOffer(this.#orderId);
    assert(offer?.taken !== null && offer?.taken !== undefined);
    assert.equal(offer.state, 'CREDITED');
    assert.equal((await prepaid.find(offer.taken.appId))?.bought, PLAN.units, 'its units were raised once');
  }
}

function keyOfAnswered(reply: GateReply): string {
  assert(answered(reply), `${reply.status} ${reply.text}`);
  const key = keyOf(reply);
  assert.notEqual(key, '');
  return key;
}

/** The facts that one sale changes. */
interface Facts {
  /** The hot wallet's transactions to the token. */
  readonly sent: number;
  /** The payer's tokens. */
  readonly held: bigint;
  readonly apps: number;
}

async function factsOf(till: CrashTill): Promise<Facts> {
  const { anvil, token } = till.fixture;
  return {
    sent: (await payments(till, till.hot, token.address)).length,
    held: await read<bigint>(anvil, token, 'balanceOf', [PAYER.address]),
    apps: await till.storage.apps.countOf(till.accountId),
  };
}

async function gateSale(till: CrashTill): Promise<Run> {
  await settle(till);
  return new GateSale(till, await factsOf(till));
}

/** The gateway's sales to clients that pay with the request (core/decisions/x402.md). */
export const GATE_SALES: readonly Scenario[] = [
  {
    name: 'a gate that is paid by the request (x402), until the payment is sent',
    points: [
      'gate-offer:ordered',
      'gate-offer:stored',
      'gate-offer:committed',
      'gate-sale:app-stored',
      'gate-sale:bought',
      'gate-sale:taken',
      'gate-sale:committed',
      'sign:committed',
      'send:done',
    ],
    begin: gateSale,
  },
  {
    name: 'a gate that is paid by the request (x402), once its payment is mined',
    points: ['follow:committed', 'gate-sale:credited', 'credit:committed', 'finish:committed'],
    begin: gateSale,
  },
  {
    name: 'a key that was bought and that no gateway knows yet',
    points: ['gate-sale:key-settled'],
    begin: gateSale,
  },
];
