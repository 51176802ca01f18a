import { mkdirSync, writeFileSync } from 'node:fs';
import { openTestStorage } from '../support/storage.ts';
import type { TestStorage } from '../support/storage.ts';
import type { PgConfig } from '../../adapters/storage/knex/index.ts';
import { startTestTill } from '../support/till.ts';
import { dumpPostgres, dumpSqlite } from './dump.ts';
import { MASTER_KEY, fillTill, merchantServer } from './story.ts';

/**
 * `node --import tsx test/upgrades/make.ts NAME`: a database of this release, with business under way, as a fixture for all
 * later ones. PostgreSQL is the one that TEST_DATABASE_URL names, or the tests' own; `pg_dump` must not be older than it.
 */
const name = process.argv[2];
if (name === undefined) throw new Error('say the name of the fixture, such as 0.2.0');
const folder = new URL(`fixtures/${name}/`, import.meta.url);
mkdirSync(folder, { recursive: true });
for (const engine of ['sqlite', 'pg'] as const) {
  const database = await openTestStorage(engine);
  const options = { masterKey: MASTER_KEY, replace: { callbackTransport: merchantServer() } };
  const till = await startTestTill(database, options);
  const facts = await fillTill(till);
  await till.close();
  const dump = engine === 'sqlite' ? await dumpSqlite(database.sql) : dumpPostgres(urlOf(database.config));
  await database.close();
  writeFileSync(new URL(`${engine}.sql`, folder), dump);
  writeFileSync(new URL(`${engine}.json`, folder), `${JSON.stringify(facts, null, 2)}\n`);
}

function urlOf(config: TestStorage['config']): string {
  const { connection } = config as PgConfig;
  if (typeof connection !== 'string') throw new Error('the database has no address');
  return connection;
}
