import { header } from '../../adapters/http/index.ts';
import type { HttpResponse, RawCall } from '../../adapters/http/index.ts';
import { isId, isTillgateError, onlyCoin } from '../../core/index.ts';
import type { CheckoutView, LinkView, OrderId, PaymentLink } from '../../core/index.ts';
import { Brands } from '../checkout/brands.ts';
import { scriptReply } from '../checkout/browser-files.ts';
import { chosenLanguage } from '../checkout/chosen-language.ts';
import type { Language } from '../checkout/languages.ts';
import type { MessageName } from '../checkout/messages/en.ts';
import { isPastDeadline } from '../checkout/order-snapshot.ts';
import type { PageSite } from '../checkout/page-site.ts';
import { paymentLink } from '../checkout/payment-link.ts';
import { pointOfSalePage, unpairedPage } from './point-of-sale-page.tsx';
import type { ScanCode, ShownPointOfSale } from './point-of-sale-page.tsx';
import { deviceOf, formToken } from './link-form.ts';
import { shownChoice } from './cart-form.ts';
import type { ShownChoice } from './cart-form.ts';
import { linkPage, messagePage } from './link-page.tsx';
import { linkText } from './link-text.ts';
import { LinkWriter } from './link-writer.ts';
import type { LinkPage } from './link-writer.ts';
import { findLink, pairedDevice, visitorAt } from './link-visit.ts';
import type { LinkDeps } from './link-visit.ts';
import type { LinkMessageName } from './messages/en.ts';

/** Refusals with texts of these pages. */
const REFUSALS: ReadonlyMap<string, LinkMessageName> = new Map(
  Object.entries({
    amount: 'refusedAmount',
    form: 'refusedForm',
    often: 'refusedOften',
    busy: 'busyText',
    reserved: 'reservedText',
    'sold-out': 'soldOutText',
    ended: 'endedText',
    items: 'refusedItems',
    total: 'refusedTotal',
    tip: 'refusedTip',
    changed: 'refusedChanged',
    pairing: 'pairRefused',
    paid: 'cancelRefused',
  } as const),
);

/** Refusals with texts of the payer's page. */
const PAYERS_REFUSALS: ReadonlyMap<string, MessageName> = new Map(
  Object.entries({
    now: 'refusedNow',
    coin: 'refusedCoin',
    other: 'refusedOther',
  } as const),
);

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MOST_ZONE = 14 * 60;

/** The options of a reply besides its page. */
interface Shown {
  readonly page: LinkPage;
  readonly cookie: string | null;
}

/** The pages of links and points of sale in every language and state. */
export class LinkPages {
  readonly #deps: LinkDeps;
  readonly #secure: boolean;
  readonly #writer: LinkWriter;
  readonly #brands: Brands;

  /** @param secure - whether cookies are sent over https only */
  constructor(deps: LinkDeps, secure: boolean, site: PageSite) {
    this.#writer = new LinkWriter(site.sandbox);
    this.#deps = deps;
    this.#secure = secure;
    this.#brands = new Brands(deps.storage.branding, deps.clock, site);
  }

  /** `GET /l/{link}`; unknown tokens get a page too. */
  async show(call: RawCall, token: string, query: URLSearchParams): Promise<HttpResponse> {
    const { language, headers } = chosenLanguage(call.request, query);
    const { page, cookie } = await this.#page(call, token, query, language);
    const reply = this.#writer.reply(page, language);
    // Each reply can set one cookie; the visitor's comes first, because no form is accepted without it.
    const cookies = cookie === null ? headers : { 'Set-Cookie': cookie };
    return { ...reply, headers: { 'X-Trace-Id': call.traceId, ...reply.headers, ...cookies } };
  }

