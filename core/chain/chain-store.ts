import type { BlockRef, ChainCode, Lease, Millis } from '../kernel/index.ts';
import type { DerivedAddress } from './chain-adapter.ts';
import type { DepositAddress } from './deposit-address.ts';

/**
 * What prevents a chain from being read up to the present; each kind keeps its orders open. A disagreement of nodes
 * also stops payments.
 */
export type TroubleKind = 'lag' | 'initial-download' | 'pruned' | 'failing' | 'disagreement' | 'unseen';

/** A lasting problem with a chain's node. */
export interface ChainTrouble {
  readonly kind: TroubleKind;
  /** Text for an operator; contains no secret. */
  readonly text: string;
  readonly since: Millis;
}

/** The state of a chain's follower. */
export interface ChainState {
  readonly chain: ChainCode;
  /** The result of `identify` at the first start; `null` while no node has ever answered. */
  readonly identity: string | null;
  /** The last block that was scanned; `null` before the first. */
  readonly cursor: BlockRef | null;
  /** The height up to which blocks were read a second time; never above the cursor. `null` before the first block. */
  readonly rereadHeight: number | null;
  /** Every payment made up to this time has been read, from the blocks and any mempool. */
  readonly caughtUpAt: Millis | null;
  /** Why the chain is stopped; `null` while it runs. */
  readonly haltedReason: string | null;
  readonly trouble: ChainTrouble | null;
  /**
   * When blocks were last read, or the last check found no new ones, within some seconds; before the first time, when
   * the state was created.
   */
  readonly readAt: Millis | null;
}

/** Chain cursors and the address pool. */
export interface ChainStore {
  state(chain: ChainCode): Promise<ChainState | null>;
  states(): Promise<readonly ChainState[]>;
  /** Creates the state of a configured chain, before any node has answered; does nothing when there is one. */
  begin(chain: ChainCode, at: Millis): Promise<void>;
  /**
   * Stores the chain's identity at its first start, and creates its state where there is none; does nothing when the
   * identity is stored.
   */
  initialise(chain: ChainCode, identity: string): Promise<void>;
  /** Records when the chain was last read; a time earlier than the stored one is ignored. */
  setRead(chain: ChainCode, at: Millis): Promise<void>;
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
  /** Sets the time up to which the chain was read, under a lease. @throws TillgateError `LEASE_LOST` */
  setCaughtUp(lease: Lease, chain: ChainCode, at: Millis): Promise<void>;
  /** Removes the addresses with the lowest indexes from the pool; returns fewer when the pool has fewer. */
  takeFromPool(chain: ChainCode, walletId: string, count: number): Promise<readonly DepositAddress[]>;
}

/** Cursor writes inside a transaction. */
export interface ChainWrites {
  /**
   * Compare-and-set of the cursor by the hash of its present block (`null`: none yet); false when another instance
   * moved it. When the cursor moves back, the height up to which blocks were read a second time moves back too.
   */
  moveCursor(chain: ChainCode, formerHash: string | null, cursor: BlockRef): Promise<boolean>;
  /** Stores scanned blocks and deletes those below `keepFrom`. */
  addBlocks(chain: ChainCode, blocks: readonly BlockRef[], keepFrom: number): Promise<void>;
  /** Deletes the stored blocks above a height. */
  removeBlocksAbove(chain: ChainCode, height: number): Promise<void>;
  setCaughtUp(chain: ChainCode, at: Millis): Promise<void>;
  /**
   * Whether a block belongs to the followed chain, because it is stored or is deeper than the stored ones. Locks the
   * cursor until the transaction ends.
   */
  holds(chain: ChainCode, block: Pick<BlockRef, 'height' | 'hash'>): Promise<boolean>;
  /** Compare-and-set of the height up to which blocks were read a second time; false when another instance moved it. */
  moveReread(chain: ChainCode, from: number, to: number): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly chains: ChainStore;
  }
  interface Transaction {
    readonly chains: ChainWrites;
  }
}

declare module '../kernel/events.ts' {
  interface DomainEvents {
    'chain.halted': { readonly chain: string; readonly reason: string };
  }
}
