import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AccountId, AppId, AppKeyId, DirectoryKey } from '../../../core/index.ts';
import { KeyTable } from '../../../core/gateway/key-table.ts';
import { RowIndex } from '../../../core/gateway/row-index.ts';
import { TextCache } from '../../../core/gateway/text-cache.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const START = 8_000_000_000_000_000_000n;
const id = (n: number): string => String(START + BigInt(n));

describe('the table of keys', () => {
  test('finds each of many keys, with its App and account as they are now', () => {
    const table = new KeyTable();
    const many = 20_000;
    for (let n = 0; n < many; n++) {
      table.putAccount({ id: id(n) as AccountId, active: n % 3 !== 0 });
      table.putApp({ id: id(n) as AppId, accountId: id(n) as AccountId, enabled: n % 5 !== 0, chains: n % 2 ? ['ETH'] : [], admissionMode: null, limits: null });
      table.putKey({ id: id(n) as AppKeyId, appId: id(n) as AppId, lookupHash: hashOf(`${n}`), state: 'active', expiresAt: null });
    }
    assert.equal(table.size, many);
    for (let n = 0; n < many; n += 7) {
      const view = table.view(table.rowOf(hashOf(`${n}`)));
      assert.deepEqual([view.id, view.app.id, view.app.accountId], [id(n), id(n), id(n)]);
      assert.deepEqual([view.app.accountActive, view.app.enabled, view.app.chains.has('ETH')], [n % 3 !== 0, n % 5 !== 0, n % 2 === 1]);
    }
    assert.equal(table.rowOf(hashOf('none')), -1);
    const row = table.rowOf(hashOf('7'));
    const changed: DirectoryKey = { id: id(7) as AppKeyId, appId: id(7) as AppId, lookupHash: hashOf('7'), state: 'grace', expiresAt: 5 };
    table.putKey(changed);
    table.putAccount({ id: id(7) as AccountId, active: false });
    assert.deepEqual([table.rowOf(hashOf('7')), table.view(row).state, table.view(row).expiresAt, table.view(row).app.accountActive], [row, 'grace', 5, false]);
    assert.equal(table.size, many);
  });

  test('Apps that may do the same share what says so', () => {
    const table = new KeyTable();
    table.putAccount({ id: id(1) as AccountId, active: true });
    for (const [n, chains] of [['ETH', 'TRX'], ['TRX', 'ETH'], ['ETH']].entries()) {
      table.putApp({ id: id(n) as AppId, accountId: id(1) as AccountId, enabled: true, chains, admissionMode: 'enforce', limits: null });
      table.putKey({ id: id(n) as AppKeyId, appId: id(n) as AppId, lookupHash: hashOf(`${n}`), state: 'active', expiresAt: null });
    }
    const [a, b, c] = [0, 1, 2].map((n) => table.view(table.rowOf(hashOf(`${n}`))).app.chains);
    assert.ok(a === b && b !== c);
  });

  test('refuses a key or an App that belongs to nothing', () => {
    const table = new KeyTable();
    assert.throws(() => table.putKey({ id: id(1) as AppKeyId, appId: id(1) as AppId, lookupHash: hashOf('1'), state: 'active', expiresAt: null }));
    assert.throws(() => table.putApp({ id: id(1) as AppId, accountId: id(1) as AccountId, enabled: true, chains: [], admissionMode: null, limits: null }));
  });

  test('the index agrees with a Map, whatever the keys', () => {
    const words = fc.array(fc.tuple(fc.constantFrom(0, 1, 0xffffffff, 0x80000000), fc.nat(50)), { maxLength: 4000 });
    fc.assert(
      fc.property(words, (keys) => {
        const index = new RowIndex(2);
        const rows = new Map<string, number>();
        for (const key of keys) {
          const name = key.join();
          assert.equal(index.find(key), rows.get(name) ?? -1);
          if (!rows.has(name)) rows.set(name, rows.size);
          assert.equal(index.ensure(key), rows.get(name));
        }
        for (const [name, row] of rows) assert.equal(`${index.word(row, 0)},${index.word(row, 1)}`, name);
      }),
      { numRuns: 30 },
    );
  });

  test('every odd width grows as well', () => {
    for (const width of [1, 2, 3, 4, 5]) {
      const index = new RowIndex(width);
      const key = (n: number): number[] => Array.from({ length: width }, (_, at) => (at === 0 ? n : 9));
      for (let n = 0; n < 9000; n++) assert.equal(index.ensure(key(n)), n);
      for (let n = 0; n < 9000; n += 13) assert.equal(index.find(key(n)), n);
    }
  });

  test('the cache of texts is bounded and keeps what is asked for', () => {
    const cache = new TextCache<number>(100);
    cache.set('hot', 1);
    for (let n = 0; n < 1000; n++) {
      cache.set(`text ${n}`, n);
      assert.equal(cache.get('hot'), 1);
    }
    const kept = Array.from({ length: 1000 }, (_, n) => cache.get(`text ${n}`)).filter((value) => value !== undefined);
    assert.ok(kept.length <= 100);
    cache.clear();
    assert.equal(cache.get('hot'), undefined);
  });
});
