import type { RawCall } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { BrandingStore, Clock, LinkSales, LinkView, OrderQueries, OrderStore, Vault } from '../../core/index.ts';
import { deviceOf, newVisitor, visitorCookie, visitorOf } from './link-form.ts';

/** The dependencies of the links' pages. */
export interface LinkDeps {
  readonly linkSales: LinkSales;
  readonly orderQueries: Pick<OrderQueries, 'payUrl' | 'checkout'>;
  readonly storage: { readonly orders: Pick<OrderStore, 'find'>; readonly branding: Pick<BrandingStore, 'of'> };
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  readonly clock: Clock;
}

const TOKEN = /^[0-9a-f]{32}$/;
export const isLinkToken = (text: string): boolean => TOKEN.test(text);

/**
 * Accepts only tokens in the format that the till makes, so that nothing else reaches the storage.
 *
 * @throws TillgateError `NOT_FOUND`
 */
export function findLink({ linkSales }: LinkDeps, token: string): Promise<LinkView> {
  if (isLinkToken(token)) return linkSales.find(token);
  throw new TillgateError('NOT_FOUND', 'There is no such page.');
}

/** The secret of the requesting device; `null` when it is not paired with this point of sale. */
export function pairedDevice({ linkSales }: LinkDeps, { link }: LinkView, { request }: RawCall): string | null {
  const secret = deviceOf(request, link.token);
  return secret !== null && linkSales.isPaired(link, secret) ? secret : null;
}

/** The visitor's secret, and the header that sets a new one for a browser without one. */
export function visitorAt(
  { request }: RawCall,
  secure: boolean,
): { visitor: string; known: boolean; cookie: string | null } {
  const visitor = visitorOf(request);
  if (visitor !== null) return { visitor, known: true, cookie: null };
  const made = newVisitor();
  return { visitor: made, known: false, cookie: visitorCookie(made, secure) };
}
