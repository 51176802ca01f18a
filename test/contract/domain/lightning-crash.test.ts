import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Crash, CrashPoint } from '../../support/crashing.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { eachStorage } from '../../support/each-storage.ts';

/** More calls than a run makes; the test fails when it is reached, so that no crash point is left out. */
const MOST_CALLS = 120;
const FEWEST_CALLS = 4;
const PAID = 1_000_000n;

interface Story {
  readonly name: string;
  readonly work: 'follow' | 'payout';
  /** Starts the work; returns the assertions for its end. */
  readonly begin: (till: LightningDomain) => Promise<() => Promise<void>>;
}

const STORIES: readonly Story[] = [
  {
    name: 'an order that is paid',
    work: 'follow',
    begin: async (till) => {
      const before = await till.balance('available', 'BTC-LN');
      const order = await till.invoiceOrder('10');
      const settled = till.node.settle(order.payment?.address ?? '');
      return async () => {
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        assert.equal(await till.balance('available', 'BTC-LN'), before + settled.msat);
      };
    },
  },
  {
    name: 'an order that is paid while the stream is cut, and due',
    work: 'follow',
    begin: async (till) => {
      const before = await till.balance('available', 'BTC-LN');
      const order = await till.invoiceOrder('10');
      till.node.cut = true;
      const settled = till.node.settle(order.payment?.address ?? '');
      till.clock.advance(31 * 60_000);
      return async () => {
        till.node.cut = false;
        await till.followInvoices();
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        assert.equal(await till.balance('available', 'BTC-LN'), before + settled.msat);
      };
    },
  },
  {
    name: 'a withdrawal',
    work: 'payout',
    begin: async (till) => {
      await till.fund('10');
      const before = await till.balance('available', 'BTC-LN');
      till.node.route = { kind: 'settled', feeMsat: 7n };
      const { paymentHash, text } = till.foreignInvoice(PAID);
      const { tx_id } = await till.withdraw(text);
      return async () => {
        assert.equal((await till.transfer(tx_id)).status, 'CONFIRMED');
        assert.equal(till.node.sent.filter((payment) => payment.paymentHash === paymentHash).length, 1);
        assert.equal(await till.balance('available', 'BTC-LN'), before - PAID - 7n);
      };
    },
  },
  {
    name: 'a withdrawal without a route',
    work: 'payout',
    begin: async (till) => {
      await till.fund('10');
      const before = await till.balance('available', 'BTC-LN');
      till.node.route = { kind: 'no-route' };
      const { tx_id } = await till.withdraw(till.foreignInvoice(PAID).text);
      return async () => {
        assert.equal((await till.transfer(tx_id)).status, 'FAILED');
        assert.equal(await till.balance('available', 'BTC-LN'), before);
      };
    },
  },
];

eachStorage((engine, open) => {
  describe(`lightning in a process killed between any two calls, on ${engine}`, () => {
    for (const story of STORIES) {
      for (const after of [false, true]) {
        test(`${story.name}, killed ${after ? 'after' : 'before'} each call's effect, counts once (faults 35, 40, 57)`, async () => {
          const opened = await open();
          try {
            const till = await buildLightning(opened.storage);
            let at = 1;
            while (await crashAt(till, story, at, after)) {
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

/** @returns false when the work completed before the crash point */
async function crashAt(till: LightningDomain, story: Story, at: number, after: boolean): Promise<boolean> {
  const holds = await story.begin(till);
  const point = new CrashPoint(at, after);
  await run(till, story, point);
  await run(till, story, null);
  await holds();
  await till.checkBooks();
  return point.crashed;
}

/** One process, which works until it is idle or killed. */
async function run(till: LightningDomain, { work }: Story, point: CrashPoint | null): Promise<void> {
  const watched = point === null ? {} : { node: point.watch(till.node), storage: point.watch(till.storage) };
  const { follower, payer } = till.newWork(watched);
  const lease = await till.workLease(work);
  try {
    for (let steps = 0; steps < 20 && (await (work === 'follow' ? follower : payer).step(lease)); steps++);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}
