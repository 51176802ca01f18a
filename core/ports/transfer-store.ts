import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import type { AccountId, DepositId, PayoutId, OrderId, TransferId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Millis } from '../kernel/time.ts';
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
} from '../transfers/transfer.ts';
import type { Callback } from '../callbacks/callback.ts';
import type { LedgerBalance, LedgerEntry } from '../ledger/entry.ts';
import type { Notice } from '../notices/notice.ts';
import type { TransactionRow } from '../transactions/transaction.ts';
import type { IdempotencyClaim } from './order-store.ts';
import type { SpendableCoin } from './chain-payments.ts';

/** The fields of a transfer that may change. */
export interface TransferChanges {
  /** Only for a payment that cost less than its reserve. */
  readonly units?: bigint;
  readonly feeUnits?: bigint;
  readonly maxFeeUnits?: bigint;
  readonly payoutId?: PayoutId;
  readonly reason?: string | null;
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

/** The free outputs of one address in one currency: what a sweep would move. */
export interface SweepCandidate {
  readonly address: string;
  readonly index: number;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The holdings, oldest first. */
  readonly refs: readonly string[];
}

/** Gas that is left at a deposit address, in units of the chain's own coin. */
export interface GasBalance {
  readonly address: string;
  readonly units: bigint;
}

/** What signed, unfinished transfers take from an address. */
export interface InFlight {
  readonly sourceAddress: string;
  readonly currency: CurrencyCode;
  /** The transfers' units. */
  readonly units: bigint;
  /** The maximum cost of their most expensive attempts, in units of the chain's own coin. */
  readonly nativeFeeUnits: bigint;
}

/** Whose coins: those of one account or of nobody (`null`), or all but those. */
export type CoinOwner = { readonly of: AccountId | null } | { readonly notOf: AccountId | null };

/** A coin to be added. */
export interface NewHolding extends Omit<Holding, 'status' | 'payoutId'> {
  /** Whose payments spend it first; nobody's where it is left out. */
  readonly accountId?: AccountId | null;
}

/** A transfer that is not finished, as far as the till's own coins depend on it. */
export interface LiveTransfer {
  readonly kind: TransferKind;
  readonly status: TransferStatus;
  /** Its fee comes out of its amount: a merchant's, or the return of a deposit. False for the till's own moves. */
  readonly isMerchants: boolean;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly feeUnits: bigint;
  readonly maxFeeUnits: bigint;
  readonly createdAt: Millis;
}

/** What merchants asked to be paid in a currency: of one account, or of all others. */
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

/** What the till owns and owes on a chain, all of one moment: a payout that is booked meanwhile counts once. */
export interface TillPosition {
  readonly balances: readonly LedgerBalance[];
  readonly inFlight: readonly InFlight[];
  readonly live: readonly LiveTransfer[];
}

/** A merchant's new transfer, with everything that its reserve writes. */
export interface Reservation {
  readonly transfer: Transfer & { readonly accountId: AccountId };
  /** Moves the transfer's units out of the account's available balance. */
  readonly entry: LedgerEntry;
  readonly row: Omit<TransactionRow, 'number'>;
  readonly idempotency: IdempotencyClaim | null;
  /** Rows of the outbox, stored with the transfer and only with it; none by default. */
  readonly events?: readonly Callback[];
  /** What persons are told of it, stored as the events are; none by default. */
  readonly notices?: readonly Notice[];
}

/** The result of a {@link Reservation}. Only `reserved` has written anything; `left` is the remaining available balance. */
export type ReserveOutcome =
  | { readonly kind: 'reserved'; readonly left: bigint }
  | { readonly kind: 'repeated'; readonly transferId: TransferId; readonly bodyHash: string }
  | { readonly kind: 'lacking' }
  | { readonly kind: 'frozen'; readonly reason: string };

/** A payment of the database that a transaction makes, or was booked with. */
export interface BookedPayment {
  readonly txid: string;
  readonly transferId: TransferId;
  readonly toAddress: string;
}

/** Transfer reads, and reserving a withdrawal. */
export interface TransferStore {
  /**
   * Reserves a withdrawal in one transaction: claim, balance, transfer, entry and row, or nothing. Concurrent calls may be
   * committed together. Resolves only when it is durable.
   */
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  find(id: TransferId): Promise<Transfer | null>;
  /** The refund of an order that is live or was paid, else the newest failed one; `null` when none was asked for. */
  refundOf(orderId: OrderId): Promise<Transfer | null>;
  /** As {@link refundOf}, for several orders at once; orders without a refund are left out. */
  refundsOf(orderIds: readonly OrderId[]): Promise<readonly Transfer[]>;
  /** The pull of an authorization, by its key; `null` when it never came. */
  pullOf(chain: ChainCode, authorizationKey: string): Promise<Transfer | null>;
  /** What an idempotency key was claimed for; `null` when it was not, or the claim has expired. */
  claimed(
    accountId: AccountId,
    claim: IdempotencyClaim,
  ): Promise<{ readonly transferId: TransferId; readonly bodyHash: string } | null>;
  /** REQUESTED transfers of a chain after an id, oldest first. */
  waiting(chain: ChainCode, after: TransferId | null, limit: number): Promise<readonly Transfer[]>;
  /** LIVE payouts of a chain after an id, oldest first. */
  livePayouts(chain: ChainCode, after: PayoutId | null, limit: number): Promise<readonly PayoutView[]>;
  /** DONE payouts of a chain after an id whose block was reorganised away, oldest first. */
  unminedPayouts(chain: ChainCode, after: PayoutId | null, limit: number): Promise<readonly PayoutView[]>;
  /** The payout of a transfer; `null` while it is not signed. */
  payoutOf(id: TransferId): Promise<PayoutView | null>;
  /** The payments of these transactions: as their payouts' attempts, or as what a withdrawal or a refund was booked with. */
  booked(chain: ChainCode, txids: readonly string[]): Promise<readonly BookedPayment[]>;
  inFlight(chain: ChainCode): Promise<readonly InFlight[]>;
  /** Transfers of a chain that are neither CONFIRMED nor FAILED. */
  live(chain: ChainCode): Promise<readonly LiveTransfer[]>;
  /** The balances of these accounts, {@link inFlight} and {@link live}, read in one snapshot. */
  position(chain: ChainCode, accounts: readonly string[]): Promise<TillPosition>;
  /** Newest first; of one status, or all for `null`; of an account its withdrawals and refunds, or everybody's without one. */
  list(status: TransferStatus | null, page: PageRequest, accountId?: AccountId | null): Promise<Page<Transfer>>;
  /** The hash of each transfer that has one, as its owner's list of transactions has it: none for the till's own moves. */
  txHashes(ids: readonly TransferId[]): Promise<ReadonlyMap<TransferId, string>>;
  /** Free deposits at deposit addresses, summed by address and currency, most units first within each currency. */
  sweepCandidates(chain: ChainCode, limit: number): Promise<readonly SweepCandidate[]>;
  /** Free outputs of a currency, most units first; all of them up to `limit`, so that small ones do not accumulate. */
  freeCoins(
    chain: ChainCode,
    currency: CurrencyCode,
    limit: number,
    owner?: CoinOwner,
  ): Promise<readonly SpendableCoin[]>;
  /** The owners of more than `above` free outputs of a currency, of most first. */
  ownersOfMany(
    chain: ChainCode,
    currency: CurrencyCode,
    above: number,
    limit: number,
  ): Promise<readonly (AccountId | null)[]>;
  /** True while a payout that is not finished takes coins of this owner. */
  hasTakenCoins(chain: ChainCode, currency: CurrencyCode, accountId: AccountId | null): Promise<boolean>;
  /** The outputs that a payout took. */
  coinsOf(payoutId: PayoutId): Promise<readonly SpendableCoin[]>;
  /**
   * Which of these outputs are the till's own: coins that it has or had, and outputs of its transactions. One that a
   * reorganisation removed counts only as the latter.
   */
  knownCoins(chain: ChainCode, refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Free and taken holdings of a chain after a ref, by ref: what must be on chain. */
  holdings(chain: ChainCode, after: string | null, limit: number): Promise<readonly Holding[]>;
  /** Free deposits at one address in one currency, oldest first. */
  freeAt(chain: ChainCode, address: string, currency: CurrencyCode): Promise<readonly Holding[]>;
  /**
   * Gas at a deposit address that the till sent there and has not used: what is booked, and what signed transactions
   * are bringing.
   */
  gasAt(chain: ChainCode, address: string): Promise<bigint>;
  /** Deposit addresses with booked gas, after an address, by address. */
  gasBalances(chain: ChainCode, after: string | null, limit: number): Promise<readonly GasBalance[]>;
  /**
   * What the holdings' addresses, the addresses with gas and the hot wallet must contain while nothing is in flight, by currency: the negated custody
   * and gas accounts of the ledger, less CREDITED deposits, which are not spendable yet.
   */
  expectedCustody(chain: ChainCode): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** What the hot wallet of an account chain must contain while nothing is in flight, by currency. */
  hotCustody(chain: ChainCode): Promise<ReadonlyMap<CurrencyCode, bigint>>;
  /** The next nonce of an address by this till's count; `null` when it never paid from there. */
  nonce(chain: ChainCode, address: string): Promise<number | null>;
  /** Why the payouts of a chain are stopped; `null` while they run. */
  payoutStop(chain: ChainCode): Promise<string | null>;
  /**
   * Compare-and-set of why the payouts of a chain are stopped (`null`: they run), so that no stop overwrites one that was stored in
   * the same moment; false when the present one is not `from`.
   */
  replacePayoutStop(chain: ChainCode, from: string | null, to: string | null): Promise<boolean>;
  freeze(accountId: AccountId): Promise<WithdrawalFreeze | null>;
  /** Every approval of a transfer, oldest first. */
  approvals(id: TransferId): Promise<readonly TransferApproval[]>;
}

/** Transfer writes inside a transaction. */
export interface TransferWrites {
  /**
   * Adds a transfer. False, with nothing added, when a live one exists: one refund for each order (a CONFIRMED
   * one counts as live for ever), one `gas` for each receiving address, one `sweep` for each (source, currency), one
   * `cold` for each (chain, currency), one `pull` for each order, and each authorization once for ever. Live is everything that is not CONFIRMED or FAILED.
   */
  add(transfer: Transfer): Promise<boolean>;
  /** How many signed pulls of an order have FAILED. */
  failedPulls(orderId: OrderId): Promise<number>;
  /** One transaction at a time has this lock, until its end: what it then reads of requests holds until it has decided. */
  lockRequests(): Promise<void>;
  /**
   * Sums of what merchants asked for after a time, withdrawals and refunds, whether it is paid or not, but for what failed. What is
   * HELD counts for its own account only: it is paid after an approval, and must not hold the payments of others.
   */
  requestedSince(time: Millis, accountId: AccountId): Promise<readonly RequestedUnits[]>;
  /** Adds an approval; false, with nothing added, when the same person approved during the same hold. */
  addApproval(approval: TransferApproval): Promise<boolean>;
  /** As that of {@link TransferStore}. */
  approvals(id: TransferId): Promise<readonly TransferApproval[]>;
  lock(id: TransferId): Promise<Transfer | null>;
  /** The return of a deposit that did not fail, locked. */
  lockReturn(id: DepositId): Promise<Transfer | null>;
  /** Compare-and-set of the status; false when the transfer is no longer in `from`. */
  move(id: TransferId, from: TransferStatus, to: TransferStatus, changes: TransferChanges): Promise<boolean>;
  /** Changes of a transfer that is still in `status`; false when it is not. */
  update(id: TransferId, status: TransferStatus, changes: TransferChanges): Promise<boolean>;
  /**
   * The first outcome of an idempotency key: claims it for `id` and returns `null`, or returns what it was claimed for.
   * Keys are shared with orders: (account, route, key).
   */
  claim(
    accountId: AccountId,
    claim: IdempotencyClaim,
    id: TransferId,
  ): Promise<{ readonly transferId: TransferId; readonly bodyHash: string } | null>;
  /**
   * Opens a payout. On chains with nonces the address's counter moves from the payout's nonce to the next, by
   * compare-and-set; false, with nothing opened, when the counter is at another value. The first use sets the counter.
   */
  openPayout(payout: Payout): Promise<boolean>;
  lockPayout(id: PayoutId): Promise<Payout | null>;
  updatePayout(id: PayoutId, changes: PayoutChanges): Promise<void>;
  /** Compare-and-set from LIVE. */
  closePayout(id: PayoutId, to: Exclude<PayoutStatus, 'LIVE'>, changes: PayoutChanges): Promise<boolean>;
  /** After a reorganisation above a height: DONE payouts mined there have no block until they are mined again. */
  unminePayouts(chain: ChainCode, height: number): Promise<void>;
  addAttempt(attempt: Attempt): Promise<void>;
  /** Takes free holdings for a payout: all of them, or false. */
  takeHoldings(chain: ChainCode, refs: readonly string[], payoutId: PayoutId): Promise<boolean>;
  /**
   * Whose the change of a payout is: its payer's, or where it spent coins of others, the owner's of the largest of these.
   * All of the payer's own coins are spent before any of others, so what is left is left of theirs.
   */
  ownerOfChange(payoutId: PayoutId, payer: AccountId | null): Promise<AccountId | null>;
  /** Marks what a payout took as SPENT, or FREE again. */
  settleHoldings(payoutId: PayoutId, to: 'SPENT' | 'FREE'): Promise<void>;
  /**
   * Adds a free holding; false when it exists. A GONE one gets the status of its payout: TAKEN by a live one, SPENT by a done
   * one, else FREE.
   */
  addHolding(holding: NewHolding): Promise<boolean>;
  /** Changes the gas that is booked at a deposit address. */
  addGas(chain: ChainCode, address: string, change: bigint): Promise<void>;
  /** After a reorganisation: marks it as GONE from any status and keeps its payout; false when unknown. */
  dropHolding(chain: ChainCode, ref: string): Promise<boolean>;
  /** Moves an address's counter forward to the chain's, on an operator's request. */
  setNonce(chain: ChainCode, address: string, nonce: number): Promise<void>;
  /** Locks the account too, so that it is committed before or after a payment that is being signed, never in between. */
  freeze(freeze: WithdrawalFreeze): Promise<void>;
  /** Why the payouts of a chain are stopped, inside this transaction's view. */
  findPayoutStop(chain: ChainCode): Promise<string | null>;
  /** Stops the payouts of a chain on an operator's word, whatever stopped them before. */
  setPayoutStop(chain: ChainCode, reason: string): Promise<void>;
  /** As that of {@link TransferStore}. */
  replacePayoutStop(chain: ChainCode, from: string | null, to: string | null): Promise<boolean>;
  /** The freeze of an account, inside this transaction's view. */
  findFreeze(accountId: AccountId): Promise<WithdrawalFreeze | null>;
  unfreeze(accountId: AccountId): Promise<boolean>;
}
