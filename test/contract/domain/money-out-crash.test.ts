import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Storage } from '../../../core/index.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import type { FakeChain } from '../../support/fake-chain.ts';
import type { FakePayments } from '../../support/fake-payments.ts';
import { eachStorage } from '../../support/each-storage.ts';

/** More calls than a run makes; the test fails when it is reached, so that no crash point is left out. */
const MOST_CALLS = 300;
const FEWEST_CALLS = 20;
/**
 * The same calls are made on both: on the slower one every fourth is enough to see that its transactions hold. What a call has
 * left behind is what the next one finds, unless two are made at once: every third of those is enough.
 */
const STRIDE = { before: { sqlite: 1, pg: 4 }, after: { sqlite: 3, pg: 12 } } as const;
/** A short chain, so that a payment is final soon. */
const CHAIN = { confirmations: 1, spendableConfirmations: 2, finalityBlocks: 6 };

interface Story {
  readonly name: string;
  readonly chain: (till: MoneyDomain) => FakeChain;
  readonly payee: string;
  /** Asks for one payment; returns its transfer. */
  readonly ask: (till: MoneyDomain) => Promise<string>;
}

const STORIES: readonly Story[] = [
  {
    name: 'a withdrawal from an account chain, with the sweep that it needs',
    chain: (till) => till.eth,
    payee: PAYEE.ETH,
    ask: async (till) => {
      await till.fund('ETH', '20');
      return (await till.withdraw('0.01')).tx_id;
    },
  },
  {
    name: 'a refund',
    chain: (till) => till.eth,
    payee: 'eth-payer',
    ask: async (till) => {
      const order = await till.fund('ETH', '20');
      await till.refund.run(till.principal, order.id);
      return (await till.storage.transfers.refundOf(order.id))?.id ?? '';
    },
  },
  {
    name: 'a withdrawal from a coin chain',
    chain: (till) => till.btc,
    payee: PAYEE.BTC,
    ask: async (till) => {
      await till.fund('BTC', '20');
      return (await till.withdraw('0.0003', 'BTC')).tx_id;
    },
  },
];

eachStorage((engine, open) => {
  describe(`a process killed between any two calls, on ${engine}`, () => {
    for (const story of STORIES) {
      for (const when of ['before', 'after'] as const) {
        test(`${story.name}, killed ${when} a call's effect: one payment (faults 40, 75)`, async () => {
          const opened = await open();
          try {
            const till = await buildMoney(opened.storage, { chain: CHAIN });
            let [at, payments] = [1, 1];
            while (await crashAt(till, story, { at, after: when === 'after', payments })) {
              at += STRIDE[when][engine];
              payments += 1;
              assert.ok(at < MOST_CALLS, 'the run never ends');
            }
            assert.ok(at > FEWEST_CALLS, `only ${at} calls were seen`);
          } finally {
            await opened.close();
          }
        });
      }
    }
  });
});

/** @returns false when the payment was final before it came to the crash */
async function crashAt(
  till: MoneyDomain,
  story: Story,
  { at, after, payments: expected }: { readonly at: number; readonly after: boolean; readonly payments: number },
): Promise<boolean> {
  const chain = story.chain(till);
  const payments = chain === till.eth ? till.ethPayments : till.btcPayments;
  const id = await story.ask(till);
  const point = new CrashPoint(at, after);
  chain.payments = point.watch(payments);
  await run(till, chain, payments, point.watch(till.storage), id, point);
  chain.payments = payments;
  await run(till, chain, payments, till.storage, id, null);
  const { status, reason } = await till.transfer(id);
  assert.equal(status, 'CONFIRMED', `killed at call ${at}: ${reason}`);
  assert.equal(payments.paidTo(story.payee, chain.assets[0]?.currency ?? '').length, expected, `killed at call ${at}`);
  await till.checkBooks();
  return point.crashed;
}

/** One process: pays, block by block, until the payment is final or it is killed. */
async function run(
  till: MoneyDomain,
  chain: FakeChain,
  payments: FakePayments,
  storage: Storage,
  id: string,
  point: CrashPoint | null,
): Promise<void> {
  const runner = till.newRunner(chain, storage);
  const lease = await till.payoutLease(chain);
  for (let block = 0; block < 12 && point?.crashed !== true; block++) {
    try {
      for (let steps = 0; steps < 20 && (await runner.step(lease)) === 'advanced'; steps++);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    if ((await till.transfer(id)).status === 'CONFIRMED') return;
    till.clock.advance(1_000);
    payments.mine();
    await till.follow(chain);
  }
}
