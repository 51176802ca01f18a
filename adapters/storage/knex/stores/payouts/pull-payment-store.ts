import type {
  AccountId,
  Claim,
  ClaimChanges,
  ClaimFilter,
  ClaimId,
  ClaimStatus,
  Millis,
  NewestQuery,
  OrderId,
  PaidClaim,
  PromisedRefund,
  PullPayment,
  PullPaymentChanges,
  PullPaymentId,
  PullPaymentStore,
  PullPaymentWrites,
  Recorder,
  Transfer,
  TransferId,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Dialect, Row, Run } from '../../dialects/dialect.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import {
  CLAIM_COLUMNS,
  claimChange,
  claimOf,
  PULL_PAYMENT_COLUMNS,
  pullPaymentChange,
  pullPaymentOf,
} from '../../rows/pull-payment-row.ts';
import { TRANSFER_COLUMNS, transferOf } from '../../rows/transfer-row.ts';
import { integer, text, textOrNull, units } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';

const PULLS = names(PULL_PAYMENT_COLUMNS);
const CLAIMS = names(CLAIM_COLUMNS);
const OPEN = 'archived_at IS NULL AND released_at IS NULL';

/** Pull payments in `pull_payments`, and their claims in `claims`. */
export class SqlPullPaymentStore implements PullPaymentStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(id: PullPaymentId): Promise<PullPayment | null> {
    return this.#one('id', id);
  }

  findByToken(token: string): Promise<PullPayment | null> {
    return this.#one('token', token);
  }

  async list(accountId: AccountId | null, query: NewestQuery<PullPaymentId>): Promise<readonly PullPayment[]> {
    const list = { table: this.#db.tables.pullPayments, columns: PULLS, equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(pullPaymentOf);
  }

  async unfinished(ids: readonly PullPaymentId[]): Promise<ReadonlySet<PullPaymentId>> {
    if (ids.length === 0) return new Set();
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(
      `SELECT DISTINCT c.pull_payment_id FROM ${tables.claims} c LEFT JOIN ${tables.transfers} t ON t.id = c.transfer_id
       WHERE ${dialect.anyOf('c.pull_payment_id')} AND c.status <> 'REJECTED'
       AND (t.status IS NULL OR t.status NOT IN ('CONFIRMED', 'FAILED'))`,
      [dialect.list(ids)],
    );
    return new Set(rows.map((row) => text(row, 'pull_payment_id') as PullPaymentId));
  }

  async findClaim(id: ClaimId): Promise<PaidClaim | null> {
    if (!isStorable(id)) return null;
    const rows = await this.#db.read(`SELECT ${CLAIMS} FROM ${this.#db.tables.claims} WHERE id = ?`, [id]);
    return (await this.#paid(rows.map(claimOf)))[0] ?? null;
  }

  async claimByKey(id: PullPaymentId, key: string): Promise<PaidClaim | null> {
    if (!isStorable(key)) return null;
    const claim = await claimByKey(this.#db.read, this.#db.tables, id, key);
    return claim === null ? null : ((await this.#paid([claim]))[0] ?? null);
  }

  async claims(
    accountId: AccountId | null,
    { pullPaymentId, status }: ClaimFilter,
    query: NewestQuery<ClaimId>,
  ): Promise<readonly PaidClaim[]> {
    const equal = { account_id: accountId, pull_payment_id: pullPaymentId, status };
    const { sql, bindings } = newestSql({ table: this.#db.tables.claims, columns: CLAIMS, equal }, query);
    return this.#paid((await this.#db.read(sql, bindings)).map(claimOf));
  }

  promisedRefunds(orderIds: readonly OrderId[]): Promise<readonly PromisedRefund[]> {
    return promisedRefunds(this.#db.read, this.#db.tables, this.#db.dialect, orderIds);
  }

  async expired(now: Millis, limit: number): Promise<readonly PullPaymentId[]> {
    const rows = await this.#db.read(
      `SELECT id FROM ${this.#db.tables.pullPayments}
       WHERE expires_at IS NOT NULL AND ${OPEN} AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
      [now, limit],
    );
    return rows.map((row) => text(row, 'id') as PullPaymentId);
  }

  async #one(column: 'id' | 'token', value: string): Promise<PullPayment | null> {
    if (!isStorable(value)) return null;
    const sql = `SELECT ${PULLS} FROM ${this.#db.tables.pullPayments} WHERE ${column} = ?`;
    const [row] = await this.#db.read(sql, [value]);
    return row === undefined ? null : pullPaymentOf(row);
  }

  /** Claims with their transfers and transactions, in two further reads. */
  async #paid(claims: readonly Claim[]): Promise<readonly PaidClaim[]> {
    const ids = claims.flatMap(({ transferId }) => (transferId === null ? [] : [transferId]));
    const [transfers, hashes] = await Promise.all([this.#transfers(ids), this.#hashes(ids)]);
    return claims.map((claim) => ({
      claim,
      transfer: (claim.transferId === null ? null : transfers.get(claim.transferId)) ?? null,
      txHash: (claim.transferId === null ? null : hashes.get(claim.transferId)) ?? null,
    }));
  }

  async #transfers(ids: readonly TransferId[]): Promise<ReadonlyMap<TransferId, Transfer>> {
    if (ids.length === 0) return new Map();
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${names(TRANSFER_COLUMNS)} FROM ${tables.transfers} WHERE ${dialect.anyOf('id')}`;
    const rows = (await this.#db.read(sql, [dialect.list(ids)])).map(transferOf);
    return new Map(rows.map((transfer) => [transfer.id, transfer]));
  }

  async #hashes(ids: readonly TransferId[]): Promise<ReadonlyMap<TransferId, string>> {
    if (ids.length === 0) return new Map();
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(
      `SELECT t.id, coalesce(b.mined_txid, (SELECT a.txid FROM ${tables.payoutAttempts} a
         WHERE a.payout_id = b.id AND a.kind = 'payment' ORDER BY a.number DESC LIMIT 1)) AS txid
       FROM ${tables.transfers} t JOIN ${tables.payouts} b ON b.id = t.payout_id
       WHERE ${dialect.anyOf('t.id')} AND b.status <> 'VOID'`,
      [dialect.list(ids)],
    );
    const hashes = new Map<TransferId, string>();
    for (const row of rows) {
      const txid = textOrNull(row, 'txid');
      if (txid !== null) hashes.set(text(row, 'id') as TransferId, txid);
    }
    return hashes;
  }
}

/** Writes of pull payments and claims in one transaction. */
export class SqlPullPaymentWrites implements PullPaymentWrites {
  readonly #session: Session;
  readonly #record: Recorder;

  constructor(session: Session, record: Recorder) {
    this.#session = session;
    this.#record = record;
  }

  async lock(id: PullPaymentId): Promise<PullPayment | null> {
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT ${PULLS} FROM ${tables.pullPayments} WHERE id = ? ${dialect.forUpdate}`, [id]);
    return row === undefined ? null : pullPaymentOf(row);
  }

  async lockPaidBy(transferIds: readonly TransferId[]): Promise<void> {
    const { run, tables, dialect } = this.#session;
    await run(
      `SELECT id FROM ${tables.pullPayments} WHERE id IN
         (SELECT pull_payment_id FROM ${tables.claims} WHERE ${dialect.anyOf('transfer_id')}) ORDER BY id ${dialect.forUpdate}`,
      [dialect.list(transferIds)],
    );
  }

  async add(pull: PullPayment): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.pullPayments, PULL_PAYMENT_COLUMNS, [pull]);
    await this.#session.run(sql, bindings);
  }

  async update(id: PullPaymentId, changes: PullPaymentChanges): Promise<void> {
    const { sql, bindings } = assignments(pullPaymentChange(changes));
    await this.#session.run(`UPDATE ${this.#session.tables.pullPayments} SET ${sql} WHERE id = ?`, [...bindings, id]);
  }

  async countOpen(accountId: AccountId, most: number): Promise<number> {
    const { run, tables } = this.#session;
    const [row] = await run(
      `SELECT count(*) AS total FROM (SELECT 1 FROM ${tables.pullPayments}
         WHERE account_id = ? AND ${OPEN} AND claimed <> amount LIMIT ?) AS open_ones`,
      [accountId, most],
    );
    return row === undefined ? 0 : integer(row, 'total');
  }

  promisedRefunds(orderIds: readonly OrderId[]): Promise<readonly PromisedRefund[]> {
    const { run, tables, dialect } = this.#session;
    return promisedRefunds(run, tables, dialect, orderIds);
  }

  async findClaim(id: ClaimId): Promise<Claim | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${CLAIMS} FROM ${tables.claims} WHERE id = ?`, [id]);
    return row === undefined ? null : claimOf(row);
  }

  claimByKey(id: PullPaymentId, key: string): Promise<Claim | null> {
    return claimByKey(this.#session.run, this.#session.tables, id, key);
  }

  async countClaims(id: PullPaymentId): Promise<number> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT count(*) AS total FROM ${tables.claims} WHERE pull_payment_id = ?`, [id]);
    return row === undefined ? 0 : integer(row, 'total');
  }

  async awaiting(id: PullPaymentId): Promise<readonly Claim[]> {
    const { run, tables } = this.#session;
    const sql = `SELECT ${CLAIMS} FROM ${tables.claims} WHERE pull_payment_id = ? AND status = 'AWAITING_APPROVAL' ORDER BY id`;
    return (await run(sql, [id])).map(claimOf);
  }

  async addClaim(claim: Claim): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.claims, CLAIM_COLUMNS, [claim]);
    await this.#session.run(sql, bindings);
    this.#record({ type: 'claim.added', claim });
  }

  async decideClaim(
    claim: Claim,
    to: Exclude<ClaimStatus, 'AWAITING_APPROVAL'>,
    changes: ClaimChanges,
  ): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(claimChange({ ...changes, status: to }));
    const moved = await run(
      `UPDATE ${tables.claims} SET ${sql} WHERE id = ? AND status = 'AWAITING_APPROVAL' RETURNING id`,
      [...bindings, claim.id],
    );
    if (moved.length > 0) this.#record({ type: 'claim.decided', claim: { ...claim, ...changes, status: to } });
    return moved.length > 0;
  }
}

