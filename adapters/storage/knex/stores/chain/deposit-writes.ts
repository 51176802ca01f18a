import { assert } from '../../../../../core/index.ts';
import type {
  ChainCode,
  Deposit,
  DepositAssignment,
  DepositChanges,
  DepositId,
  DepositStatus,
  DepositWrites,
  OrderId,
  Recorder,
  TransactionChanges,
  TransactionRow,
  TransactionStatus,
} from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import { assignments, insertion, names, parts } from '../../rows/columns.ts';
import {
  DEPOSIT_COLUMNS,
  depositChange,
  depositOf,
  TRANSACTION_COLUMNS,
  transactionChange,
  transactionOf,
} from '../../rows/deposit-row.ts';
import { integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { TRANSACTIONS_COUNTER } from '../../dialects/counters.ts';

const DEPOSITS = names(DEPOSIT_COLUMNS);
const TRANSACTIONS = names(TRANSACTION_COLUMNS);

/** Values of one statement: SQLite binds 32,766 at most. */
const ADDED_AT_ONCE = 500;
const LOCKED_AT_ONCE = 2_000;

/** Deposit writes of one transaction. */
export class SqlDepositWrites implements DepositWrites {
  readonly #session: Session;
  readonly #record: Recorder;

  constructor(session: Session, record: Recorder) {
    this.#session = session;
    this.#record = record;
  }

  async add(deposit: Deposit): Promise<boolean> {
    return (await this.#add([deposit])) > 0;
  }

  async addAll(deposits: readonly Deposit[]): Promise<void> {
    for (const some of parts(deposits, ADDED_AT_ONCE))
      assert((await this.#add(some)) === some.length, 'a deposit was stored meanwhile');
  }

  async #add(deposits: readonly Deposit[]): Promise<number> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.deposits, DEPOSIT_COLUMNS, deposits);
    const live = `(chain, txid, tx_index) WHERE status <> 'ORPHANED'`;
    const added = new Set(
      (await run(`${sql} ON CONFLICT ${live} DO NOTHING RETURNING id`, bindings)).map((row) => text(row, 'id')),
    );
    for (const deposit of deposits) if (added.has(deposit.id)) this.#record({ type: 'deposit.added', deposit });
    return added.size;
  }

  async lockByTransactions(chain: ChainCode, txids: readonly string[]): Promise<readonly Deposit[]> {
    const { dialect } = this.#session;
    const found: Deposit[] = [];
    for (const some of parts([...new Set(txids)], LOCKED_AT_ONCE)) {
      // Each condition matches a partial index.
      for (const status of ["status <> 'ORPHANED'", "status = 'ORPHANED'"])
        found.push(
          ...(await this.#locked(`chain = ? AND ${dialect.anyOf('txid')} AND ${status}`, [chain, dialect.list(some)])),
        );
    }
    return found;
  }

  async lock(id: DepositId): Promise<Deposit | null> {
    return (await this.#locked('id = ?', [id]))[0] ?? null;
  }

  async lockAll(ids: readonly DepositId[]): Promise<readonly Deposit[]> {
    const { dialect } = this.#session;
    return this.#locked(dialect.anyOf('id'), [dialect.list(ids)]);
  }

  async hasAny(orderId: OrderId): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `SELECT 1 FROM ${tables.deposits} WHERE order_id = ? AND assignment = 'ORDER' LIMIT 1`;
    return (await run(sql, [orderId])).length > 0;
  }

  async setLoss(id: DepositId, lossUnits: bigint): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(depositChange({ lossUnits }));
    const changed = await run(
      `UPDATE ${tables.deposits} SET ${sql} WHERE id = ? AND status = 'ORPHANED' RETURNING id`,
      [...bindings, id],
    );
    assert(changed.length === 1, `deposit ${id} is not orphaned`);
  }

  async byOrder(orderId: OrderId): Promise<readonly Deposit[]> {
    const { run, tables } = this.#session;
    const rows = await run(
      `SELECT ${DEPOSITS} FROM ${tables.deposits} WHERE order_id = ? AND assignment = 'ORDER' ORDER BY seen_at, id`,
      [orderId],
    );
    return rows.map(depositOf);
  }

  async above(chain: ChainCode, height: number): Promise<readonly Deposit[]> {
    const { run, tables } = this.#session;
    const rows = await run(
      `SELECT ${DEPOSITS} FROM ${tables.deposits}
       WHERE chain = ? AND block_height > ? AND status <> 'ORPHANED' ORDER BY block_height, id`,
      [chain, height],
    );
    return rows.map(depositOf);
  }

  async move(id: DepositId, from: DepositStatus, to: DepositStatus, changes: DepositChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['status', to], ...depositChange(changes)]);
    const moved = await run(`UPDATE ${tables.deposits} SET ${sql} WHERE id = ? AND status = ? RETURNING id`, [
      ...bindings,
      id,
      from,
    ]);
    if (moved.length > 0) this.#record({ type: 'deposit.moved', id, to });
    return moved.length > 0;
  }

  async moveAll(ids: readonly DepositId[], from: DepositStatus, to: DepositStatus): Promise<boolean> {
    const { run, tables, dialect } = this.#session;
    const sql = `UPDATE ${tables.deposits} SET status = ? WHERE ${dialect.anyOf('id')} AND status = ? RETURNING id`;
    const moved = (await run(sql, [to, dialect.list(ids), from])).length === ids.length;
    if (moved) for (const id of ids) this.#record({ type: 'deposit.moved', id, to });
    return moved;
  }

  async reassign(
    id: DepositId,
    from: DepositAssignment,
    to: DepositAssignment,
    changes: Pick<DepositChanges, 'orderId' | 'accountId' | 'lossUnits' | 'returnCostUnits'>,
  ): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['assignment', to], ...depositChange(changes)]);
    const changed = await run(`UPDATE ${tables.deposits} SET ${sql} WHERE id = ? AND assignment = ? RETURNING id`, [
      ...bindings,
      id,
      from,
    ]);
    if (changed.length === 0) return false;
    this.#record({ type: 'deposit.reassigned', id, to });
    if (to === 'ORDER') await this.#passOn(id);
    return true;
  }

  /** The coin of a deposit belongs to the deposit's new owner. */
  async #passOn(id: DepositId): Promise<void> {
    const { run, tables } = this.#session;
    const of = (column: string) => `(SELECT ${column} FROM ${tables.deposits} WHERE id = ?)`;
    await run(
      `UPDATE ${tables.holdings} SET account_id = ${of('account_id')} WHERE chain = ${of('chain')} AND ref = ${of("txid || ':' || tx_index")}`,
      [id, id, id],
    );
  }

  async addTransaction(row: Omit<TransactionRow, 'number'>): Promise<void> {
    const { run, tables } = this.#session;
    const [counter] = await run(
      `INSERT INTO ${tables.counters} (account_id, counter, last) VALUES (?, '${TRANSACTIONS_COUNTER}', 1)
       ON CONFLICT (account_id, counter) DO UPDATE SET last = ${tables.counters}.last + 1 RETURNING last`,
      [row.accountId],
    );
    const number = counter === undefined ? 0 : integer(counter, 'last');
    const { sql, bindings } = insertion(tables.transactions, TRANSACTION_COLUMNS, [{ ...row, number }]);
    await run(sql, bindings);
  }

  async findTransaction(id: string): Promise<TransactionRow | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${TRANSACTIONS} FROM ${tables.transactions} WHERE id = ?`, [id]);
    return row === undefined ? null : transactionOf(row);
  }

  async setTransactionStatus(ids: readonly string[], status: TransactionStatus): Promise<void> {
    const { run, tables, dialect } = this.#session;
    await run(`UPDATE ${tables.transactions} SET status = ? WHERE ${dialect.anyOf('id')}`, [status, dialect.list(ids)]);
  }

  async updateTransaction(id: string, changes: TransactionChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['id', id], ...transactionChange(changes)]);
    return (
      (await run(`UPDATE ${tables.transactions} SET ${sql} WHERE id = ? RETURNING id`, [...bindings, id])).length > 0
    );
  }

  async #locked(where: string, bindings: readonly Binding[]): Promise<readonly Deposit[]> {
    const { run, tables, dialect } = this.#session;
    // In a fixed order, so that two transactions that lock the same deposits cannot deadlock.
    const sql = `SELECT ${DEPOSITS} FROM ${tables.deposits} WHERE ${where} ORDER BY id ${dialect.forUpdate}`;
    return (await run(sql, bindings)).map(depositOf);
  }
}
