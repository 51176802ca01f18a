import { TargetRefused } from './pinned-target.ts';

/** Error codes of Node, OpenSSL and undici, as shown in a callback's attempts. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH)/, 'tls'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|EACCES|UND_ERR_CONNECT_TIMEOUT)$/, 'connect'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'connection-lost'],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, 'bad-reply'],
  [/^UND_ERR_INVALID_ARG$/, 'bad-request'],
];

/** The reason why an attempt got no reply: a short word without any part of the URL, which may contain a secret. */
export function failureReason(error: unknown): string {
  if (error instanceof TargetRefused) return error.reason;
  if (!(error instanceof Error)) return 'error';
  // Parser errors of undici do not always have a code.
  const kind = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return REASONS.find(([pattern]) => pattern.test(kind))?.[1] ?? 'error';
}
