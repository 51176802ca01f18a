import { TillgateError } from '../../../../core/index.ts';
import type { Logger } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import { StatementError } from '../errors.ts';
import type { DatabaseFacts, Fact } from './facts.ts';
import { attempts, callbacks, openAlerts, orders, transfers, waiting } from './business-facts.ts';
import { openReadOnly } from './read-only.ts';
import type { InspectedDatabase } from './read-only.ts';
import { chains, engine, epoch, migrations, tables } from './schema-facts.ts';

/**
 * Inspects the database of a till, which may be running, and changes nothing: no schema is migrated and no file is
 * created. Each fact is read separately, so that a damaged or older schema hides only its own facts.
 */
export async function inspectDatabase(config: InspectedDatabase, logger: Logger): Promise<Fact<DatabaseFacts>> {
  const database = openReadOnly(config, logger);
  const fact = async <T>(ask: (database: Database) => Promise<T>): Promise<Fact<T>> => {
    try {
      return await ask(database);
    } catch (error) {
      return { unknown: classOf(error) };
    }
  };
  try {
    const answer = await fact(engine);
    // If the database does not answer, each further query would wait for it.
    if ('unknown' in answer) return answer;
    return {
      engine: answer,
      migrations: await fact(migrations),
      epoch: await fact(epoch),
      chains: await fact(chains),
      orders: await fact(orders),
      transfers: await fact(transfers),
      callbacks: await fact(callbacks),
      waiting: await fact(waiting),
      callbackAttempts: await fact(attempts),
      openAlerts: await fact(openAlerts),
      tables: await tables(database, fact),
    };
  } finally {
    await database.close();
  }
}

const CODE = /^[A-Za-z0-9_]{1,40}$/;

/** An error without its message, which quotes hosts, users and values: the innermost code that is specific. */
export function classOf(error: unknown): string {
  if (error instanceof TillgateError) return error.cause === undefined ? error.code : classOf(error.cause);
  const code = error instanceof StatementError ? error.failure.code : (error as { code?: unknown }).code;
  if (typeof code === 'string' && CODE.test(code)) return code;
  return error instanceof StatementError ? error.failure.kind : 'error';
}
