import type {
  AccountId,
  App,
  AppId,
  AppKey,
  AppKeyId,
  AppStore,
  DirectoryAccount,
  DirectoryApp,
  DirectoryKey,
  DirectorySource,
  Millis,
  NewestQuery,
  Selection,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { APP_COLUMNS, APP_KEY_COLUMNS, appKeyOf, appOf } from '../../rows/app-row.ts';
import { names, parts } from '../../rows/columns.ts';
import { text } from '../../rows/values.ts';
import { countOf, isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';

const APPS = names(APP_COLUMNS);
const KEYS = names(APP_KEY_COLUMNS);
const IDS_AT_ONCE = 500;

/** Apps and their keys. Nothing is cached. */
export class SqlAppStore implements AppStore {
  readonly directory: DirectorySource;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.directory = new SqlDirectorySource(db);
  }

  async find(id: AppId): Promise<App | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#db.read(`SELECT ${APPS} FROM ${this.#db.tables.apps} WHERE id = ?`, [id]);
    return row === undefined ? null : appOf(row);
  }

  async list(accountId: AccountId | null, query: NewestQuery<AppId>): Promise<readonly App[]> {
    if (accountId !== null && !isStorable(accountId)) return [];
    const list = { table: this.#db.tables.apps, columns: APPS, equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(appOf);
  }

  async countOf(accountId: AccountId): Promise<number> {
    if (!isStorable(accountId)) return 0;
    return countOf(this.#db, this.#db.tables.apps, { account_id: accountId });
  }

  async keys(appId: AppId): Promise<readonly AppKey[]> {
    if (!isStorable(appId)) return [];
    const rows = await this.#db.read(
      `SELECT ${KEYS} FROM ${this.#db.tables.appKeys} WHERE app_id = ? ORDER BY id DESC`,
      [appId],
    );
    return rows.map(appKeyOf);
  }

  async touchKeys(uses: readonly { readonly id: AppKeyId; readonly at: Millis }[]): Promise<void> {
    const { appKeys } = this.#db.tables;
    // Rows are locked in the order of their ids, so that two instances that write the same keys cannot deadlock.
    const sorted = [...uses].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const some of parts(sorted, IDS_AT_ONCE)) {
      await this.#db.write(
        `WITH uses(id, at) AS (VALUES ${some.map(() => '(?, CAST(? AS BIGINT))').join(', ')}),
           touched AS (SELECT id FROM ${appKeys} WHERE id IN (SELECT id FROM uses) ORDER BY id ${this.#db.dialect.forUpdate})
         UPDATE ${appKeys} SET last_used_at = (SELECT at FROM uses WHERE uses.id = ${appKeys}.id)
         WHERE id IN (SELECT id FROM touched) AND (last_used_at IS NULL OR last_used_at < (SELECT at FROM uses WHERE uses.id = ${appKeys}.id))`,
        some.flatMap(({ id, at }) => [id, at]),
      );
    }
  }
}

/** Reads of the columns that gateways need. */
class SqlDirectorySource implements DirectorySource {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async accounts(selection: Selection<AccountId>): Promise<readonly DirectoryAccount[]> {
    const rows = await this.#read(`SELECT id, status FROM ${this.#db.tables.accounts}`, selection, 'id = ?');
    return rows.map((row) => ({ id: text(row, 'id') as AccountId, active: text(row, 'status') === 'active' }));
  }

  async apps(selection: Selection<AppId>): Promise<readonly DirectoryApp[]> {
    return (await this.#read(`SELECT ${APPS} FROM ${this.#db.tables.apps}`, selection, 'account_id = ?')).map(appOf);
  }

  async keys(selection: Selection<AppKeyId>): Promise<readonly DirectoryKey[]> {
    const { apps, appKeys } = this.#db.tables;
    const columns = APP_KEY_COLUMNS.filter(({ name }) => name !== 'sealed');
    const ofAccount = `app_id IN (SELECT id FROM ${apps} WHERE account_id = ?)`;
    return (await this.#read(`SELECT ${names(columns)} FROM ${appKeys}`, selection, ofAccount)).map(appKeyOf);
  }

  async #read<Id extends string>(select: string, selection: Selection<Id>, ofAccount: string): Promise<readonly Row[]> {
    if ('ids' in selection) {
      const rows: Row[] = [];
      for (const ids of parts(selection.ids, IDS_AT_ONCE)) {
        rows.push(
          ...(await this.#db.read(`${select} WHERE ${this.#db.dialect.anyOf('id')}`, [this.#db.dialect.list(ids)])),
        );
      }
      return rows;
    }
    const { after, limit, accountId } = selection;
    const conditions = [...(after === null ? [] : ['id > ?']), ...(accountId === undefined ? [] : [ofAccount])];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const bindings = [...(after === null ? [] : [after]), ...(accountId === undefined ? [] : [accountId]), limit];
    return this.#db.read(`${select} ${where} ORDER BY id LIMIT ?`, bindings);
  }
}
