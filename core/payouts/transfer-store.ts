import type {
  AccountId,
  ChainCode,
  CurrencyCode,
  DepositId,
  IdempotencyClaim,
  Millis,
  OrderId,
  NewestQuery,
  PayoutBatchId,
  PayoutId,
  TransferId,
} from '../kernel/index.ts';
import type {
  Attempt,
  Payout,
  PayoutStatus,
  PayoutView,
  Holding,
  Transfer,
  TransferApproval,
  TransferKind,
  TransferStatus,
} from './transfer.ts';
import type { LedgerBalance, LedgerEntry, TransactionRow } from '../ledger/index.ts';
import type { SpendableCoin } from '../chain/index.ts';

/** The fields of a transfer that may change. */
export interface TransferChanges {
  /** Changed only for a payment that cost less than its reserve. */
  readonly units?: bigint;
  readonly feeUnits?: bigint;
  readonly maxFeeUnits?: bigint;
  readonly payoutId?: PayoutId;
  readonly reason?: string | null;
  readonly notBefore?: Millis | null;
  readonly deferredAt?: Millis | null;
  readonly updatedAt: Millis;
  readonly finishedAt?: Millis;
}

/** The fields of a payout that may change without a change of status. */
export interface PayoutChanges {
  readonly sentAt?: Millis;
  readonly minedTxid?: string | null;
  readonly minedHeight?: number | null;
  readonly cancelReason?: string;
  readonly stuckAt?: Millis | null;
}

/** The free outputs of one address in one currency, which a sweep would move. */
export interface SweepCandidate {
  readonly address: string;
  readonly index: number;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The references of the holdings, oldest first. */
  readonly refs: readonly string[];
}

/** Gas that is left at a deposit address, in units of the chain's own coin. */
export interface GasBalance {
  readonly address: string;
  readonly units: bigint;
}

/** The amounts that signed, unfinished transfers take from an address. */
export interface InFlight {
  readonly sourceAddress: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The maximum cost of their most expensive attempts, in units of the chain's native coin. */
  readonly nativeFeeUnits: bigint;
}

/** Filters coins by owner: one account (`null`: coins without an owner), or everyone else. */
export type CoinOwner = { readonly of: AccountId | null } | { readonly notOf: AccountId | null };

/** Coins of one currency at one address. */
export interface CoinPlace {
  readonly chain: ChainCode;
  readonly address: string;
  readonly currency: CurrencyCode;
}

/** Coins of a deposit that a reorganisation removed, which a mined payout has taken from their address all the same. */
export interface TakenCoins {
  readonly ref: string;
  readonly units: bigint;
}

/** A coin at a deposit address that its token's contract refuses to move: it is on the chain, and cannot pay. */
export interface FrozenCoin extends SpendableCoin {
  readonly currency: CurrencyCode;
  /** The account whose balance includes it; `null` for a deposit that belongs to no order. */
  readonly accountId: AccountId | null;
  readonly reason: string;
  readonly frozenAt: Millis;
}

/** The amount that an owner of coins is owed in a currency, and the frozen part of it. */
export interface OwnerCover {
  /**
   * The available balance and requested, unsigned transfers. Without an owner: deposits that belong to no order and are
   * not being paid back.
   */
  readonly owed: bigint;
  readonly frozen: bigint;
}

/**
 * Causes that stop the payments of one currency. `refused`: its contract refuses payments of the hot wallet. `short`:
 * less of it is on the chain than in the ledger. `insolvent`: more of it is owed than can be moved.
 */
export const CURRENCY_STOP_CAUSES = ['refused', 'short', 'insolvent'] as const;
export type CurrencyStopCause = (typeof CURRENCY_STOP_CAUSES)[number];

/** Why nothing is paid in one currency of a chain. Each cause ends by itself once its check passes again. */
export interface CurrencyStop {
  readonly currency: CurrencyCode;
  readonly cause: CurrencyStopCause;
  readonly reason: string;
  readonly at: Millis;
}

/** Everything that stops payments of a chain. */
export interface PayoutStops {
  /** Why no payout of the chain is made; `null` while payouts run. */
  readonly all: string | null;
  readonly currencies: readonly CurrencyStop[];
}

