import { join } from 'node:path';
import { backUpDatabase, restoreDatabase } from '../../adapters/storage/knex/index.ts';
import { silentLogger } from './storage.ts';

/**
 * A backup of a stopped till's SQLite file, which is restored without beginning an epoch: the till has to notice by itself.
 *
 * @param directory - the till's folder
 * @returns a function that restores it
 */
export async function backUpFile(directory: string): Promise<() => Promise<void>> {
  const [live, copy] = ['data/tillgate.db', 'backup.db'].map((name) => join(directory, name)) as [string, string];
  const database = { client: 'sqlite', filename: live } as const;
  await backUpDatabase(database, copy, {});
  const prepare = (): Promise<void> => Promise.resolve();
  return async () =>
    void (await restoreDatabase(database, copy, { environment: {}, logger: silentLogger, replace: true, prepare }));
}
