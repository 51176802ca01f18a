import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { sandbox } from '../../plugins/sandbox/index.ts';
import { DAY_MS } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import { callback, storedAccount, storedOrder } from '../contract/storage/fixtures.ts';
import { freshDatabase } from '../support/postgres.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';

test('a running till makes the months of postings to come', async () => {
  const database = await freshDatabase();
  const storage = await openStorageAlone({ client: 'pg', connection: database.url }, { logger: silentLogger });
  await storage.migrate();
  const till = await createTillgate({
    ...{ masterKey: randomBytes(32), baseUrl: 'https://shop.example', mode: 'sandbox', plugins: [sandbox()] },
    replace: { storage },
  });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const months = (await storage.ledger.openMonths()).map(({ month }) => month);
  const dropped = months.slice(1);
  assert.equal(dropped.length, 2);
  for (const month of dropped) await client.query(`DROP TABLE ledger_postings_${month.replace('-', '_')}`);
  assert.equal((await storage.ledger.openMonths()).length, 1);
  try {
    await till.workers.start();
    await waitFor(async () => (await storage.ledger.openMonths()).length === 3);
    assert.deepEqual(
      (await storage.ledger.openMonths()).map(({ month }) => month),
      months,
    );
  } finally {
    await till.close();
    await storage.close();
    await client.end();
    await database.drop();
  }
});

test('a running till removes the bodies of callbacks that were delivered longer ago than the setting says', async () => {
  const storage = await openStorageAlone({ client: 'sqlite', filename: ':memory:' }, { logger: silentLogger });
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
    ...{ masterKey: randomBytes(32), baseUrl: 'https://shop.example', mode: 'sandbox', plugins: [sandbox()] },
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
