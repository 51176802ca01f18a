import { createHash, randomBytes } from 'node:crypto';
import type { HeaderMap } from './messages.ts';

const NAME = 'tillgate_payer';
const SECRET_BYTES = 32;
const DAYS_90 = 7_776_000;
const SECRET = /(?:^|;\s*)tillgate_payer=([\w-]{43})(?:;|$)/;

/** The browser of a payer, as an order knows it: a hash of the secret in its cookie; `null` for one without a cookie. */
export function payerBrowser(headers: HeaderMap): string | null {
  const secret = SECRET.exec((headers.get('cookie') ?? []).join('; '))?.[1];
  return secret === undefined ? null : hashOf(secret);
}

/**
 * A new browser's cookie and its hash. Scripts do not read it, and other sites do not send it. It has no path of its own: a browser takes
 * that of the request's directory, the page of the order, under whatever path a proxy serves it (RFC 6265, section 5.1.4).
 */
export function newPayerBrowser(secure: boolean): { readonly hash: string; readonly cookie: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const cookie = `${NAME}=${secret}; Max-Age=${DAYS_90}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return { hash: hashOf(secret), cookie };
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