/** A coin to be added. */
export interface NewHolding extends Omit<Holding, 'status' | 'payoutId'> {
  /** The account whose payments spend it first; none when absent. */
  readonly accountId?: AccountId | null;
}

/** An unfinished transfer, with the fields that decide how many of the till's own coins are available. */
export interface LiveTransfer {
  readonly kind: TransferKind;
  readonly status: TransferStatus;
  /**
   * True when the fee is deducted from the amount: a merchant's transfer, or the return of a deposit. False for the
   * till's own moves.
   */
  readonly isMerchants: boolean;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly feeUnits: bigint;
  readonly maxFeeUnits: bigint;
  readonly createdAt: Millis;
}

/** The sum of requested payments in a currency, of one account or of all others. */
export interface RequestedUnits {
  readonly currency: CurrencyCode;
  readonly own: boolean;
  readonly units: bigint;
}

/** Why an account may not withdraw. */
export interface WithdrawalFreeze {
  readonly accountId: AccountId;
  readonly reason: string;
  readonly at: Millis;
}

/** The till's assets and debts on a chain in one snapshot, so that a payout that is booked meanwhile counts once. */
export interface TillPosition {
  readonly balances: readonly LedgerBalance[];
  readonly inFlight: readonly InFlight[];
  readonly live: readonly LiveTransfer[];
}

/** A merchant's new transfer, with all rows that its reserve writes. */
export interface Reservation {
  readonly transfer: Transfer & { readonly accountId: AccountId };
  /** The entry that moves the transfer's units out of the account's available balance. */
  readonly entry: LedgerEntry;
  readonly row: Omit<TransactionRow, 'number'>;
  readonly idempotency: IdempotencyClaim | null;
}

/** The result of a {@link Reservation}. Only `reserved` has written anything; `left` is the available balance. */
export type ReserveOutcome =
  | { readonly kind: 'reserved'; readonly left: bigint }
  | { readonly kind: 'repeated'; readonly transferId: TransferId; readonly bodyHash: string }
  | { readonly kind: 'lacking' }
  | { readonly kind: 'frozen'; readonly reason: string };

/** A stored payment that a transaction makes, or was booked with. */
export interface BookedPayment {
  readonly txid: string;
  readonly transferId: TransferId;
  readonly toAddress: string;
}

