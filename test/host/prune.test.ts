import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import sandbox from '../../plugins/sandbox/index.ts';
import { DAY_MS } from '../../core/index.ts';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import { callback, storedAccount, storedOrder } from '../contract/storage/fixtures.ts';
import { silentLogger } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';

test('a running till removes the bodies of callbacks that were delivered longer ago than the setting says', async () => {
  const storage = await openStorage({ client: 'sqlite', filename: ':memory:' }, { logger: silentLogger });
  await storage.migrate();
  const { id } = await storedAccount(storage);
  const delivered = async (days: number) =>
    callback(await storedOrder(storage, id), {
      ...{ method: 'POST', body: '{}', status: 'DELIVERED' },
      deliveredAt: Date.now() - days * DAY_MS,
    });
  const [old, fresh] = [await delivered(8), await delivered(6)];
  await storage.transaction(async (tx) => {
    for (const row of [old, fresh]) await tx.callbacks.add(row);
  });
  const till = await createTillgate({
    ...{ masterKey: randomBytes(32), baseUrl: 'https://shop.example', mode: 'sandbox', plugins: [sandbox] },
    callbacks: { keepBodiesDays: 7 },
    replace: { storage },
  });
  try {
    await till.workers.start();
    await waitFor(async () => (await storage.callbacks.find(old.id))?.body === null);
    assert.equal((await storage.callbacks.find(fresh.id))?.body, '{}');
  } finally {
    await till.close();
    await storage.close();
  }
});
