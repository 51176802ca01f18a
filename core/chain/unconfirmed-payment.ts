import type { ChainCode, CurrencyCode, Millis, OrderId } from '../kernel/index.ts';
import type { RateEvidence } from '../ledger/index.ts';

/** WAITING in the mempool; MISSING from it for a short time; GONE: replaced, double-spent or dropped. */
export const UNCONFIRMED_PAYMENT_STATUSES = ['WAITING', 'MISSING', 'GONE'] as const;
export type UnconfirmedPaymentStatus = (typeof UNCONFIRMED_PAYMENT_STATUSES)[number];

/** Every transition of an unconfirmed payment, by event. A mined one becomes a deposit and its row is removed. */
export const UNCONFIRMED_PAYMENT_TRANSITIONS = {
  miss: { from: ['WAITING'], to: 'MISSING' },
  lose: { from: ['MISSING'], to: 'GONE' },
  return: { from: ['MISSING', 'GONE'], to: 'WAITING' },
} as const satisfies Record<string, { from: readonly UnconfirmedPaymentStatus[]; to: UnconfirmedPaymentStatus }>;

export type UnconfirmedPaymentEvent = keyof typeof UNCONFIRMED_PAYMENT_TRANSITIONS;

/**
 * A transfer to an order's address in the mempool. It credits nothing, but records when a payment was first seen.
 * Unique by (chain, txid, index): a replacement transaction is a different payment with its own time.
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
  /** When it was first seen; kept when the transaction leaves the mempool and returns. */
  readonly seenAt: Millis;
  readonly status: UnconfirmedPaymentStatus;
  /** The time since which it has this status. */
  readonly since: Millis;
  /** For a payment after the deadline, the rate when it was first seen; `null` where unknown, and for others. */
  readonly rate: RateEvidence | null;
}

/** True while its order must not expire because of it. */
export function isLive({ status }: Pick<UnconfirmedPayment, 'status'>): boolean {
  return status !== 'GONE';
}

/**
 * How long a transaction must be missing before it counts as gone, in milliseconds. By then a restarted node, or its
 * replacement, has received it again, or the next block contains it.
 */
export const DISAPPEARED_AFTER_MS = 600_000;

/** The difference between the mempool and the stored unconfirmed payments. */
export interface ComparedUnconfirmedPayments<Pending> {
  readonly added: Pending[];
  readonly returned: { readonly unconfirmed: UnconfirmedPayment; readonly event: UnconfirmedPaymentEvent }[];
  /** Valid only when the whole mempool was read and every block has been read. */
  readonly missing: { readonly unconfirmed: UnconfirmedPayment; readonly event: UnconfirmedPaymentEvent }[];
}

/** Compares the mempool with the stored unconfirmed payments. Pure. */
export function compareUnconfirmedPayments<Pending extends Pick<UnconfirmedPayment, 'txid' | 'index'>>(
  stored: readonly UnconfirmedPayment[],
  pending: readonly Pending[],
  now: Millis,
): ComparedUnconfirmedPayments<Pending> {
  const place = ({ txid, index }: Pick<UnconfirmedPayment, 'txid' | 'index'>): string => `${txid}:${index}`;
  const [known, present] = [new Set(stored.map(place)), new Set(pending.map(place))];
  const compared: ComparedUnconfirmedPayments<Pending> = {
    added: pending.filter((transfer) => !known.has(place(transfer))),
    returned: [],
    missing: [],
  };
  for (const unconfirmed of stored) {
    const { status, since } = unconfirmed;
    if (present.has(place(unconfirmed))) {
      if (status !== 'WAITING') compared.returned.push({ unconfirmed, event: 'return' });
    } else if (status === 'WAITING') compared.missing.push({ unconfirmed, event: 'miss' });
    else if (status === 'MISSING' && now - since >= DISAPPEARED_AFTER_MS)
      compared.missing.push({ unconfirmed, event: 'lose' });
  }
  return compared;
}
