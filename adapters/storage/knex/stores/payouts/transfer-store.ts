import type {
  AccountId,
  BookedPayment,
  Payout,
  PayoutId,
  PayoutView,
  ChainCode,
  CoinOwner,
  CurrencyCode,
  CurrencyStop,
  PayoutStops,
  FrozenCoin,
  GasBalance,
  Holding,
  IdempotencyClaim,
  InFlight,
  LiveTransfer,
  Millis,
  TillPosition,
  Reservation,
  ReserveOutcome,
  OrderId,
  OwnerCover,
  NewestQuery,
  SpendableCoin,
  SweepCandidate,
  Transfer,
  TransferApproval,
  TransferId,
  TransferStatus,
  TransferStore,
  WithdrawalFreeze,
} from '../../../../../core/index.ts';
import { GroupCommit } from '../../group-commit.ts';
import type { Database } from '../../database.ts';
import type { Binding } from '../../binding.ts';
import type { Run } from '../../dialects/dialect.ts';
import { names } from '../../rows/columns.ts';
import { claimKey } from '../../rows/claim-row.ts';
import { PAYOUT_COLUMNS, payoutOf, TRANSFER_COLUMNS, transferOf } from '../../rows/transfer-row.ts';
import { FREEZE_COLUMNS, freezeOf } from '../../rows/wallet-row.ts';
import { integer, text } from '../../rows/values.ts';
import { bookedPayments } from '../ledger/booked-payments.ts';
import { inFlight, liveTransfers, payoutViews } from './payout-views.ts';
import { claimedTransfer } from '../kernel/claims.ts';
import type { ClaimedTransfer } from '../kernel/claims.ts';
import { countOf, isStorable } from '../common.ts';
import { expectedCustody, hotCustody } from '../ledger/custody.ts';
import { allStops, currencyStops, resumeCurrency, stopCurrency } from './currency-stops.ts';
import { coinHeight, frozenCoins, frozenOf, ownerCover } from './frozen-coins.ts';
import { gasAt, gasBalances } from './gas-balances.ts';
import { ledgerBalances } from '../ledger/ledger-balances.ts';
import type { RecordReports } from '../../commit-events.ts';
import { reserveTransfers } from './reserve-transfers.ts';
import type { ReportedReservation } from './reserve-transfers.ts';
import { coinsOf, freeAt, freeCoins, hasTakenCoins, keptHoldings, knownCoins, ownersOfMany } from './holding-reads.ts';
import { approvalsOf } from './requested-units.ts';
import { payoutStop, replacePayoutStop } from './payout-stops.ts';
import { newestSql } from '../newest-list.ts';
import { sweepCandidates } from './sweep-candidates.ts';

const TRANSFERS = names(TRANSFER_COLUMNS);
const PAYOUTS = names(PAYOUT_COLUMNS);

const MAX_BATCH = 200;

/** Concurrent reservations share a commit. */
function reserving(db: Database): GroupCommit<ReportedReservation, ReserveOutcome> {
  return new GroupCommit({
    commit: (batch) => db.transaction((session) => reserveTransfers(session, batch)),
    maxSize: MAX_BATCH,
    atOnce: db.dialect.batchesAtOnce,
    keysOf: ({ reservation }) => [claimKey(reservation.transfer, reservation)],
  });
}

/** Transfers, their payouts and the coins that they spend; every read is of the primary. */
export class SqlTransferStore implements TransferStore {
  readonly #db: Database;
  readonly #reserve: GroupCommit<ReportedReservation, ReserveOutcome>;
  readonly #reports: RecordReports;

  constructor(db: Database, reports: RecordReports) {
    this.#db = db;
    this.#reports = reports;
    this.#reserve = reserving(db);
  }

  async reserve(reservation: Reservation): Promise<ReserveOutcome> {
    this.#db.checkNesting();
    const { transfer, row } = reservation;
    const rows = await this.#reports.of({ type: 'transfer.added', transfer, row });
    const outcome = await this.#reserve.add({ reservation, rows });
    if (outcome.kind === 'reserved') this.#reports.announce(rows);
    return outcome;
  }

  async find(id: TransferId): Promise<Transfer | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${TRANSFERS} FROM ${this.#db.tables.transfers} WHERE id = ?`, [id]);
    return row === undefined ? null : transferOf(row);
  }

