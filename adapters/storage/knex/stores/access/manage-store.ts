import type {
  AccountEntry,
  AccountId,
  AccountSecurity,
  Credential,
  ManageStore,
  Page,
  PageRequest,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { ACCOUNT_COLUMNS, CREDENTIAL_COLUMNS, credentialOf } from '../../rows/account-row.ts';
import { names } from '../../rows/columns.ts';
import { accountEntryOf, PROFILE_COLUMNS, SECURITY_COLUMNS, securityOf } from '../../rows/manage-row.ts';
import { isStorable } from '../common.ts';
import { listedPage } from '../listed-page.ts';

const PROFILE = names(PROFILE_COLUMNS, 'p.');

/** Reads of the management API. Nothing is cached. */
export class SqlManageStore implements ManageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  accounts(only: AccountId | null, page: PageRequest): Promise<Page<AccountEntry>> {
    const { accounts, profiles } = this.#db.tables;
    return listedPage(
      this.#db,
      {
        table: accounts,
        columns: `${names(ACCOUNT_COLUMNS, 'listed.')}, ${PROFILE}`,
        where: only === null ? null : { column: 'id', value: only },
        join: `LEFT JOIN ${profiles} p ON p.account_id = listed.id`,
        of: accountEntryOf,
      },
      page,
    );
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

  credentials(accountId: AccountId | null, page: PageRequest): Promise<Page<Credential>> {
    const where = accountId === null ? null : { column: 'account_id', value: accountId };
    return listedPage(
      this.#db,
      { table: this.#db.tables.credentials, columns: names(CREDENTIAL_COLUMNS), where, of: credentialOf },
      page,
    );
  }

  async security(accountId: AccountId): Promise<AccountSecurity> {
    const [row] = await this.#db.read(
      `SELECT ${names(SECURITY_COLUMNS)} FROM ${this.#db.tables.security} WHERE account_id = ?`,
      [accountId],
    );
    return securityOf(accountId, row);
  }
}
