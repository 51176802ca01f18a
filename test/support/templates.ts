import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import type { PgConfig, SqliteConfig } from '../../adapters/storage/knex/index.ts';
import type { Logger } from '../../core/index.ts';
import type { FreshDatabase } from './postgres.ts';

/** The environment variables that name a test run's migrated, empty databases. */
const PG_TEMPLATE = 'TEST_PG_TEMPLATE';
const SQLITE_TEMPLATE = 'TEST_SQLITE_TEMPLATE';

/** Migrated databases that tests copy, so that each test is spared the migration. */
export interface Templates {
  /** For the environment of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const quiet: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet };

/**
 * Creates the templates of a whole test run.
 *
 * @param postgres - whether there is a server, which TEST_DATABASE_URL names
 */
export async function makeTemplates(postgres: boolean): Promise<Templates> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-template-'));
  const filename = join(folder, 'till.db');
  await migrate({ client: 'sqlite', filename });
  const database = postgres ? await pgDatabase() : null;
  return {
    environment: {
      [SQLITE_TEMPLATE]: filename,
      ...(database && { [PG_TEMPLATE]: new URL(database.url).pathname.slice(1) }),
    },
    remove: async () => {
      rmSync(folder, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

async function pgDatabase(): Promise<FreshDatabase> {
  const { freshDatabase } = await import('./postgres.ts');
  const database = await freshDatabase();
  await migrate({ client: 'pg', connection: database.url });
  return database;
}

async function migrate(config: SqliteConfig | PgConfig): Promise<void> {
  const storage = await openStorage(config, { logger: quiet });
  await storage.migrate();
  await storage.close();
}

/** The template of a test's PostgreSQL database; the server's empty one for a test file run on its own. */
export const pgTemplate = (): string => process.env[PG_TEMPLATE] ?? 'template0';

/** The image of the SQLite template, if there is one. */
export function sqliteTemplate(): Uint8Array | null {
  const template = process.env[SQLITE_TEMPLATE];
  return template === undefined ? null : readFileSync(template);
}

/** Creates a SQLite file as a copy of the template, if there is one. */
export function copySqliteTemplate(filename: string): void {
  const template = process.env[SQLITE_TEMPLATE];
  if (template !== undefined) copyFileSync(template, filename);
}
