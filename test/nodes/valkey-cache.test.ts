import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RedisCacheStore } from '../../adapters/cache/index.ts';
import { sharedBranches } from '../gateway/shared-branches.ts';
import { testCacheStore } from '../support/cache-store-contract.ts';
import { waitFor } from '../support/wait.ts';
import { startValkey } from './valkey.ts';

testCacheStore('Valkey', async (t) => {
  const valkey = await startValkey();
  const store = new RedisCacheStore({ url: valkey.url, onError: () => undefined });
  t.after(async () => {
    await store.close();
    await valkey.stop();
  });
  return store;
});

test('fault 454: calls fail while Valkey is away, and succeed when it is back', async (t) => {
  const first = await startValkey();
  const reasons = new Set<string>();
  const store = new RedisCacheStore({ url: first.url, onError: (reason) => reasons.add(reason) });
  t.after(() => store.close());
  const answer = { key: 'a', value: 'x' };
  await store.put([answer], 60_000);
  await first.stop();
  await waitFor(() => reasons.size > 0);
  await assert.rejects(store.find(['a']));
  await assert.rejects(store.put([answer], 60_000));
  for (const reason of reasons) assert.match(reason, /^[A-Z_a-z]+$/, 'a word, and no address');
  const second = await startValkey(first.port);
  t.after(() => second.stop());
  await waitFor(() => store.put([answer], 60_000).then(() => true));
  assert.equal((await store.find(['a'])).get('a'), 'x');
  await store.close();
  await assert.rejects(store.find(['a']));
});

test('fault 451: gateways that share Valkey serve no answer of a branch that they have left', async (t) => {
  const valkey = await startValkey();
  t.after(() => valkey.stop());
  await sharedBranches(t, () => {
    const store = new RedisCacheStore({ url: valkey.url, onError: () => undefined });
    t.after(() => store.close());
    return Promise.resolve(store);
  });
});

test('a server that is not there makes calls fail, and nothing else', async () => {
  const store = new RedisCacheStore({ url: 'redis://:canary@127.0.0.1:1', onError: () => undefined });
  await assert.rejects(store.find(['a']));
  await store.close();
});
