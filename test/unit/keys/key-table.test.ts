import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AccountId, AppId, AppKeyId, DirectoryKey } from '../../../core/index.ts';
import { KeyTable } from '../../../core/gateway/key-table.ts';
import { RowIndex } from '../../../core/gateway/row-index.ts';
import { FingerprintCache } from '../../../core/gateway/fingerprint-cache.ts';
import { SeededRandom } from '../../support/fakes.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const START = 8_000_000_000_000_000_000n;
const id = (n: number): string => String(START + BigInt(n));

describe('the table of keys', () => {
  test('fault 313: a key that was just looked at is seen as it is after each change of it, its App and its account', () => {
    const table = new KeyTable();
    const account = { id: id(1) as AccountId, active: true };
    const app = {
      id: id(2) as AppId,
      accountId: account.id,
      enabled: true,
      chains: ['ETH'],
      admissionMode: null,
      quota: null,
      prepaid: false,
      buyer: null,
      limits: null,
    };
    const key: DirectoryKey = {
      id: id(3) as AppKeyId,
      appId: app.id,
      lookupHash: hashOf('it'),
      state: 'active',
      expiresAt: null,
      restrictions: null,
    };
    table.putAccount(account);
    table.putApp(app);
    table.putKey(key);
    const seen = (): readonly unknown[] => {
      const { state, app: its } = table.view(table.rowOf(key.lookupHash));
      return [state, its.enabled, its.accountActive];
    };
    assert.deepEqual(seen(), ['active', true, true]);
    table.putAccount({ ...account, active: false });
    assert.deepEqual(seen(), ['active', true, false]);
    table.putApp({ ...app, enabled: false });
    assert.deepEqual(seen(), ['active', false, false]);
    const rulesOf = () => table.view(table.rowOf(key.lookupHash)).rules;
    assert.equal(rulesOf(), null);
    const restrictions = { methods: ['eth_call'], networks: [], origins: [], unitsPerMinute: null };
    table.putKey({ ...key, restrictions });
    assert.equal(rulesOf()?.foreign(['eth_call', 'eth_chainId']), 'eth_chainId');
    table.putKey({ ...key, restrictions: { ...restrictions, methods: [], networks: ['10.0.0.0/8'] } });
    assert.deepEqual([rulesOf()?.foreign(['eth_chainId']), rulesOf()?.allowsAddress('127.0.0.1')], [undefined, false]);
    table.putKey(key);
    assert.equal(rulesOf(), null);
    table.putKey({ ...key, state: 'revoked', restrictions });
    assert.deepEqual([...seen(), rulesOf()], ['revoked', false, false, null]);
  });

  test('finds each of many keys, with its App and account as they are now', () => {
    const table = new KeyTable();
    const many = 20_000;
    for (let n = 0; n < many; n++) {
      table.putAccount({ id: id(n) as AccountId, active: n % 3 !== 0 });
      table.putApp({
        id: id(n) as AppId,
        accountId: id(n) as AccountId,
        enabled: n % 5 !== 0,
        chains: n % 2 ? ['ETH'] : [],
        admissionMode: null,
        quota: null,
        prepaid: false,
        buyer: null,
        limits: null,
      });
      table.putKey({
        id: id(n) as AppKeyId,
        appId: id(n) as AppId,
        lookupHash: hashOf(`${n}`),
        state: 'active',
        expiresAt: null,
        restrictions: null,
      });
    }
    assert.equal(table.size, many);
    for (let n = 0; n < many; n += 7) {
      const view = table.view(table.rowOf(hashOf(`${n}`)));
      assert.deepEqual([view.id, view.app.id, view.app.accountId], [id(n), id(n), id(n)]);
      assert.deepEqual(
        [view.app.accountActive, view.app.enabled, view.app.chains.has('ETH')],
        [n % 3 !== 0, n % 5 !== 0, n % 2 === 1],
      );
    }
    assert.equal(table.rowOf(hashOf('none')), -1);
    const row = table.rowOf(hashOf('7'));
    const changed: DirectoryKey = {
      id: id(7) as AppKeyId,
      appId: id(7) as AppId,
      lookupHash: hashOf('7'),
      state: 'grace',
      expiresAt: 5,
      restrictions: null,
    };
    table.putKey(changed);
    table.putAccount({ id: id(7) as AccountId, active: false });
    assert.deepEqual(
      [table.rowOf(hashOf('7')), table.view(row).state, table.view(row).expiresAt, table.view(row).app.accountActive],
      [row, 'grace', 5, false],
    );
    assert.equal(table.size, many);
  });

  test('Apps that may do the same share what says so', () => {
    const table = new KeyTable();
    table.putAccount({ id: id(1) as AccountId, active: true });
    for (const [n, chains] of [['ETH', 'TRX'], ['TRX', 'ETH'], ['ETH']].entries()) {
      table.putApp({
        id: id(n) as AppId,
        accountId: id(1) as AccountId,
        enabled: true,
        chains,
        admissionMode: 'enforce',
        quota: null,
        prepaid: false,
        buyer: null,
        limits: null,
      });
      table.putKey({
        id: id(n) as AppKeyId,
        appId: id(n) as AppId,
        lookupHash: hashOf(`${n}`),
        state: 'active',
        expiresAt: null,
        restrictions: null,
      });
    }
    const [a, b, c] = [0, 1, 2].map((n) => table.view(table.rowOf(hashOf(`${n}`))).app.chains);
    assert.ok(a === b && b !== c);
  });

  test('fault 141: an App that is changed for ever leaves nothing behind, and a view stays what was read', () => {
    const table = new KeyTable();
    table.putAccount({ id: id(1) as AccountId, active: true });
    const put = (n: number, units: number): void =>
      table.putApp({
        ...{ id: id(n) as AppId, accountId: id(1) as AccountId, enabled: true, chains: ['ETH'] },
        ...{ admissionMode: null, limits: null, quota: { units, window: 'day' }, prepaid: false, buyer: null },
      });
    for (const n of [0, 1]) {
      put(n, 1);
      const key = { id: id(n) as AppKeyId, appId: id(n) as AppId, lookupHash: hashOf(`${n}`) };
      table.putKey({ ...key, state: 'active', expiresAt: null, restrictions: null });
    }
    const quota = (n: number) => table.view(table.rowOf(hashOf(`${n}`))).app.quota?.units;
    const { app } = table.view(table.rowOf(hashOf('0')));
    for (let units = 2; units < 1000; units++) {
      put(0, units);
      assert.deepEqual([quota(0), quota(1)], [units, 1]);
    }
    put(1, 1001);
    put(1, 1002);
    assert.deepEqual([quota(0), quota(1), app.quota?.units], [999, 1002, 1]);
    assert.ok(table.profiles <= 3, `${table.profiles}`);
  });

  test('a change of an App or an account holds for all of its keys, and for no other', () => {
    const table = new KeyTable();
    const owner = (n: number): number => Math.floor(n / 4);
    const putApp = (n: number, enabled: boolean, chains: readonly string[] = ['ETH']): void =>
      table.putApp({
        id: id(n) as AppId,
        accountId: id(owner(n)) as AccountId,
        enabled,
        chains,
        admissionMode: null,
        quota: null,
        prepaid: false,
        buyer: null,
        limits: null,
      });
    for (let n = 0; n < 3; n++) table.putAccount({ id: id(n) as AccountId, active: true });
    for (let n = 0; n < 12; n++) putApp(n, true);
    for (let n = 0; n < 48; n++)
      table.putKey({
        id: id(n) as AppKeyId,
        appId: id(n % 12) as AppId,
        lookupHash: hashOf(`${n}`),
        state: 'active',
        expiresAt: null,
        restrictions: null,
      });
    const seen = (): (readonly boolean[])[] =>
      Array.from({ length: 48 }, (_, n) => table.view(table.rowOf(hashOf(`${n}`))).app).map(
        ({ enabled, accountActive, chains }) => [enabled, accountActive, chains.has('TRX')],
      );
    const wanted = (
      off: readonly number[],
      inactive: readonly number[],
      tron: readonly number[],
    ): (readonly boolean[])[] =>
      Array.from({ length: 48 }, (_, n) => [
        !off.includes(n % 12),
        !inactive.includes(owner(n % 12)),
        tron.includes(n % 12),
      ]);
    assert.deepEqual(seen(), wanted([], [], []));
    table.putAccount({ id: id(1) as AccountId, active: false });
    putApp(2, false);
    putApp(5, true, ['TRX']);
    assert.deepEqual(seen(), wanted([2], [1], [5]));
    table.putAccount({ id: id(1) as AccountId, active: true });
    table.putAccount({ id: id(0) as AccountId, active: false });
    putApp(2, true);
    assert.deepEqual(seen(), wanted([], [0], [5]));
    // What was looked at before stays as it was.
    const before = table.view(table.rowOf(hashOf('9')));
    putApp(9, false);
    assert.deepEqual([before.app.enabled, table.view(table.rowOf(hashOf('9'))).app.enabled], [true, false]);
    assert.throws(() =>
      table.putApp({
        id: id(9) as AppId,
        accountId: id(0) as AccountId,
        enabled: true,
        chains: [],
        admissionMode: null,
        quota: null,
        prepaid: false,
        buyer: null,
        limits: null,
      }),
    );
  });

  test('refuses a key or an App that belongs to nothing', () => {
    const table = new KeyTable();
    assert.throws(() =>
      table.putKey({
        id: id(1) as AppKeyId,
        appId: id(1) as AppId,
        lookupHash: hashOf('1'),
        state: 'active',
        expiresAt: null,
        restrictions: null,
      }),
    );
    assert.throws(() =>
      table.putApp({
        id: id(1) as AppId,
        accountId: id(1) as AccountId,
        enabled: true,
        chains: [],
        admissionMode: null,
        quota: null,
        prepaid: false,
        buyer: null,
        limits: null,
      }),
    );
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

  test('the cache finds the rows of texts, is bounded, and knows no text that it was not told of', () => {
    const cache = new FingerprintCache(new SeededRandom(), 53);
    const textOf = (n: number): string => `tgk_${hashOf(String(n)).slice(0, 49)}`;
    cache.fit(10_000);
    assert.ok(cache.capacity >= 20_000 && cache.capacity <= 40_000);
    for (let n = 0; n < 10_000; n++) {
      assert.equal(cache.find(textOf(n)), -1);
      cache.remember(n);
      assert.equal(cache.find(textOf(n)), n);
    }
    const found = Array.from({ length: 10_000 }, (_, n) => cache.find(textOf(n)));
    assert.ok(found.every((row, n) => row === n || row === -1));
    assert.ok(found.filter((row) => row === -1).length < 1000, 'few had to give way');
    for (let n = 10_000; n < 200_000; n++) {
      if (cache.find(textOf(n)) === -1) cache.remember(n);
    }
    assert.ok(cache.capacity <= 40_000);
    cache.clear();
    assert.equal(cache.find(textOf(1)), -1);
    cache.fit(2 ** 40);
    assert.equal(cache.capacity, 2 ** 21);
  });

  test('a text that differs in one place has another fingerprint, and one that is no key has none', () => {
    const cache = new FingerprintCache(new SeededRandom(), 53);
    const text = `tgk_${hashOf('a').slice(0, 49)}`;
    assert.equal(cache.find(text), -1);
    cache.remember(7);
    for (let at = 0; at < text.length; at++) {
      for (const other of ['!', '~', '0', 'z', String.fromCharCode(text.charCodeAt(at) ^ 1)]) {
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        assert.equal(cache.find(changed), changed === text ? 7 : -1);
      }
      assert.equal(
        cache.find(`${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) + 128)}${text.slice(at + 1)}`),
        null,
      );
    }
    // Neighbours that trade value between the two places of one pair.
    const traded =
      text.slice(0, 10) + String.fromCharCode(text.charCodeAt(10) - 1, text.charCodeAt(11) + 128) + text.slice(12);
    assert.equal(cache.find(traded), null);
    for (const none of ['', text.slice(1), `${text}0`]) assert.equal(cache.find(none), null);
    assert.equal(cache.find(text), 7);
  });

  test('fingerprints agree with exact arithmetic', () => {
    const random = new SeededRandom('fingerprint');
    const replay = new SeededRandom('fingerprint');
    const cache = new FingerprintCache(random, 5);
    const prime = 4_294_967_291n;
    const key: bigint[] = [];
    while (key.length < 12) {
      const number = BigInt(`0x${Buffer.from(replay.bytes(4)).toString('hex')}`);
      if (number < prime) key.push(number);
    }
    const printOf = (text: string): string =>
      [0, 1, 2]
        .map((lane) => {
          const pairs = [0, 2, 4].map((at) => BigInt(text.charCodeAt(at) * 128 + (text.charCodeAt(at + 1) || 0)));
          return pairs.reduce((sum, pair, n) => sum + pair * key[3 * (n + 1) + lane]!, key[lane]!) % prime;
        })
        .join();
    const rows = new Map<string, number>();
    for (const text of ['\x7f\x7f\x7f\x7f\x7f', '     ', 'abcde', 'abced', '\0\0\0\0\0']) {
      assert.equal(cache.find(text), -1);
      cache.remember(rows.size);
      rows.set(printOf(text), rows.size);
    }
    assert.equal(rows.size, 5);
  });
});
