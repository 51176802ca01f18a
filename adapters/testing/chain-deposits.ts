import assert from 'node:assert/strict';
import { effectsOf, present } from '../../core/index.ts';
import type { ObservedTransfer } from '../../core/index.ts';
import { arrivals, assertLinked, freshAddress, scanFrom, trick } from './chain-sight.ts';
import type { ChainCase } from './chain-harness.ts';

const GENESIS_OF_BITCOIN = Date.UTC(2009, 0, 3);
const FAR = 1_000_000;
const amounts = (transfers: readonly ObservedTransfer[]): readonly bigint[] =>
  transfers.map(({ units }) => units).sort((a, b) => (a < b ? -1 : 1));
const place = ({ txid, index }: ObservedTransfer): string => `${txid}:${index}`;

/** Test cases for following the chain and for deposits. */
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
    title: 'an exact payment is found with its transaction, amount, receiver and block; and the same again',
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
  {
    needs: 'blockDependent',
    title:
      'fault 330: what a transaction brought is what its present block says, and can be read once more by that block',
    run: async (world) => {
      const { chain } = world;
      const to = await freshAddress(world);
      await world.mine(2);
      let txid = '';
      const paid = async (): Promise<string> => (txid = await trick(world, 'blockDependent')(to.address, world.units));
      const found = (await arrivals(world, to, paid)).filter((one) => one.txid === txid);
      assert.deepEqual(amounts(found), [world.units]);
      const before = present(found[0], 'a payment');
      const effects = effectsOf(chain);
      assert.ok(
        effects !== null,
        '`effects` is null, although the id of a transaction does not commit to what it pays',
      );
      assert.equal(effects.dependsOnBlock(before.index), true);
      const recorded = [{ ...before, address: to.address }];
      assert.deepEqual(await effects.read(before.block, recorded), [before]);
      const { height } = await chain.head();
      const depth = height - before.block.height + 1;
      await trick(world, 'reorganisation')(depth, 'again');
      const { transfers } = await scanFrom(chain, height - depth, to.key);
      const [now, ...more] = transfers.filter((one) => one.txid === txid);
      assert.ok(now !== undefined && more.length === 0);
      assert.notEqual(now.units, before.units);
      assert.equal(await effects.read(before.block, recorded), null, 'the dead block is not confirmed');
      assert.deepEqual(await effects.read(now.block, [{ ...now, address: to.address }]), [now]);
      const wrong = await effects.read(now.block, recorded);
      assert.ok(wrong?.every((one) => place(one) !== place(before) || one.units === now.units));
    },
  },
  {
    needs: 'byContract',
    title: 'fault 385: coins that a contract sent are found by the present balance of their address, exactly once',
    run: async (world) => {
      const { chain } = world;
      const [to, other] = [await freshAddress(world), await freshAddress(world)];
      const balances = present(chain.present, 'present balances of a chain on which contracts send coins');
      const keys = [other.key, to.key];
      await world.mine(2);
      const before = await chain.head();
      const currency = await trick(world, 'byContract')(to.address, world.units);
      assert.ok(balances.currencies.includes(currency), `${currency} is one of the currencies that are compared`);
      await world.mine(2);
      const now = await chain.head();
      const read = await balances.read(keys, currency, now);
      assert.deepEqual(read.units, [0n, world.units]);
      assert.ok(read.through.height >= now.height, 'what was counted had arrived by the block that was asked for');
      const reopened = await world.reopen();
      assert.deepEqual((await reopened.present?.read(keys, currency, now))?.units, [0n, world.units]);
      const { units, through } = await balances.read(keys, currency, before);
      assert.ok(through.height > before.height || units[1] === null || units[1] === 0n, 'nothing counts too early');
    },
  },
];
