import { lineProblem } from './brand-texts.ts';
import { acceptedItems, acceptedTips } from './cart.ts';
import type { GivenItem } from './cart.ts';
import { checkCallbackUrl } from '../notify/index.ts';
import type { CallbackPlaces } from '../notify/index.ts';
import type { AssetCatalogue, CurrencyCode, Decimal, Fiat, Millis } from '../kernel/index.ts';
import { findFiat, formatUnits, invalidField, TillgateError } from '../kernel/index.ts';
import { checkMerchantData, isMerchantReference } from './merchant-data.ts';
import type { Metadata } from './merchant-data.ts';
import { MAX_LINK_SALES } from './payment-link.ts';
import type { PaymentLink } from './payment-link.ts';
import { priceUnits } from './price-units.ts';

/** The fields of a link; those that are absent in a change stay unchanged. */
export interface LinkFields {
  readonly title?: string;
  readonly description?: string;
  /** `null` where the payer chooses the amount. */
  readonly vsPrice?: Decimal | null;
  readonly minPrice?: Decimal | null;
  readonly maxPrice?: Decimal | null;
  /** Excludes a price and its limits; empty for none. */
  readonly items?: readonly GivenItem[];
  /** Whole percentages, ascending; empty for none. */
  readonly tips?: readonly number[];
  readonly coins?: readonly CurrencyCode[] | null;
  readonly maxSales?: number | null;
  readonly expiresAt?: Millis | null;
  readonly active?: boolean;
  readonly returnUrl?: string | null;
  readonly callbackUrl?: string | null;
  readonly timeoutCallback?: string | null;
  readonly enablePostCallback?: boolean;
  readonly fixedEncryptPrice?: boolean;
  readonly referencePrefix?: string | null;
  readonly metadata?: Metadata;
}

/** The part of a link that {@link LinkFields} determine. */
export type LinkContent = Omit<
  PaymentLink,
  'id' | 'accountId' | 'token' | 'face' | 'vsCurrency' | 'pairing' | 'devices' | 'version' | 'createdAt' | 'updatedAt'
>;

export interface LinkRules {
  readonly assets: Pick<AssetCatalogue, 'find'>;
  readonly places: CallbackPlaces;
  readonly now: Millis;
  /** Makes the ids of new items. */
  readonly newId: () => string;
}

/** The longest texts of a link, in characters. */
export const LINK_TEXTS = { title: 100, description: 1_000, prefix: 60 } as const;

const CONTROL = /\p{Cc}/u;
const UNSOUND = /[^\P{Cc}\n]/u;

/** A link without any field. */
export const EMPTY_LINK: LinkContent = {
  title: '',
  description: '',
  price: null,
  minPrice: null,
  maxPrice: null,
  items: [],
  tips: [],
  coins: null,
  maxSales: null,
  expiresAt: null,
  active: true,
  returnUrl: null,
  callbackUrl: null,
  timeoutCallback: null,
  enablePostCallback: false,
  fixedEncryptPrice: false,
  referencePrefix: null,
  metadata: {},
};

/** @throws TillgateError `UNSUPPORTED` */
export function requireLinkFiat(code: string): Fiat {
  const fiat = findFiat(code);
  if (fiat === null) throw new TillgateError('UNSUPPORTED', `The fiat currency ${code} is not supported.`);
  return fiat;
}

/** The content with some fields changed. @throws TillgateError `INVALID_FIELDS`, `UNSUPPORTED` for a coin */
export function withFields(former: LinkContent, given: LinkFields, fiat: Fiat, rules: LinkRules): LinkContent {
  const { vsPrice, minPrice, maxPrice, items, tips, coins, ...rest } = given;
  const content: LinkContent = {
    ...former,
    ...rest,
    ...unitsOf('price', 'vsPrice', vsPrice, fiat),
    ...unitsOf('minPrice', 'minPrice', minPrice, fiat),
    ...unitsOf('maxPrice', 'maxPrice', maxPrice, fiat),
    ...(items === undefined ? {} : { items: acceptedItems(items, fiat, rules.newId) }),
    ...(tips === undefined ? {} : { tips: acceptedTips(tips) }),
    ...(coins === undefined ? {} : { coins: coins === null ? null : offered(coins, rules) }),
  };
  checkTexts(content);
  checkBounds(content, given, rules.now);
  checkUrls(content, rules.places);
  return content;
}

