import type { AccountId, CurrencyCode, LinkDeviceId, LinkId, Millis } from '../kernel/index.ts';
import type { LinkItem } from './cart.ts';
import type { Metadata } from './merchant-data.ts';
import type { OrderStatus } from './order-status.ts';

/** The user of the page: a payer for `LINK`; staff at a point of sale for `POINT_OF_SALE`. */
export const LINK_FACES = ['LINK', 'POINT_OF_SALE'] as const;
export type LinkFace = (typeof LINK_FACES)[number];

/** A device that is paired with a point of sale. */
export interface LinkDevice {
  readonly id: LinkDeviceId;
  /** SHA-256 of the device's secret, 64 hexadecimal digits. */
  readonly hash: string;
  readonly pairedAt: Millis;
}

/** A code that pairs one device, until it is used or expires. */
export interface LinkPairing {
  /** SHA-256 of the code. */
  readonly hash: string;
  readonly until: Millis;
}

/** A page of an account that creates an order at each visit (core/decisions/pages.md). */
export interface PaymentLink {
  readonly id: LinkId;
  readonly accountId: AccountId;
  /** The unguessable last part of the page's URL. */
  readonly token: string;
  readonly face: LinkFace;
  readonly title: string;
  readonly description: string;
  readonly vsCurrency: string;
  /** In minor units of the fiat currency; `null` where the payer chooses the amount or items. */
  readonly price: bigint | null;
  /** The limits of a chosen amount; `null` for those of the installation. */
  readonly minPrice: bigint | null;
  readonly maxPrice: bigint | null;
  /** What is sold; empty where each order has the price of the link, or an amount of the payer. */
  readonly items: readonly LinkItem[];
  /** The tips that are offered, in percent, ascending; empty where no tip is asked for. */
  readonly tips: readonly number[];
  /** The offered coins; `null` for all. */
  readonly coins: readonly CurrencyCode[] | null;
  /** The most sales; `null` for no limit. */
  readonly maxSales: number | null;
  readonly expiresAt: Millis | null;
  readonly active: boolean;
  /** The URL that the payer's browser opens after the payment. */
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly timeoutCallback: string | null;
  readonly enablePostCallback: boolean;
  readonly fixedEncryptPrice: boolean;
  /** The beginning of each order's merchant reference, followed by the order's id. */
  readonly referencePrefix: string | null;
  /** Copied to each order. */
  readonly metadata: Metadata;
  readonly pairing: LinkPairing | null;
  readonly devices: readonly LinkDevice[];
  /** The revision of the record. */
  readonly version: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Statuses of a link's orders that are sales. */
export const SOLD = ['SUCCESS', 'RESOLVED'] as const satisfies readonly OrderStatus[];

/** The most links of an account, including deactivated ones. */
export const MAX_LINKS = 1_000;
/** The highest possible limit of sales, because sales are counted for each new order. */
export const MAX_LINK_SALES = 100_000;
/** The most devices of one point of sale. */
export const MAX_LINK_DEVICES = 20;
/** How long a pairing code can be used, in milliseconds. */
export const PAIRING_MS = 10 * 60_000;

/** The only coin that a link offers; `null` where the payer chooses. */
export function onlyCoin({ coins }: Pick<PaymentLink, 'coins'>): CurrencyCode | null {
  return coins?.length === 1 ? (coins[0] ?? null) : null;
}

/** The numbers of open and of paid orders of a link. */
export interface LinkCounts {
  readonly open: number;
  readonly sold: number;
}

/**
 * Whether a link creates orders now: `reserved` when open orders have its last places, `sold-out` when all are paid,
 * `ended` when it was deactivated or has expired.
 */
export type LinkState = 'open' | 'reserved' | 'sold-out' | 'ended';

export function linkState(
  { active, expiresAt, maxSales }: Pick<PaymentLink, 'active' | 'expiresAt' | 'maxSales'>,
  { open, sold }: LinkCounts,
  now: Millis,
): LinkState {
  if (maxSales !== null && sold >= maxSales) return 'sold-out';
  if (!active || (expiresAt !== null && now >= expiresAt)) return 'ended';
  return maxSales !== null && sold + open >= maxSales ? 'reserved' : 'open';
}
