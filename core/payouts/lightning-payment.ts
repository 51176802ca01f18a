import type { Millis, TransferId } from '../kernel/index.ts';

/** The invoice that a Lightning withdrawal pays. The payment hash is unique for ever, so none is paid twice. */
export interface NewLightningPayment {
  readonly paymentHash: string;
  readonly transferId: TransferId;
  readonly paymentRequest: string;
  /** Only for an invoice without an amount; `null` otherwise. */
  readonly msat: bigint | null;
  readonly expiresAt: Millis;
}

/** A payment with the node's answers. */
export interface LightningPayment extends NewLightningPayment {
  /** When it was last sent to the node; `null` before the first time. */
  readonly givenAt: Millis | null;
  /**
   * When the node last refused it, without a payment of that hash; `null` while the last request has no such answer, in
   * which case the node may have the payment.
   */
  readonly refusedAt: Millis | null;
  /** The number of consecutive refusals. A lost answer resets it. */
  readonly refusals: number;
  readonly refusedSince: Millis | null;
  /** An operator's reason for cancelling it while the node does not have it; `null` when it is to be paid. */
  readonly cancelReason: string | null;
}

/** The fewest refusals, and the shortest time over which they occurred in milliseconds, before a payment fails. */
const REFUSALS = 5;
const REFUSED_FOR_MS = 600_000;
/** Milliseconds after which a refused payment is sent to the node again. */
const GIVEN_AGAIN_MS = 60_000;
/** Milliseconds after which a request without an answer has no effect, because no node starts it so late. */
const UNANSWERED_MS = 300_000;

/** Whether a payment that the node does not have must be sent to it now. */
export function isToBeGiven({ refusedAt, cancelReason }: LightningPayment, now: Millis): boolean {
  // A clock that was set back does not delay it.
  return cancelReason === null && (refusedAt === null || now >= refusedAt + GIVEN_AGAIN_MS || now < refusedAt);
}

/** Whether the node has refused it often enough and for long enough that it fails. */
export function isGivenUp({ refusals, refusedSince }: LightningPayment, now: Millis): boolean {
  return refusals >= REFUSALS && refusedSince !== null && now >= refusedSince + REFUSED_FOR_MS;
}

/** Whether no earlier request can still make the node pay a payment that it says it does not have. */
export function isWithoutEffect({ givenAt, refusedAt }: LightningPayment, now: Millis): boolean {
  return refusedAt !== null || givenAt === null || now >= givenAt + UNANSWERED_MS;
}
