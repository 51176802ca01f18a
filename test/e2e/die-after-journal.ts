/** Loaded into `tillgate signer` by a test: the process dies once its journal has a transaction, before a signature exists. */
import { SqliteJournal } from '../../adapters/signer/index.ts';

const append = Object.getOwnPropertyDescriptor(SqliteJournal.prototype, 'append')?.value as SqliteJournal['append'];

SqliteJournal.prototype.append = async function (...args) {
  await append.apply(this, args);
  process.kill(process.pid, 'SIGKILL');
};
