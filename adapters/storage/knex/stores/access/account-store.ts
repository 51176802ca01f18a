import { HANDLERS, TillgateError } from '../../../../../core/index.ts';
import type {
  Account,
  AccountChanges,
  AccountId,
  AccountStore,
  AccountWrites,
  CallbackCredential,
  Credential,
  CredentialId,
  CredentialOwner,
  Millis,
} from '../../../../../core/index.ts';
import { BatchLoader } from '../../batch-loader.ts';
import type { Database } from '../../database.ts';
import type { ChangePublisher } from '../../change-publisher.ts';
import type { Session } from '../../session.ts';
import {
  ACCOUNT_COLUMNS,
  accountChange,
  accountOf,
  CALLBACK_CREDENTIAL_COLUMNS,
  callbackCredentialOf,
  CREDENTIAL_COLUMNS,
  credentialOf,
  emailKey,
} from '../../rows/account-row.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import { flag, integer, text } from '../../rows/values.ts';
import { deleteSome, isStorable } from '../common.ts';

type HashColumn = 'api_key_hash' | 'api_token_hash';

const ACCOUNTS = names(ACCOUNT_COLUMNS);
const CREDENTIALS = names(CREDENTIAL_COLUMNS);
const CALLBACK_CREDENTIALS = names(CALLBACK_CREDENTIAL_COLUMNS);
const OWNER = `${names(CREDENTIAL_COLUMNS, 'c.')}, ${ACCOUNT_COLUMNS.map(({ name }) => `a.${name} AS owner_${name}`).join(', ')}`;

/** Networks stored for each account; without a limit, logins could grow the table without bound. */
const MAX_NETWORKS = 16;

/** Accounts, credentials and used signatures. Nothing is cached. */
export class SqlAccountStore implements AccountStore {
  readonly #db: Database;
  readonly #byKey: BatchLoader<CredentialOwner>;
  readonly #byToken: BatchLoader<CredentialOwner>;
  readonly #publishing: AccountStore['update'];

  /** @param publishing - updates an account and waits until every gateway has applied the change */
  constructor(db: Database, publishing: AccountStore['update']) {
    this.#db = db;
    this.#publishing = publishing;
    this.#byKey = new BatchLoader((hashes) => this.#owners('api_key_hash', hashes));
    this.#byToken = new BatchLoader((hashes) => this.#owners('api_token_hash', hashes));
  }

