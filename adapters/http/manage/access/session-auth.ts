import { TillgateError } from '../../../../core/index.ts';
import type { OpenSession, Sessions } from '../../../../core/index.ts';
import { header } from '../../messages.ts';
import type { HttpRequest } from '../../messages.ts';
import type { SessionAuth } from '../../operation.ts';
import { sessionCookie } from './cookies.ts';

const BEARER = /^Bearer ([\x21-\x7e]+)$/;
const SAFE: readonly string[] = ['GET', 'HEAD'];

/**
 * Authenticates a request by its session: a bearer token, or the cookie of a browser.
 *
 * @param secureCookies - whether browsers use https only
 */
export function sessionAuth(sessions: Sessions, secureCookies: boolean): SessionAuth {
  return { kind: 'session', admit: (request) => admit(sessions, request, secureCookies) };
}

/**
 * @throws TillgateError `NO_CREDENTIALS`; `SESSION_INVALID`; `FORBIDDEN` for an unsafe request of a browser without the
 *   CSRF token
 */
async function admit(sessions: Sessions, request: HttpRequest, secureCookies: boolean): Promise<OpenSession> {
  const { headers, method } = request;
  const authorization = header(headers, 'authorization');
  if (authorization !== null) {
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) throw new TillgateError('SESSION_INVALID', 'Write Authorization: Bearer <access token>.');
    return sessions.find(token, false);
  }
  const cookie = sessionCookie(headers, secureCookies);
  if (cookie === null) throw new TillgateError('NO_CREDENTIALS', 'Log in first: POST /manage/v1/session.');
  const session = await sessions.find(cookie, true);
  // A browser sends the cookie with requests of any site, but only pages of the till have the CSRF token.
  if (!SAFE.includes(method) && !sessions.isCsrfToken(session, header(headers, 'x-csrf-token'))) {
    throw new TillgateError('FORBIDDEN', 'The header X-CSRF-Token is missing or wrong.');
  }
  return session;
}
