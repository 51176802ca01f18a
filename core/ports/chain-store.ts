import type { ChainCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';
import type { BlockRef } from './block-ref.ts';
import type { DerivedAddress } from './chain-adapter.ts';
import type { Lease } from './lease-store.ts';
import type { DepositAddress } from './order-store.ts';

/** What keeps a chain from being read up to now; each leaves its orders open. A disagreement of nodes also stops payments. */
export type TroubleKind = 'lag' | 'initial-download' | 'pruned' | 'failing' | 'disagreement';

/** A trouble with a chain's node that lasts. */
export interface ChainTrouble {
  readonly kind: TroubleKind;
  /** For an operator; holds no secret. */
  readonly text: string;
  readonly since: Millis;
}

/** The state of a chain's follower. */
export interface ChainState {
  readonly chain: ChainCode;
  /** The result of `identify` at the first start. */
  readonly identity: string;
  /** The last block that was scanned; `null` before the first. */
  readonly cursor: BlockRef | null;
  /** Up to here blocks were read a second time; never above the cursor. `null` before the first block. */
  readonly rereadHeight: number | null;
  /** Every payment made up to this time has been read: the chain's blocks, and its mempool where it has one. */
  readonly caughtUpAt: Millis | null;
  /** Why the chain is stopped; `null` while it runs. */
  readonly haltedReason: string | null;
  readonly trouble: ChainTrouble | null;
}

/** Chain cursors and the address pool. */
export interface ChainStore {
  state(chain: ChainCode): Promise<ChainState | null>;
  states(): Promise<readonly ChainState[]>;
  /** Creates the state of a chain at its first start; does nothing when there is one. */
  initialise(chain: ChainCode, identity: string): Promise<void>;
  /** A stored block at a height; `null` when it was never stored or was pruned. */
  block(chain: ChainCode, height: number): Promise<BlockRef | null>;
  setHalted(chain: ChainCode, reason: string | null): Promise<void>;
  setTrouble(chain: ChainCode, trouble: ChainTrouble | null): Promise<void>;
  /** Reserves a range of `count` indexes of a wallet; ranges never overlap. Returns the first index. */
  reserveIndexes(walletId: string, count: number): Promise<number>;
  /** Puts derived addresses into the pool. */
  fillPool(chain: ChainCode, walletId: string, addresses: readonly DerivedAddress[]): Promise<void>;
  /** How many addresses are in the pool. */
  poolSize(chain: ChainCode, walletId: string): Promise<number>;
  /** Sets how far the chain was read, under a lease, in one statement. @throws TillgateError `LEASE_LOST` */
  setCaughtUp(lease: Lease, chain: ChainCode, at: Millis): Promise<void>;
  /** Removes addresses from the pool, lowest index first; fewer when it has fewer. */
  takeFromPool(chain: ChainCode, walletId: string, count: number): Promise<readonly DepositAddress[]>;
}

/** Cursor writes inside a transaction. */
export interface ChainWrites {
  /**
   * Compare-and-set of the cursor by the former cursor's hash (`null`: none yet); false when another moved it. Where it goes
   * back, so does the height up to which blocks were read a second time.
   */
  moveCursor(chain: ChainCode, formerHash: string | null, cursor: BlockRef): Promise<boolean>;
  /** Stores scanned blocks and deletes those below `keepFrom`. */
  addBlocks(chain: ChainCode, blocks: readonly BlockRef[], keepFrom: number): Promise<void>;
  /** Deletes the stored blocks above a height. */
  removeBlocksAbove(chain: ChainCode, height: number): Promise<void>;
  setCaughtUp(chain: ChainCode, at: Millis): Promise<void>;
  /**
   * Whether a block belongs to the followed chain: stored, or deeper than the stored ones. Locks the cursor until the
   * transaction ends.
   */
  holds(chain: ChainCode, block: Pick<BlockRef, 'height' | 'hash'>): Promise<boolean>;
  /** Compare-and-set of the height up to which blocks were read a second time; false when another moved it. */
  moveReread(chain: ChainCode, from: number, to: number): Promise<boolean>;
}
