import type { CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, LinkDeviceId, LinkId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Metadata } from '../orders/merchant-data.ts';
import type { OrderStatus } from '../orders/order-status.ts';

/** Who stands before the page: a payer who makes the order, or somebody at a counter who makes it for the payer. */
export const LINK_FACES = ['LINK', 'COUNTER'] as const;
export type LinkFace = (typeof LINK_FACES)[number];

/** A device that may use a counter. */
export interface LinkDevice {
  readonly id: LinkDeviceId;
  /** SHA-256 of its secret, 64 hexadecimal digits. */
  readonly hash: string;
  readonly pairedAt: Millis;
}

/** A code that pairs one device, until it is used or over. */
export interface LinkPairing {
  /** SHA-256 of the code. */
  readonly hash: string;
  readonly until: Millis;
}

/** A page of an account that makes an order at each visit (decision 0050). */
export interface PaymentLink {
  readonly id: LinkId;
  readonly accountId: AccountId;
  /** The unguessable last part of its page. */
  readonly token: string;
  readonly face: LinkFace;
  readonly title: string;
  readonly description: string;
  readonly vsCurrency: string;
  /** In minor units of the fiat; `null` where the payer chooses the amount. */
  readonly price: bigint | null;
  /** The bounds of a chosen amount; `null` for the installation's. */
  readonly minPrice: bigint | null;
  readonly maxPrice: bigint | null;
  /** The coins that are offered; `null` for all. */
  readonly coins: readonly CurrencyCode[] | null;
  /** How many sales it makes; `null` for no limit. */
  readonly maxSales: number | null;
  readonly expiresAt: Millis | null;
  readonly active: boolean;
  /** Where the payer's browser goes after the payment. */
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly timeoutCallback: string | null;
  readonly enablePostCallback: boolean;
  readonly fixedEncryptPrice: boolean;
  /** Begins the merchant reference of each order, before the order's id. */
  readonly referencePrefix: string | null;
  /** Copied to each order. */
  readonly metadata: Metadata;
  readonly pairing: LinkPairing | null;
  readonly devices: readonly LinkDevice[];
  /** Counts the record's revisions. */
  readonly version: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Statuses of a link's orders that are sales. */
export const SOLD = ['SUCCESS', 'RESOLVED'] as const satisfies readonly OrderStatus[];

/** Statuses in which an order of a link counts against its limit: paid, or it may still be. A refund gives the place back. */
export const HOLDS_PLACE = ['PENDING', ...SOLD] as const satisfies readonly OrderStatus[];

/** How many links an account may have, deactivated ones too. */
export const MAX_LINKS = 1_000;
/** The most sales that a limit can be: they are counted with each new order. */
export const MAX_LINK_SALES = 100_000;
/** How many orders of one link may wait to be paid: each is one of the account's open orders. */
export const MAX_OPEN_OF_LINK = 200;
/** How many devices one counter may have. */
export const MAX_LINK_DEVICES = 20;
/** How long a pairing code can be used. */
export const PAIRING_MS = 10 * 60_000;

/** The coin of a link that offers no other; `null` where the payer chooses. */
export function onlyCoin({ coins }: Pick<PaymentLink, 'coins'>): CurrencyCode | null {
  return coins?.length === 1 ? (coins[0] ?? null) : null;
}

/** How many orders a link has open and paid. */
export interface LinkCounts {
  readonly open: number;
  readonly sold: number;
}

/**
 * Whether a link makes an order now: `reserved` when open orders have its last places, `sold-out` when all are paid, `ended` when it was
 * switched off or its time is over.
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
