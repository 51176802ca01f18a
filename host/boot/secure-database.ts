import { requireSecureConnection } from '../../adapters/storage/knex/index.ts';
import type { HostConfig } from '../settings/config.ts';

/**
 * Refuses a connection that would show the password of the database to the network, in production and unless the settings
 * allow it. @throws TillgateError as {@link requireSecureConnection}
 */
export async function requireSecureDatabase({ database, mode }: Pick<HostConfig, 'database' | 'mode'>): Promise<void> {
  if (database.client === 'pg' && mode === 'production' && !database.insecure)
    await requireSecureConnection(database.connection, 'database');
}
