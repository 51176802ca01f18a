import { assert } from './guard.ts';
import type { Millis } from './time.ts';

/** A digit string, branded as an id of one kind of record. */
export type Id<Name extends string> = string & { readonly __id: Name };

export type AccountId = Id<'account'>;
export type OrderId = Id<'order'>;
export type DepositId = Id<'deposit'>;
export type CallbackId = Id<'callback'>;
export type CredentialId = Id<'credential'>;
export type EntryId = Id<'entry'>;
export type TransferId = Id<'transfer'>;
export type PayoutId = Id<'payout'>;
export type PullPaymentId = Id<'pull-payment'>;
export type ClaimId = Id<'claim'>;
export type PayoutBatchId = Id<'payout-batch'>;
export type PayeeId = Id<'payee'>;
export type WatchAddressId = Id<'watch-address'>;
export type AppId = Id<'app'>;
export type AppKeyId = Id<'app-key'>;
export type RouteId = Id<'route'>;
export type UpstreamId = Id<'upstream'>;
export type CordonId = Id<'cordon'>;
export type AuditId = Id<'audit'>;
export type PasskeyId = Id<'passkey'>;
export type WebhookId = Id<'webhook'>;
export type LinkId = Id<'link'>;
export type LinkDeviceId = Id<'link-device'>;
export type AlertId = Id<'alert'>;
export type NoticeId = Id<'notice'>;

/** 2015-01-01T00:00:00Z. Ids counted from it have 19 digits until 2084, so that they also sort as text. */
const EPOCH_MS = 1_420_070_400_000;
const NODE_BITS = 10;
const SEQUENCE_BITS = 12;
const SEQUENCE_MASK = (1 << SEQUENCE_BITS) - 1;
/** The largest node number; the smallest is 0. */
export const MAX_NODE = (1 << NODE_BITS) - 1;

const FORM = /^[1-9]\d{17,18}$/;

/** True for text that can be an id: a digit string of 18 or 19 digits. */
export function isId(text: string): boolean {
  return FORM.test(text);
}

/** When an id was created, in epoch milliseconds. */
export function idTime(id: string): Millis {
  return Number(BigInt(id) >> BigInt(NODE_BITS + SEQUENCE_BITS)) + EPOCH_MS;
}

/**
 * Creates ids: 41 bits of milliseconds, the instance's node number, and 12 bits that start at random in each
 * millisecond and count up. They are unique as long as no two live instances share a node number, and never decrease
 * when the clock does.
 */
export class IdSequence {
  readonly #now: () => Millis;
  readonly #node: bigint;
  readonly #randomStart: () => number;
  #lastMs = 0;
  #sequence = 0;
  #left = 0;

  /**
   * @param now - epoch milliseconds
   * @param node - this instance's number, 0 to {@link MAX_NODE}
   * @param randomStart - any non-negative integer; its low bits start each millisecond's count
   */
  constructor(now: () => Millis, node: number, randomStart: () => number) {
    assert(Number.isInteger(node) && node >= 0 && node <= MAX_NODE, `node number ${node}`);
    this.#now = now;
    this.#node = BigInt(node) << BigInt(SEQUENCE_BITS);
    this.#randomStart = randomStart;
  }

  /** The next id, larger than every earlier one of this sequence. */
  next(): string {
    const now = this.#now();
    if (now > this.#lastMs || this.#left === 0) {
      this.#lastMs = Math.max(now, this.#lastMs + 1);
      // The start is in the lower half, so that a busy millisecond can count on.
      this.#sequence = this.#randomStart() & (SEQUENCE_MASK >> 1);
      this.#left = SEQUENCE_MASK - this.#sequence;
    } else {
      this.#sequence += 1;
      this.#left -= 1;
    }
    const ms = BigInt(this.#lastMs - EPOCH_MS) << BigInt(NODE_BITS + SEQUENCE_BITS);
    return (ms | this.#node | BigInt(this.#sequence)).toString();
  }
}
