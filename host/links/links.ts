import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ANYBODY, textOperation } from '../../adapters/http/index.ts';
import type { HttpResponse, Operation, RawCall } from '../../adapters/http/index.ts';
import { addressKey, isId, isTillgateError, TillgateError } from '../../core/index.ts';
import type { ErrorCode, OrderId } from '../../core/index.ts';
import { z } from 'zod';
import type { PageSite } from '../checkout/page-site.ts';
import { queryOf } from '../http/query-of.ts';
import { cartOf, choiceQuery, typedAmount } from './cart-form.ts';
import type { FormFields } from './cart-form.ts';
import { deviceCookie, readFormToken, visitorOf } from './link-form.ts';
import type { LinkPages } from './link-pages.ts';
import { findLink, isLinkToken, pairedDevice } from './link-visit.ts';
import type { LinkDeps } from './link-visit.ts';

/**
 * The number of orders that one client address may create from links, and of codes that it may try, in half an hour.
 */
const VISITS = { points: 30, duration: 1_800 };
const CODE = /^[0-9a-f]{32}$/;
const shared = { tag: 'Checkout', auth: ANYBODY, hidden: true, type: 'text/html' } as const;

/** Why a point of sale cannot select its only coin. */
const CHOICE_REASONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  NOT_READY: 'now',
  NODE_FAILED: 'now',
  AMOUNT_OUT_OF_RANGE: 'amount',
  UNSUPPORTED: 'coin',
};

const tokenOf = ({ params }: RawCall): string => params['link'] ?? '';

/** Payment links and points of sale, without a login (core/decisions/pages.md). */
export function linkOperations(deps: LinkDeps, secure: boolean, site: PageSite): readonly Operation[] {
  const visits = new RateLimiterMemory(VISITS);
  const codes = new RateLimiterMemory(VISITS);
  const load = loadOnce(deps, secure, site);
  return [
    textOperation({
      ...shared,
      id: 'linkPage',
      method: 'GET',
      path: '/l/{link}',
      summary: 'The page of a payment link',
      description: 'Shows what is sold. It makes no order.',
      handler: async (call) => (await load()).show(call, tokenOf(call), queryOf(call.request)),
    }),
    formOperation({
      ...shared,
      id: 'orderByLink',
      method: 'POST',
      path: '/l/{link}',
      summary: 'Make an order by a payment link',
      description: "A form of the page; answered with 303 to the order's page, or back with the reason.",
      bodyKinds: ['form'],
      handler: (call) => back(call, '', () => sell(deps, call, visits)),
    }),
    formOperation({
      ...shared,
      id: 'pairPointOfSale',
      method: 'POST',
      path: '/l/{link}/pair',
      summary: 'Pair this device with a point of sale',
      description: 'A form of the page; answered with 303 to the point of sale.',
      bodyKinds: ['form'],
      handler: (call) => back(call, '../', () => pair(deps, call, codes, secure)),
    }),
    formOperation({
      ...shared,
      id: 'cancelSale',
      method: 'POST',
      path: '/l/{link}/cancel',
      summary: 'Cancel a sale of a point of sale',
      description: 'A form of the page; answered with 303 to the sale, or to it with the reason.',
      bodyKinds: ['form'],
      handler: (call) => back(call, '../', () => cancelSale(deps, call)),
    }),
    textOperation({
      ...shared,
      id: 'linkFile',
      method: 'GET',
      path: '/l/assets/{file}',
      summary: 'A file of the pages of payment links',
      description: 'Its script, under a name that changes with its content.',
      type: 'text/plain',
      handler: async ({ params, traceId }) => (await load()).file(params['file'] ?? '', traceId),
    }),
  ];
}

/** The handler reads a form's fields itself and sends any error back to the page. */
function formOperation(spec: Parameters<typeof textOperation>[0]): Operation {
  return { ...textOperation(spec), schemas: { params: null, query: null, body: z.object({}) } };
}

/** Imported with the first page, as the payer's page is. */
function loadOnce(deps: LinkDeps, secure: boolean, site: PageSite): () => Promise<LinkPages> {
  let loaded: Promise<LinkPages> | null = null;
  return () => (loaded ??= import('./link-pages.ts').then(({ LinkPages: Pages }) => new Pages(deps, secure, site)));
}

function see(location: string, traceId: string, cookie: string | null = null): HttpResponse {
  const headers = {
    'X-Trace-Id': traceId,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Location: location,
  };
  return { status: 303, headers: cookie === null ? headers : { ...headers, 'Set-Cookie': cookie }, body: '' };
}

