/** An error of nodemailer or of the socket. */
interface MailError {
  readonly code?: unknown;
  /** The code of the socket, which is more specific than that of the library. */
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly name?: unknown;
}

/** Errors by their codes, as shown in a notice's last error. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^(ETLS|ERR_TLS|ERR_SSL|EPROTO|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|ERR_TLS_CERT_ALTNAME_INVALID)/, 'TLS failed'],
  [/^(EAUTH|ENOAUTH)$/, 'the login was refused'],
  [/^EENVELOPE$/, 'the mail was refused'],
  [/^EMESSAGE$/, 'the mail was refused'],
  [/^(ENOTFOUND|EDNS|EAI_AGAIN)$/, 'the name of the server was not found'],
  [/^(ETIMEDOUT|TimeoutError|AbortError)$/, 'timeout'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'the server cannot be reached'],
  [/^(ECONNECTION|ECONNRESET|EPIPE|ESOCKET|EPROTOCOL)$/, 'the connection was lost'],
];

/** The reason why a mail was not accepted, without the server's text, which may contain addresses or the mail. */
export function mailProblem(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'timeout';
  const { code, originalCode = code, responseCode, name } = error as MailError;
  const known = typeof originalCode === 'string' ? originalCode : String(name);
  const words = PROBLEMS.find(([pattern]) => pattern.test(known))?.[1] ?? 'error';
  return typeof responseCode === 'number' ? `${words} (${responseCode})` : words;
}

/** Whether the server reports by an RFC 3463 code that the mailbox does not exist. */
export function isUnknownMailbox(error: unknown): boolean {
  const { code, response } = (error ?? {}) as MailError;
  return code === 'EENVELOPE' && typeof response === 'string' && /^5\d\d[ -]5\.1\.[1-3]\b/.test(response);
}
