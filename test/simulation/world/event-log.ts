import { createHash } from 'node:crypto';
import type { AccountId, NoticeSettings, Storage, WebhookId } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';
import type { SqliteDriver } from '../../support/sqlite-driver.ts';

/**
 * Keeps the events, notices and audit rows of a simulation in tables of their own, in the order in which they were
 * written, and out of those from which the till delivers: the log of a scenario does not depend on them.
 */
const KEPT = [
  [
    'callbacks',
    'kept_events',
    'account_id, endpoint_id, subject_id, event, body, created_at',
    'NEW.endpoint_id IS NOT NULL',
  ],
  ['notices', 'kept_notices', 'account_id, notifier, type, subject, body, created_at', 'TRUE'],
  ['audit_trail', 'kept_audit', 'account_id, action, subject_id, changes, happened_at', 'TRUE'],
] as const;

export const NOTICE_SETTINGS: NoticeSettings = {
  channels: () => [{ name: 'mail', reaches: 'both' }],
  amount: (currency, units) => `${units} ${currency}`,
};

export function keepEvents(driver: SqliteDriver): void {
  for (const [table, kept, columns, when] of KEPT) {
    driver.all(`CREATE TABLE ${kept} AS SELECT ${columns} FROM ${table} WHERE FALSE`);
    const values = columns
      .split(', ')
      .map((column) => `NEW.${column}`)
      .join(', ');
    const removed = table === 'audit_trail' ? '' : `DELETE FROM ${table} WHERE id = NEW.id;`;
    driver.all(
      `CREATE TRIGGER keep_${table} AFTER INSERT ON ${table} WHEN ${when} BEGIN INSERT INTO ${kept} VALUES (${values}); ${removed} END`,
    );
  }
}

/** An endpoint for every event. */
export async function subscribe(storage: Storage, accountId: AccountId, number: number): Promise<void> {
  await storage.transaction((tx) =>
    tx.webhooks.add({
      ...{ id: `endpoint-${number}` as WebhookId, accountId, url: `https://merchant-${number}.example.com/events` },
      ...{ events: ['order.*', 'refund.*', 'withdrawal.*', 'deposit.*', 'security.*', 'alert.*'], enabled: true },
      ...{ sealed: 'sealed', previousSealed: null, previousUntil: null, createdAt: START, updatedAt: START },
    }),
  );
}

type All = (sql: string) => Record<string, unknown>[];

/** Every kept row as a line, with each record's id replaced by its place among the records of its kind. */
export function eventLines(all: All): readonly string[] {
  const places = new Map<string, string>();
  for (const table of ['orders', 'deposits', 'transfers', 'alerts'])
    all(`SELECT id FROM ${table} ORDER BY id`).forEach(({ id }, at) => places.set(String(id), `${table}-${at}`));
  const named = (text: string): string => text.replace(/\d{15,20}/g, (id) => places.get(id) ?? id);
  const rows = [...KEPT.map(([, kept]) => kept), 'orders_callbacks'].flatMap((kept) =>
    all(
      kept === 'orders_callbacks'
        ? 'SELECT order_id, event, method, url, body, status, attempts, created_at FROM callbacks WHERE endpoint_id IS NULL ORDER BY created_at, order_id, event'
        : `SELECT * FROM ${kept} ORDER BY rowid`,
    ).map((row) => named(`${kept} ${JSON.stringify(row)}`)),
  );
  return rows;
}

export const digestOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex');
