import { TillgateError } from '../../../../core/index.ts';
import type { HeaderMap } from '../../messages.ts';

export const SESSION_COOKIE = 'tillgate_session';

/**
 * Browsers accept this prefix only over https and from the host itself, so no other host of the domain can set the
 * cookie.
 */
const nameOf = (secure: boolean): string => (secure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE);

/**
 * The session token in a request's cookies; `null` without one.
 *
 * @throws TillgateError `MALFORMED_REQUEST` for more than one, which would be ambiguous
 */
export function sessionCookie(headers: HeaderMap, secure: boolean): string | null {
  const name = nameOf(secure);
  const pairs = (headers.get('cookie') ?? []).flatMap((line) => line.split(';')).map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  if (values.length > 1) throw new TillgateError('MALFORMED_REQUEST', `The cookie ${name} is repeated.`);
  return values[0] ?? null;
}

/** The `Set-Cookie` header of a session: not readable by scripts, not sent by other sites (RFC 6265bis). */
export function setSessionCookie(token: string, maxAgeSeconds: number, secure: boolean): string {
  return `${nameOf(secure)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
