import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pgDialect } from '../../../adapters/storage/knex/dialects/pg-dialect.ts';
import { sqliteDialect } from '../../../adapters/storage/knex/dialects/sqlite-dialect.ts';
import { foundation } from '../../../adapters/storage/knex/migrations/0001-foundation.ts';
import { gateway } from '../../../adapters/storage/knex/migrations/0002-gateway.ts';
import { management } from '../../../adapters/storage/knex/migrations/0003-management.ts';
import { checksum } from '../../../adapters/storage/knex/migrations/rules.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import { checkLedger } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { EngineName } from '../../support/storage.ts';
import { callback, deposit, entry, storedAccount, storedOrder } from './fixtures.ts';
import { add, refund } from './money-out-fixtures.ts';

/** What the former database has rows of, parents first. */
const COPIED = [
  'accounts',
  'counters',
  'orders',
  'addresses',
  'deposits',
  'entries',
  'postings',
  'balances',
  'callbacks',
  'attempts',
] as const;

const columnsOf = (engine: EngineName, table: string): string =>
  engine === 'pg'
    ? `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '${table}'`
    : `SELECT name FROM pragma_table_info('${table}')`;

eachStorage((name, open) => {
  test('a database of the release before gets what money needs on its way out, and keeps what it has', async (t) => {
    const { storage, another, sql } = await open(t);
    const former = await another({ tablePrefix: 'old_' });
    const tables = tablesOf('old_');
    const dialect = name === 'pg' ? pgDialect : sqliteDialect;
    await sql(
      `CREATE TABLE ${tables.migrations} (name ${dialect.types.text} PRIMARY KEY, checksum ${dialect.types.text} NOT NULL, applied_at ${dialect.types.time} NOT NULL)`,
    );
    for (const migration of [foundation, gateway, management]) {
      const statements = migration.statements(tables, dialect);
      for (const statement of statements) await sql(statement);
      await sql(`INSERT INTO ${tables.migrations} (name, checksum, applied_at) VALUES (?, ?, 0)`, [
        migration.name,
        checksum(statements),
      ]);
    }
    await sql(`INSERT INTO ${tables.migrations} (name, checksum, applied_at) VALUES ('rules', 'former', 0)`);
    const { id: accountId } = await storedAccount(storage);
    const order = await storedOrder(storage, accountId);
    const seen = deposit(order);
    await storage.transaction(async (tx) => {
      await tx.deposits.add(seen);
      await tx.ledger.append(entry(accountId, 'booked before', 5n));
    });
    const told = callback(order, { status: 'DEAD' });
    const attempt = { callbackId: told.id, at: 1, durationMs: 2, httpStatus: 500, error: null };
    await storage.transaction((tx) => tx.callbacks.add({ ...told, status: 'PENDING' }));
    const [claim] = await storage.callbacks.claimDue(told.nextAt, 1, 1);
    const dead = { status: 'DEAD', attempts: told.attempts, nextAt: told.nextAt, deliveredAt: null } as const;
    assert.equal(await storage.callbacks.finish(claim!, dead, attempt), true);
    const spendable = await storedOrder(storage, accountId);
    const coins = [
      deposit(spendable, { status: 'SPENDABLE', txid: 'a'.repeat(64) }),
      deposit(spendable, { status: 'SPENDABLE', txid: 'b'.repeat(64) }),
    ];
    const place = await storage.transaction(async (tx) => {
      for (const coin of coins) await tx.deposits.add(coin);
      return tx.orders.addressOn(spendable.id, 'ETH');
    });
    // As the release before stored them: without the columns that came later.
    const present = tablesOf('');
    for (const table of COPIED) {
      const columns = (await sql(columnsOf(name, tables[table])))
        .map((row) => String(row['name']))
        // The number of an attempt is the database's.
        .filter((column) => table !== 'attempts' || column !== 'id')
        .join(', ');
      await sql(`INSERT INTO ${tables[table]} (${columns}) SELECT ${columns} FROM ${present[table]}`);
    }
    await Promise.all([former, await another({ tablePrefix: 'old_' })].map((each) => each.migrate()));
    assert.deepEqual(await former.orders.find(order.id), order);
    assert.deepEqual(await former.deposits.byOrder(order.id), [seen]);
    assert.deepEqual(await former.callbacks.byOrder(order.id), [told]);
    assert.deepEqual(await former.callbacks.attempts(told.id), [attempt]);
    const total = coins.reduce((sum, { units }) => sum + units, 0n);
    const refs = coins.map(({ txid, index }) => `${txid}:${index}`);
    assert.deepEqual(await former.transfers.sweepCandidates('ETH', 10), [
      { address: place?.address, index: place?.index, currency: seen.currency, units: total, refs },
    ]);
    assert.equal(await add(former, refund(order, { status: 'FAILED' })), true);
    await assert.rejects(sql("UPDATE old_transfers SET status = 'REQUESTED'"), /illegal change of status/);
    await sql('DELETE FROM old_transfers');
    const breaches = await checkLedger(former);
    // These deposits were never credited: nothing else is wrong with the books.
    assert.ok(
      breaches.every(({ detail }) => coins.some(({ id }) => detail.includes(id))),
      JSON.stringify(breaches),
    );
    const before = await sql(`SELECT name, checksum FROM ${tables.migrations} ORDER BY name`);
    assert.deepEqual(before.map((row) => row['name']).slice(0, 4), [
      '0001-foundation',
      '0002-gateway',
      '0003-management',
      '0004-money-out',
    ]);
    await former.migrate();
    assert.deepEqual(await sql(`SELECT name, checksum FROM ${tables.migrations} ORDER BY name`), before);
  });
});
