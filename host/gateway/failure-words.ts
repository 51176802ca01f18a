/** The word for a request with a header or target that cannot be written. */
export const UNSENDABLE = 'UND_ERR_INVALID_ARG';
/** The word for a connection that did not come about in time. */
export const DIAL_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
/** The word for a connection that closed. */
export const CLOSED = 'UND_ERR_SOCKET';
/** The word for what is no reply. */
export const NO_REPLY = 'UND_ERR_HTTP_PARSER';
/** The word for a connection that was closed on our side. */
export const SHUT_DOWN = 'UND_ERR_DESTROYED';

/** The system's word for an error (`ECONNREFUSED`); never its message, which could repeat the request. */
export function wordOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
