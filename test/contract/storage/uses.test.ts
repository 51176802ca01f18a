import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppUseCount, RemoteUse, RouteId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';

const count = (subject: string, taken: number, running = 0) => ({
  subject,
  routeId: '1' as RouteId,
  taken,
  running,
});

type Exchange = (
  instance: string,
  counts: readonly AppUseCount[],
  lastAt?: number | null,
) => Promise<readonly RemoteUse[]>;

const exchangeOf = ({ storage: { uses } }: TestStorage): Exchange => {
  assert(uses !== null);
  return async (instance, counts, lastAt = null) => (await uses.exchange(instance, counts, lastAt)).uses;
};

eachStorage((name, open) => {
  if (name === 'sqlite') {
    test('one server has nobody to share limits with', async (t) => {
      assert.equal((await open(t)).storage.uses, null);
    });
    return;
  }

  test('each instance hears what the others showed last, and never of itself', async (t) => {
    const exchange = exchangeOf(await open(t));
    assert.deepEqual(await exchange('one', [count('7', 3, 2), count('8', 1)]), []);
    assert.deepEqual(await exchange('two', [count('7', 5)]), [
      { instance: 'one', ...count('7', 3, 2) },
      { instance: 'one', ...count('8', 1) },
    ]);
    assert.deepEqual(await exchange('one', [count('7', 9)]), [{ instance: 'two', ...count('7', 5) }]);
    assert.deepEqual((await exchange('three', [])).map(({ instance, taken }) => `${instance} ${taken}`).sort(), [
      'one 1',
      'one 9',
      'two 5',
    ]);
  });

  test('what was not shown for some seconds is heard of by who was away since, and goes after a minute', async (t) => {
    const till = await open(t);
    const exchange = exchangeOf(till);
    await exchange('gone', [count('7', 3, 2)]);
    await till.sql('UPDATE gateway_uses SET shown_at = shown_at - 6000');
    assert.deepEqual(await exchange('one', []), []);
    assert.deepEqual(await exchange('one', [], Date.now() - 10_000), [{ instance: 'gone', ...count('7', 3, 0) }]);
    await till.sql('UPDATE gateway_uses SET shown_at = shown_at - 60000');
    assert.deepEqual(await exchange('one', [], Date.now() - 100_000), []);
    await exchange('one', [count('7', 1)]);
    assert.deepEqual(
      (await till.sql('SELECT instance FROM gateway_uses')).map((row) => row['instance']),
      ['one'],
    );
  });
});
