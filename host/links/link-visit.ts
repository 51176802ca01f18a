import type { RawCall } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { BrandingStore, Clock, LinkSales, LinkView, OrderQueries, OrderStore, Vault } from '../../core/index.ts';
import { deviceOf, newVisitor, visitorCookie, visitorOf } from './link-form.ts';

/** What the pages of links are made from. */
export interface LinkDeps {
  readonly linkSales: LinkSales;
  readonly orderQueries: Pick<OrderQueries, 'payUrl' | 'checkout'>;
  readonly storage: { readonly orders: Pick<OrderStore, 'find'>; readonly branding: Pick<BrandingStore, 'of'> };
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  readonly clock: Clock;
}

const TOKEN = /^[0-9a-f]{32}$/;
export const isLinkToken = (text: string): boolean => TOKEN.test(text);

/** Nothing but what the till made itself reaches the storage as a token. @throws TillgateError `NOT_FOUND` */
export function findLink({ linkSales }: LinkDeps, token: string): Promise<LinkView> {
  if (isLinkToken(token)) return linkSales.find(token);
  throw new TillgateError('NOT_FOUND', 'There is no such page.');
}

/** The secret of the device that asks; `null` when this counter does not know it. */
export function pairedDevice({ linkSales }: LinkDeps, { link }: LinkView, { request }: RawCall): string | null {
  const secret = deviceOf(request, link.token);
  return secret !== null && linkSales.isPaired(link, secret) ? secret : null;
}

/** A visitor's secret, and the header that gives it to a browser without one. */
export function visitorAt(
  { request }: RawCall,
  secure: boolean,
): { visitor: string; known: boolean; cookie: string | null } {
  const visitor = visitorOf(request);
  if (visitor !== null) return { visitor, known: true, cookie: null };
  const made = newVisitor();
  return { visitor: made, known: false, cookie: visitorCookie(made, secure) };
}
