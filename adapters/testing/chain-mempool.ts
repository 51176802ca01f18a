import assert from 'node:assert/strict';
import type { ChainMempool, PendingTransfer } from '../../core/index.ts';
import type { ChainCase } from './chain-harness.ts';
import { freshAddress, scanFrom, trick, under, watching } from './chain-sight.ts';

const SKEW_MS = 7_200_000;
const place = ({ txid, index }: Pick<PendingTransfer, 'txid' | 'index'>): string => `${txid}:${index}`;

/** All unconfirmed transfers to these keys, in as many reads as needed. */
async function waiting(mempool: ChainMempool, ...keys: readonly string[]): Promise<readonly PendingTransfer[]> {
  for (;;) {
    const { transfers, complete } = await mempool.pending(async () => watching(...keys));
    if (complete) return transfers;
  }
}

/** Test cases for unconfirmed payments, on chains with a mempool. */
export const chainMempool: readonly ChainCase[] = [
  {
    needs: null,
    title:
      'fault 53: what waits to be mined is shown as its block will have it, at each look, and no more once it is mined',
    run: async (world) => {
      const { chain, currency, units } = world;
      const { mempool } = chain;
      if (mempool === undefined) return;
      const [to, other] = [await freshAddress(world), await freshAddress(world)];
      const { height } = await chain.head();
      const txid = await world.pay(to.address, units);
      const [shown, ...more] = await waiting(mempool, to.key);
      assert.ok(shown !== undefined && more.length === 0, 'one payment waits');
      assert.deepEqual([shown.txid, shown.units, shown.toKey, shown.currency], [txid, units, to.key, currency]);
      if (shown.seenAt !== null)
        assert.ok(Math.abs(shown.seenAt - Date.now()) < SKEW_MS, 'when it was first seen is epoch milliseconds');
      assert.deepEqual(await waiting(mempool, to.key), [shown], 'what is known already is shown again');
      assert.deepEqual(
        await waiting((await world.reopen()).mempool ?? mempool, other.key),
        [],
        'another address gets nothing',
      );
      assert.deepEqual((await scanFrom(chain, height + 1, to.key)).transfers, [], 'no block has it');
      await world.mine(1);
      assert.deepEqual(await waiting(mempool, to.key), []);
      assert.deepEqual((await scanFrom(chain, height + 1, to.key)).transfers.map(place), [place(shown)]);
    },
  },
  {
    needs: null,
    title: 'an address that is handed out while the mempool is asked is looked for',
    run: async (world) => {
      const { mempool } = world.chain;
      if (mempool === undefined) return;
      const to = await freshAddress(world);
      await world.pay(to.address, world.units);
      let asked = 0;
      const { transfers } = await mempool.pending(async () => {
        asked += 1;
        return watching(to.key);
      });
      assert.deepEqual([transfers.length, asked], [1, 1], 'the addresses are asked for once, when something new waits');
      await world.mine(1);
    },
  },
  {
    needs: 'outage',
    title: 'while no node answers, nothing is said of what waits',
    run: async (world) => {
      const { mempool } = world.chain;
      if (mempool === undefined) return;
      const look = (): Promise<void> =>
        assert.rejects(
          mempool.pending(async () => watching()),
          'an empty answer would mean that all had disappeared',
        );
      await under(trick(world, 'outage'), look);
    },
  },
];
