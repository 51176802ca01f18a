import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AddressPool, DEFAULT_POOL } from '../../../core/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import { eachStorage } from '../../support/each-storage.ts';

/** BIP-44: a wallet stops its search after this many unused addresses in a row. */
const GAP_LIMIT = 20;

const instance = ({ eth, storage }: Domain): AddressPool =>
  new AddressPool({ chains: new Map([[eth.code, eth]]), storage, settings: { ...DEFAULT_POOL, refill: 40 } });

const indexes = async (pool: AddressPool, count: number): Promise<number[]> => {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) taken.push((await pool.take('ETH')).index);
  return taken;
};

const upTo = (first: number, count: number): number[] => Array.from({ length: count }, (_, n) => first + n);

eachStorage((engine, open) => {
  const till = (name: string, body: (domain: Domain) => Promise<void>): void => {
    test(name, async () => {
      const opened = await open();
      try {
        await body(await buildDomain(opened.storage));
      } finally {
        await opened.close();
      }
    });
  };

  describe(`indexes of deposit addresses on ${engine}`, () => {
    till('begin at 0 and ascend, whether derived ahead or when an order needs one', async (domain) => {
      const pool = instance(domain);
      assert.deepEqual(await indexes(pool, 5), upTo(0, 5));
      while ((await domain.storage.chains.poolSize('ETH', domain.eth.walletId)) < 200) await pool.refill('ETH');
      assert.deepEqual(await indexes(pool, 150), upTo(5, 150));
    });

    till('that a clean stop left unused are used next', async (domain) => {
      const first = instance(domain);
      await first.refill('ETH');
      assert.deepEqual(await indexes(first, 3), upTo(0, 3));
      await first.release();
      const next = instance(domain);
      assert.deepEqual(await indexes(next, 45), upTo(3, 45));
    });

    till('leave a gap that wallets look past when an instance is killed', async (domain) => {
      const killed = instance(domain);
      await killed.refill('ETH');
      const last = Math.max(...(await indexes(killed, 30)));
      const [next] = await indexes(instance(domain), 1);
      assert.ok(next !== undefined && next > last && next - last <= GAP_LIMIT, `index ${next} follows ${last}`);
    });

    till('are given out once, however many instances share them, stop and are killed', async (domain) => {
      const given: number[] = [];
      for (let round = 0; round < 4; round++) {
        const pools = [instance(domain), instance(domain), instance(domain)];
        await pools[0]?.refill('ETH');
        given.push(...(await Promise.all(pools.map((pool) => indexes(pool, 17 + round)))).flat());
        // The last one is killed and returns nothing.
        await Promise.all(pools.slice(0, 2).map((pool) => pool.release()));
      }
      assert.equal(new Set(given).size, given.length);
    });

    till(
      'are derived in larger steps while many orders find the pool empty, and in small ones for a lone order',
      async (domain) => {
        const pool = instance(domain);
        const { chains } = domain.storage;
        const steps: number[] = [];
        const reserve = chains.reserveIndexes.bind(chains);
        chains.reserveIndexes = (walletId, count) => {
          steps.push(count);
          return reserve(walletId, count);
        };
        assert.deepEqual(await indexes(pool, 1), [0]);
        assert.ok(
          steps.every((count) => count < GAP_LIMIT),
          steps.join(),
        );
        const taken: number[] = [];
        for (let burst = 0; burst < 3; burst++)
          taken.push(...(await Promise.all(Array.from({ length: 100 }, () => indexes(pool, 1)))).flat());
        assert.deepEqual(
          taken.sort((a, b) => a - b),
          upTo(1, 300),
        );
        const most = Math.max(...steps);
        assert.ok(most > GAP_LIMIT && most <= 64, steps.join());
      },
    );

    till('are fetched in larger batches while many orders wait, and each is given out once', async (domain) => {
      const pool = instance(domain);
      while ((await domain.storage.chains.poolSize('ETH', domain.eth.walletId)) < 1000) await pool.refill('ETH');
      const { chains } = domain.storage;
      const batches: number[] = [];
      const take = chains.takeFromPool.bind(chains);
      chains.takeFromPool = (chain, walletId, count) => {
        batches.push(count);
        return take(chain, walletId, count);
      };
      const taken: number[] = [];
      for (let burst = 0; burst < 5; burst++)
        taken.push(
          ...(await Promise.all(Array.from({ length: 150 }, () => pool.take('ETH')))).map(({ index }) => index),
        );
      assert.deepEqual(
        taken.sort((a, b) => a - b),
        upTo(0, 750),
      );
      const { batch, largestBatch } = DEFAULT_POOL;
      assert.ok(
        batches.every((count) => count >= batch && count <= largestBatch),
        batches.join(),
      );
      assert.ok(Math.max(...batches) > batch, batches.join());
    });
  });
});
