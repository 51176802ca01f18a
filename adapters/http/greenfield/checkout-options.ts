import { checkMerchantUrl } from '../../../core/index.ts';
import type {
  Asset,
  AssetCatalogue,
  ChainRegistry,
  Decimal,
  FieldError,
  NewOrderInput,
  OrderSettings,
} from '../../../core/index.ts';
import { z } from 'zod';
import { maybeCount, maybeDecimal, maybeFlag, maybeObject, maybeText, maybeTexts, maybeWord } from './fields.ts';
import { coinOf } from './payment-method-ids.ts';

/**
 * The policies of a payment's speed, by the confirmations below which the till must not settle. `MediumSpeed` is what
 * the till itself waits for, and what plugins send where nothing was chosen.
 */
export const SPEEDS = { HighSpeed: 0, MediumSpeed: 0, LowMediumSpeed: 2, LowSpeed: 6 } as const;
export type SpeedPolicy = keyof typeof SPEEDS;

const MAX_METHODS = 64;
const MAX_URL = 2048;
const MINUTES = 100_000_000;
const MINUTE_MS = 60_000;

export const checkoutFields = z.object({
  speedPolicy: maybeWord(
    Object.keys(SPEEDS) as SpeedPolicy[],
    'Least confirmations; refused where the till waits for fewer',
  ),
  paymentMethods: maybeTexts(MAX_METHODS, 64, 'Payment methods that the payer may choose; all by default'),
  defaultPaymentMethod: maybeText(64, 'Ignored: the payer chooses'),
  lazyPaymentMethods: maybeFlag('Ignored: a payment method gets its address when the payer chooses it'),
  expirationMinutes: maybeCount(0, MINUTES, 'Time until the deadline, within the bounds of the till'),
  monitoringMinutes: maybeCount(
    0,
    MINUTES,
    'Time after the deadline; refused where the till watches for a shorter time',
  ),
  paymentTolerance: maybeDecimal('Percentage of the amount that may be missing; refused above the setting of the till'),
  redirectURL: maybeText(MAX_URL, 'Page of the shop to which the payer returns; may hold {InvoiceId} and {OrderId}'),
  redirectAutomatically: maybeFlag('Ignored: the payer returns by a link, and by itself after a payment'),
  defaultLanguage: maybeText(32, "Language of the payer's page"),
});

/** A page of receipts is the payer's page itself. */
export const receiptField = maybeObject('Ignored');

export type CheckoutFields = z.output<typeof checkoutFields>;

/** What is kept of a shop's options, to be shown again. */
export interface CheckoutOptions {
  readonly speedPolicy: SpeedPolicy | null;
  readonly paymentMethods: readonly string[] | null;
  readonly defaultPaymentMethod: string | null;
  readonly defaultLanguage: string | null;
}

/** The terms of an order, from a shop's options. */
export interface CheckoutTerms {
  readonly terms: Pick<NewOrderInput, 'expiresInMs' | 'toleranceBps'>;
  /** `null` for all coins. */
  readonly coins: readonly string[] | null;
  readonly kept: CheckoutOptions;
  /** The page to which the payer returns, by the invoice's id; `null` for none. */
  readonly returnTo: ((invoiceId: string) => string) | null;
}

export interface CheckoutRules {
  readonly orders: OrderSettings;
  readonly assets: Pick<AssetCatalogue, 'enabled'>;
  readonly chains: ChainRegistry;
}

/**
 * What a shop's options mean for an order. An option that would be silently wrong is refused by its name; those without
 * an effect on money are kept or ignored.
 *
 * @param orderId - the shop's number of the order, for its place in the page to return to
 */
