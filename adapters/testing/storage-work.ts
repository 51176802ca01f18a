import assert from 'node:assert/strict';
import { isTillgateError } from '../../core/index.ts';
import type { AppId, Lease, Storage, UsageRow } from '../../core/index.ts';
import { NOW, nextId, storeAccount } from './storage-samples.ts';
import type { StorageCase } from './storage-samples.ts';

const HOUR = 3_600_000;

/** Test cases for several instances that share the work. */
export const storageWork: readonly StorageCase[] = [
  {
    title: 'fault 41: a lease has one holder, and a former holder writes nothing under it',
    run: async (storage, second) => {
      const name = `lease ${nextId()}`;
      const chain = `C${nextId()}`;
      await storage.chains.initialise(chain, 'a network');
      const held = await storage.leases.acquire(name, 'one', HOUR);
      assert.ok(held !== null);
      assert.equal(await second.leases.acquire(name, 'two', HOUR), null);
      assert.deepEqual(await storage.leases.acquire(name, 'one', HOUR), held, 'its holder prolongs it');
      await storage.leases.release(held);
      const next = await second.leases.acquire(name, 'two', HOUR);
      assert.ok(next !== null && next.fence > held.fence);
      const write = (one: Storage, lease: Lease, at: number): Promise<void> =>
        one.transaction(async (tx) => {
          await tx.leases.check(lease);
          await tx.chains.setCaughtUp(chain, at);
        });
      await assert.rejects(write(storage, held, NOW), (error: unknown) => isTillgateError(error, 'LEASE_LOST'));
      assert.equal((await storage.chains.state(chain))?.caughtUpAt, null);
      await write(second, next, NOW + 1);
      assert.equal((await storage.chains.state(chain))?.caughtUpAt, NOW + 1);
    },
  },
  {
    title: 'a cursor moves from the block that it stood on, and from no other',
    run: async (storage, second) => {
      const chain = `C${nextId()}`;
      await storage.chains.initialise(chain, 'a network');
      const block = (height: number): { height: number; hash: string; parentHash: string; time: number } => ({
        height,
        hash: `b${height}`,
        parentHash: `b${height - 1}`,
        time: NOW,
      });
      const move = (one: Storage, former: string | null, height: number): Promise<boolean> =>
        one.transaction((tx) => tx.chains.moveCursor(chain, former, block(height)));
      const first = await Promise.all([storage, second].map((one) => move(one, null, 1)));
      assert.deepEqual(first.sort(), [false, true]);
      assert.deepEqual([await move(second, 'b7', 8), await move(second, 'b1', 2)], [false, true]);
      assert.deepEqual((await storage.chains.state(chain))?.cursor, block(2));
    },
  },
  {
    title: 'no derivation index is given out twice, nor an address of the pool',
    run: async (storage, second) => {
      const wallet = `wallet ${nextId()}`;
      const firsts = await Promise.all(
        [storage, second, storage, second].map((one) => one.chains.reserveIndexes(wallet, 10)),
      );
      assert.deepEqual(
        firsts.sort((a, b) => a - b),
        [0, 10, 20, 30],
      );
      const addresses = Array.from({ length: 12 }, (_, index) => ({
        index,
        address: `${wallet} ${index}`,
        key: `${wallet} ${index}`,
      }));
      await storage.chains.fillPool('ETH', wallet, addresses);
      const taken = (
        await Promise.all([storage, second].map((one) => one.chains.takeFromPool('ETH', wallet, 8)))
      ).flat();
      assert.deepEqual(
        taken.map(({ index }) => index).sort((a, b) => a - b),
        addresses.map(({ index }) => index),
      );
      assert.equal(await second.chains.poolSize('ETH', wallet), 0);
    },
  },
  {
    title: 'a document is written over the version that was read, and over no other',
    run: async (storage, second) => {
      const key = `document ${nextId()}`;
      assert.deepEqual(
        (await Promise.all([storage, second].map((one) => one.documents.write(key, 'first', 0)))).sort(),
        [false, true],
      );
      const read = await second.documents.read(key);
      assert.equal(read?.value, 'first');
      assert.deepEqual(
        [
          await storage.documents.write(key, 'second', read.version),
          await second.documents.write(key, 'third', read.version),
        ],
        [true, false],
      );
      assert.equal((await second.documents.read(key))?.value, 'second');
      assert.equal(await storage.documents.read(`${key}, another`), null);
    },
  },
  {
    title: 'fault 14: a change that gateways must apply is in the change feed once it is committed, and not before',
    run: async (storage, second) => {
      const { id } = await storeAccount(storage);
      const { head } = await second.feed.after(0, 1);
      const disable = (one: Storage, more: () => void): Promise<void> =>
        one.transaction(async (tx) => {
          await tx.accounts.update(id, { status: 'disabled', modifiedAt: NOW });
          more();
        });
      const failure = new Error('at the very end');
      await assert.rejects(
        disable(storage, () => {
          throw failure;
        }),
        (error) => error === failure,
      );
      assert.deepEqual(await second.feed.after(head, 9), { head, changes: [] });
      await disable(storage, () => undefined);
      const { changes } = await second.feed.after(head, 9);
      assert.deepEqual(changes, [{ version: head + 1, subject: { kind: 'account', id } }]);
    },
  },
  {
    title: 'fault 136: usage is increased by batches, each once, whichever instance repeats it',
    run: async (storage, second) => {
      const appId = nextId() as AppId;
      const instance = `instance ${nextId()}`;
      const counts = { requests: 2, units: 40, errors: 1, bytesIn: 3, bytesOut: 5 };
      const row: UsageRow = { appId, hour: NOW, route: 'eth.example', method: 'eth_getLogs', ...counts };
      await storage.usage.add({ instance, number: 1, rows: [row] });
      await Promise.all([storage, second].map((one) => one.usage.add({ instance, number: 2, rows: [row] })));
      await second.usage.add({ instance, number: 1, rows: [row] });
      const [sum, ...more] = await second.usage.sum({ appId, from: NOW, to: NOW + HOUR, by: 'method' });
      assert.deepEqual(more, []);
      assert.deepEqual(sum, {
        at: null,
        route: null,
        method: 'eth_getLogs',
        requests: 4,
        units: 80,
        errors: 2,
        bytesIn: 6,
        bytesOut: 10,
      });
      assert.deepEqual(await storage.usage.windowUnits([appId], NOW, NOW), [{ appId, day: 80, month: 80 }]);
    },
  },
  {
    title: 'migrating again changes nothing, on several instances at once',
    run: async (storage, second) => {
      const { id, email } = await storeAccount(storage);
      await Promise.all([storage.migrate(), second.migrate()]);
      assert.equal((await second.accounts.find(id))?.email, email);
      await second.ping();
    },
  },
];
