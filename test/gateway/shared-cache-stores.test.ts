import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import { MemoryCacheStore } from '../support/memory-cache-store.ts';
import { sharedBranches } from './shared-branches.ts';

eachStorage((name, open) => {
  test('fault 451: instances that share answers serve none of a branch that they have left', async (t) => {
    const { answers } = (await open(t)).storage;
    // SQLite has one server, so that there is nobody to share with.
    assert.equal(answers === null, name === 'sqlite');
    const store = answers ?? new MemoryCacheStore();
    await sharedBranches(t, () => Promise.resolve(store));
  });
});
