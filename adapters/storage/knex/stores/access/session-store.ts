import type {
  Account,
  AccountId,
  Millis,
  OpenTimes,
  Session as ManageSession,
  SessionRenewal,
  SessionStore,
  SessionWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { ACCOUNT_COLUMNS, accountOf } from '../../rows/account-row.ts';
import { insertion, names } from '../../rows/columns.ts';
import { SESSION_COLUMNS, sessionOf } from '../../rows/manage-row.ts';
import { integer } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { deleteSome } from '../common.ts';

const SESSION_WITH_ACCOUNT = [
  names(ACCOUNT_COLUMNS, 'a.'),
  ...SESSION_COLUMNS.map(({ name }) => `s.${name} AS session_${name}`),
].join(', ');

/** More sessions than the setting allows an account. */
const MOST_LISTED = 1000;

/** Sessions of the management API in `manage_sessions`. Nothing is cached. */
export class SqlSessionStore implements SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(tokenHash: string): Promise<{ readonly session: ManageSession; readonly account: Account } | null> {
    const { sessions, accounts } = this.#db.tables;
    const [row] = await this.#db.read(
      `SELECT ${SESSION_WITH_ACCOUNT} FROM ${sessions} s JOIN ${accounts} a ON a.id = s.account_id WHERE s.token_hash = ?`,
      [tokenHash],
    );
    return row === undefined ? null : { session: sessionOf(row, 'session_'), account: accountOf(row) };
  }

  async ofAccount(accountId: AccountId, { now, usedAfter }: OpenTimes): Promise<readonly ManageSession[]> {
    const { sessions, accounts } = this.#db.tables;
    const rows = await this.#db.read(
      `SELECT ${names(SESSION_COLUMNS, 's.')} FROM ${sessions} s JOIN ${accounts} a ON a.id = s.account_id AND a.auth_version = s.auth_version
       WHERE s.account_id = ? AND s.expires_at > ? AND s.last_used_at > ?
       ORDER BY s.created_at DESC, s.token_hash LIMIT ${MOST_LISTED}`,
      [accountId, now, usedAfter],
    );
    return rows.map((row) => sessionOf(row));
  }

  async noteUse(tokenHash: string, at: Millis): Promise<void> {
    const sql = `UPDATE ${this.#db.tables.sessions} SET last_used_at = ? WHERE token_hash = ? AND last_used_at < ?`;
    await this.#db.write(sql, [at, tokenHash, at]);
  }

  prune({ now, usedAfter }: OpenTimes, limit: number): Promise<number> {
    const over = 'expires_at <= ? OR last_used_at <= ?';
    return deleteSome(this.#db, this.#db.tables.sessions, ['token_hash'], over, [now, usedAfter], limit);
  }
}

/** Session writes of one transaction. */
export class SqlSessionWrites implements SessionWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async create(session: ManageSession): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.sessions, SESSION_COLUMNS, [session]);
    await run(sql, bindings);
  }

  async endOldest(accountId: AccountId, most: number, but: string): Promise<number> {
    const { run, tables } = this.#session;
    const rows = await run(
      `DELETE FROM ${tables.sessions} WHERE account_id = ? AND token_hash <> ? AND token_hash NOT IN (
         SELECT token_hash FROM ${tables.sessions} WHERE account_id = ? AND token_hash <> ?
         ORDER BY created_at DESC, token_hash LIMIT ?) RETURNING token_hash`,
      [accountId, but, accountId, but, most - 1],
    );
    return rows.length;
  }

  async end(tokenHash: string): Promise<boolean> {
    const { run, tables } = this.#session;
    return (
      (await run(`DELETE FROM ${tables.sessions} WHERE token_hash = ? RETURNING token_hash`, [tokenHash])).length > 0
    );
  }

  async renew(former: string, { tokenHash, authVersion, raisedUntil }: SessionRenewal): Promise<boolean> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.sessions} SET token_hash = ?, auth_version = ?, raised_until = ?, wrong_passwords = 0
       WHERE token_hash = ? RETURNING token_hash`;
    return (await run(sql, [tokenHash, authVersion, raisedUntil, former])).length > 0;
  }

  async countPassword(tokenHash: string): Promise<number | null> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.sessions} SET wrong_passwords = wrong_passwords + 1 WHERE token_hash = ? RETURNING wrong_passwords`;
    const [row] = await run(sql, [tokenHash]);
    return row === undefined ? null : integer(row, 'wrong_passwords');
  }

  async endAll(accountId: AccountId, but: string | null = null): Promise<number> {
    const { run, tables } = this.#session;
    const sql = `DELETE FROM ${tables.sessions} WHERE account_id = ? AND token_hash <> ? RETURNING token_hash`;
    return (await run(sql, [accountId, but ?? ''])).length;
  }
}
