import type {
  AccountId,
  ChainCode,
  Millis,
  NewestQuery,
  Payee,
  PayeeId,
  PayeeStore,
  PayeeWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { PAYEE_COLUMNS, payeeOf } from '../../rows/batch-row.ts';
import { insertion, names } from '../../rows/columns.ts';
import { integer } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';

const PAYEES = names(PAYEE_COLUMNS);

/**
 * An SQL condition for an address that an account lists: a payee, or its withdrawal address, in force at a time. Its
 * four `?` are the account, the time, the account and the time.
 *
 * @param chain - SQL of the chain
 * @param address - SQL of the address
 */
export const listedAddress = ({ payees, withdrawalAddresses }: Tables, chain: string, address: string): string =>
  `(EXISTS (SELECT 1 FROM ${payees} AS p WHERE p.account_id = ? AND p.chain = ${chain} AND p.address = ${address} AND p.active_from <= ?)
    OR EXISTS (SELECT 1 FROM ${withdrawalAddresses} AS w WHERE w.account_id = ? AND w.chain = ${chain}
      AND CASE WHEN w.active_from <= ? THEN w.address ELSE w.former_address END = ${address}))`;

/** The receivers that accounts list, in `payees`. */
export class SqlPayeeStore implements PayeeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async list(accountId: AccountId | null, query: NewestQuery<PayeeId>): Promise<readonly Payee[]> {
    const list = { table: this.#db.tables.payees, columns: PAYEES, equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(payeeOf);
  }
}

/** Payee writes of one transaction. */
export class SqlPayeeWrites implements PayeeWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async find(id: PayeeId): Promise<Payee | null> {
    if (!isStorable(id)) return null;
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${PAYEES} FROM ${tables.payees} WHERE id = ?`, [id]);
    return row === undefined ? null : payeeOf(row);
  }

  async countOf(accountId: AccountId): Promise<number> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT count(*) AS total FROM ${tables.payees} WHERE account_id = ?`, [accountId]);
    return row === undefined ? 0 : integer(row, 'total');
  }

  async add(payee: Payee): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.payees, PAYEE_COLUMNS, [payee]);
    return (await run(`${sql} ON CONFLICT (account_id, chain, address) DO NOTHING RETURNING id`, bindings)).length > 0;
  }

  async remove(id: PayeeId): Promise<boolean> {
    const { run, tables } = this.#session;
    return (await run(`DELETE FROM ${tables.payees} WHERE id = ? RETURNING id`, [id])).length > 0;
  }

  async lists(accountId: AccountId, chain: ChainCode, address: string, now: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `SELECT 1 AS listed FROM (SELECT ? AS chain, ? AS address) AS asked
      WHERE ${listedAddress(tables, 'asked.chain', 'asked.address')}`;
    return (await run(sql, [chain, address, accountId, now, accountId, now])).length > 0;
  }
}
