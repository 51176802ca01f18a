import type {
  AccountId,
  AddressPosition,
  ChainCode,
  NewestQuery,
  WalletStore,
  WalletWrites,
  WatchAddress,
  WatchAddressId,
  WithdrawalAddress,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { insertion, names } from '../../rows/columns.ts';
import {
  WATCH_ADDRESS_COLUMNS,
  watchAddressOf,
  WITHDRAWAL_ADDRESS_COLUMNS,
  withdrawalAddressOf,
} from '../../rows/wallet-row.ts';
import type { Session } from '../../session.ts';
import { isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';
import { allOf } from '../range-list.ts';

const WITHDRAWAL = names(WITHDRAWAL_ADDRESS_COLUMNS);
const WATCH = names(WATCH_ADDRESS_COLUMNS);

/** Withdrawal and watch addresses of accounts. */
export class SqlWalletStore implements WalletStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async withdrawalAddress(accountId: AccountId, chain: ChainCode): Promise<WithdrawalAddress | null> {
    if (!isStorable(accountId) || !isStorable(chain)) return null;
    const sql = `SELECT ${WITHDRAWAL} FROM ${this.#db.tables.withdrawalAddresses} WHERE account_id = ? AND chain = ?`;
    const [row] = await this.#db.read(sql, [accountId, chain]);
    return row === undefined ? null : withdrawalAddressOf(row);
  }

  async withdrawalAddresses(
    accountId: AccountId | null,
    after: AddressPosition | null,
    limit: number,
  ): Promise<readonly WithdrawalAddress[]> {
    const { sql, bindings } = allOf([
      accountId === null ? { sql: '1 = 1', bindings: [] } : { sql: 'account_id = ?', bindings: [accountId] },
      ...(after === null ? [] : [{ sql: '(chain, account_id) > (?, ?)', bindings: [after.chain, after.accountId] }]),
    ]);
    const rows = await this.#db.read(
      `SELECT ${WITHDRAWAL} FROM ${this.#db.tables.withdrawalAddresses} WHERE ${sql} ORDER BY chain, account_id LIMIT ?`,
      [...bindings, limit],
    );
    return rows.map(withdrawalAddressOf);
  }

  async watched(accountId: AccountId): Promise<readonly WatchAddress[]> {
    const sql = `SELECT ${WATCH} FROM ${this.#db.tables.watchAddresses} WHERE account_id = ? ORDER BY id`;
    return (await this.#db.read(sql, [accountId])).map(watchAddressOf);
  }

  async watchAddresses(
    accountId: AccountId | null,
    query: NewestQuery<WatchAddressId>,
  ): Promise<readonly WatchAddress[]> {
    const list = { table: this.#db.tables.watchAddresses, columns: WATCH, equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(watchAddressOf);
  }
}

/** Address writes of one transaction. */
export class SqlWalletWrites implements WalletWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async lockWithdrawalAddress(accountId: AccountId, chain: ChainCode): Promise<WithdrawalAddress | null> {
    const { run, tables, dialect } = this.#session;
    const sql = `SELECT ${WITHDRAWAL} FROM ${tables.withdrawalAddresses} WHERE account_id = ? AND chain = ? ${dialect.forUpdate}`;
    const [row] = await run(sql, [accountId, chain]);
    return row === undefined ? null : withdrawalAddressOf(row);
  }

  async saveWithdrawalAddress(record: WithdrawalAddress): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.withdrawalAddresses, WITHDRAWAL_ADDRESS_COLUMNS, [record]);
    await run(
      `${sql} ON CONFLICT (account_id, chain) DO UPDATE SET former_address = excluded.former_address, address = excluded.address,
         active_from = excluded.active_from, updated_at = excluded.updated_at`,
      bindings,
    );
  }

  async addWatchAddress(record: WatchAddress): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.watchAddresses, WATCH_ADDRESS_COLUMNS, [record]);
    return (await run(`${sql} ON CONFLICT (account_id, chain, value) DO NOTHING RETURNING id`, bindings)).length > 0;
  }

  async findWatchAddress(id: WatchAddressId): Promise<WatchAddress | null> {
    if (!isStorable(id)) return null;
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${WATCH} FROM ${tables.watchAddresses} WHERE id = ?`, [id]);
    return row === undefined ? null : watchAddressOf(row);
  }

  async removeWatchAddress(id: WatchAddressId): Promise<boolean> {
    const { run, tables } = this.#session;
    return (await run(`DELETE FROM ${tables.watchAddresses} WHERE id = ? RETURNING id`, [id])).length > 0;
  }
}
