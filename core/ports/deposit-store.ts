import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, DepositId, OrderId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Millis } from '../kernel/time.ts';
import type { Deposit, DepositAssignment, DepositStatus } from '../deposits/deposit.ts';
import type { TransactionRow, TransactionStatus, TransactionType } from '../transactions/transaction.ts';
import type { OrderTraces } from './order-store.ts';

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
  /** The last block that the till had read then; `null` when it is not known. */
  readonly assignedHeight: number | null;
}

/** Where a transaction is in a list, newest first; two of one millisecond go by their ids. */
export interface TransactionPosition {
  /** When it happened. */
  readonly createdAt: Millis;
  readonly id: string;
}

/** Which transactions are asked for. */
export interface TransactionSearch {
  /** `null` for those of all accounts. */
  readonly accountId: AccountId | null;
  /** Of one of these types. */
  readonly types: readonly TransactionType[];
  /** In one of these. */
  readonly statuses: readonly TransactionStatus[];
  /** In one of these; `null` for any. */
  readonly currencies: readonly CurrencyCode[] | null;
  /** Happened then or later; `null` for no bound. */
  readonly from: Millis | null;
  /** Happened before; `null` for no bound. */
  readonly to: Millis | null;
  /**
   * Its id, its hash, or what its order has, or the address that it went to, in one of these coins; `null` for all
   * transactions.
   */
  readonly traces: (OrderTraces & { readonly currencies: readonly CurrencyCode[] }) | null;
  /** The last one of the page before; `null` for the first page. */
  readonly after: TransactionPosition | null;
  readonly limit: number;
}

/** Deposit, transaction and watched-address reads. */
export interface DepositStore {
  find(id: DepositId): Promise<Deposit | null>;
  /** Deposits that belong to no order, newest first. */
  unassigned(page: PageRequest): Promise<Page<Deposit>>;
  /** An order's deposits in the order they were first seen; not those that only came to its address. */
  byOrder(orderId: OrderId): Promise<readonly Deposit[]>;
  /** Deposits of several orders at once, for lists. */
  byOrders(orderIds: readonly OrderId[]): Promise<readonly Deposit[]>;
  /** SEEN and CREDITED deposits of a chain at or below a height, lowest first: those that may become credited or spendable now. */
  unsettled(chain: ChainCode, maxHeight: number, limit: number, after: DepositId | null): Promise<readonly Deposit[]>;
  transactions(accountId: AccountId, page: PageRequest): Promise<Page<TransactionRow>>;
  /** Transactions, newest first. What a page costs depends on its size alone, whatever is asked for. */
  searchTransactions(search: TransactionSearch): Promise<readonly TransactionRow[]>;
  /**
   * Hands on each address of a chain that is watched beyond `now` and was assigned at or after `since` by the database's clock (all for
   * 0); the same one again where it changed meanwhile. They are read in parts, so that a million of them is never in memory at once.
   *
   * @returns the database's time of this read
   */
  watched(
    chain: ChainCode,
    now: Millis,
    since: Millis,
    each: (address: Pick<WatchedAddress, 'key' | 'currency' | 'watchUntil'>) => void,
  ): Promise<Millis>;
  /** The owner of each of these keys, also when it is no longer watched. */
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
  /** Adds a deposit; false when (chain, txid, index) exists. */
  add(deposit: Deposit): Promise<boolean>;
  /** The deposit of a transfer, locked. */
  lockByTransfer(chain: ChainCode, txid: string, index: string): Promise<Deposit | null>;
  lock(id: DepositId): Promise<Deposit | null>;
  /** Every deposit of an order, inside this transaction's view; not those that only came to its address. */
  byOrder(orderId: OrderId): Promise<readonly Deposit[]>;
  /** Deposits, not ORPHANED, in blocks of a chain above a height. */
  above(chain: ChainCode, height: number): Promise<readonly Deposit[]>;
  /** Compare-and-set of the status; false when the deposit is no longer in `from`. */
  move(id: DepositId, from: DepositStatus, to: DepositStatus, changes: DepositChanges): Promise<boolean>;
  /** Compare-and-set of the assignment; false when it is no longer `from`. */
  reassign(
    id: DepositId,
    from: DepositAssignment,
    to: DepositAssignment,
    changes: Pick<DepositChanges, 'orderId' | 'accountId' | 'lossUnits' | 'returnCostUnits'>,
  ): Promise<boolean>;
  /** Adds a merchant's transaction row and gives it its number. */
  addTransaction(row: Omit<TransactionRow, 'number'>): Promise<void>;
  /** A transaction row, as this transaction has left it. */
  findTransaction(id: string): Promise<TransactionRow | null>;
  /** Changes the status of a transaction row; false when there is none of that id. */
  setTransactionStatus(id: string, status: TransactionStatus): Promise<boolean>;
  /** Changes a transaction row; false when there is none of that id. */
  updateTransaction(id: string, changes: TransactionChanges): Promise<boolean>;
}
