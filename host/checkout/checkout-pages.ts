import { formatUnits, isTillgateError } from '../../core/index.ts';
import type { AssetCatalogue, BrandingStore, ChoosePayment, Clock, Order, WebhookStore } from '../../core/index.ts';
import { Brands } from './brands.ts';
import type { Brand } from './brands.ts';
import type { CheckoutPage, Choice } from './checkout-page.ts';
import type { PageFiles } from './browser-files.ts';
import type { Language } from './languages.ts';
import type { LiveOrders } from './order-subscriptions.ts';
import { isOwnAddress, mayChoose, mayLeaveRefundAddress } from './order-rules.ts';
import type { OrderSnapshot } from './order-snapshot.ts';
import { renderMain } from './page.tsx';
import type { PageSite } from './page-site.ts';
import { PageWriter } from './page-writer.ts';
import type { PageReply } from './page-writer.ts';
import type { Template } from './template.ts';
import { refusalOf } from './i18n-text.ts';
import { shopOrigins } from './shop-frames.ts';

export interface PagesDeps {
  readonly choosePayment: Pick<ChoosePayment, 'options'>;
  readonly assets: Pick<AssetCatalogue, 'chainName'>;
  readonly storage: {
    readonly branding: Pick<BrandingStore, 'of' | 'logo'>;
    readonly webhooks: Pick<WebhookStore, 'enabled'>;
  };
  readonly clock: Clock;
}

export interface WantedPage {
  readonly language: Language;
  /** `coins` to choose another coin, `refund` for the refund address form, `receipt` to prevent the final redirect. */
  readonly view: string | null;
  /** The error code with which a form was refused. */
  readonly error: string | null;
  /** A hash of the cookie that the browser received when it entered an address (`payer-cookie.ts`). */
  readonly browser: string | null;
  /** The refund address that this browser has typed last and that was refused; empty for none. */
  readonly typed: string;
  /** Only the variable part, without the document around it: for the page's own script. */
  readonly partOnly: boolean;
}

/** A page that was rendered before, and the amounts of the coins that it offers. */
interface Kept {
  readonly amounts: string;
  readonly template: Template;
}

/** The payer's page `GET /checkout/{token}` in every language and state. */
export class CheckoutPages {
  readonly #live: Pick<LiveOrders, 'read'>;
  readonly #deps: PagesDeps;
  readonly #brands: Brands;
  readonly #writer: PageWriter;
  /** The rendered pages of a snapshot, by language and variant: the snapshot is replaced whenever something changes. */
  readonly #rendered = new WeakMap<OrderSnapshot, Map<string, Kept>>();

  constructor(live: Pick<LiveOrders, 'read'>, deps: PagesDeps, site: PageSite) {
    this.#writer = new PageWriter('assets', site.sandbox);
    this.#live = live;
    this.#deps = deps;
    this.#brands = new Brands(deps.storage.branding, deps.clock, site);
  }

  get files(): PageFiles {
    return this.#writer.files;
  }

  /** The reply to a request for the page of a token. Unknown tokens get a page too. */
  async reply(token: string | null, wanted: WantedPage): Promise<PageReply> {
    const { language, partOnly } = wanted;
    const unknown = (): PageReply => this.#writer.message(404, 'unknownTitle', 'unknownText', language, partOnly);
    try {
      if (token === null) return unknown();
      const snapshot = await this.#live.read(token);
      const left = Math.max(0, snapshot.view.order.expiresAt - this.#deps.clock.now());
      const { order } = snapshot.view;
      const framedBy = partOnly || !snapshot.ofShop ? [] : await shopOrigins(order, this.#deps.storage.webhooks);
      return this.#writer.reply(200, await this.#template(snapshot, wanted), language, left, framedBy);
    } catch (error) {
      if (isTillgateError(error, 'NOT_FOUND')) return unknown();
      if (isTillgateError(error, 'NOT_READY'))
        return this.#writer.message(503, 'awayTitle', 'awayText', language, partOnly);
      throw error;
    }
  }

  async #template(
    snapshot: OrderSnapshot,
    { language, view, error, browser, typed, partOnly }: WantedPage,
  ): Promise<Template> {
    const { view: order } = snapshot;
    const choosing =
      mayChoose(order) &&
      (order.order.payment === null || view === 'coins') &&
      order.order.expiresAt > this.#deps.clock.now();
    const own = isOwnAddress(order, browser);
    const refused = refusalOf(error);
    const elsewhere = refused === 'refusedState' && order.refundAddress !== null && !own;
    const refusal = elsewhere ? 'refundElsewhere' : refused;
    // Only the refund form has a field that can be invalid, so it is shown again.
    const refundForm =
      snapshot.refund === null &&
      mayLeaveRefundAddress(order, browser) &&
      (view === 'refund' || refusal === 'refusedAddress');
    const page: CheckoutPage = {
      snapshot,
      language,
      refundForm,
      typed: refundForm && refusal === 'refusedAddress' ? typed : '',
      browser: own ? browser : null,
      staying: view === 'receipt',
      refusal,
      choices: choosing ? await this.#choices(order.order) : null,
    };
    return this.#renderOnce(page, partOnly, await this.#brands.of(order.order.accountId));
  }

  #renderOnce(page: CheckoutPage, partOnly: boolean, brand: Brand): Template {
    const { snapshot, language, refundForm, browser, staying, refusal, choices, typed } = page;
    if (typed !== '') return this.#writer.template(renderMain(page), language, partOnly, brand);
    const known = this.#rendered.get(snapshot) ?? new Map<string, Kept>();
    this.#rendered.set(snapshot, known);
    const variant = refundForm ? 'refund' : choices !== null ? 'coins' : staying ? 'receipt' : '';
    const key = `${language.tag} ${variant} ${refusal ?? ''} ${browser === null ? '' : 'own'} ${partOnly ? 'part' : brand.version}`;
    const amounts = choices?.map(({ asset, amount }) => `${asset.currency} ${amount}`).join() ?? '';
    const former = known.get(key);
    // Only one list of coins is cached; it is replaced when the rates change.
    if (former?.amounts === amounts) return former.template;
    const template = this.#writer.template(renderMain(page), language, partOnly, brand);
    known.set(key, { amounts, template });
    return template;
  }

  async #choices(order: Order): Promise<Choice[]> {
    const { choosePayment, assets } = this.#deps;
    const options = await choosePayment.options(order);
    return options.map(({ asset, units }) => ({
      asset,
      chainName: assets.chainName(asset.chain),
      amount: formatUnits(units, asset.decimals),
    }));
  }
}
