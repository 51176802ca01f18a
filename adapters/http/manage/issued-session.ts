import type { IssuedSession } from '../../../core/index.ts';
import { z } from 'zod';
import { setSessionCookie } from './cookies.ts';
import type { ManageDeps } from './deps.ts';
import { whole } from './reply-fields.ts';

/** What a reply says of a session; its token only where that is new. */
export const TOKEN_FIELDS = {
  access_token: z.string().optional().meta({ description: 'Absent for a session in a cookie' }),
  csrf_token: z
    .string()
    .optional()
    .meta({ description: 'Wanted as X-CSRF-Token on every unsafe method; only for a session in a cookie' }),
  expire: whole('Lifetime in seconds'),
};

interface Issued<T> {
  readonly data: T & { readonly access_token?: string; readonly csrf_token?: string; readonly expire: number };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply with a session's new token: in the body, or for a browser in a cookie with its CSRF token in the body. */
export function issued<T extends object>(
  { manage, settings }: ManageDeps,
  { token, csrfToken, session }: IssuedSession,
  fields: T,
): Issued<T> {
  const expire = manage.sessions.secondsLeft(session);
  if (!session.cookie) return { data: { access_token: token, expire, ...fields } };
  return {
    data: { csrf_token: csrfToken, expire, ...fields },
    headers: { 'Set-Cookie': setSessionCookie(token, expire, settings.secureCookies) },
  };
}
