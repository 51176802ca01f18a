import type {
  AccountId,
  AccountStatus,
  App,
  AppChanges,
  AppId,
  AppKey,
  AppKeyId,
  AppWrites,
  KeyChanges,
  KeyMove,
  Millis,
  StoredKeyState,
} from '../../../../../core/index.ts';
import type { ChangePublisher } from '../../change-publisher.ts';
import { APP_COLUMNS, APP_KEY_COLUMNS, appChange, appKeyChange, appKeyOf, appOf } from '../../rows/app-row.ts';
import { assignments, insertion, names } from '../../rows/columns.ts';
import { integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { isStorable } from '../common.ts';

const APPS = names(APP_COLUMNS);
const KEYS = names(APP_KEY_COLUMNS);

/** App and key writes of one transaction, which publishes each. */
export class SqlAppWrites implements AppWrites {
  readonly #session: Session;
  readonly #publisher: ChangePublisher;

  constructor(session: Session, publisher: ChangePublisher) {
    this.#session = session;
    this.#publisher = publisher;
  }

  async accountStatus(id: AccountId): Promise<AccountStatus | null> {
    if (!isStorable(id)) return null;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT status FROM ${tables.accounts} WHERE id = ? ${dialect.forUpdate}`, [id]);
    return row === undefined ? null : (text(row, 'status') as AccountStatus);
  }

  async countOf(id: AccountId): Promise<number> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT count(*) AS total FROM ${tables.apps} WHERE account_id = ?`, [id]);
    return row === undefined ? 0 : integer(row, 'total');
  }

  find(id: AppId): Promise<App | null> {
    return this.#app(id, '');
  }

  lock(id: AppId): Promise<App | null> {
    return this.#app(id, this.#session.dialect.forUpdate);
  }

  async create(app: App): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.apps, APP_COLUMNS, [app]);
    await this.#session.run(sql, bindings);
    this.#publisher.add({ kind: 'app', id: app.id });
  }

  async update(id: AppId, expectedVersion: number, changes: AppChanges, now: Millis): Promise<App | null> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments([...appChange(changes), ['modified_at', now]]);
    const [row] = await run(
      `UPDATE ${tables.apps} SET ${sql}, version = version + 1 WHERE id = ? AND version = ? RETURNING ${APPS}`,
      [...bindings, id, expectedVersion],
    );
    if (row === undefined) return null;
    this.#publisher.add({ kind: 'app', id });
    return appOf(row);
  }

  key(id: AppKeyId): Promise<AppKey | null> {
    return this.#key('id = ?', id);
  }

  activeKey(appId: AppId): Promise<AppKey | null> {
    return this.#key(`app_id = ? AND status = 'active'`, appId);
  }

  async createKey(key: AppKey): Promise<void> {
    const { sql, bindings } = insertion(this.#session.tables.appKeys, APP_KEY_COLUMNS, [key]);
    await this.#session.run(sql, bindings);
    this.#publisher.add({ kind: 'key', id: key.id });
  }

  async moveKey(id: AppKeyId, from: readonly StoredKeyState[], move: KeyMove): Promise<boolean> {
    const { run, tables } = this.#session;
    const [column, at] = move.to === 'grace' ? ['expires_at', move.expiresAt] : ['revoked_at', move.revokedAt];
    const moved = await run(
      `UPDATE ${tables.appKeys} SET status = ?, ${column} = ? WHERE id = ? AND status IN (${from.map(() => '?').join(', ')}) RETURNING id`,
      [move.to, at, id, ...from],
    );
    if (moved.length === 0) return false;
    this.#publisher.add({ kind: 'key', id });
    return true;
  }

  async changeKey(id: AppKeyId, changes: KeyChanges): Promise<boolean> {
    const { run, tables } = this.#session;
    const { sql, bindings } = assignments(appKeyChange(changes));
    const changed = await run(`UPDATE ${tables.appKeys} SET ${sql} WHERE id = ? AND status <> 'revoked' RETURNING id`, [
      ...bindings,
      id,
    ]);
    if (changed.length === 0) return false;
    this.#publisher.add({ kind: 'key', id });
    return true;
  }

  async archiveAll(accountId: AccountId, now: Millis): Promise<void> {
    const { run, tables, dialect } = this.#session;
    // Locked in the order of their ids, as in every other transaction that locks more than one.
    await run(`SELECT id FROM ${tables.apps} WHERE account_id = ? ORDER BY id ${dialect.forUpdate}`, [accountId]);
    await run(
      `UPDATE ${tables.apps} SET enabled = ?, version = version + 1, modified_at = ? WHERE account_id = ? AND enabled = ?`,
      [false, now, accountId, true],
    );
    await run(
      `UPDATE ${tables.appKeys} SET status = 'revoked', revoked_at = ?
       WHERE status IN ('active', 'grace') AND app_id IN (SELECT id FROM ${tables.apps} WHERE account_id = ?)`,
      [now, accountId],
    );
    this.#publisher.add({ kind: 'account-keys', id: accountId });
  }

  async #app(id: AppId, lock: string): Promise<App | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#session.run(`SELECT ${APPS} FROM ${this.#session.tables.apps} WHERE id = ? ${lock}`, [
      id,
    ]);
    return row === undefined ? null : appOf(row);
  }

  async #key(where: string, id: string): Promise<AppKey | null> {
    if (!isStorable(id)) return null;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`SELECT ${KEYS} FROM ${tables.appKeys} WHERE ${where} ${dialect.forUpdate}`, [id]);
    return row === undefined ? null : appKeyOf(row);
  }
}
