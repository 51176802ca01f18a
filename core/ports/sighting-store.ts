import type { Sighting, SightingStatus } from '../deposits/sighting.ts';
import type { ChainCode } from '../kernel/asset.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** Reads of what was seen before it was mined. */
export interface SightingStore {
  /** All of a chain, those that disappeared too; few at any time. */
  ofChain(chain: ChainCode): Promise<readonly Sighting[]>;
  /** Those of these orders that have not disappeared, in the order they were first seen. */
  live(orderIds: readonly OrderId[]): Promise<readonly Sighting[]>;
}

/** Which transfer a sighting is of. */
export type SightedTransfer = Pick<Sighting, 'chain' | 'txid' | 'index'>;

/** Writes of sightings inside a transaction. */
export interface SightingWrites {
  /** Adds a sighting; false when there is one of (chain, txid, index). */
  add(sighting: Sighting): Promise<boolean>;
  /** Takes a sighting away, since its transfer was mined; `null` for one that was never seen before. */
  take(transfer: SightedTransfer): Promise<Sighting | null>;
  /** Compare-and-set of the status; false when the sighting is no longer in `from`. */
  move(transfer: SightedTransfer, from: SightingStatus, to: SightingStatus, at: Millis): Promise<boolean>;
  /** Those of an order that have not disappeared, inside this transaction's view. */
  live(orderId: OrderId): Promise<readonly Sighting[]>;
  /** Forgets what disappeared from a chain before a time. */
  forget(chain: ChainCode, before: Millis): Promise<void>;
}
