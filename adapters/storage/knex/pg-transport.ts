import { TillgateError, isLoopback } from '../../../core/index.ts';
import type { PgConfig } from './open-storage.ts';

/** The target that `pg` derives from the connection string, `ssl`, and the variables PGHOST and PGSSLMODE. */
interface Target {
  readonly host: string;
  /** A text, unless the connection string says `true`. */
  readonly ssl: boolean | string | { readonly rejectUnauthorized?: boolean };
}

/**
 * Requires TLS, since anyone between the till and its database can read and change the ledger.
 *
 * @param connection - a connection string or the settings of `pg`
 * @param setting - the name of the setting in the error
 * @throws TillgateError `CONFIG_INVALID` for another machine that would be reached without TLS, or without checking its
 *   certificate (`sslmode=no-verify`)
 */
export async function requireSecureConnection(connection: PgConfig['connection'], setting: string): Promise<void> {
  const { host, ssl } = await targetOf(connection, setting);
  // A path is the folder of a Unix socket.
  if (host.startsWith('/') || isLoopback(host) || isVerified(ssl)) return;
  throw new TillgateError(
    'CONFIG_INVALID',
    `${setting}: ${host} is connected to without TLS, or without checking its certificate, so anyone on the network path could ` +
      `change the ledger. Add sslmode=verify-full (and sslrootcert) to its connection string, or set "insecure": true in ` +
      `${setting} if you control the whole network path.`,
  );
}

function isVerified(ssl: Target['ssl']): boolean {
  return typeof ssl === 'object' ? ssl.rejectUnauthorized !== false : ssl === true;
}

/** The driver's own parser reads its settings, so the check cannot differ from what is used. Nothing is connected. */
async function targetOf(connection: PgConfig['connection'], setting: string): Promise<Target> {
  const { default: pg } = await import('pg');
  const settings: unknown = connection;
  try {
    return new pg.Client(settings as string);
  } catch (error) {
    throw new TillgateError(
      'CONFIG_INVALID',
      `${setting}: the connection is not readable: ${(error as Error).message}`,
    );
  }
}