async function claimByKey(run: Run, { claims }: Tables, id: PullPaymentId, key: string): Promise<Claim | null> {
  const [row] = await run(`SELECT ${CLAIMS} FROM ${claims} WHERE pull_payment_id = ? AND claim_key = ?`, [id, key]);
  return row === undefined ? null : claimOf(row);
}

async function promisedRefunds(
  run: Run,
  { pullPayments, claims }: Tables,
  dialect: Pick<Dialect, 'anyOf' | 'list'>,
  orderIds: readonly OrderId[],
): Promise<readonly PromisedRefund[]> {
  if (orderIds.length === 0) return [];
  const rows = await run(
    `SELECT p.id, p.order_id, p.amount, p.claimed, p.archived_at, p.released_at, c.units FROM ${pullPayments} p
     LEFT JOIN ${claims} c ON c.pull_payment_id = p.id AND c.status = 'AWAITING_APPROVAL'
     WHERE ${dialect.anyOf('p.order_id')} ORDER BY p.id`,
    [dialect.list(orderIds)],
  );
  return rows.flatMap((row, at) => {
    const isFirst = rows[at - 1]?.['id'] !== row['id'];
    const promised = (isFirst ? unclaimedOf(row) : 0n) + (row['units'] === null ? 0n : units(row, 'units'));
    return promised === 0n
      ? []
      : [{ orderId: text(row, 'order_id') as OrderId, status: 'PROMISED' as const, units: promised }];
  });
}

function unclaimedOf(row: Row): bigint {
  const isOpen = row['archived_at'] === null && row['released_at'] === null;
  return isOpen ? units(row, 'amount') - units(row, 'claimed') : 0n;
}