export function checkoutTerms(
  given: CheckoutFields | null,
  orderId: string | null,
  rules: CheckoutRules,
): CheckoutTerms | { readonly problems: readonly FieldError[] } {
  if (given === null) return { terms: {}, coins: null, kept: NOTHING_ASKED, returnTo: null };
  const { speedPolicy, paymentMethods, defaultPaymentMethod, defaultLanguage, redirectURL } = given;
  const chosen = coinsOf(paymentMethods, rules);
  const returnTo = redirectURL === null ? null : returnPage(redirectURL, orderId);
  const offered = 'problem' in chosen ? [] : (chosen.assets ?? rules.assets.enabled());
  const toleranceBps = given.paymentTolerance === null ? undefined : basisPoints(given.paymentTolerance);
  const expiresInMs = given.expirationMinutes === null ? undefined : given.expirationMinutes * MINUTE_MS;
  const problems = Object.entries({
    paymentMethods: 'problem' in chosen ? chosen.problem : null,
    speedPolicy: speedProblem(speedPolicy, offered, rules),
    expirationMinutes: expiryProblem(expiresInMs, rules),
    monitoringMinutes: watchProblem(given.monitoringMinutes, rules),
    paymentTolerance: toleranceProblem(toleranceBps, rules),
    redirectURL: returnTo === null ? null : checkMerchantUrl(returnTo('0'.repeat(32)), true),
  }).flatMap(([name, message]) => (message === null ? [] : [{ path: `checkout.${name}`, message }]));
  if (problems.length > 0 || 'problem' in chosen) return { problems };
  return {
    terms: { expiresInMs, toleranceBps },
    coins: chosen.assets?.map(({ currency }) => currency) ?? null,
    kept: {
      speedPolicy,
      paymentMethods: chosen.assets === null ? null : paymentMethods,
      defaultPaymentMethod,
      defaultLanguage,
    },
    returnTo,
  };
}

const NOTHING_ASKED: CheckoutOptions = {
  speedPolicy: null,
  paymentMethods: null,
  defaultPaymentMethod: null,
  defaultLanguage: null,
};

function coinsOf(
  ids: readonly string[] | null,
  { assets }: CheckoutRules,
): { readonly assets: readonly Asset[] | null } | { readonly problem: string } {
  if (ids === null || ids.length === 0) return { assets: null };
  const found = new Map<string, Asset>();
  for (const asset of ids.map((id) => coinOf(id, assets))) if (asset !== null) found.set(asset.currency, asset);
  // Plugins name coins that not every store has; the payer is offered those that this one has.
  if (found.size === 0) return { problem: `none of ${ids.join(', ').slice(0, 200)} is a payment method of this store` };
  return { assets: [...found.values()] };
}

/** The least confirmations of any amount are those of the smallest. */
function speedProblem(policy: SpeedPolicy | null, offered: readonly Asset[], { chains }: CheckoutRules): string | null {
  const wanted = policy === null ? 0 : SPEEDS[policy];
  const quicker = offered.find(({ chain, currency }) => {
    const waits = chains.get(chain)?.policy.confirmations(currency, 0n);
    return waits !== undefined && waits < wanted;
  });
  return quicker === undefined
    ? null
    : `asks for ${wanted} confirmations, and this till settles ${quicker.currency} with fewer`;
}

function expiryProblem(expiresInMs: number | undefined, { orders }: CheckoutRules): string | null {
  const { minTimeoutMs, maxTimeoutMs } = orders;
  if (expiresInMs === undefined || (expiresInMs >= minTimeoutMs && expiresInMs <= maxTimeoutMs)) return null;
  return `must be from ${minTimeoutMs / MINUTE_MS} to ${maxTimeoutMs / MINUTE_MS} minutes`;
}

function watchProblem(minutes: number | null, { orders }: CheckoutRules): string | null {
  const watched = orders.watchMs / MINUTE_MS;
  return minutes === null || minutes <= watched ? null : `must be at most ${watched}: this till watches no longer`;
}

function toleranceProblem(toleranceBps: number | undefined, { orders }: CheckoutRules): string | null {
  const most = orders.maxToleranceBps;
  return toleranceBps === undefined || toleranceBps <= most ? null : `must be at most ${most / 100} percent`;
}

/** A percentage in basis points, rounded down: never more tolerance than the shop asked for. */
function basisPoints({ digits, scale }: Decimal): number {
  const points = (digits * 100n) / 10n ** BigInt(scale);
  return points > 10_000n ? Number.MAX_SAFE_INTEGER : Number(points);
}

function returnPage(page: string, orderId: string | null): (invoiceId: string) => string {
  const ofOrder = page.replaceAll('{OrderId}', encodeURIComponent(orderId ?? ''));
  return (invoiceId) => ofOrder.replaceAll('{InvoiceId}', invoiceId);
}