  async approvals(id: TransferId): Promise<readonly TransferApproval[]> {
    return isStorable(id) ? approvalsOf(this.#db.read, this.#db.tables, id) : [];
  }

  async refundOf(orderId: OrderId): Promise<Transfer | null> {
    if (!isStorable(orderId)) return null;
    const refunds = await this.refundsOf([orderId]);
    return refunds.findLast(({ status }) => status !== 'FAILED') ?? refunds.at(-1) ?? null;
  }

  async refundsOf(orderIds: readonly OrderId[]): Promise<readonly Transfer[]> {
    if (orderIds.length === 0) return [];
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${TRANSFERS} FROM ${tables.transfers} WHERE ${dialect.anyOf('order_id')} AND kind = 'refund' ORDER BY id`;
    return (await this.#db.read(sql, [dialect.list(orderIds)])).map(transferOf);
  }

  async chargeOf(chain: ChainCode, key: string): Promise<Transfer | null> {
    if (!isStorable(key)) return null;
    const sql = `SELECT ${TRANSFERS} FROM ${this.#db.tables.transfers} WHERE chain = ? AND authorization_key = ?`;
    const [row] = await this.#db.read(sql, [chain, key]);
    return row === undefined ? null : transferOf(row);
  }

  async claimed(accountId: AccountId, claim: IdempotencyClaim): Promise<ClaimedTransfer | null> {
    if (!isStorable(claim.key)) return null;
    return claimedTransfer(this.#db.read, this.#db.tables, accountId, claim);
  }

  async waiting(chain: ChainCode, now: Millis, after: TransferId | null, limit: number): Promise<readonly Transfer[]> {
    const sql = `SELECT ${TRANSFERS} FROM ${this.#db.tables.transfers}
      WHERE chain = ? AND status = 'REQUESTED' AND (not_before IS NULL OR not_before <= ?) AND id > ? ORDER BY id LIMIT ?`;
    return (await this.#db.read(sql, [chain, now, after ?? '', limit])).map(transferOf);
  }

  livePayouts(chain: ChainCode, after: PayoutId | null, limit: number): Promise<readonly PayoutView[]> {
    return this.#views(`chain = ? AND status = 'LIVE' AND id > ? ORDER BY id LIMIT ?`, [chain, after ?? '', limit]);
  }

  unminedPayouts(chain: ChainCode, after: PayoutId | null, limit: number): Promise<readonly PayoutView[]> {
    return this.#views(`chain = ? AND status = 'DONE' AND mined_height IS NULL AND id > ? ORDER BY id LIMIT ?`, [
      chain,
      after ?? '',
      limit,
    ]);
  }

  async payoutOf(id: TransferId): Promise<PayoutView | null> {
    if (!isStorable(id)) return null;
    const [view] = await this.#views(`id = (SELECT payout_id FROM ${this.#db.tables.transfers} WHERE id = ?)`, [id]);
    return view ?? null;
  }

  booked(chain: ChainCode, txids: readonly string[]): Promise<readonly BookedPayment[]> {
    return bookedPayments(this.#db, chain, txids);
  }

  inFlight(chain: ChainCode): Promise<readonly InFlight[]> {
    return this.#db.snapshot((run) => inFlight(run, this.#db, chain));
  }

  async list(
    status: TransferStatus | null,
    query: NewestQuery<TransferId>,
    accountId: AccountId | null = null,
  ): Promise<readonly Transfer[]> {
    const list = { table: this.#db.tables.transfers, columns: TRANSFERS, equal: { account_id: accountId, status } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(transferOf);
  }

  countOf(status: TransferStatus): Promise<number> {
    return countOf(this.#db, this.#db.tables.transfers, { status });
  }

  async txHashes(ids: readonly TransferId[]): Promise<ReadonlyMap<TransferId, string>> {
    if (ids.length === 0) return new Map();
    const { tables, dialect } = this.#db;
    const sql = `SELECT id, tx_hash FROM ${tables.transactions} WHERE ${dialect.anyOf('id')} AND tx_hash IS NOT NULL`;
    const rows = await this.#db.read(sql, [dialect.list(ids)]);
    return new Map(rows.map((row) => [text(row, 'id') as TransferId, text(row, 'tx_hash')]));
  }

  sweepCandidates(chain: ChainCode, limit: number): Promise<readonly SweepCandidate[]> {
    const { tables, dialect } = this.#db;
    return this.#db.snapshot((run) => sweepCandidates({ run, tables, dialect, chain }, limit));
  }

  freeCoins(
    chain: ChainCode,
    currency: CurrencyCode,
    limit: number,
    owner?: CoinOwner,
  ): Promise<readonly SpendableCoin[]> {
    return freeCoins(this.#db, chain, currency, limit, owner);
  }

  ownersOfMany(
    chain: ChainCode,
    currency: CurrencyCode,
    above: number,
    limit: number,
  ): Promise<readonly (AccountId | null)[]> {
    return ownersOfMany(this.#db, chain, currency, above, limit);
  }

  hasTakenCoins(chain: ChainCode, currency: CurrencyCode, accountId: AccountId | null): Promise<boolean> {
    return hasTakenCoins(this.#db, chain, currency, accountId);
  }

  coinsOf(payoutId: PayoutId): Promise<readonly SpendableCoin[]> {
    return coinsOf(this.#db, payoutId);
  }

  holdings(chain: ChainCode, after: string | null, limit: number): Promise<readonly Holding[]> {
    return keptHoldings(this.#db, chain, after, limit);
  }

  knownCoins(chain: ChainCode, refs: readonly string[]): Promise<ReadonlySet<string>> {
    return knownCoins(this.#db, chain, refs);
  }

  freeAt(chain: ChainCode, address: string, currency: CurrencyCode): Promise<readonly Holding[]> {
    return freeAt(this.#db, chain, address, currency);
  }

  live(chain: ChainCode): Promise<readonly LiveTransfer[]> {
    return liveTransfers(this.#db.read, this.#db.tables, chain);
  }

  position(chain: ChainCode, accounts: readonly string[]): Promise<TillPosition> {
    return this.#db.snapshot(async (run) => ({
      balances: await ledgerBalances(run, this.#db.tables, accounts),
      inFlight: await inFlight(run, this.#db, chain),
      live: await liveTransfers(run, this.#db.tables, chain),
    }));
  }

  frozenCoins(chain: ChainCode): Promise<readonly FrozenCoin[]> {
    return frozenCoins(this.#db.read, this.#db.tables, chain);
  }

  frozenOf(accountId: AccountId): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    return frozenOf(this.#db.read, this.#db.tables, accountId);
  }

  coinHeight(chain: ChainCode, ref: string): Promise<number | null> {
    return coinHeight(this.#db.read, this.#db.tables, chain, ref);
  }

  ownerCover(chain: ChainCode, owner: AccountId | null, currency: CurrencyCode): Promise<OwnerCover> {
    return this.#db.snapshot((run) => ownerCover(run, this.#db.tables, { chain, owner, currency }));
  }

  currencyStops(chain: ChainCode): Promise<readonly CurrencyStop[]> {
    return currencyStops(this.#db.read, this.#db.tables, chain);
  }

  stopCurrency(chain: ChainCode, stop: CurrencyStop): Promise<boolean> {
    return stopCurrency(this.#db.write, this.#db.tables, chain, stop);
  }

  resumeCurrency(chain: ChainCode, stop: Pick<CurrencyStop, 'currency' | 'cause'>): Promise<boolean> {
    return resumeCurrency(this.#db.write, this.#db.tables, chain, stop);
  }

  hotCustody(chain: ChainCode): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    return this.#db.snapshot((run) => hotCustody(run, this.#db.tables, chain));
  }

  gasAt(chain: ChainCode, address: string): Promise<bigint> {
    return this.#db.snapshot((run) => gasAt(run, this.#db.tables, chain, address));
  }

  gasBalances(chain: ChainCode, after: string | null, limit: number): Promise<readonly GasBalance[]> {
    return gasBalances(this.#db.read, this.#db.tables, chain, after, limit);
  }

  expectedCustody(chain: ChainCode): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    return this.#db.snapshot((run) => expectedCustody(run, this.#db.tables, chain));
  }

  async nonce(chain: ChainCode, address: string): Promise<number | null> {
    const sql = `SELECT next_nonce FROM ${this.#db.tables.payerNonces} WHERE chain = ? AND address = ?`;
    const [row] = await this.#db.read(sql, [chain, address]);
    return row === undefined ? null : integer(row, 'next_nonce');
  }

  payoutStop(chain: ChainCode): Promise<string | null> {
    return payoutStop(this.#db.read, this.#db.tables, chain);
  }

  stops(chain: ChainCode): Promise<PayoutStops> {
    return allStops(this.#db.read, this.#db.tables, chain);
  }

  replacePayoutStop(chain: ChainCode, from: string | null, to: string | null): Promise<boolean> {
    return replacePayoutStop(this.#db.write, this.#db, chain, [from, to]);
  }

  async freeze(accountId: AccountId): Promise<WithdrawalFreeze | null> {
    if (!isStorable(accountId)) return null;
    const sql = `SELECT ${names(FREEZE_COLUMNS)} FROM ${this.#db.tables.withdrawalFreezes} WHERE account_id = ?`;
    const [row] = await this.#db.read(sql, [accountId]);
    return row === undefined ? null : freezeOf(row);
  }

  /** Payouts with their attempts and transfers, from one snapshot. */
  #views(where: string, bindings: readonly Binding[]): Promise<readonly PayoutView[]> {
    const found = async (run: Run): Promise<readonly Payout[]> =>
      (await run(`SELECT ${PAYOUTS} FROM ${this.#db.tables.payouts} WHERE ${where}`, bindings)).map(payoutOf);
    return this.#db.snapshot(async (run) => payoutViews(run, this.#db, await found(run)));
  }
}
