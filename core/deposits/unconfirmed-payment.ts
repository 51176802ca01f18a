import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** WAITING to be mined; MISSING where it waited, for a short time; GONE: replaced, double-spent or dropped. */
export const UNCONFIRMED_PAYMENT_STATUSES = ['WAITING', 'MISSING', 'GONE'] as const;
export type UnconfirmedPaymentStatus = (typeof UNCONFIRMED_PAYMENT_STATUSES)[number];

/** Every legal move of an unconfirmed payment, by event. What is mined is a deposit, and no unconfirmed payment any more. */
export const UNCONFIRMED_PAYMENT_TRANSITIONS = {
  miss: { from: ['WAITING'], to: 'MISSING' },
  lose: { from: ['MISSING'], to: 'GONE' },
  return: { from: ['MISSING', 'GONE'], to: 'WAITING' },
} as const satisfies Record<string, { from: readonly UnconfirmedPaymentStatus[]; to: UnconfirmedPaymentStatus }>;

export type UnconfirmedPaymentEvent = keyof typeof UNCONFIRMED_PAYMENT_TRANSITIONS;

/**
 * A transfer to an order's address that was seen before it was mined. It pays nothing; it says when a payment was first
 * seen. Unique by (chain, txid, index): a transaction that replaces another is another payment, with a time of its own.
 */
export interface UnconfirmedPayment {
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
  readonly status: UnconfirmedPaymentStatus;
  /** Since when it has this status. */
  readonly since: Millis;
}

/** True while an order waits for it: it has not disappeared. */
export function isLive({ status }: Pick<UnconfirmedPayment, 'status'>): boolean {
  return status !== 'GONE';
}

/**
 * How long a transaction has to be missing before it counts as disappeared: a node that was restarted without its
 * mempool, or another node in its place, learns of it again, or the next block brings it.
 */
export const DISAPPEARED_AFTER_MS = 600_000;

/** What a look at the mempool says of the unconfirmed payments that are stored. */
export interface ComparedUnconfirmedPayments<Pending> {
  readonly added: Pending[];
  readonly returned: { readonly unconfirmed: UnconfirmedPayment; readonly event: UnconfirmedPaymentEvent }[];
  /** To be believed only when the look saw everything, and no block was mined that is not read yet. */
  readonly missing: { readonly unconfirmed: UnconfirmedPayment; readonly event: UnconfirmedPaymentEvent }[];
}

/** Compares what waits now with the unconfirmed payments that are stored. Pure. */
export function compareUnconfirmedPayments<Pending extends Pick<UnconfirmedPayment, 'txid' | 'index'>>(
  stored: readonly UnconfirmedPayment[],
  pending: readonly Pending[],
  now: Millis,
): ComparedUnconfirmedPayments<Pending> {
  const place = ({ txid, index }: Pick<UnconfirmedPayment, 'txid' | 'index'>): string => `${txid}:${index}`;
  const [known, present] = [new Set(stored.map(place)), new Set(pending.map(place))];
  const compared: ComparedUnconfirmedPayments<Pending> = { added: pending.filter((transfer) => !known.has(place(transfer))), returned: [], missing: [] };
  for (const unconfirmed of stored) {
    const { status, since } = unconfirmed;
    if (present.has(place(unconfirmed))) {
      if (status !== 'WAITING') compared.returned.push({ unconfirmed, event: 'return' });
    } else if (status === 'WAITING') compared.missing.push({ unconfirmed, event: 'miss' });
    else if (status === 'MISSING' && now - since >= DISAPPEARED_AFTER_MS) compared.missing.push({ unconfirmed, event: 'lose' });
  }
  return compared;
}
