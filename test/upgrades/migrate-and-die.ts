import knex from 'knex';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import { silentLogger } from '../support/storage.ts';

/** Migrates the database of the first argument, and is killed before the first statement that has the text of the second. */
const [config = '', text = ''] = process.argv.slice(2);
const instance = knex(JSON.parse(config) as object);
instance.on('query', ({ sql }: { sql: string }) => {
  if (sql.includes(text)) process.kill(process.pid, 'SIGKILL');
});
const storage = await openStorage({ knex: instance }, { logger: silentLogger });
await storage.migrate();
await instance.destroy();
