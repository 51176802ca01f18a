import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import knex from 'knex';
import { isTillgateError } from '../../core/index.ts';
import { BENCH_PACKAGE } from '../support/bench-package.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { entry, newOrder, NOW, storedAccount } from '../contract/storage/fixtures.ts';

const deps = { logger: silentLogger, guardNesting: true };

function databaseFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'till.db');
}

/** This driver, unlike sqlite3, has a binary of its own for each major version of Node. */
function builtForThisNode(): boolean {
  const Driver = createRequire(BENCH_PACKAGE)('better-sqlite3') as new (path: string) => { close(): void };
  try {
    new Driver(':memory:').close();
    return true;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, 'ERR_DLOPEN_FAILED');
    return false;
  }
}

test('the better-sqlite3 driver serves as well; built for another Node, it is refused in words that help', async (t) => {
  const filename = databaseFile(t);
  if (!builtForThisNode()) {
    const isHelpful = (error: unknown): boolean =>
      isTillgateError(error, 'CONFIG_INVALID') && error.message.includes('npm rebuild');
    await assert.rejects(openStorageAlone({ client: 'better-sqlite3', filename }, deps), isHelpful);
    return;
  }
  const storage = await openStorageAlone({ client: 'better-sqlite3', filename }, deps);
  t.after(() => storage.close());
  await storage.migrate();
  const { id } = await storedAccount(storage, { dataSecurity: true });
  const results = await Promise.all(
    Array.from({ length: 30 }, () => storage.orders.create(newOrder(id, { vsPrice: 2n ** 200n }))),
  );
  const [first] = results;
  assert.ok(first?.kind === 'created');
  assert.deepEqual(await storage.orders.find(first.order.id), first.order);
  assert.equal((await storage.accounts.find(id))?.dataSecurity, true);
  await assert.rejects(
    storage.transaction((tx) => tx.orders.move(first.order.id, 'PENDING', 'REFUNDED', { updatedAt: NOW })),
    /illegal change of status/,
  );
  await storage.transaction((tx) => tx.ledger.append(entry(id, 'r', 10n ** 30n)));
  assert.deepEqual(
    (await storage.ledger.balances('merchant:')).map(({ units }) => units),
    [10n ** 30n],
  );
  const own = knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true });
  t.after(() => own.destroy());
  const embedded = await openStorageAlone({ knex: own }, deps);
  assert.equal((await embedded.orders.list(id, { page: 1, size: 1 })).total, 30);
});
