import type { IssuedSession } from '../../../../core/index.ts';
import { z } from 'zod';
import { setSessionCookie } from './cookies.ts';
import type { ManageDeps } from '../deps.ts';
import { whole } from '../reply-fields.ts';

/** The fields of a session in a reply. The token is there only when it is new. */
export const TOKEN_FIELDS = {
  access_token: z.string().optional().meta({ description: 'Omitted for a session in a cookie' }),
  csrf_token: z
    .string()
    .optional()
    .meta({ description: 'Only for a session in a cookie; send it as X-CSRF-Token with every unsafe method' }),
  expires_in: whole('Lifetime of the session in seconds'),
};

interface Issued<T> {
  readonly data: T & { readonly access_token?: string; readonly csrf_token?: string; readonly expires_in: number };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply with a session's new token: in the body, or for browsers in a cookie, with the CSRF token in the body. */
export function issued<T extends object>(
  { manage, settings }: ManageDeps,
  { token, csrfToken, session }: IssuedSession,
  fields: T,
): Issued<T> {
  const expiresIn = manage.sessions.secondsLeft(session);
  if (!session.cookie) return { data: { access_token: token, expires_in: expiresIn, ...fields } };
  return {
    data: { csrf_token: csrfToken, expires_in: expiresIn, ...fields },
    headers: { 'Set-Cookie': setSessionCookie(token, expiresIn, settings.secureCookies) },
  };
}
