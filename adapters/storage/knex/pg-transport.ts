import { TillgateError, isLoopback } from '../../../core/index.ts';
import type { PgConfig } from './open-storage.ts';

/** What `pg` makes of its settings: the connection string, `ssl`, and the variables PGHOST and PGSSLMODE. */
interface Target {
  readonly host: string;
  /** A text where the connection string has something else than `true`. */
  readonly ssl: boolean | string | { readonly rejectUnauthorized?: boolean };
}

/**
 * Whoever is between the till and its database can read and change the books.
 *
 * @param connection - a connection string or the settings of `pg`
 * @param setting - what is named in the error
 * @throws TillgateError `CONFIG_INVALID` for a host of another machine that would be spoken to without TLS, or without
 *   checking its certificate (`sslmode=no-verify`)
 */
export async function requireSecureConnection(connection: PgConfig['connection'], setting: string): Promise<void> {
  const { host, ssl } = await targetOf(connection, setting);
  // A path is the folder of a Unix socket.
  if (host.startsWith('/') || isLoopback(host) || isVerified(ssl)) return;
  throw new TillgateError(
    'CONFIG_INVALID',
    `${setting}: ${host} is connected to without TLS, or without checking its certificate, so that anybody on the way could ` +
      `change the books. Add sslmode=verify-full (and sslrootcert) to its connection string, or set "insecure": true in ` +
      `${setting} where the way is yours alone.`,
  );
}

function isVerified(ssl: Target['ssl']): boolean {
  return typeof ssl === 'object' ? ssl.rejectUnauthorized !== false : ssl === true;
}

/** The driver reads its own settings: no second reading of them can differ. Nothing is connected. */
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
