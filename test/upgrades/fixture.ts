import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import knex from 'knex';
import type { Database } from '../../adapters/storage/knex/database.ts';
import type { SqlStorage, PgConfig, SqliteConfig } from '../../adapters/storage/knex/index.ts';
import { openDatabase } from '../../adapters/storage/knex/open-storage.ts';
import { freshDatabase } from '../support/postgres.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import type { EngineName } from '../support/storage.ts';
import { loadPostgres, loadSqlite } from './dump.ts';
import type { Facts } from './story.ts';

const FOLDER = fileURLToPath(new URL('fixtures', import.meta.url));

/** The kept databases, by release or by the last migration of an unreleased one. */
export const FIXTURES = readdirSync(FOLDER).toSorted();

/** A kept database as it was, not migrated. */
export interface Loaded {
  readonly facts: Facts;
  readonly config: SqliteConfig | PgConfig;
  /** The file, or the address of the database. */
  readonly place: string;
  /** Another instance on it; closed with the test. */
  open(): Promise<SqlStorage>;
  /** The connections of another instance. */
  connect(): Promise<Database>;
  /** The migrations that it has applied, with their checksums. */
  applied(): Promise<ReadonlyMap<string, string>>;
}

/** Makes a database of a fixture for one test. */
export async function loadFixture(t: TestContext, name: string, engine: EngineName): Promise<Loaded> {
  const form = engine === 'pg' ? 'pg' : 'sqlite';
  const read = (ending: string): string => readFileSync(join(FOLDER, name, `${form}.${ending}`), 'utf8');
  const place = await (form === 'pg' ? loadedPg : loadedSqlite)(t, read('sql'));
  const config: SqliteConfig | PgConfig =
    form === 'pg' ? { client: 'pg', connection: place } : { client: 'sqlite', filename: place };
  const open = async (): Promise<SqlStorage> => {
    const storage = await openStorageAlone(config, { logger: silentLogger });
    t.after(() => storage.close());
    return storage;
  };
  const connect = async (): Promise<Database> => {
    const database = await openDatabase(config, { logger: silentLogger });
    t.after(() => database.close());
    return database;
  };
  return { facts: JSON.parse(read('json')) as Facts, config, place, open, connect, applied: () => appliedIn(config) };
}

/** The migrations of a database, with their checksums. */
export async function appliedIn({ client, ...config }: SqliteConfig | PgConfig): Promise<ReadonlyMap<string, string>> {
  const connection = 'filename' in config ? { filename: config.filename } : config.connection;
  const raw = knex({ client: client === 'pg' ? 'pg' : 'sqlite3', connection, useNullAsDefault: true });
  try {
    const rows = await raw<{ name: string; checksum: string }>('schema_migrations').select('name', 'checksum');
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } finally {
    await raw.destroy();
  }
}

async function loadedSqlite(t: TestContext, dump: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-upgrade-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const filename = join(folder, 'till.db');
  await loadSqlite(filename, dump);
  return filename;
}

async function loadedPg(t: TestContext, dump: string): Promise<string> {
  const { url, drop } = await freshDatabase();
  t.after(drop);
  await loadPostgres(url, dump);
  return url;
}
