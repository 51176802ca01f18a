import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import type { PgConfig, SqliteConfig } from '../../adapters/storage/knex/index.ts';
import type { Logger } from '../../core/index.ts';
import { freshDatabase } from './postgres.ts';

/** Where a test run's migrated, empty databases are told of. */
const PG_TEMPLATE = 'TEST_PG_TEMPLATE';
const SQLITE_TEMPLATE = 'TEST_SQLITE_TEMPLATE';

/** Migrated databases that tests copy, so that not each of them migrates one of its own. */
export interface Templates {
  /** For the environment of the tests. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const quiet: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet };

/** Makes the templates of a whole test run; `TEST_DATABASE_URL` must name its server. */
export async function makeTemplates(): Promise<Templates> {
  const { url, drop } = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-template-'));
  const filename = join(folder, 'till.db');
  await migrate({ client: 'pg', connection: url });
  await migrate({ client: 'sqlite', filename });
  return {
    environment: { [PG_TEMPLATE]: new URL(url).pathname.slice(1), [SQLITE_TEMPLATE]: filename },
    remove: async () => {
      rmSync(folder, { recursive: true, force: true });
      await drop();
    },
  };
}

async function migrate(config: SqliteConfig | PgConfig): Promise<void> {
  const storage = await openStorage(config, { logger: quiet });
  await storage.migrate();
  await storage.close();
}

/** What a new PostgreSQL database of a test is copied from; the server's own empty one for a test file started by hand. */
export const pgTemplate = (): string => process.env[PG_TEMPLATE] ?? 'template0';

/** Begins a SQLite file as a copy of the template, where there is one. */
export function copySqliteTemplate(filename: string): void {
  const template = process.env[SQLITE_TEMPLATE];
  if (template !== undefined) copyFileSync(template, filename);
}