  async create(account: Account): Promise<void> {
    const { sql, bindings } = insertion(this.#db.tables.accounts, ACCOUNT_COLUMNS, [account]);
    const created = await this.#db.write(`${sql} ON CONFLICT (email_key) DO NOTHING RETURNING id`, bindings);
    if (created.length === 0) throw new TillgateError('STATE_CONFLICT', 'An account with this email exists.');
  }

  async find(id: AccountId): Promise<Account | null> {
    return this.#account('id', id);
  }

  async findByEmail(email: string): Promise<Account | null> {
    return this.#account('email_key', emailKey(email));
  }

  async update(id: AccountId, changes: AccountChanges): Promise<boolean> {
    if (changes.status !== undefined) return this.#publishing(id, changes);
    const { sql, bindings } = assignments(accountChange(changes));
    return (
      (
        await this.#db.write(`UPDATE ${this.#db.tables.accounts} SET ${sql} WHERE id = ? RETURNING id`, [
          ...bindings,
          id,
        ])
      ).length > 0
    );
  }

  async createCredential(credential: Credential): Promise<void> {
    const { sql, bindings } = insertion(this.#db.tables.credentials, CREDENTIAL_COLUMNS, [credential]);
    await this.#db.write(sql, bindings);
  }

  async findByApiKeyHash(hash: string): Promise<CredentialOwner | null> {
    this.#db.checkNesting();
    return isStorable(hash) ? this.#byKey.get(hash) : null;
  }

  async findByApiTokenHash(hash: string): Promise<CredentialOwner | null> {
    this.#db.checkNesting();
    return isStorable(hash) ? this.#byToken.get(hash) : null;
  }

  async findCredential(id: CredentialId): Promise<Credential | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${CREDENTIALS} FROM ${this.#db.tables.credentials} WHERE id = ?`, [id]);
    return row === undefined ? null : credentialOf(row);
  }

  async revokeCredential(id: CredentialId, now: Millis): Promise<boolean> {
    const sql = `UPDATE ${this.#db.tables.credentials} SET status = 'revoked', revoked_at = ? WHERE id = ? AND status = 'active' RETURNING id`;
    return (await this.#db.write(sql, [now, id])).length > 0;
  }

  async ensureCallbackCredential(credential: CallbackCredential): Promise<CallbackCredential> {
    const { callbackCredentials } = this.#db.tables;
    const { sql, bindings } = insertion(callbackCredentials, CALLBACK_CREDENTIAL_COLUMNS, [credential]);
    // A no-op update, so that the statement returns the existing row.
    const [row] = await this.#db.write(
      `${sql} ON CONFLICT (account_id) DO UPDATE SET account_id = excluded.account_id RETURNING ${CALLBACK_CREDENTIALS}`,
      bindings,
    );
    return row === undefined ? credential : callbackCredentialOf(row);
  }

  async findCallbackCredential(accountId: AccountId): Promise<CallbackCredential | null> {
    const sql = `SELECT ${CALLBACK_CREDENTIALS} FROM ${this.#db.tables.callbackCredentials} WHERE account_id = ?`;
    const [row] = await this.#db.read(sql, [accountId]);
    return row === undefined ? null : callbackCredentialOf(row);
  }

  async rotateCallbackCredential(formerSealed: string, next: CallbackCredential): Promise<boolean> {
    const { sql, bindings } = assignments(CALLBACK_CREDENTIAL_COLUMNS.map(({ name, of }) => [name, of(next)]));
    const rotated = await this.#db.write(
      `UPDATE ${this.#db.tables.callbackCredentials} SET ${sql} WHERE account_id = ? AND sealed = ? RETURNING account_id`,
      [...bindings, next.accountId, formerSealed],
    );
    return rotated.length > 0;
  }

  async useSignature(replayKey: string, expiresAt: Millis): Promise<boolean> {
    const sql = `INSERT INTO ${this.#db.tables.usedSignatures} (replay_key, expires_at) VALUES (?, ?)
      ON CONFLICT (replay_key) DO NOTHING RETURNING replay_key`;
    return (await this.#db.write(sql, [replayKey, expiresAt])).length > 0;
  }

  async networkSeen(id: AccountId, network: string): Promise<Millis | null> {
    const [row] = await this.#db.read(
      `SELECT seen_at FROM ${this.#db.tables.loginNetworks} WHERE account_id = ? AND network = ?`,
      [id, network],
    );
    return row === undefined ? null : integer(row, 'seen_at');
  }

  async noteNetwork(id: AccountId, network: string, at: Millis): Promise<void> {
    const { loginNetworks } = this.#db.tables;
    await this.#db.transaction(async ({ run }) => {
      await run(
        `INSERT INTO ${loginNetworks} (account_id, network, seen_at) VALUES (?, ?, ?)
         ON CONFLICT (account_id, network) DO UPDATE SET seen_at = excluded.seen_at`,
        [id, network, at],
      );
      await run(
        `DELETE FROM ${loginNetworks} WHERE account_id = ? AND network NOT IN (
           SELECT network FROM ${loginNetworks} WHERE account_id = ? ORDER BY seen_at DESC, network LIMIT ${MAX_NETWORKS})`,
        [id, id],
      );
    });
  }

  pruneSignatures(now: Millis, limit: number): Promise<number> {
    return deleteSome(this.#db, this.#db.tables.usedSignatures, ['replay_key'], 'expires_at <= ?', [now], limit);
  }

  async #account(column: 'id' | 'email_key', value: string): Promise<Account | null> {
    if (!isStorable(value)) return null;
    const [row] = await this.#db.read(`SELECT ${ACCOUNTS} FROM ${this.#db.tables.accounts} WHERE ${column} = ?`, [
      value,
    ]);
    return row === undefined ? null : accountOf(row);
  }

  async #owners(column: HashColumn, hashes: readonly string[]): Promise<ReadonlyMap<string, CredentialOwner>> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(
      `SELECT ${OWNER}, EXISTS (SELECT 1 FROM ${tables.webhooks} w WHERE w.account_id = a.id AND w.enabled)
         OR EXISTS (SELECT 1 FROM ${tables.documents} d WHERE d.document_key = '${HANDLERS}') AS has_webhooks
       FROM ${tables.credentials} c JOIN ${tables.accounts} a ON a.id = c.account_id WHERE ${dialect.anyOf(`c.${column}`)}`,
      [dialect.list(hashes)],
      { name: `${tables.prefix}owners_by_${column}` },
    );
    return new Map(
      rows.map((row) => [
        text(row, column),
        {
          credential: credentialOf(row),
          account: accountOf(row, 'owner_'),
          hasWebhooks: flag(row, 'has_webhooks'),
        },
      ]),
    );
  }
}

/** Account writes of one transaction, which publishes changes of status. */
export class SqlAccountWrites implements AccountWrites {
  readonly #session: Session;
  readonly #publisher: ChangePublisher;

  constructor(session: Session, publisher: ChangePublisher) {
    this.#session = session;
    this.#publisher = publisher;
  }

  lockShared(id: AccountId): Promise<Account | null> {
    return this.#locked(id, this.#session.dialect.forShare);
  }

  lock(id: AccountId): Promise<Account | null> {
    return this.#locked(id, this.#session.dialect.forUpdate);
  }

  async #locked(id: AccountId, lock: string): Promise<Account | null> {
    if (!isStorable(id)) return null;
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT ${ACCOUNTS} FROM ${tables.accounts} WHERE id = ? ${lock}`, [id]);
    return row === undefined ? null : accountOf(row);
  }

  async update(id: AccountId, changes: AccountChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(accountChange(changes));
    const changed = await run(`UPDATE ${tables.accounts} SET ${sql} WHERE id = ? RETURNING id`, [...bindings, id]);
    if (changed.length > 0 && changes.status !== undefined) this.#publisher.add({ kind: 'account', id });
    return changed.length > 0;
  }
}
