import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CacheStore } from '../../../core/index.ts';
import { SqlAnswerStore } from '../../../adapters/storage/knex/stores/gateway/answer-store.ts';
import { openDatabase } from '../../../adapters/storage/knex/open-storage.ts';
import { testCacheStore } from '../../support/cache-store-contract.ts';
import { eachStorage } from '../../support/each-storage.ts';

import { silentLogger } from '../../support/storage.ts';
import type { TestStorage } from '../../support/storage.ts';

const storeOf = ({ storage: { answers } }: TestStorage): CacheStore => {
  assert(answers !== null);
  return answers;
};

eachStorage((name, open) => {
  if (name === 'sqlite') {
    test('one server has nobody to share answers with', async (t) => {
      assert.equal((await open(t)).storage.answers, null);
    });
    return;
  }

  testCacheStore(name, async (t) => storeOf(await open(t)));

  test('fault 453: what is stored is bounded: what has expired goes, and the oldest beyond the largest size', async (t) => {
    const till = await open(t);
    const database = await openDatabase(till.config, { logger: silentLogger });
    t.after(() => database.close());
    const store = new SqlAnswerStore(database, 10_000);
    const rows = async (): Promise<string[]> =>
      (await till.sql('SELECT key FROM gateway_answers ORDER BY key')).map((row) => String(row['key']));
    const put = (key: string, keepMs: number): Promise<void> => store.put([{ key, value: 'x'.repeat(3_000) }], keepMs);
    await put('a', 1_000);
    await till.sql("UPDATE gateway_answers SET expires_at = 0 WHERE key = 'a'");
    for (const [index, key] of ['b', 'c', 'd', 'e', 'f', 'g', 'h'].entries()) await put(key, 60_000 + index * 1_000);
    const left = await rows();
    assert.ok(left.length <= 7 && !left.includes('a') && !left.includes('b') && left.includes('h'), left.join(' '));
    const [sum] = await till.sql('SELECT SUM(size) AS size FROM gateway_answers');
    assert.ok(Number(sum?.['size']) <= 20_000, 'the bound and what is written until the next look');
  });

  test('a crash may lose them: they are not in the database’s log', async (t) => {
    const till = await open(t);
    const [row] = await till.sql("SELECT relpersistence FROM pg_class WHERE relname = 'gateway_answers'");
    assert.equal(row?.['relpersistence'], 'u');
  });
});
