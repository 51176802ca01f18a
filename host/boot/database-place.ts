import { TillgateError, isTillgateError } from '../../core/index.ts';

/** The database that a connection string names, without user and password. */
export function databasePlace(connection: string): string {
  if (!URL.canParse(connection)) return 'PostgreSQL';
  const { hostname, port, pathname, searchParams } = new URL(connection);
  const host = hostname === '' ? (searchParams.get('host') ?? 'the local socket') : `${hostname}:${port || '5432'}`;
  return `PostgreSQL at ${host}${pathname.length > 1 ? ` (database ${decodeURIComponent(pathname.slice(1))})` : ''}`;
}

/** The same error, naming the database that did not answer. */
export function withPlace(error: unknown, connection: string): unknown {
  if (!isTillgateError(error, 'NOT_READY')) return error;
  const message = error.message.replace(/^The database/, databasePlace(connection));
  return new TillgateError('NOT_READY', message, error.details, error);
}
