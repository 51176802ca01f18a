import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Storage } from '../../../core/index.ts';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import type { FakeChain } from '../../support/fake-chain.ts';
import type { FakePayments } from '../../support/fake-payments.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { pathsOf } from '../../crash/crash-point.ts';

/** More calls than a run makes; the test fails when it is reached, so that no crash point is left out. */
const MOST_CALLS = 100;
const FEWEST_CALLS = 5;
/** Reads without effects: a process that is killed between two of these leaves the same state as after the first. */
const READS = new Set(
  pathsOf(({ storage: { chains, epochs, ledger, transfers }, payments }) => [
    ...[chains.state, epochs.current, ledger.balances],
    ...[
      transfers.coinsOf,
      transfers.currencyStops,
      transfers.frozenCoins,
      transfers.ownerCover,
      transfers.expectedCustody,
      transfers.freeAt,
      transfers.freeCoins,
      transfers.gasBalances,
    ],
    ...[transfers.holdings, transfers.hotCustody, transfers.inFlight, transfers.knownCoins, transfers.live],
    ...[transfers.livePayouts, transfers.nonce, transfers.payoutStop, transfers.sweepCandidates],
    ...[transfers.position, transfers.unminedPayouts, transfers.waiting],
    ...[payments.balance, payments.custody, payments.dust, payments.nextNonce, payments.outcome, payments.price],
    ...[payments.unspent],
  ]),
);
/** A chain with few confirmations, so that a payment is final soon. */
const CHAIN = { confirmations: 1, spendableConfirmations: 2, finalityBlocks: 6 };

interface Story {
  readonly name: string;
  readonly chain: (till: MoneyDomain) => FakeChain;
  readonly payee: string;
  /** Requests one payment; returns its transfer. */
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
            let at = 1;
            while (await crashAt(till, story, at, when === 'after')) {
              at += 1;
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

/** @returns false when the payment was final before the crash point */
async function crashAt(till: MoneyDomain, story: Story, at: number, after: boolean): Promise<boolean> {
  const chain = story.chain(till);
  const payments = chain === till.eth ? till.ethPayments : till.btcPayments;
  const id = await story.ask(till);
  const point = new CrashPoint(at, after, READS);
  chain.payments = point.watch(payments, 'payments');
  await run(till, chain, payments, point.watch(till.storage, 'storage'), id, point);
  chain.payments = payments;
  await run(till, chain, payments, till.storage, id, null);
  const { status, reason } = await till.transfer(id);
  assert.equal(status, 'CONFIRMED', `killed at call ${at}: ${reason}`);
  assert.equal(payments.paidTo(story.payee, chain.assets[0]?.currency ?? '').length, at, `killed at call ${at}`);
  await till.checkBooks();
  return point.crashed;
}

/** One process, which pays block by block until the payment is final or it is killed. */
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
