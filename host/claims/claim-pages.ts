import { randomBytes } from 'node:crypto';
import type { HttpResponse, RawCall } from '../../adapters/http/index.ts';
import { isTillgateError, TillgateError } from '../../core/index.ts';
import type { BrandingStore, ClaimableCoin, ClaimPageView, ClaimPullPayment, Clock } from '../../core/index.ts';
import { Brands } from '../checkout/brands.ts';
import { scriptReply } from '../checkout/browser-files.ts';
import { chosenLanguage } from '../checkout/chosen-language.ts';
import type { Language } from '../checkout/languages.ts';
import type { PageSite } from '../checkout/page-site.ts';
import { messagePage } from '../links/link-page.tsx';
import { LinkWriter } from '../links/link-writer.ts';
import type { LinkPage } from '../links/link-writer.ts';
import { claimPage } from './claim-page.tsx';
import { readClaimFiles } from './claim-files.ts';
import { claimText } from './claim-text.ts';
import type { ClaimMessageName } from './messages/en.ts';

/** The dependencies of the claim pages. */
export interface ClaimPageDeps {
  readonly claimPullPayment: Pick<ClaimPullPayment, 'page' | 'feeOf'>;
  readonly assets: { find(currency: string): { readonly decimals: number } | null };
  readonly storage: { readonly branding: Pick<BrandingStore, 'of'> };
  readonly clock: Clock;
}

/** Why a claim was refused, by the field that was wrong or by the number of the error. */
const REFUSALS: ReadonlyMap<string, ClaimMessageName> = new Map(
  Object.entries({
    amount: 'refusedAmount',
    address: 'refusedAddress',
    currency: 'refusedCoin',
    '40001': 'refusedFields',
    '40002': 'refusedCoin',
    '40003': 'refusedAmount',
    '40008': 'refusedAddress',
    '40900': 'refusedState',
    '40901': 'refusedAgain',
    '42200': 'refusedBalance',
    '42900': 'refusedOften',
  } as const),
);

const TOKEN = /^[0-9a-f]{32}$/;
/** How long an estimated fee is shown, in milliseconds: the page may be loaded often, and each estimate asks the node. */
const FEE_MS = 30_000;
const FEES_KEPT = 1_000;

/** The claim pages of pull payments in every language and state. */
export class ClaimPages {
  readonly #deps: ClaimPageDeps;
  readonly #writer: LinkWriter;
  readonly #brands: Brands;
  readonly #fees = new Map<string, { readonly at: number; readonly fee: Promise<bigint | null> }>();

  constructor(deps: ClaimPageDeps, site: PageSite) {
    this.#writer = new LinkWriter(site.sandbox, readClaimFiles());
    this.#deps = deps;
    this.#brands = new Brands(deps.storage.branding, deps.clock, site);
  }

  /** `GET /claim/{token}`; unknown tokens get a page too. */
  async show(call: RawCall, token: string, query: URLSearchParams): Promise<HttpResponse> {
    const { language, headers } = chosenLanguage(call.request, query);
    const reply = this.#writer.reply(await this.#page(token, query, language), language);
    return { ...reply, headers: { 'X-Trace-Id': call.traceId, ...reply.headers, ...headers } };
  }

  file(name: string, traceId: string): HttpResponse {
    return scriptReply(this.#writer.files, name, traceId);
  }

  async #page(token: string, query: URLSearchParams, language: Language): Promise<LinkPage> {
    const { claimPullPayment, assets, clock } = this.#deps;
    try {
      if (!TOKEN.test(token)) throw new TillgateError('NOT_FOUND', 'There is no such page.');
      const view = await claimPullPayment.page(token);
      const coins = await this.#priced(view);
      const brand = await this.#brands.of(view.pull.accountId);
      const formKey = randomBytes(16).toString('hex');
      const refusal = refusalOf(query.get('field') ?? query.get('error'), language);
      return claimPage({ view, coins, brand, language, assets, formKey, refusal, now: clock.now() });
    } catch (error) {
      if (isTillgateError(error, 'NOT_FOUND'))
        return messagePage(404, claimText(language, 'unknownTitle'), claimText(language, 'unknownText'));
      if (isTillgateError(error, 'NOT_READY'))
        return messagePage(503, language.text('awayTitle'), language.text('awayText'));
      throw error;
    }
  }

  /** The coins with the estimated fee of claiming all that is left in each. */
  #priced(view: ClaimPageView): Promise<readonly (ClaimableCoin & { readonly fee: bigint | null })[]> {
    if (view.state !== 'active') return Promise.resolve([]);
    return Promise.all(view.coins.map(async (coin) => ({ ...coin, fee: await this.#fee(view, coin) })));
  }

  #fee({ pull, left }: ClaimPageView, coin: ClaimableCoin): Promise<bigint | null> {
    const name = `${pull.id} ${coin.asset.currency} ${left}`;
    const now = this.#deps.clock.now();
    const kept = this.#fees.get(name);
    if (kept !== undefined && now - kept.at < FEE_MS) return kept.fee;
    const fee = this.#deps.claimPullPayment.feeOf(pull.token, coin);
    this.#fees.delete(name);
    this.#fees.set(name, { at: now, fee });
    fee.catch(() => this.#fees.delete(name));
    const oldest = this.#fees.size > FEES_KEPT ? this.#fees.keys().next().value : undefined;
    if (oldest !== undefined) this.#fees.delete(oldest);
    return fee;
  }
}

function refusalOf(error: string | null, language: Language): string | null {
  return error === null ? null : claimText(language, REFUSALS.get(error) ?? 'refusedOther');
}
