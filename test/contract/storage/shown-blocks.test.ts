import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteId, ShownBlockReport, ShownBlockStore } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';

const report = (seed: number, block: number, left = false): ShownBlockReport => ({
  routeId: '1' as RouteId,
  seed,
  block,
  left,
});

const storeOf = ({ storage: { shownBlocks } }: TestStorage): ShownBlockStore => {
  assert(shownBlocks !== null);
  return shownBlocks;
};

eachStorage((name, open) => {
  if (name === 'sqlite') {
    test('one server has nobody to tell its blocks', async (t) => {
      assert.equal((await open(t)).storage.shownBlocks, null);
    });
    return;
  }

  test('each instance hears what the others said last of each upstream, and never of itself', async (t) => {
    const store = storeOf(await open(t));
    assert.deepEqual(await store.exchange('one', [report(4_294_967_295, 66), report(8, 2 ** 52, true)]), []);
    const heard = await store.exchange('two', [report(8, 70)]);
    assert.deepEqual(
      [...heard].sort((a, b) => a.seed - b.seed),
      [report(8, 2 ** 52, true), report(4_294_967_295, 66)],
    );
    assert.deepEqual(await store.exchange('one', [report(8, 71)]), [report(8, 70)]);
    assert.deepEqual(
      (await store.exchange('three', [])).map(({ block }) => block).sort((a, b) => a - b),
      [66, 70, 71],
    );
  });

  test('nothing of some seconds ago is heard of, and it goes after a minute', async (t) => {
    const till = await open(t);
    const store = storeOf(till);
    await store.exchange('gone', [report(8, 70)]);
    await till.sql('UPDATE gateway_shown_blocks SET shown_at = shown_at - 6000');
    assert.deepEqual(await store.exchange('one', []), []);
    await till.sql('UPDATE gateway_shown_blocks SET shown_at = shown_at - 60000');
    await store.exchange('one', [report(8, 70)]);
    assert.deepEqual(
      (await till.sql('SELECT instance FROM gateway_shown_blocks')).map((row) => row['instance']),
      ['one'],
    );
  });
});
