import type { ChainCode, CurrencyCode, Lease, Millis, OrderId } from '../kernel/index.ts';
import type { Deposit, WatchedAddress } from '../chain/index.ts';

/** A deposit address whose balance is compared with the ledger. */
export interface ComparedAddress extends WatchedAddress {
  /** The first block at which its balance held nothing that is missing from the ledger; `null` before that. */
  readonly comparedHeight: number | null;
}

/**
 * The addresses that a comparison covers. `new`: watched ones that were never compared. `watched`: all whose watch
 * window is open. `all`: every address that was ever assigned.
 */
export type ComparisonTurn = 'new' | 'watched' | 'all';

/** The progress of one pass over the addresses. */
export interface TurnPlace {
  /** The last address of the pass that was compared, as the store names it; `null` at the beginning. */
  readonly after: string | null;
  /** The chain's block and the time at which the pass began; 0 before the first. */
  readonly beganHeight: number;
  readonly beganAt: Millis;
}

/** Blocks in which coins may have arrived that the node did not show, because it kept no state of these blocks. */
export interface UnseenBlocks {
  /** The time of the last block before the unseen ones. */
  readonly since: Millis;
  /** The last unseen block. */
  readonly height: number;
}

/** The progress of a chain's balance comparisons. */
export interface ComparisonState {
  readonly watched: TurnPlace;
  readonly all: TurnPlace;
  /** `null` when no block is unseen. */
  readonly unseen: UnseenBlocks | null;
}

/** The balance of an address in one currency, according to the ledger. */
export interface BookedAddress {
  /**
   * The units that the address holds while no payment is in progress: its deposits that were not swept, including dust,
   * and gas that the till sent there, less what a mined sweep took of deposits that are orphaned.
   */
  readonly units: bigint;
  /** Deposits that the address's balance had shown in a block which a reorganisation removed, oldest first. */
  readonly orphaned: readonly Pick<Deposit, 'txid' | 'index' | 'units'>[];
  /**
   * True while a transaction of the till pays from or to the address, or did so above the given block: its balance
   * proves nothing then.
   */
  readonly moving: boolean;
}

/** The balances in the ledger to read. */
export interface BooksQuestion {
  readonly currency: CurrencyCode;
  /** Whether the chain's fees are paid in this currency. */
  readonly paysFees: boolean;
  readonly addresses: readonly string[];
  /** The block whose balances they are compared with. */
  readonly height: number;
}

/** Reads for the comparison of deposit addresses' balances with the ledger. */
export interface ComparisonStore {
  state(chain: ChainCode): Promise<ComparisonState>;
  /** The next addresses of a pass, and the store's name of the last one; fewer than `limit` at the end. */
  next(
    chain: ChainCode,
    turn: ComparisonTurn,
    page: { readonly after: string | null; readonly now: Millis; readonly limit: number },
  ): Promise<{ readonly addresses: readonly ComparedAddress[]; readonly last: string | null }>;
  /** The addresses with these keys. */
  byKeys(chain: ChainCode, keys: readonly string[]): Promise<readonly ComparedAddress[]>;
  /** The address of an order on a chain. */
  byOrder(chain: ChainCode, orderId: OrderId): Promise<readonly ComparedAddress[]>;
  /** The ledger's amounts by address; an address without an amount has no entry. */
  booked(chain: ChainCode, question: BooksQuestion): Promise<ReadonlyMap<string, BookedAddress>>;
  /** Stores the progress of a pass, under a lease. @throws TillgateError `LEASE_LOST` */
  setPlace(lease: Lease, chain: ChainCode, turn: 'watched' | 'all', place: TurnPlace): Promise<void>;
  /** Records that the ledger has all that these addresses hold; an address recorded before keeps its block. */
  noteCompared(chain: ChainCode, keys: readonly string[], height: number): Promise<void>;
}

/** Comparison reads and writes inside a transaction. */
export interface ComparisonWrites {
  /** As {@link ComparisonStore.booked}, inside this transaction's view. */
  booked(chain: ChainCode, question: BooksQuestion): Promise<ReadonlyMap<string, BookedAddress>>;
  /**
   * Whether a deposit that was found by an address's balance, in this block or a later one, includes what had arrived
   * there by this block.
   */
  isCounted(chain: ChainCode, address: string, currency: CurrencyCode, height: number): Promise<boolean>;
  /** Extends the range of unseen blocks. */
  noteUnseen(chain: ChainCode, unseen: UnseenBlocks): Promise<void>;
  /**
   * Clears the unseen blocks, once every watched address was compared at this block or a later one; false when later
   * blocks are unseen.
   */
  clearUnseen(chain: ChainCode, height: number): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Comparisons of the balances of deposit addresses with the ledger. */
    readonly comparisons: ComparisonStore;
  }
  interface Transaction {
    readonly comparisons: ComparisonWrites;
  }
}
