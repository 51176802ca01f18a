import knex from 'knex';
import { migrate, MIGRATIONS } from '../../adapters/storage/knex/migrations/migrate.ts';
import { openDatabase } from '../../adapters/storage/knex/open-storage.ts';
import { silentLogger } from '../support/storage.ts';
import { LATER } from './later.ts';

/** Migrates the database of the first argument, and is killed before the first statement that has the text of the second. */
const [config = '', text = ''] = process.argv.slice(2);
const instance = knex(JSON.parse(config) as object);
instance.on('query', ({ sql }: { sql: string }) => {
  if (sql.includes(text)) process.kill(process.pid, 'SIGKILL');
});
const database = await openDatabase({ knex: instance }, { logger: silentLogger });
await migrate(database, [...MIGRATIONS, LATER]);
await instance.destroy();
