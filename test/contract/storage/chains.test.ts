import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRef } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { NOW } from './fixtures.ts';

const block = (height: number, fork = 'a'): BlockRef => ({
  height,
  hash: `${fork}${height}`,
  parentHash: `${fork}${height - 1}`,
  time: NOW + height,
});
const derived = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ index: first + n, address: `0x${first + n}`, key: `k${first + n}` }));

eachStorage((_name, open) => {
  test('a chain keeps the identity of its first start', async (t) => {
    const { storage } = await open(t);
    assert.equal(await storage.chains.state('ETH'), null);
    await storage.chains.initialise('ETH', 'eip155:1');
    await storage.chains.initialise('ETH', 'eip155:666');
    await storage.chains.initialise('BTC', 'bitcoin');
    const nothing = {
      cursor: null,
      rereadHeight: null,
      caughtUpAt: null,
      haltedReason: null,
      trouble: null,
      readAt: null,
    };
    const fresh = { chain: 'ETH', identity: 'eip155:1', ...nothing };
    assert.deepEqual(await storage.chains.state('ETH'), fresh);
    await storage.chains.setHalted('ETH', 'wrong chain');
    assert.deepEqual(
      (await storage.chains.states()).map(({ chain, haltedReason }) => [chain, haltedReason]),
      [
        ['BTC', null],
        ['ETH', 'wrong chain'],
      ],
    );
    await storage.chains.setHalted('ETH', null);
    assert.deepEqual(await storage.chains.state('ETH'), fresh);
  });

  test('fault 362: a configured chain has its state before its node is known, and keeps when it was last read', async (t) => {
    const { storage } = await open(t);
    await storage.chains.begin('ETH', NOW);
    await storage.chains.begin('ETH', NOW + 1);
    assert.deepEqual(await storage.chains.state('ETH'), {
      chain: 'ETH',
      identity: null,
      cursor: null,
      rereadHeight: null,
      caughtUpAt: null,
      haltedReason: null,
      trouble: null,
      readAt: NOW,
    });
    await storage.chains.initialise('ETH', 'eip155:1');
    await storage.chains.initialise('ETH', 'eip155:666');
    assert.equal((await storage.chains.state('ETH'))?.identity, 'eip155:1');
    for (const at of [NOW + 7, NOW + 6]) await storage.chains.setRead('ETH', at);
    assert.equal((await storage.chains.state('ETH'))?.readAt, NOW + 7);
    await storage.chains.initialise('BTC', 'bitcoin');
    await storage.chains.begin('BTC', NOW + 8);
    assert.deepEqual(
      (await storage.chains.states()).map(({ identity, readAt }) => [identity, readAt]),
      [
        ['bitcoin', NOW + 8],
        ['eip155:1', NOW + 7],
      ],
    );
  });

  test('what is wrong with its node is kept until it is over', async (t) => {
    const { storage } = await open(t);
    await storage.chains.initialise('ETH', 'eip155:1');
    const trouble = { kind: 'lag', text: 'the node lags', since: NOW } as const;
    await storage.chains.setTrouble('ETH', trouble);
    assert.deepEqual((await storage.chains.state('ETH'))?.trouble, trouble);
    await storage.chains.setTrouble('ETH', null);
    assert.equal((await storage.chains.states())[0]?.trouble, null);
  });

  test('the cursor moves only from where its mover saw it', async (t) => {
    const { storage } = await open(t);
    await storage.chains.initialise('ETH', 'eip155:1');
    const move = (former: string | null, to: BlockRef): Promise<boolean> =>
      storage.transaction((tx) => tx.chains.moveCursor('ETH', former, to));
    assert.equal((await Promise.all([move(null, block(5)), move(null, block(5))])).filter(Boolean).length, 1);
    assert.equal(await move('b5', block(6)), false);
    assert.equal(await move(null, block(6)), false);
    assert.equal(await move('a5', block(6)), true);
    await storage.transaction((tx) => tx.chains.setCaughtUp('ETH', NOW));
    assert.deepEqual(await storage.chains.state('ETH'), {
      chain: 'ETH',
      identity: 'eip155:1',
      cursor: block(6),
      rereadHeight: 5,
      caughtUpAt: NOW,
      haltedReason: null,
      trouble: null,
      readAt: null,
    });
    const reread = (from: number, to: number): Promise<boolean> =>
      storage.transaction((tx) => tx.chains.moveReread('ETH', from, to));
    assert.deepEqual([await reread(4, 6), await reread(5, 7), await reread(5, 6)], [false, false, true]);
    assert.equal(await move('a6', block(3)), true);
    assert.equal((await storage.chains.state('ETH'))?.rereadHeight, 3, 'it goes back with the cursor');
  });

  test('how far a chain was read is set under a lease that is held, and under no other', async (t) => {
    const { storage } = await open(t);
    await storage.chains.initialise('ETH', 'eip155:1');
    const former = await storage.leases.acquire('follow:ETH', 'one', 60_000);
    await storage.chains.setCaughtUp(former!, 'ETH', NOW);
    await storage.leases.release(former!);
    const held = await storage.leases.acquire('follow:ETH', 'two', 60_000);
    await assert.rejects(storage.chains.setCaughtUp(former!, 'ETH', NOW + 9), { code: 'LEASE_LOST' });
    assert.equal((await storage.chains.state('ETH'))?.caughtUpAt, NOW);
    await storage.chains.setCaughtUp(held!, 'ETH', NOW + 1);
    assert.equal((await storage.chains.state('ETH'))?.caughtUpAt, NOW + 1);
  });

  test('stored blocks are pruned below and removed above', async (t) => {
    const { storage } = await open(t);
    const blocks = Array.from({ length: 1200 }, (_, n) => block(n));
    await storage.transaction((tx) => tx.chains.addBlocks('ETH', blocks, 100));
    assert.deepEqual(
      [await storage.chains.block('ETH', 99), await storage.chains.block('ETH', 100)],
      [null, block(100)],
    );
    await storage.transaction(async (tx) => {
      await tx.chains.removeBlocksAbove('ETH', 1000);
      await tx.chains.addBlocks('ETH', [block(1001, 'b')], 100);
      await tx.chains.addBlocks('ETH', [], 100);
    });
    assert.deepEqual(await storage.chains.block('ETH', 1000), block(1000));
    assert.deepEqual(await storage.chains.block('ETH', 1001), block(1001, 'b'));
    assert.equal(await storage.chains.block('ETH', 1002), null);
    assert.equal(await storage.chains.block('BTC', 1000), null);
  });

  test('a block is of the followed chain when it is stored or deeper than what is kept, and stays so until the transaction ends', async (t) => {
    const { storage, another } = await open(t);
    await storage.chains.initialise('ETH', 'eip155:1');
    const holds = (ref: BlockRef): Promise<boolean> => storage.transaction((tx) => tx.chains.holds('ETH', ref));
    assert.equal(await holds(block(5)), false);
    await storage.transaction(async (tx) => {
      await tx.chains.moveCursor('ETH', null, block(9));
      await tx.chains.addBlocks(
        'ETH',
        [7, 8, 9].map((height) => block(height)),
        7,
      );
    });
    assert.deepEqual(await Promise.all([block(9), block(7), block(6), block(8, 'b'), block(10)].map(holds)), [
      true,
      true,
      true,
      false,
      false,
    ]);
    const second = await another();
    const ended: string[] = [];
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const holder = storage.transaction(async (tx) => {
      await tx.chains.holds('ETH', block(9));
      begin();
      // Without the lock, the other's single statement would finish long before these.
      for (let n = 0; n < 100; n++) await tx.chains.holds('ETH', block(9));
      ended.push('holder');
    });
    await begun;
    assert.equal(await second.transaction((tx) => tx.chains.moveCursor('ETH', 'a9', block(10))), true);
    ended.push('mover');
    await holder;
    assert.deepEqual(ended, ['holder', 'mover']);
  });

  test('parallel reservations of several instances have no index in common', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const firsts = await Promise.all(
      Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? storage : second).chains.reserveIndexes('w', 10)),
    );
    assert.deepEqual(
      firsts.sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, n) => n * 10),
    );
    assert.equal(await storage.chains.reserveIndexes('other', 1), 0);
  });

  test('no address leaves the pool twice, lowest index first', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    await storage.chains.fillPool('ETH', 'w', derived(0, 1100));
    await storage.chains.fillPool('ETH', 'w', derived(0, 3));
    await storage.chains.fillPool('ETH', 'other', derived(5, 2));
    await storage.chains.fillPool('BSC', 'w', []);
    assert.equal(await storage.chains.poolSize('ETH', 'w'), 1100);
    assert.deepEqual(await storage.chains.takeFromPool('ETH', 'w', 2), [
      { chain: 'ETH', walletId: 'w', index: 0, address: '0x0', key: 'k0' },
      { chain: 'ETH', walletId: 'w', index: 1, address: '0x1', key: 'k1' },
    ]);
    const taken = (
      await Promise.all(
        Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? storage : second).chains.takeFromPool('ETH', 'w', 30)),
      )
    ).flat();
    const rest = await storage.chains.takeFromPool('ETH', 'w', 2000);
    const indexes = [...taken, ...rest].map(({ index }) => index);
    assert.deepEqual(
      indexes.sort((a, b) => a - b),
      Array.from({ length: 1098 }, (_, n) => n + 2),
    );
    assert.equal(await storage.chains.poolSize('ETH', 'w'), 0);
    assert.deepEqual(await storage.chains.takeFromPool('BSC', 'w', 1), []);
    assert.equal(await storage.chains.poolSize('ETH', 'other'), 2);
  });
});