/** Redirects a refused form back to its page, with the reason. */
async function back(call: RawCall, up: string, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error, fieldOf(call, 'offer') !== '');
    if (reason === null) throw error;
    const amount = fieldOf(call, 'amount');
    const typed = /^[\d.,]{1,20}$/.test(amount) ? `&amount=${encodeURIComponent(amount)}` : '';
    const choice = choiceQuery(fieldsOf(call));
    const chosen = choice === '' ? '' : `&cart=${encodeURIComponent(choice)}`;
    const token = isLinkToken(tokenOf(call)) ? tokenOf(call) : 'unknown';
    return see(`${up}${token}?error=${reason}${typed}${chosen}`, call.traceId);
  }
}

/** @param cart - whether the form had items or tips */
function reasonOf(error: unknown, cart: boolean): string | null {
  if (!isTillgateError(error)) return null;
  const field = error.details.fields?.[0]?.path;
  if (field === 'items' || field === 'tip') return field;
  if (cart && error.code === 'AMOUNT_OUT_OF_RANGE') return 'total';
  if (error.code === 'STATE_CONFLICT') return error.details.reason ?? 'pairing';
  const reasons: Readonly<Record<string, string>> = {
    INVALID_FIELDS: 'amount',
    AMOUNT_OUT_OF_RANGE: 'amount',
    FORBIDDEN: 'form',
    RATE_LIMITED: 'often',
    NOT_READY: 'now',
    NOT_FOUND: 'unknown',
  };
  return reasons[error.code] ?? null;
}

const fieldsOf = ({ body }: RawCall): FormFields => (body as FormFields | null) ?? {};

function fieldOf(call: RawCall, name: string): string {
  const value = fieldsOf(call)[name];
  return typeof value === 'string' ? value.trim() : '';
}

const foreignForm = (): TillgateError =>
  new TillgateError('FORBIDDEN', 'This form was not loaded by this browser: reload the page, then send it again.');

async function sell(deps: LinkDeps, call: RawCall, visits: RateLimiterMemory): Promise<HttpResponse> {
  const token = tokenOf(call);
  const view = await findLink(deps, token);
  const pointOfSale = view.link.face === 'POINT_OF_SALE';
  const who = pointOfSale ? pairedDevice(deps, view, call) : visitorOf(call.request);
  const form = who === null ? null : readFormToken(deps.vault, token, who, fieldOf(call, 'form'));
  if (who === null || form === null) throw foreignForm();
  if (!pointOfSale) await take(visits, call.client);
  const key = pointOfSale ? `${who} ${form}` : who;
  const cart = cartOf(fieldsOf(call));
  const amount = typedAmount(fieldOf(call, 'amount'));
  const visit = { amount, key, renew: !pointOfSale, ...(cart != null && { cart }) };
  if (!pointOfSale) {
    const { checkoutToken } = await deps.linkSales.order(token, visit);
    return see(`../checkout/${checkoutToken}`, call.traceId);
  }
  const { order, refused } = await deps.linkSales.charge(token, visit);
  const why = refused === null ? '' : `&error=${CHOICE_REASONS[refused] ?? 'other'}`;
  return see(`${token}?sale=${order.id}${why}`, call.traceId);
}

/** Only a paired device cancels, and only what its own point of sale has sold. */
async function cancelSale(deps: LinkDeps, call: RawCall): Promise<HttpResponse> {
  const token = tokenOf(call);
  const view = await findLink(deps, token);
  const device = pairedDevice(deps, view, call);
  if (device === null || readFormToken(deps.vault, token, device, fieldOf(call, 'form')) === null) throw foreignForm();
  const sale = fieldOf(call, 'sale');
  if (!isId(sale)) throw new TillgateError('NOT_FOUND', 'There is no such sale.');
  try {
    const { client: ip, traceId } = call;
    await deps.linkSales.cancel(view.link, sale as OrderId, { ip, traceId });
  } catch (error) {
    if (!isTillgateError(error, 'STATE_CONFLICT')) throw error;
    return see(`../${token}?sale=${sale}&error=paid`, call.traceId);
  }
  return see(`../${token}?sale=${sale}`, call.traceId);
}

async function pair(deps: LinkDeps, call: RawCall, codes: RateLimiterMemory, secure: boolean): Promise<HttpResponse> {
  const token = tokenOf(call);
  await take(codes, call.client);
  const { client: ip, traceId } = call;
  const code = fieldOf(call, 'code');
  if (!isLinkToken(token) || !CODE.test(code))
    throw new TillgateError('STATE_CONFLICT', 'The pairing code is not valid.');
  const secret = await deps.linkSales.pair(token, code, { ip, traceId });
  return see(`../${token}`, traceId, deviceCookie(token, secret, secure));
}

async function take(visits: RateLimiterMemory, client: string): Promise<void> {
  try {
    await visits.consume(addressKey(client));
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new TillgateError('RATE_LIMITED', 'Too many requests from this address; try again later.');
  }
}
