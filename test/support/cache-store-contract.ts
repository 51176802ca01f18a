import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { CacheStore } from '../../core/index.ts';
import { waitFor } from './wait.ts';

const key = (n: number): string => n.toString(16).padStart(64, '0');

/** The tests of every {@link CacheStore}. @param open - a store for one test, empty at least of the keys that it uses */
export function testCacheStore(name: string, open: (t: TestContext) => Promise<CacheStore>): void {
  test(`${name}: finds what was put, and nothing else`, async (t) => {
    const store = await open(t);
    await store.put(
      [
        { key: key(1), value: 'one' },
        { key: key(2), value: '["ü\u2028\\"\n",1]' },
      ],
      60_000,
    );
    assert.deepEqual(
      await store.find([key(1), key(2), key(3)]),
      new Map([
        [key(1), 'one'],
        [key(2), '["ü\u2028\\"\n",1]'],
      ]),
    );
    assert.deepEqual(await store.find([key(3)]), new Map());
    assert.deepEqual(await store.find([]), new Map());
  });

  test(`${name}: the last value of a key counts, also where one call puts several`, async (t) => {
    const store = await open(t);
    await store.put([{ key: key(4), value: 'first' }], 60_000);
    await store.put(
      [
        { key: key(4), value: 'second' },
        { key: key(4), value: 'third' },
      ],
      60_000,
    );
    assert.equal((await store.find([key(4)])).get(key(4)), 'third');
    await store.put([], 60_000);
  });

  test(`${name}: what has expired is not found`, async (t) => {
    const store = await open(t);
    await store.put([{ key: key(5), value: 'short' }], 1);
    await store.put([{ key: key(6), value: 'long' }], 60_000);
    await waitFor(async () => (await store.find([key(5)])).size === 0);
    assert.equal((await store.find([key(6)])).size, 1);
  });

  test(`${name}: takes large values, and many at once from several writers`, async (t) => {
    const store = await open(t);
    const answers = Array.from({ length: 200 }, (_, n) => ({ key: key(1_000 + n), value: `${n}`.padEnd(20_000, 'x') }));
    await Promise.all([store.put(answers, 60_000), store.put([...answers].reverse(), 60_000)]);
    assert.equal((await store.find(answers.map((each) => each.key))).size, 200);
  });
}
