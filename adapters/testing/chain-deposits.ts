import assert from 'node:assert/strict';
import { present } from '../../core/index.ts';
import type { ObservedTransfer } from '../../core/index.ts';
import { arrivals, assertLinked, freshAddress, scanFrom, trick } from './chain-sight.ts';
import type { ChainCase } from './chain-harness.ts';

const GENESIS_OF_BITCOIN = Date.UTC(2009, 0, 3);
const FAR = 1_000_000;
const amounts = (transfers: readonly ObservedTransfer[]): readonly bigint[] =>
  transfers.map(({ units }) => units).sort((a, b) => (a < b ? -1 : 1));
const place = ({ txid, index }: ObservedTransfer): string => `${txid}:${index}`;

/** Cases of following the chain, and of deposits. */
export const chainDeposits: readonly ChainCase[] = [
  {
    needs: null,
    title:
      'head, single blocks and scanned ranges describe one chain, linked by its hashes; above the head there is none',
    run: async (world) => {
      const { chain } = world;
      await world.mine(4);
      const head = await chain.head();
      assert.deepEqual(await chain.blockAt(head.height), head);
      assert.equal((await chain.blockAt(head.height - 1))?.hash, head.parentHash);
      assert.equal(await chain.blockAt(head.height + FAR), null);
      const { blocks } = await chain.scan(head.height - 3, head.height, { has: () => false, nativeKeys: () => [] });
      assertLinked(blocks, head.height - 3);
      assert.deepEqual(blocks.at(-1), head);
      assert.equal(blocks.length, 4);
      assert.ok(head.time > GENESIS_OF_BITCOIN && Number.isInteger(head.time), 'block times are epoch milliseconds');
    },
  },
  {
    needs: null,
    title: 'an exact payment is found with its transaction, amount, receiver and block; and the same again (fault 52)',
    run: async (world) => {
      const { chain, currency, units } = world;
      const [to, other] = [await freshAddress(world), await freshAddress(world)];
      const { height } = await chain.head();
      let txid = '';
      const [found, ...more] = await arrivals(world, to, async () => (txid = await world.pay(to.address, units)));
      assert.deepEqual(more, []);
      assert.deepEqual([found?.txid, found?.units, found?.toKey, found?.currency], [txid, units, to.key, currency]);
      assert.deepEqual(found?.block, await chain.blockAt(found?.block.height ?? -1));
      assert.deepEqual((await scanFrom(chain, height + 1, to.key)).transfers, [found]);
      assert.deepEqual((await scanFrom(chain, height + 1, other.key)).transfers, []);
    },
  },
  {
    needs: null,
    title: 'where a transaction can be looked up, its height is that of its block; one that is in no block has none',
    run: async (world) => {
      const { chain } = world;
      if (chain.heightOf === undefined) return;
      const to = await freshAddress(world);
      const [found] = await arrivals(world, to, () => world.pay(to.address, world.units));
      await world.mine(2);
      const { txid, block } = present(found, 'a payment');
      assert.equal(await chain.heightOf(txid), block.height);
      assert.equal(await chain.heightOf(txid.replace(/[0-9a-f]{8}$/, '00000000')), null);
      assert.equal(await chain.heightOf('junk'), null);
    },
  },
  {
    needs: null,
    title: 'fault 54: a payment in parts is one transfer for each part',
    run: async (world) => {
      const to = await freshAddress(world);
      const found = await arrivals(world, to, async () => {
        await world.pay(to.address, world.units);
        await world.pay(to.address, world.units + 1n);
      });
      assert.deepEqual(amounts(found), [world.units, world.units + 1n]);
      assert.equal(new Set(found.map(place)).size, 2);
    },
  },
  {
    needs: 'batch',
    title: 'several payments of one transaction differ by their index',
    run: async (world) => {
      const to = await freshAddress(world);
      const parts = [world.units, world.units, world.units + 2n];
      let txid = '';
      const found = await arrivals(world, to, async () => (txid = await trick(world, 'batch')(to.address, parts)));
      assert.deepEqual(amounts(found), parts);
      assert.deepEqual(new Set(found.map((one) => one.txid)), new Set([txid]));
      assert.equal(new Set(found.map(place)).size, 3);
    },
  },
  ...(['failure', 'counterfeit', 'replacement'] as const).map((name): ChainCase => ({
    needs: name,
    title: {
      failure: 'fault 49: a payment that was mined without effect does not count',
      counterfeit: 'fault 48: what only looks like a payment does not count',
      replacement: 'fault 53: a payment that was replaced before it was mined does not count',
    }[name],
    run: async (world) => {
      const to = await freshAddress(world);
      const honest = world.units + 7n;
      let txid = '';
      const found = await arrivals(world, to, async () => {
        txid = await trick(world, name)(to.address, world.units);
        await world.pay(to.address, honest);
      });
      assert.deepEqual(amounts(found), [honest]);
      assert.notEqual(found[0]?.txid, txid);
    },
  })),
  {
    needs: 'reorganisation',
    title: 'fault 51: a payment that a reorganisation took away is gone, and the new range is linked',
    run: async (world) => {
      const { chain } = world;
      const to = await freshAddress(world);
      await world.mine(2);
      const [found] = await arrivals(world, to, () => world.pay(to.address, world.units));
      const { height } = await chain.head();
      const depth = height - (found?.block.height ?? 0) + 1;
      await trick(world, 'reorganisation')(depth, 'gone');
      const { blocks, transfers } = await scanFrom(chain, height - depth, to.key);
      assert.deepEqual(transfers, []);
      assertLinked(blocks, height - depth);
      assert.notEqual((await chain.blockAt(found?.block.height ?? -1))?.hash, found?.block.hash);
    },
  },
  {
    needs: 'reorganisation',
    title: 'fault 51: a payment that is mined again keeps its transaction and its index, in another block',
    run: async (world) => {
      const to = await freshAddress(world);
      await world.mine(2);
      const [found] = await arrivals(world, to, () => world.pay(to.address, world.units));
      const { height } = await world.chain.head();
      const depth = height - (found?.block.height ?? 0) + 1;
      await trick(world, 'reorganisation')(depth, 'again');
      const { transfers } = await scanFrom(world.chain, height - depth, to.key);
      assert.deepEqual(transfers.map(place), found === undefined ? [] : [place(found)]);
      assert.notEqual(transfers[0]?.block.hash, found?.block.hash);
    },
  },
];
