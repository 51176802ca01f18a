import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import knex, { type Knex } from 'knex';
import { sqliteClient } from '../../adapters/storage/knex/drivers/sqlite-client.ts';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import type { EmbeddedConfig, SqlStorage, PgConfig, SqliteConfig } from '../../adapters/storage/knex/index.ts';
import { RecordingDispatcher } from '../../adapters/testing/recording-dispatcher.ts';
import type { Logger } from '../../core/index.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import { copySqliteTemplate, pgTemplate, sqliteTemplate } from './templates.ts';

/** A logger that keeps nothing. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};

/** A storage on a test's own, migrated database. */
export interface TestStorage {
  readonly engine: EngineName;
  readonly storage: SqlStorage;
  /** Opens the same database again, as a restart or a second instance. */
  readonly config: SqliteConfig | PgConfig | EmbeddedConfig;
  /** A second instance on the same database; closed with the first. */
  another(options?: { readonly tablePrefix?: string }): Promise<SqlStorage>;
  /** Runs a statement outside the storage, as an attacker or another program could. */
  sql(text: string, bindings?: readonly (string | number | null)[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens a new, migrated database; with a test's context it is closed and removed after that test. */
export type OpenStorage = (t?: Pick<TestContext, 'after'>) => Promise<TestStorage>;

/** `memory` is SQLite in this process, with one connection for all instances: three times as fast as a file. */
export type EngineName = 'memory' | 'sqlite' | 'pg';

interface Place extends Pick<TestStorage, 'config' | 'sql'> {
  remove(): Promise<void>;
}

/** The driver of the SQLite files of tests: TEST_SQLITE_DRIVER, or the one that a till chooses. */
const SQLITE_DRIVER = (process.env['TEST_SQLITE_DRIVER'] ?? 'sqlite') as SqliteConfig['client'];

/** A test's SQLite file. One process must not open a file with two drivers, so everything of a test opens it by this. */
export const sqliteFile = (filename: string): SqliteConfig => ({ client: SQLITE_DRIVER, filename });

/** The settings of a knex instance of an application on a SQLite file. */
export const sqliteSettings = (filename: string): Knex.Config => sqliteClient(sqliteFile(filename)).settings;

const PLACES: Readonly<Record<EngineName, (driver: SqliteConfig['client']) => Promise<Place>>> = {
  memory: async () => {
    // Results arrive later, as from another thread, so that other work proceeds meanwhile.
    const driver = new SqliteDriver(sqliteTemplate(), Date.now, setImmediate);
    // Keeps the process alive, as the timer of a connection pool does.
    const alive = setInterval(() => undefined, 60_000);
    return {
      config: { knex: driver.knex },
      sql: async (text, bindings = []) => driver.all(text, ...bindings),
      remove: async () => {
        clearInterval(alive);
        driver.close();
      },
    };
  },
  sqlite: async (client) => {
    const folder = mkdtempSync(join(tmpdir(), 'tillgate-sqlite-'));
    const filename = join(folder, 'till.db');
    copySqliteTemplate(filename);
    const { sql, end } = tamperer(sqliteClient({ client, filename }).settings);
    const remove = async (): Promise<void> => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    };
    return { config: { client, filename }, sql, remove };
  },
  pg: async () => {
    // Imported here, so that a run on SQLite alone needs no server.
    const { freshDatabase } = await import('./postgres.ts');
    const { url, drop } = await freshDatabase(pgTemplate());
    const { sql, end } = tamperer({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
    const remove = async (): Promise<void> => {
      await end();
      await drop();
    };
    return { config: { client: 'pg', connection: url }, sql, remove };
  },
};

/** A separate connection, opened by its first statement. */
function tamperer(config: Knex.Config): Pick<TestStorage, 'sql'> & { end(): Promise<void> } {
  let raw: Knex | undefined;
  return {
    sql: async (text, bindings = []) => {
      raw ??= knex(config);
      const result: unknown = await raw.raw(text, bindings);
      return (Array.isArray(result) ? result : (result as { rows: unknown }).rows) as Record<string, unknown>[];
    },
    end: async () => raw?.destroy(),
  };
}

/** Opens a storage without a till: of what it changes, only the audit log is reported. */
export async function openStorageAlone(...args: Parameters<typeof openStorage>): Promise<SqlStorage> {
  const storage = await openStorage(...args);
  storage.dispatchTo(new RecordingDispatcher());
  return storage;
}

/** Opens a new database of one kind. */
export async function openTestStorage(
  engine: EngineName,
  t?: Pick<TestContext, 'after'>,
  driver: SqliteConfig['client'] = SQLITE_DRIVER,
): Promise<TestStorage> {
  const { config, sql, remove } = await PLACES[engine](driver);
  const open: SqlStorage[] = [];
  const another: TestStorage['another'] = async (options = {}) => {
    const storage = await openStorageAlone(config, { logger: silentLogger, guardNesting: true, ...options });
    open.push(storage);
    return storage;
  };
  const close = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    await remove();
  };
  t?.after(close);
  const storage = await another();
  await storage.migrate();
  return { engine, storage, config, another, sql, close };
}

/**
 * Returns a function that declares tests on a new database, whose ledger must balance at the end.
 *
 * @param usual - the default options
 */
export function testsOf<D extends { checkBooks(): Promise<void> }, O>(
  open: OpenStorage,
  build: (storage: SqlStorage, options?: O) => Promise<D>,
  usual?: O,
) {
  return (name: string, body: (built: D) => Promise<void>, options: O | undefined = usual): void => {
    test(name, async () => {
      const opened = await open();
      try {
        const built = await build(opened.storage, options);
        await body(built);
        await built.checkBooks();
      } finally {
        await opened.close();
      }
    });
  };
}
