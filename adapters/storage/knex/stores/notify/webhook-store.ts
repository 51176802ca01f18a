import { HANDLERS, STANDARD_FORMAT } from '../../../../../core/index.ts';
import type {
  AccountId,
  NewestQuery,
  Subscriber,
  TransferId,
  WebhookEndpoint,
  WebhookId,
  WebhookStore,
  WebhookWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Binding } from '../../binding.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { insertion, names } from '../../rows/columns.ts';
import { integer, json, text } from '../../rows/values.ts';
import { WEBHOOK_COLUMNS, webhookOf } from '../../rows/webhook-row.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { newestSql } from '../newest-list.ts';

const WEBHOOKS = names(WEBHOOK_COLUMNS);

async function find(run: Run, { webhooks }: Tables, id: WebhookId): Promise<WebhookEndpoint | null> {
  if (!isStorable(id)) return null;
  const [row] = await run(`SELECT ${WEBHOOKS} FROM ${webhooks} WHERE id = ?`, [id]);
  return row === undefined ? null : webhookOf(row);
}

/**
 * The enabled endpoints that a condition selects, oldest first, and after them the till's own handlers if there are any.
 * It is one statement, because each change of an order asks it; the handlers are a document, whose text is the list of
 * types.
 */
async function subscribers(
  run: Run,
  { webhooks, documents }: Tables,
  accounts: { readonly are: string; readonly bindings?: readonly Binding[]; readonly known?: string },
): Promise<readonly Subscriber[]> {
  const { are, bindings = [], known } = accounts;
  const rows = await run(
    `SELECT ${WEBHOOKS} FROM ${webhooks} WHERE enabled AND account_id ${are}
     UNION ALL
     SELECT document_key, '', document_key, value, true, '', NULL, NULL, 0, 0, '${STANDARD_FORMAT}' FROM ${documents}
     WHERE document_key = '${HANDLERS}' ${known === undefined ? '' : `AND ${known}`} ORDER BY id`,
    known === undefined ? bindings : [...bindings, ...bindings],
  );
  return rows.map(subscriberOf);
}

function subscriberOf(row: Row): Subscriber {
  if (text(row, 'id') !== HANDLERS) return webhookOf(row);
  const events = json<readonly string[]>(row, 'events');
  return { id: HANDLERS, accountId: null, url: HANDLERS, events, format: STANDARD_FORMAT };
}

function enabled(run: Run, tables: Tables, accountId: AccountId): Promise<readonly Subscriber[]> {
  return subscribers(run, tables, { are: '= ?', bindings: [accountId] });
}

/** Webhook endpoints in `webhook_endpoints`. */
export class SqlWebhookStore implements WebhookStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(id: WebhookId): Promise<WebhookEndpoint | null> {
    return find(this.#db.read, this.#db.tables, id);
  }

  async list(accountId: AccountId | null, query: NewestQuery<WebhookId>): Promise<readonly WebhookEndpoint[]> {
    const list = { table: this.#db.tables.webhooks, columns: WEBHOOKS, equal: { account_id: accountId } };
    const { sql, bindings } = newestSql(list, query);
    return (await this.#db.read(sql, bindings)).map(webhookOf);
  }

  enabled(accountId: AccountId): Promise<readonly Subscriber[]> {
    return enabled(this.#db.read, this.#db.tables, accountId);
  }
}

/** Webhook endpoint writes of one transaction. */
export class SqlWebhookWrites implements WebhookWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  find(id: WebhookId): Promise<WebhookEndpoint | null> {
    return find(this.#session.run, this.#session.tables, id);
  }

  enabled(accountId: AccountId): Promise<readonly Subscriber[]> {
    return enabled(this.#session.run, this.#session.tables, accountId);
  }

  enabledOfTransfer(id: TransferId): Promise<readonly Subscriber[]> {
    const { run, tables } = this.#session;
    const account = `(SELECT account_id FROM ${tables.transfers} WHERE id = ?)`;
    return subscribers(run, tables, { are: `= ${account}`, bindings: [id], known: `${account} IS NOT NULL` });
  }

  enabledOfAdmins(): Promise<readonly Subscriber[]> {
    const { run, tables } = this.#session;
    const admins = `SELECT id FROM ${tables.accounts} WHERE role = 'admin' AND status = 'active'`;
    return subscribers(run, tables, { are: `IN (${admins})` });
  }

  async countOf(accountId: AccountId): Promise<number> {
    const { run, tables } = this.#session;
    const [row] = await run(`SELECT count(*) AS total FROM ${tables.webhooks} WHERE account_id = ?`, [accountId]);
    return row === undefined ? 0 : integer(row, 'total');
  }

  async add(endpoint: WebhookEndpoint): Promise<void> {
    const { run, tables } = this.#session;
    const { sql, bindings } = insertion(tables.webhooks, WEBHOOK_COLUMNS, [endpoint]);
    await run(sql, bindings);
  }

  async update({ id, url, events, enabled, updatedAt }: WebhookEndpoint): Promise<void> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.webhooks} SET url = ?, events = ?, enabled = ?, updated_at = ? WHERE id = ?`;
    await run(sql, [url, JSON.stringify(events), enabled, updatedAt, id]);
  }

  async rotate({
    id,
    sealed,
    previousUntil,
    updatedAt,
  }: Pick<WebhookEndpoint, 'id' | 'sealed' | 'previousUntil' | 'updatedAt'>): Promise<void> {
    const { run, tables } = this.#session;
    const sql = `UPDATE ${tables.webhooks} SET previous_sealed = sealed, sealed = ?, previous_until = ?, updated_at = ? WHERE id = ?`;
    await run(sql, [sealed, previousUntil, updatedAt, id]);
  }

  async remove(id: WebhookId): Promise<void> {
    const { run, tables } = this.#session;
    await run(`DELETE FROM ${tables.webhooks} WHERE id = ?`, [id]);
  }
}
