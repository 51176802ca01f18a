import type {
  AccountId,
  ChainCode,
  CurrencyCode,
  DepositId,
  Millis,
  NewestQuery,
  OrderId,
  Page,
  PageRequest,
} from '../kernel/index.ts';
import type { Deposit, DepositAssignment, DepositStatus } from './deposit.ts';
import type { TransactionRow, TransactionStatus, TransactionType } from '../ledger/index.ts';
import type { OrderTraces } from './order-traces.ts';

/** A watched address of a chain, and its owner. */
export interface WatchedAddress {
  readonly key: string;
  readonly address: string;
  readonly orderId: OrderId;
  readonly accountId: AccountId;
  /** The currency that the order expects there now. */
  readonly currency: CurrencyCode;
  readonly watchUntil: Millis;
  /** When the order got the address, by the till's clock. */
  readonly assignedAt: Millis;
  /** The last block that the till had read when the address was assigned; `null` when it is not known. */
  readonly assignedHeight: number | null;
}

/** The fields of a watched address that a follower keeps in memory. */
export interface WatchedNow extends Pick<WatchedAddress, 'key' | 'currency' | 'watchUntil'> {
  /** The deadline of its order. */
  readonly openUntil: Millis;
}

/** The position of a transaction in a list, newest first; transactions of the same millisecond are ordered by id. */
export interface TransactionPosition {
  /** When the transaction happened. */
  readonly createdAt: Millis;
  readonly id: string;
}

/** A search for transactions. */
export interface TransactionSearch {
  /** `null` for all accounts. */
  readonly accountId: AccountId | null;
  /** Transactions of these types. */
  readonly types: readonly TransactionType[];
  /** Transactions in these statuses. */
  readonly statuses: readonly TransactionStatus[];
  /** Transactions in these currencies; `null` for any. */
  readonly currencies: readonly CurrencyCode[] | null;
  /** Transactions at or after this time; `null` for no bound. */
  readonly from: Millis | null;
  /** Transactions before this time; `null` for no bound. */
  readonly to: Millis | null;
  /**
   * Matches the transaction's id or hash, a trace of its order, or the address that it paid, in one of these
   * currencies; `null` for all transactions.
   */
  readonly traces: (OrderTraces & { readonly currencies: readonly CurrencyCode[] }) | null;
  /** The last transaction of the page before; `null` for the first page. */
  readonly after: TransactionPosition | null;
  readonly limit: number;
}

/** The heights up to which deposits may change: SEEN ones may be credited, CREDITED ones may become spendable. */
export interface DueHeights {
  readonly credit: number;
  readonly spend: number;
}

/** An order with deposits that may change. */
export interface UnsettledOrder {
  readonly orderId: OrderId;
  readonly deposits: number;
}

/** Deposit, transaction and watched-address reads. */
export interface DepositStore {
  find(id: DepositId): Promise<Deposit | null>;
  /** Deposits that belong to no order, newest first. */
  unassigned(query: NewestQuery<DepositId>): Promise<readonly Deposit[]>;
  /** An order's deposits in the order they were first seen, without unassigned ones at its address. */
  byOrder(orderId: OrderId): Promise<readonly Deposit[]>;
  /** Deposits of several orders at once, for lists. */
  byOrders(orderIds: readonly OrderId[]): Promise<readonly Deposit[]>;
  /** Orders with deposits that may become credited or spendable now, those with the fewest deposits first. */
  dueOrders(chain: ChainCode, heights: DueHeights): Promise<readonly UnsettledOrder[]>;
  /**
   * Deposits of these orders that may become credited or spendable now, by order and then by id. `page.after` is the
   * last deposit of the part before, within one order.
   */
  due(
    chain: ChainCode,
    heights: DueHeights,
    orderIds: readonly OrderId[],
    page: { readonly after: DepositId | null; readonly limit: number },
  ): Promise<readonly Deposit[]>;
  transactions(accountId: AccountId, page: PageRequest): Promise<Page<TransactionRow>>;
  /** Transactions, newest first. The cost depends only on the page size, whatever the filters are. */
  searchTransactions(search: TransactionSearch): Promise<readonly TransactionRow[]>;
  /**
   * Calls `each` for every address of a chain that is watched beyond `now` and was assigned at or after `since` by the
   * database's clock (all for 0); again for one that changed meanwhile. The addresses are read in parts, so that a
   * million of them is never in memory at once.
   *
   * @returns the database's time of this read
   */
  watched(chain: ChainCode, now: Millis, since: Millis, each: (address: WatchedNow) => void): Promise<Millis>;
  /** The owner of each of these keys, whether it is still watched or not. */
  owners(chain: ChainCode, keys: readonly string[]): Promise<readonly WatchedAddress[]>;
}