/** Transfer reads, and reserving a withdrawal. */
export interface TransferStore {
  /**
   * Reserves a withdrawal in one transaction: claim, balance, transfer, entry and row, or nothing. Concurrent calls may
   * be committed together. Resolves only when it is durable.
   */
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  find(id: TransferId): Promise<Transfer | null>;
  /** The live or paid refund of an order, otherwise the newest failed one; `null` when none was requested. */
  refundOf(orderId: OrderId): Promise<Transfer | null>;
  /** Every refund of these orders, oldest first. */
  refundsOf(orderIds: readonly OrderId[]): Promise<readonly Transfer[]>;
  /** The transfer that charges an authorization, by the authorization's key; `null` when it was never received. */
  chargeOf(chain: ChainCode, authorizationKey: string): Promise<Transfer | null>;
  /** The record for which an idempotency key was claimed; `null` when there is no claim, or it has expired. */
  claimed(
    accountId: AccountId,
    claim: IdempotencyClaim,
  ): Promise<{ readonly transferId: TransferId; readonly bodyHash: string } | null>;
  /** REQUESTED transfers of a chain that may be signed now, after an id, oldest first. */
  waiting(chain: ChainCode, now: Millis, after: TransferId | null, limit: number): Promise<readonly Transfer[]>;
  /** LIVE payouts of a chain after an id, oldest first. */
  livePayouts(chain: ChainCode, after: PayoutId | null, limit: number): Promise<readonly PayoutView[]>;
  /** DONE payouts of a chain whose block was removed by a reorganisation, after an id, oldest first. */
  unminedPayouts(chain: ChainCode, after: PayoutId | null, limit: number): Promise<readonly PayoutView[]>;
  /** The payout of a transfer; `null` while it is not signed. */
  payoutOf(id: TransferId): Promise<PayoutView | null>;
  /** The payments of these transactions: as attempts of payouts, or as booked with a withdrawal or a refund. */
  booked(chain: ChainCode, txids: readonly string[]): Promise<readonly BookedPayment[]>;
  inFlight(chain: ChainCode): Promise<readonly InFlight[]>;
  /** Transfers of a chain that are neither CONFIRMED nor FAILED. */
  live(chain: ChainCode): Promise<readonly LiveTransfer[]>;
  /** The balances of these accounts, {@link inFlight} and {@link live}, read in one snapshot. */
  position(chain: ChainCode, accounts: readonly string[]): Promise<TillPosition>;
  /** Transfers of one status, or of all for `null`, newest first. With an account, only its withdrawals, refunds and payouts. */
  list(
    status: TransferStatus | null,
    query: NewestQuery<TransferId>,
    accountId?: AccountId | null,
  ): Promise<readonly Transfer[]>;
  /** The number of transfers with a status. */
  countOf(status: TransferStatus): Promise<number>;
  /** The hashes of these transfers, as in their owners' lists of transactions; the till's own moves have none. */
  txHashes(ids: readonly TransferId[]): Promise<ReadonlyMap<TransferId, string>>;
  /** Free deposits at deposit addresses that are not frozen, summed by address and currency, most units first within each currency. */
  sweepCandidates(chain: ChainCode, limit: number): Promise<readonly SweepCandidate[]>;
  /** Free outputs of a currency, most units first; all of them up to `limit`, so that small ones do not accumulate. */
  freeCoins(
    chain: ChainCode,
    currency: CurrencyCode,
    limit: number,
    owner?: CoinOwner,
  ): Promise<readonly SpendableCoin[]>;
  /** The owners of more than `above` free outputs of a currency, those with the most first. */
  ownersOfMany(
    chain: ChainCode,
    currency: CurrencyCode,
    above: number,
    limit: number,
  ): Promise<readonly (AccountId | null)[]>;
  /** True while an unfinished payout has taken coins of this owner. */
  hasTakenCoins(chain: ChainCode, currency: CurrencyCode, accountId: AccountId | null): Promise<boolean>;
  coinsOf(payoutId: PayoutId): Promise<readonly SpendableCoin[]>;
  /**
   * The outputs among these that are the till's own: present and past coins, and outputs of its transactions. A coin
   * that a reorganisation removed counts only if it is such an output.
   */
  knownCoins(chain: ChainCode, refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Free and taken holdings of a chain that must be on the chain, without frozen ones, after a ref, by ref. */
  holdings(chain: ChainCode, after: string | null, limit: number): Promise<readonly Holding[]>;
  /** Free deposits at one address in one currency, oldest first. */
  freeAt(chain: ChainCode, address: string, currency: CurrencyCode): Promise<readonly Holding[]>;
  /** The till's unused gas at a deposit address: what is booked, and what signed transactions will bring. */
  gasAt(chain: ChainCode, address: string): Promise<bigint>;
  /** Deposit addresses with booked gas, after an address, by address. */
  gasBalances(chain: ChainCode, after: string | null, limit: number): Promise<readonly GasBalance[]>;
  /**
   * The amounts by currency that the holdings' addresses, the addresses with gas and the hot wallet must contain while
   * nothing is in flight: the negated custody and gas accounts of the ledger, less CREDITED deposits, which are not
   * spendable yet, and frozen ones.
   */
  expectedCustody(chain: ChainCode): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** The amounts by currency that the hot wallet of an account chain must contain while nothing is in flight. */
  hotCustody(chain: ChainCode): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  frozenCoins(chain: ChainCode): Promise<readonly FrozenCoin[]>;
  /** The sums of an account's frozen coins by currency. */
  frozenOf(accountId: AccountId): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** The block of the deposit that brought a coin; `null` without a deposit, or while it is reorganised away. */
  coinHeight(chain: ChainCode, ref: string): Promise<number | null>;
  ownerCover(chain: ChainCode, owner: AccountId | null, currency: CurrencyCode): Promise<OwnerCover>;
  currencyStops(chain: ChainCode): Promise<readonly CurrencyStop[]>;
  /** Stores a stop, or updates the reason of an existing one. @returns true when there was no stop of this cause */
  stopCurrency(chain: ChainCode, stop: CurrencyStop): Promise<boolean>;
  /** @returns true when there was a stop of this cause */
  resumeCurrency(chain: ChainCode, stop: Pick<CurrencyStop, 'currency' | 'cause'>): Promise<boolean>;
  /** The next nonce of an address by the till's own count; `null` when the till never paid from it. */
  nonce(chain: ChainCode, address: string): Promise<number | null>;
  /** Why the payouts of a chain are stopped; `null` while they run. */
  payoutStop(chain: ChainCode): Promise<string | null>;
  /** {@link payoutStop} and {@link currencyStops} in one statement, since each pass of the payouts needs both. */
  stops(chain: ChainCode): Promise<PayoutStops>;
  /**
   * Compare-and-set of the reason why the payouts of a chain are stopped (`null`: they run), so that no stop overwrites
   * a concurrent one; false when the present reason is not `from`.
   */
  replacePayoutStop(chain: ChainCode, from: string | null, to: string | null): Promise<boolean>;
  freeze(accountId: AccountId): Promise<WithdrawalFreeze | null>;
  /** Every approval of a transfer, oldest first. */
  approvals(id: TransferId): Promise<readonly TransferApproval[]>;
}

/** Transfer writes inside a transaction. */
export interface TransferWrites {
  /**
   * Adds a transfer. False, with nothing added, when a live one exists: one refund for each order, one `gas` for each
   * receiving address, one `sweep` for each (source, currency), one `cold` for each (chain, currency), one `charge` for
   * each order. Each authorization is accepted once, for ever. Live is every status but CONFIRMED and FAILED.
   */
  add(transfer: Transfer): Promise<boolean>;
  /** Every refund of an order, oldest first; none can be added while the order is locked. */
  refundsOf(orderId: OrderId): Promise<readonly Transfer[]>;
  /** The number of signed charges of an order that have FAILED. */
  failedCharges(orderId: OrderId): Promise<number>;
  /**
   * Takes a lock that one transaction at a time holds until its end, so that the requests that it reads stay the same
   * until it has decided.
   */
  lockRequests(): Promise<void>;
  /**
   * Sums of the withdrawals, refunds, payouts and returns that were requested after a time, paid or not, without failed ones. HELD
   * ones count for their own account only: they are paid after an approval, and must not hold back payments of others.
   *
   * @param accountId - `null` for returns of unassigned deposits, which together count as one account's
   */
  requestedSince(time: Millis, accountId: AccountId | null): Promise<readonly RequestedUnits[]>;
  /** Adds an approval; false, with nothing added, when the same person already approved during this hold. */
  addApproval(approval: TransferApproval): Promise<boolean>;
  /** As {@link TransferStore.approvals}. */
  approvals(id: TransferId): Promise<readonly TransferApproval[]>;
  lock(id: TransferId): Promise<Transfer | null>;
  /** The return of a deposit, locked, unless it failed. */
  lockReturn(id: DepositId): Promise<Transfer | null>;
  /** Compare-and-set of the status; false when the transfer is no longer in `from`. */
  move(id: TransferId, from: TransferStatus, to: TransferStatus, changes: TransferChanges): Promise<boolean>;
  /** Changes a transfer that is still in `status`; false when it is not. */
  update(id: TransferId, status: TransferStatus, changes: TransferChanges): Promise<boolean>;
  /**
   * Claims an idempotency key for `id` and returns `null`, or returns the record for which it was claimed before. Keys
   * are shared with orders: (account, route, key).
   */
  claim(
    accountId: AccountId,
    claim: IdempotencyClaim,
    id: TransferId | PayoutBatchId,
  ): Promise<{ readonly transferId: TransferId; readonly bodyHash: string } | null>;
  /**
   * Opens a payout. On chains with nonces, the address's counter moves from the payout's nonce to the next by
   * compare-and-set; false, with nothing opened, when the counter has another value. The first use sets the counter.
   */
  openPayout(payout: Payout): Promise<boolean>;
  lockPayout(id: PayoutId): Promise<Payout | null>;
  updatePayout(id: PayoutId, changes: PayoutChanges): Promise<void>;
  /** Closes a LIVE payout by compare-and-set; false when it is not LIVE. */
  closePayout(id: PayoutId, to: Exclude<PayoutStatus, 'LIVE'>, changes: PayoutChanges): Promise<boolean>;
  /** After a reorganisation above a height: removes the block of DONE payouts there, until they are mined again. */
  unminePayouts(chain: ChainCode, height: number): Promise<void>;
  addAttempt(attempt: Attempt): Promise<void>;
  /** Takes free holdings for a payout: all of them, or none and returns false. */
  takeHoldings(chain: ChainCode, refs: readonly string[], payoutId: PayoutId): Promise<boolean>;
  /**
   * The owner of a payout's change: the payer or, when it spent coins of others, the owner of the largest of these. All
   * of the payer's own coins are spent first, so the remainder belongs to the others.
   */
  ownerOfChange(payoutId: PayoutId, payer: AccountId | null): Promise<AccountId | null>;
  /** Marks the holdings that a payout took as SPENT, or as FREE again. */
  settleHoldings(payoutId: PayoutId, to: 'SPENT' | 'FREE'): Promise<void>;
  /**
   * Adds a free holding; false when it exists. A GONE one gets the status that its payout implies: TAKEN for a live
   * payout, SPENT for a done one, otherwise FREE. One with other facts is another coin, which is FREE; the GONE one
   * stays with its payout.
   */
  addHolding(holding: NewHolding): Promise<boolean>;
  /** Locks the coins of removed deposits at an address that mined payouts have taken, oldest first. */
  lockTaken(place: CoinPlace): Promise<readonly TakenCoins[]>;
  /**
   * Attributes these units of coins that {@link lockTaken} has returned to the deposit with this reference, which
   * brought them: its holding becomes SPENT when it is added.
   */
  passTaken(chain: ChainCode, taken: TakenCoins, ref: string): Promise<void>;
  /** Changes the gas that is booked at a deposit address. */
  addGas(chain: ChainCode, address: string, change: bigint): Promise<void>;
  /** After a reorganisation: marks a holding of any status as GONE and keeps its payout; false when it is unknown. */
  dropHolding(chain: ChainCode, ref: string): Promise<boolean>;
  /** Freezes the free coins at a deposit address. @returns the ones that were not frozen before */
  freezeCoins(place: CoinPlace, reason: string, at: Millis): Promise<readonly FrozenCoin[]>;
  /** Makes the frozen coins at a deposit address free again. @returns the ones that were frozen */
  thawCoins(place: CoinPlace): Promise<readonly FrozenCoin[]>;
  /** Marks a frozen coin as GONE; false when it is no longer frozen. */
  dropFrozen(chain: ChainCode, ref: string): Promise<boolean>;
  /** The sum of an owner's frozen coins in a currency. */
  frozenUnits(owner: AccountId | null, currency: CurrencyCode): Promise<bigint>;
  /** Moves an address's counter forward to the chain's nonce, at an operator's request. */
  setNonce(chain: ChainCode, address: string, nonce: number): Promise<void>;
  /** Stores a freeze. Locks the account too, so that it never commits during the signing of a payment. */
  freeze(freeze: WithdrawalFreeze): Promise<void>;
  /** Why the payouts of a chain are stopped, inside this transaction's view. */
  findPayoutStop(chain: ChainCode): Promise<string | null>;
  /** Stops the payouts of a chain at an operator's request, replacing any earlier reason. */
  setPayoutStop(chain: ChainCode, reason: string): Promise<void>;
  /** As {@link TransferStore.replacePayoutStop}. */
  replacePayoutStop(chain: ChainCode, from: string | null, to: string | null): Promise<boolean>;
  /** The freeze of an account, inside this transaction's view. */
  findFreeze(accountId: AccountId): Promise<WithdrawalFreeze | null>;
  unfreeze(accountId: AccountId): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly transfers: TransferStore;
  }
  interface Transaction {
    readonly transfers: TransferWrites;
  }
  interface RecordedEvents {
    /**
     * Recorded by {@link TransferWrites.add} and {@link TransferStore.reserve}; `row` is the transfer's row in the
     * account's list of transactions, where it is stored with the transfer.
     */
    'transfer.added': { readonly transfer: Transfer; readonly row: Omit<TransactionRow, 'number'> | null };
    /** Recorded by {@link TransferWrites.move}. */
    'transfer.moved': { readonly id: TransferId; readonly to: TransferStatus };
  }
}
