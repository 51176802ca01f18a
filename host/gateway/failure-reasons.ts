/** A header or target that cannot be written without changing the request. */
export const INVALID_REQUEST = 'UND_ERR_INVALID_ARG';
/** The connection was not established in time. */
export const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
/** The upstream closed the connection. */
export const CONNECTION_CLOSED = 'UND_ERR_SOCKET';
/** The upstream sent something that is not an HTTP response. */
export const INVALID_RESPONSE = 'UND_ERR_HTTP_PARSER';
/** The gateway closed the connection. */
export const DESTROYED = 'UND_ERR_DESTROYED';

/** The error's code (`ECONNREFUSED`) or name; never its message, which could repeat the request. */
export function failureReason(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
