import { createHash, randomBytes } from 'node:crypto';
import type { HeaderMap } from './messages.ts';

const NAME = 'tillgate_payer';
const SECRET_BYTES = 32;
const DAYS_90 = 7_776_000;
const SECRET = /(?:^|;\s*)tillgate_payer=([\w-]{43})(?:;|$)/;

/** The hash of the secret in the cookie of a payer's browser; `null` without the cookie. Orders store this hash. */
export function payerBrowser(headers: HeaderMap): string | null {
  const secret = SECRET.exec((headers.get('cookie') ?? []).join('; '))?.[1];
  return secret === undefined ? null : hashOf(secret);
}

/**
 * A cookie for a new browser, and its hash. Scripts cannot read it and other sites cannot send it. It has no `Path`:
 * the browser takes the directory of the request, which is the page of the order under whatever path a proxy serves it
 * (RFC 6265, section 5.1.4).
 */
export function newPayerBrowser(secure: boolean): { readonly hash: string; readonly cookie: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const cookie = `${NAME}=${secret}; Max-Age=${DAYS_90}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return { hash: hashOf(secret), cookie };
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