/** The fields of a deposit that may change. */
export interface DepositChanges {
  readonly blockHeight?: number;
  readonly blockHash?: string;
  readonly creditedAt?: Millis | null;
  readonly credits?: number;
  readonly lossUnits?: bigint;
  readonly returnCostUnits?: bigint;
  readonly orderId?: OrderId;
  readonly accountId?: AccountId;
}

/** The fields of a transaction row that may change. */
export interface TransactionChanges {
  readonly status?: TransactionStatus;
  readonly units?: bigint;
  readonly obtained?: bigint;
  readonly fee?: bigint;
  readonly txHash?: string;
}

/** Deposit writes inside a transaction. */
export interface DepositWrites {
  /** Adds a deposit; false when one with this (chain, txid, index) exists that is not ORPHANED. */
  add(deposit: Deposit): Promise<boolean>;
  /** Adds deposits, none of which may exist. */
  addAll(deposits: readonly Deposit[]): Promise<void>;
  /** Every deposit of these transactions, locked; at most one of each (chain, txid, index) is not ORPHANED. */
  lockByTransactions(chain: ChainCode, txids: readonly string[]): Promise<readonly Deposit[]>;
  lock(id: DepositId): Promise<Deposit | null>;
  /** The existing deposits with these ids, locked. */
  lockAll(ids: readonly DepositId[]): Promise<readonly Deposit[]>;
  /** Whether an order has any deposit, including ORPHANED ones. */
  hasAny(orderId: OrderId): Promise<boolean>;
  /** Sets the amount that the reversal of an ORPHANED deposit has cost the loss account. */
  setLoss(id: DepositId, lossUnits: bigint): Promise<void>;
  /** Every deposit of an order, inside this transaction's view, without unassigned ones at its address. */
  byOrder(orderId: OrderId): Promise<readonly Deposit[]>;
  /** Deposits, not ORPHANED, in blocks of a chain above a height. */
  above(chain: ChainCode, height: number): Promise<readonly Deposit[]>;
  /** Compare-and-set of the status; false when the deposit is no longer in `from`. */
  move(id: DepositId, from: DepositStatus, to: DepositStatus, changes: DepositChanges): Promise<boolean>;
  /** Compare-and-set of the status of several deposits; false when one of them is no longer in `from`. */
  moveAll(ids: readonly DepositId[], from: DepositStatus, to: DepositStatus): Promise<boolean>;
  /** Compare-and-set of the assignment; false when it is no longer `from`. */
  reassign(
    id: DepositId,
    from: DepositAssignment,
    to: DepositAssignment,
    changes: Pick<DepositChanges, 'orderId' | 'accountId' | 'lossUnits' | 'returnCostUnits'>,
  ): Promise<boolean>;
  /** Adds a merchant's transaction row and assigns its number. */
  addTransaction(row: Omit<TransactionRow, 'number'>): Promise<void>;
  /** A transaction row, inside this transaction's view. */
  findTransaction(id: string): Promise<TransactionRow | null>;
  /** Changes the status of the existing transaction rows with these ids. */
  setTransactionStatus(ids: readonly string[], status: TransactionStatus): Promise<void>;
  /** Changes a transaction row; false when there is none of that id. */
  updateTransaction(id: string, changes: TransactionChanges): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly deposits: DepositStore;
  }
  interface Transaction {
    readonly deposits: DepositWrites;
  }
  interface RecordedEvents {
    /** Recorded by {@link DepositWrites.add} and {@link DepositWrites.addAll}. */
    'deposit.added': { readonly deposit: Deposit };
    /** Recorded by {@link DepositWrites.move} and {@link DepositWrites.moveAll}. */
    'deposit.moved': { readonly id: DepositId; readonly to: DepositStatus };
    /** Recorded by {@link DepositWrites.reassign}. */
    'deposit.reassigned': { readonly id: DepositId; readonly to: DepositAssignment };
  }
}
