import type { TestContext } from 'node:test';
import pg from 'pg';
import type { TestStorage } from './storage.ts';

/** A separate connection to a test's database, until the test ends. */
export async function connected(t: Pick<TestContext, 'after'>, { config }: TestStorage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: (config as { connection: string }).connection });
  // The database is dropped before the connection ends.
  client.on('error', () => undefined);
  await client.connect();
  t.after(() => client.end());
  return client;
}
