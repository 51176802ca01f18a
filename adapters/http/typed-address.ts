import type { HeaderMap } from './messages.ts';

const NAME = 'tillgate_typed';
const SECONDS = 120;
const TYPED = /(?:^|;\s*)tillgate_typed=([\w.~!*'()%-]{1,3072})(?:;|$)/;
/** No controls, no private use, no half of a surrogate pair. */
const PLAIN = /^[^\p{Cc}\p{Co}\p{Cs}]{1,256}$/u;

/**
 * A cookie with the refund address that a browser has typed and that was refused, so that its page can show it again
 * without a script. It is no part of the URL, where anyone could send a link with their own address in the field.
 * Without `Path` it belongs to the page of the order (as in `payer-cookie.ts`). `null` for what no field can hold.
 */
export function typedAddressCookie(address: unknown, secure: boolean): string | null {
  if (typeof address !== 'string' || !PLAIN.test(address)) return null;
  const value = encodeURIComponent(address);
  return `${NAME}=${value}; Max-Age=${SECONDS}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

/** The address in the cookie of a refused form; empty without one. */
export function typedAddress(headers: HeaderMap): string {
  const value = TYPED.exec((headers.get('cookie') ?? []).join('; '))?.[1];
  if (value === undefined) return '';
  try {
    const address = decodeURIComponent(value);
    return PLAIN.test(address) ? address : '';
  } catch {
    // Not what the till has written.
    return '';
  }
}
