import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** WAITING to be mined; MISSING where it waited, for a short time; GONE: replaced, double-spent or dropped. */
export const SIGHTING_STATUSES = ['WAITING', 'MISSING', 'GONE'] as const;
export type SightingStatus = (typeof SIGHTING_STATUSES)[number];

/** Every legal move of a sighting, by event. What is mined is a deposit, and no sighting any more. */
export const SIGHTING_TRANSITIONS = {
  miss: { from: ['WAITING'], to: 'MISSING' },
  lose: { from: ['MISSING'], to: 'GONE' },
  return: { from: ['MISSING', 'GONE'], to: 'WAITING' },
} as const satisfies Record<string, { from: readonly SightingStatus[]; to: SightingStatus }>;

export type SightingEvent = keyof typeof SIGHTING_TRANSITIONS;

/**
 * A transfer to an order's address that was seen before it was mined. It pays nothing; it says when a payment was first
 * seen. Unique by (chain, txid, index): a transaction that replaces another is another payment, with a time of its own.
 */
export interface Sighting {
  readonly chain: ChainCode;
  readonly txid: string;
  readonly index: string;
  readonly orderId: OrderId;
  /** The watch key of the order's address. */
  readonly key: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** When it was first seen; it stays, however often the transaction leaves and comes back. */
  readonly seenAt: Millis;
  readonly status: SightingStatus;
  /** Since when it has this status. */
  readonly since: Millis;
}

/** True while an order waits for it: it has not disappeared. */
export function isLive({ status }: Pick<Sighting, 'status'>): boolean {
  return status !== 'GONE';
}

/**
 * How long a transaction has to be missing before it counts as disappeared: a node that was restarted without its
 * mempool, or another node in its place, learns of it again, or the next block brings it.
 */
export const DISAPPEARED_AFTER_MS = 600_000;

/** What a look at the mempool says of the sightings that are stored. */
export interface ComparedSightings<Pending> {
  readonly added: Pending[];
  readonly returned: { readonly sighting: Sighting; readonly event: SightingEvent }[];
  /** To be believed only when the look saw everything, and no block was mined that is not read yet. */
  readonly missing: { readonly sighting: Sighting; readonly event: SightingEvent }[];
}

/** Compares what waits now with the sightings that are stored. Pure. */
export function compareSightings<Pending extends Pick<Sighting, 'txid' | 'index'>>(
  stored: readonly Sighting[],
  pending: readonly Pending[],
  now: Millis,
): ComparedSightings<Pending> {
  const place = ({ txid, index }: Pick<Sighting, 'txid' | 'index'>): string => `${txid}:${index}`;
  const [known, present] = [new Set(stored.map(place)), new Set(pending.map(place))];
  const compared: ComparedSightings<Pending> = { added: pending.filter((transfer) => !known.has(place(transfer))), returned: [], missing: [] };
  for (const sighting of stored) {
    const { status, since } = sighting;
    if (present.has(place(sighting))) {
      if (status !== 'WAITING') compared.returned.push({ sighting, event: 'return' });
    } else if (status === 'WAITING') compared.missing.push({ sighting, event: 'miss' });
    else if (status === 'MISSING' && now - since >= DISAPPEARED_AFTER_MS) compared.missing.push({ sighting, event: 'lose' });
  }
  return compared;
}
