import type {
  AccountEntry,
  AccountId,
  AccountSecurity,
  Credential,
  CredentialId,
  ManageStore,
  NewestQuery,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { ACCOUNT_COLUMNS, CREDENTIAL_COLUMNS, credentialOf } from '../../rows/account-row.ts';
import { names } from '../../rows/columns.ts';
import { accountEntryOf, PROFILE_COLUMNS, SECURITY_COLUMNS, securityOf } from '../../rows/manage-row.ts';
import { isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';
import type { Sql } from '../range-list.ts';

const PROFILE = names(PROFILE_COLUMNS, 'p.');

/** Accounts with a text in their email address or name. SQLite changes the case of ASCII letters alone. */
function named(text: string): Sql {
  const part = (each: string): string => `%${each.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const lower = part(text.toLowerCase());
  const like = (column: string): string => `${column} LIKE ? ESCAPE '\\'`;
  return {
    sql: `(${like('email_key')} OR ${like('lower(name)')} OR ${like('name')})`,
    bindings: [lower, lower, part(text)],
  };
}

/** Reads of the management API. Nothing is cached. */
export class SqlManageStore implements ManageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async accounts(
    only: AccountId | null,
    query: NewestQuery<AccountId>,
    text?: string,
  ): Promise<readonly AccountEntry[]> {
    if (text !== undefined && !isStorable(text)) return [];
    const { accounts, profiles } = this.#db.tables;
    const matching = text === undefined ? null : named(text);
    const { sql, bindings } = newestSql(
      { table: accounts, columns: names(ACCOUNT_COLUMNS), equal: { id: only }, matching },
      query,
    );
    const rows = await this.#db.read(
      `SELECT ${names(ACCOUNT_COLUMNS, 'a.')}, ${PROFILE} FROM (${sql}) a LEFT JOIN ${profiles} p ON p.account_id = a.id
       ORDER BY a.id DESC`,
      bindings,
    );
    return rows.map(accountEntryOf);
  }

  async account(id: AccountId): Promise<AccountEntry | null> {
    if (!isStorable(id)) return null;
    const { accounts, profiles } = this.#db.tables;
    const [row] = await this.#db.read(
      `SELECT ${names(ACCOUNT_COLUMNS, 'a.')}, ${PROFILE} FROM ${accounts} a LEFT JOIN ${profiles} p ON p.account_id = a.id WHERE a.id = ?`,
      [id],
    );
    return row === undefined ? null : accountEntryOf(row);
  }

  async credentials(accountId: AccountId | null, query: NewestQuery<CredentialId>): Promise<readonly Credential[]> {
    const { credentials: table } = this.#db.tables;
    const list = { table, columns: names(CREDENTIAL_COLUMNS), equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(credentialOf);
  }

  async security(accountId: AccountId): Promise<AccountSecurity> {
    const [row] = await this.#db.read(
      `SELECT ${names(SECURITY_COLUMNS)} FROM ${this.#db.tables.security} WHERE account_id = ?`,
      [accountId],
    );
    return securityOf(accountId, row);
  }
}
