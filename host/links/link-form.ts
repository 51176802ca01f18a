import { randomBytes, timingSafeEqual } from 'node:crypto';
import { header } from '../../adapters/http/index.ts';
import type { HttpRequest } from '../../adapters/http/index.ts';
import type { Vault } from '../../core/index.ts';

const YEAR_SECONDS = 31_536_000;
const VISITOR = 'tillgate_visitor';
const SECRET = /^[0-9a-f]{32,64}$/;
const FORM = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

/** A cookie that scripts cannot read and other sites do not send. */
const cookie = (name: string, value: string, secure: boolean): string =>
  `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** The value of a cookie that the till has set; `null` if it is absent or malformed. */
function cookieOf({ headers }: HttpRequest, name: string): string | null {
  const pairs = (header(headers, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return SECRET.test(value) ? value : null;
}

/** The browser's own secret, which identifies its orders. */
export const visitorOf = (request: HttpRequest): string | null => cookieOf(request, VISITOR);
export const newVisitor = (): string => randomBytes(16).toString('hex');
export const visitorCookie = (visitor: string, secure: boolean): string => cookie(VISITOR, visitor, secure);

/** A device has a separate secret for each point of sale. */
const deviceName = (token: string): string => `tillgate_counter_${token.slice(0, 12)}`;
export const deviceOf = (request: HttpRequest, token: string): string | null => cookieOf(request, deviceName(token));
export const deviceCookie = (token: string, secret: string, secure: boolean): string =>
  cookie(deviceName(token), secret, secure);

type Hashes = Pick<Vault, 'lookupHash' | 'lookupHashes'>;

const signed = (token: string, visitor: string, nonce: string): string => JSON.stringify([token, visitor, nonce]);

/** The hidden field of a form: valid only on its page and with the cookie of its browser. */
export function formToken(vault: Hashes, token: string, visitor: string): string {
  const nonce = randomBytes(16).toString('hex');
  return `${nonce}.${vault.lookupHash('link-form', signed(token, visitor, nonce))}`;
}

/** The form's own number; `null` for a field that this page did not give to this browser. */
export function readFormToken(vault: Hashes, token: string, visitor: string, field: string): string | null {
  const [, nonce = '', proof = ''] = FORM.exec(field) ?? [];
  if (nonce === '') return null;
  const hashes = vault.lookupHashes('link-form', signed(token, visitor, nonce));
  return hashes.some((hash) => timingSafeEqual(Buffer.from(hash), Buffer.from(proof))) ? nonce : null;
}