  file(name: string, traceId: string): HttpResponse {
    return scriptReply(this.#writer.files, name, traceId);
  }

  async #page(call: RawCall, token: string, query: URLSearchParams, language: Language): Promise<Shown> {
    try {
      const view = await findLink(this.#deps, token);
      if (view.link.face === 'POINT_OF_SALE') return await this.#pointOfSale(call, view, query, language);
      return await this.#link(call, view, query, language);
    } catch (error) {
      if (isTillgateError(error, 'NOT_FOUND')) {
        const title = linkText(language, 'unknownTitle');
        return { page: messagePage(404, title, language.text('unknownText')), cookie: null };
      }
      if (isTillgateError(error, 'NOT_READY'))
        return { page: messagePage(503, language.text('awayTitle'), language.text('awayText')), cookie: null };
      throw error;
    }
  }

  async #link(call: RawCall, view: LinkView, query: URLSearchParams, language: Language): Promise<Shown> {
    const { visitor, known, cookie } = visitorAt(call, this.#secure);
    const form = formToken(this.#deps.vault, view.link.token, visitor);
    const brand = await this.#brands.of(view.link.accountId);
    const offer = this.#deps.linkSales.offer(view.link);
    const page = linkPage({ view, brand, language, form, known, offer, ...refused(query, language) });
    return { page, cookie };
  }

  async #pointOfSale(call: RawCall, view: LinkView, query: URLSearchParams, language: Language): Promise<Shown> {
    const { vault, linkSales, clock } = this.#deps;
    const { link } = view;
    const device = pairedDevice(this.#deps, view, call);
    if (device === null)
      return { page: this.#unpaired(call, link.token, refused(query, language).refusal, language), cookie: null };
    const zoneMinutes = zoneOf(call);
    const local = clock.now() + zoneMinutes * MINUTE_MS;
    const midnight = local - (local % DAY_MS) - zoneMinutes * MINUTE_MS;
    const page = pointOfSalePage({
      ...{ view, language, form: formToken(vault, link.token, device), ...refused(query, language), zoneMinutes },
      brand: await this.#brands.of(link.accountId),
      offer: linkSales.offer(link),
      sales: await linkSales.salesSince(link, midnight),
      sale: await this.#sale(view, query.get('sale')),
    });
    return { page, cookie: null };
  }

  /** A device that was paired before is told that it is not any more. */
  #unpaired(call: RawCall, token: string, refusal: string | null, language: Language): LinkPage {
    const before = deviceOf(call.request, token) !== null;
    return unpairedPage(token, language, refusal ?? (before ? linkText(language, 'noLongerPaired') : null));
  }

  /** The sale that the page names, if it belongs to this point of sale. */
  async #sale({ link }: LinkView, id: string | null): Promise<ShownPointOfSale['sale']> {
    if (id === null || !isId(id)) return null;
    const order = await this.#deps.storage.orders.find(id as OrderId);
    if (order?.linkId !== link.id) return null;
    if (order.status !== 'PENDING') return { order, scan: null, seen: 'nothing' };
    const view = await this.#deps.orderQueries.checkout(order.checkoutToken);
    const seen = !view.seen ? 'nothing' : view.paymentUri === '' ? 'all' : 'part';
    return { order, scan: this.#scan(link, view), seen };
  }

  /** The QR code for the payer: the payment itself when there is nothing to choose, else the payer's page. */
  #scan(link: PaymentLink, view: CheckoutView): ScanCode | null {
    const { orderQueries, clock } = this.#deps;
    const { payment } = view.order;
    const page = { text: orderQueries.payUrl(view.order), payment: null };
    if (payment === null || payment.currency !== onlyCoin(link)) return page;
    // All of it was seen or the deadline has passed, so a payment by this code would be in vain.
    if (view.remaining === '0' || isPastDeadline(view, clock.now())) return null;
    if (view.paymentUri === '') return page;
    return { text: paymentLink(payment.chain, view.paymentUri).qr, payment: view };
  }
}

/** Why a form was refused, and what was typed into it. */
function refused(
  query: URLSearchParams,
  language: Language,
): { readonly refusal: string | null; readonly amount: string; readonly choice: ShownChoice } {
  const amount = query.get('amount') ?? '';
  return {
    refusal: refusalOf(query.get('error') ?? '', language),
    amount: /^[\d.,]{1,20}$/.test(amount) ? amount : '',
    choice: shownChoice(query.get('cart') ?? ''),
  };
}

function refusalOf(error: string, language: Language): string | null {
  const [own, payers] = [REFUSALS.get(error), PAYERS_REFUSALS.get(error)];
  if (own !== undefined) return linkText(language, own);
  return payers === undefined ? null : language.text(payers);
}

/** The offset of the device's clock from UTC, from the cookie that its script set. */
function zoneOf({ request }: RawCall): number {
  const text = /(?:^|;\s*)tillgate_zone=(-?\d{1,3})(?:;|$)/.exec(header(request.headers, 'cookie') ?? '')?.[1];
  const minutes = Number(text ?? 0);
  return Math.abs(minutes) <= MOST_ZONE ? minutes : 0;
}
