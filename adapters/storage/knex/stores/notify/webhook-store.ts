import type {
  AccountId,
  Page,
  PageRequest,
  TransferId,
  WebhookEndpoint,
  WebhookId,
  WebhookStore,
  WebhookWrites,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Run } from '../../dialects/dialect.ts';
import { insertion, names } from '../../rows/columns.ts';
import { integer } from '../../rows/values.ts';
import { WEBHOOK_COLUMNS, webhookOf } from '../../rows/webhook-row.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';
import { isStorable } from '../common.ts';
import { listedPage } from '../listed-page.ts';

const WEBHOOKS = names(WEBHOOK_COLUMNS);

async function find(run: Run, { webhooks }: Tables, id: WebhookId): Promise<WebhookEndpoint | null> {
  if (!isStorable(id)) return null;
  const [row] = await run(`SELECT ${WEBHOOKS} FROM ${webhooks} WHERE id = ?`, [id]);
  return row === undefined ? null : webhookOf(row);
}

async function enabled(run: Run, { webhooks }: Tables, accountId: AccountId): Promise<readonly WebhookEndpoint[]> {
  const sql = `SELECT ${WEBHOOKS} FROM ${webhooks} WHERE account_id = ? AND enabled ORDER BY id`;
  return (await run(sql, [accountId])).map(webhookOf);
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

  list(accountId: AccountId | null, page: PageRequest): Promise<Page<WebhookEndpoint>> {
    const where = accountId === null ? null : { column: 'account_id', value: accountId };
    return listedPage(this.#db, { table: this.#db.tables.webhooks, columns: WEBHOOKS, where, of: webhookOf }, page);
  }

  enabled(accountId: AccountId): Promise<readonly WebhookEndpoint[]> {
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

  enabled(accountId: AccountId): Promise<readonly WebhookEndpoint[]> {
    return enabled(this.#session.run, this.#session.tables, accountId);
  }

  async enabledOfTransfer(id: TransferId): Promise<readonly WebhookEndpoint[]> {
    const { run, tables } = this.#session;
    const sql = `SELECT ${WEBHOOKS} FROM ${tables.webhooks}
      WHERE account_id = (SELECT account_id FROM ${tables.transfers} WHERE id = ?) AND enabled ORDER BY id`;
    return (await run(sql, [id])).map(webhookOf);
  }

  async enabledOfAdmins(): Promise<readonly WebhookEndpoint[]> {
    const { run, tables } = this.#session;
    const sql = `SELECT ${WEBHOOKS} FROM ${tables.webhooks} WHERE enabled AND account_id IN
      (SELECT id FROM ${tables.accounts} WHERE role = 'admin' AND status = 'active') ORDER BY id`;
    return (await run(sql)).map(webhookOf);
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
