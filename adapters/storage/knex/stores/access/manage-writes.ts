import { TillgateError } from '../../../../../core/index.ts';
import type {
  Account,
  AccountId,
  AccountSecurity,
  CallbackCredential,
  Credential,
  CredentialId,
  Login,
  ManageWrites,
  Millis,
} from '../../../../../core/index.ts';
import {
  ACCOUNT_COLUMNS,
  CALLBACK_CREDENTIAL_COLUMNS,
  CREDENTIAL_COLUMNS,
  credentialOf,
} from '../../rows/account-row.ts';
import { insertion, names } from '../../rows/columns.ts';
import { SECURITY_COLUMNS, securityOf } from '../../rows/manage-row.ts';
import { text, textOrNull } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { isStorable } from '../common.ts';

const SECURITY_SET = SECURITY_COLUMNS.map(({ name }) => `${name} = excluded.${name}`).join(', ');

/** Writes of the management API, in one transaction. */
export class SqlManageWrites implements ManageWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async lockAdmins(): Promise<readonly AccountId[]> {
    const { run, tables, dialect } = this.#session;
    const rows = await run(
      `SELECT id FROM ${tables.accounts} WHERE role = 'admin' AND status = 'active' ORDER BY id ${dialect.forUpdate}`,
    );
    return rows.map((row) => text(row, 'id') as AccountId);
  }

  async createAccount(account: Account): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.accounts, ACCOUNT_COLUMNS, [account]);
    const created = await run(`${sql} ON CONFLICT (email_key) DO NOTHING RETURNING id`, bindings);
    if (created.length === 0) throw new TillgateError('STATE_CONFLICT', 'An account with this email exists.');
  }

  async createCallbackCredential(credential: CallbackCredential): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.callbackCredentials, CALLBACK_CREDENTIAL_COLUMNS, [credential]);
    await run(`${sql} ON CONFLICT (account_id) DO NOTHING`, bindings);
  }

  async rotateCallbackCredential({
    accountId,
    sealed,
    previousUntil,
    createdAt,
  }: Parameters<ManageWrites['rotateCallbackCredential']>[0]): Promise<void> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.callbackCredentials} SET previous_sealed = sealed, sealed = ?, previous_until = ?, created_at = ? WHERE account_id = ?`;
    await run(sql, [sealed, previousUntil, createdAt, accountId]);
  }

  async createCredential(credential: Credential): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.credentials, CREDENTIAL_COLUMNS, [credential]);
    await run(sql, bindings);
  }

  async lockCredential(id: CredentialId): Promise<Credential | null> {
    if (!isStorable(id)) return null;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(
      `SELECT ${names(CREDENTIAL_COLUMNS)} FROM ${tables.credentials} WHERE id = ? ${dialect.forUpdate}`,
      [id],
    );
    return row === undefined ? null : credentialOf(row);
  }

  async revokeCredential(id: CredentialId, now: Millis): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.credentials} SET status = 'revoked', revoked_at = ? WHERE id = ? AND status = 'active' RETURNING id`;
    return (await run(sql, [now, id])).length > 0;
  }

  async avatar(accountId: AccountId): Promise<string | null> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT avatar_url FROM ${tables.profiles} WHERE account_id = ?`, [accountId]);
    return row === undefined ? null : textOrNull(row, 'avatar_url');
  }

  async setAvatar(accountId: AccountId, url: string | null): Promise<void> {
    const { run, tables } = this.#session;
    await run(
      `INSERT INTO ${tables.profiles} (account_id, avatar_url) VALUES (?, ?)
       ON CONFLICT (account_id) DO UPDATE SET avatar_url = excluded.avatar_url`,
      [accountId, url],
    );
  }

  async noteLogin(accountId: AccountId, { at, ip, userAgent }: Login): Promise<void> {
    const { run, tables } = this.#session;
    const { profiles } = tables;
    await run(
      `INSERT INTO ${profiles} (account_id, first_login_at, last_login_at, last_login_ip, last_login_user_agent) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account_id) DO UPDATE SET first_login_at = coalesce(${profiles}.first_login_at, excluded.first_login_at),
         last_login_at = excluded.last_login_at, last_login_ip = excluded.last_login_ip, last_login_user_agent = excluded.last_login_user_agent`,
      [accountId, at, at, ip, userAgent],
    );
  }

  async security(accountId: AccountId): Promise<AccountSecurity> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${names(SECURITY_COLUMNS)} FROM ${tables.security} WHERE account_id = ?`, [
      accountId,
    ]);
    return securityOf(accountId, row);
  }

  async saveSecurity(security: AccountSecurity): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.security, SECURITY_COLUMNS, [security]);
    await run(`${sql} ON CONFLICT (account_id) DO UPDATE SET ${SECURITY_SET}`, bindings);
  }
}
