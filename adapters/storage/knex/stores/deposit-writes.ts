import type {
  ChainCode,
  Deposit,
  DepositAssignment,
  DepositChanges,
  DepositId,
  DepositStatus,
  DepositWrites,
  OrderId,
  TransactionChanges,
  TransactionRow,
  TransactionStatus,
} from '../../../../core/index.ts';
import { assignments, insertion, names } from '../rows/columns.ts';
import {
  DEPOSIT_COLUMNS,
  depositChange,
  depositOf,
  TRANSACTION_COLUMNS,
  transactionChange,
  transactionOf,
} from '../rows/deposit-row.ts';
import { integer } from '../rows/values.ts';
import type { Session } from '../session.ts';
import { TRANSACTIONS_COUNTER } from '../dialects/counters.ts';

const DEPOSITS = names(DEPOSIT_COLUMNS);
const TRANSACTIONS = names(TRANSACTION_COLUMNS);

/** Deposit writes of one transaction. */
export class KnexDepositWrites implements DepositWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async add(deposit: Deposit): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.deposits, DEPOSIT_COLUMNS, [deposit]);
    const added = await run(`${sql} ON CONFLICT (chain, txid, tx_index) DO NOTHING RETURNING id`, bindings);
    return added.length > 0;
  }

  async lockByTransfer(chain: ChainCode, txid: string, index: string): Promise<Deposit | null> {
    return (await this.#locked('chain = ? AND txid = ? AND tx_index = ?', [chain, txid, index]))[0] ?? null;
  }

  async lock(id: DepositId): Promise<Deposit | null> {
    return (await this.#locked('id = ?', [id]))[0] ?? null;
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
    return moved.length > 0;
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
    return changed.length > 0;
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

  setTransactionStatus(id: string, status: TransactionStatus): Promise<boolean> {
    return this.updateTransaction(id, { status });
  }

  async updateTransaction(id: string, changes: TransactionChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([['id', id], ...transactionChange(changes)]);
    return (
      (await run(`UPDATE ${tables.transactions} SET ${sql} WHERE id = ? RETURNING id`, [...bindings, id])).length > 0
    );
  }

  async #locked(where: string, bindings: readonly string[]): Promise<readonly Deposit[]> {
    const { run, tables, dialect } = this.#session;
    return (await run(`SELECT ${DEPOSITS} FROM ${tables.deposits} WHERE ${where} ${dialect.forUpdate}`, bindings)).map(
      depositOf,
    );
  }
}
