import { TillgateError, isLoopback } from '../../../core/index.ts';
import type { PgConfig } from './open-storage.ts';

/** What `pg` derives from the connection string, `ssl`, and the variables PGHOST and PGSSLMODE. */
export interface PgTarget {
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly database?: string | undefined;
  readonly password?: unknown;
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
  const { host, ssl } = await pgTarget(connection, setting);
  // A path is the folder of a Unix socket.
  if (host.startsWith('/') || isLoopback(host) || isVerified(ssl)) return;
  throw new TillgateError(
    'CONFIG_INVALID',
    `${setting}: ${host} is connected to without TLS, or without checking its certificate, so anyone on the network path could ` +
      `change the ledger. Add sslmode=verify-full (and sslrootcert) to its connection string, or set "insecure": true in ` +
      `${setting} if you control the whole network path.`,
  );
}

/** Whether a connection is encrypted, and the server's certificate checked. */
export function isVerified(ssl: PgTarget['ssl']): boolean {
  return typeof ssl === 'object' ? ssl.rejectUnauthorized !== false : ssl === true;
}

/**
 * The driver's own parser reads its settings, so that what is checked cannot differ from what is used. Nothing is connected.
 *
 * @throws TillgateError `CONFIG_INVALID` naming the setting
 */
export async function pgTarget(connection: PgConfig['connection'], setting: string): Promise<PgTarget> {
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