function unitsOf<K extends string>(name: K, path: string, value: Decimal | null | undefined, fiat: Fiat) {
  if (value === undefined) return {};
  if (value === null) return { [name]: null };
  return { [name]: priceUnits(path, value, fiat) };
}

function offered(coins: readonly CurrencyCode[], { assets }: LinkRules): readonly CurrencyCode[] {
  if (coins.length === 0) throw invalidField('coins', 'must not be empty; null offers all');
  const unknown = coins.find((coin) => assets.find(coin) === null);
  if (unknown !== undefined) throw new TillgateError('UNSUPPORTED', `The coin ${unknown} is not supported here.`);
  return [...new Set(coins)];
}

function checkTexts({ title, description, referencePrefix, metadata }: LinkContent): void {
  if (title.trim() === '' || title.length > LINK_TEXTS.title || CONTROL.test(title))
    throw invalidField('title', `must be 1 to ${LINK_TEXTS.title} characters without control characters`);
  if (description.length > LINK_TEXTS.description || UNSOUND.test(description))
    throw invalidField('description', `must have at most ${LINK_TEXTS.description} characters, lines allowed`);
  for (const [path, lines] of [
    ['title', [title]],
    ['description', description.split('\n')],
  ] as const)
    for (const problem of lines.map(lineProblem)) if (problem !== null) throw invalidField(path, problem);
  checkMerchantData({ metadata });
  if (referencePrefix === null) return;
  // The order's id is appended to the prefix.
  if (referencePrefix.length > LINK_TEXTS.prefix || !isMerchantReference(`${referencePrefix}1`))
    throw invalidField('referencePrefix', `must be at most ${LINK_TEXTS.prefix} printable characters`);
}

function checkBounds(
  { price, minPrice, maxPrice, items, maxSales }: LinkContent,
  { expiresAt }: LinkFields,
  now: Millis,
): void {
  if (price !== null && (minPrice !== null || maxPrice !== null))
    throw invalidField('vsPrice', 'must be null where the amount has bounds');
  if (items.length > 0 && (price !== null || minPrice !== null || maxPrice !== null))
    throw invalidField('items', 'must be empty where there is a price or a limit of it');
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice)
    throw invalidField('minPrice', 'must not be more than the maximum price');
  if (maxSales !== null && !(Number.isSafeInteger(maxSales) && maxSales >= 1 && maxSales <= MAX_LINK_SALES))
    throw invalidField('maxSales', `must be a whole number from 1 to ${MAX_LINK_SALES}`);
  if (expiresAt !== undefined && expiresAt !== null && expiresAt <= now)
    throw invalidField('expiresAt', 'must be in the future');
}

function checkUrls({ returnUrl, callbackUrl, timeoutCallback }: LinkContent, places: CallbackPlaces): void {
  const anywhere: CallbackPlaces = { allowPrivateNetworks: true, hosts: null };
  const urls = [
    ['returnUrl', returnUrl, anywhere],
    ['callbackUrl', callbackUrl, places],
    ['timeoutCallback', timeoutCallback, places],
  ] as const;
  for (const [path, url, where] of urls) {
    const problem = url === null ? null : checkCallbackUrl(url, where);
    if (problem !== null) throw invalidField(path, problem);
  }
}

/** The link's own or the chosen amount of an order. @throws TillgateError `INVALID_FIELDS`, `AMOUNT_OUT_OF_RANGE` */
export function linkAmount(
  { price, minPrice, maxPrice }: Pick<PaymentLink, 'price' | 'minPrice' | 'maxPrice'>,
  chosen: Decimal | null,
  fiat: Fiat,
): bigint {
  if (price !== null) return price;
  if (chosen === null) throw invalidField('amount', 'is required');
  const units = priceUnits('amount', chosen, fiat);
  if ((minPrice !== null && units < minPrice) || (maxPrice !== null && units > maxPrice)) {
    const [least, most] = [minPrice, maxPrice].map((bound) => bound && formatUnits(bound, fiat.decimals));
    throw new TillgateError('AMOUNT_OUT_OF_RANGE', 'The amount is outside the bounds of this page.', {
      least: least ?? null,
      most: most ?? null,
    });
  }
  return units;
}
