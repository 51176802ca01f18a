import type { AccountId, NoticeSettings, Storage, WebhookId } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';
import type { SqliteDriver } from '../../support/sqlite-driver.ts';

/**
 * Events and notices go to tables of their own, in the order in which they are written: the till delivers none of them,
 * so that a scenario is the same with and without them. Triggers note every change that an event may report.
 */
const KEPT = [
  ['callbacks', 'kept_events', 'account_id, subject_id, event, body', 'NEW.endpoint_id IS NOT NULL'],
  ['notices', 'kept_notices', 'account_id, type, subject, body', 'TRUE'],
] as const;

const CHANGES = [
  ['orders', 'INSERT', 'TRUE', 'NEW.status'],
  ['orders', 'UPDATE', 'NEW.status <> OLD.status', 'NEW.status'],
  ['deposits', 'INSERT', 'TRUE', `CASE NEW.assignment WHEN 'ORDER' THEN NEW.status ELSE NEW.assignment END`],
  ['deposits', 'UPDATE', `NEW.status <> OLD.status AND NEW.assignment = 'ORDER'`, 'NEW.status'],
  [
    'deposits',
    'UPDATE',
    'NEW.assignment <> OLD.assignment',
    `CASE NEW.assignment WHEN 'ORDER' THEN NEW.status ELSE NEW.assignment END`,
  ],
  ['transfers', 'INSERT', 'TRUE', `CASE NEW.status WHEN 'HELD' THEN 'HELD AT ONCE' ELSE NEW.status END`],
  ['transfers', 'UPDATE', 'NEW.status <> OLD.status', 'NEW.status'],
  ['claims', 'INSERT', 'TRUE', `CASE NEW.status WHEN 'APPROVED' THEN 'APPROVED AT ONCE' ELSE NEW.status END`],
  ['claims', 'UPDATE', 'NEW.status <> OLD.status', 'NEW.status'],
] as const;

/** How the simulation writes notices. */
export const NOTICE_SETTINGS: NoticeSettings = {
  channels: () => [{ name: 'mail', reaches: 'both' }],
  amount: (currency, units) => `${units} ${currency}`,
};

/** Begins to keep events and changes. */
export function keepEvents(driver: SqliteDriver): void {
  for (const [table, kept, columns, when] of KEPT) {
    driver.all(`CREATE TABLE ${kept} AS SELECT ${columns} FROM ${table} WHERE FALSE`);
    const values = columns.replaceAll(/\w+/g, 'NEW.$&');
    driver.all(
      `CREATE TRIGGER keep_${table} AFTER INSERT ON ${table} WHEN ${when} BEGIN
         INSERT INTO ${kept} VALUES (${values}); DELETE FROM ${table} WHERE id = NEW.id; END`,
    );
  }
  driver.all('CREATE TABLE kept_changes (place INTEGER PRIMARY KEY, record TEXT, id TEXT, became TEXT)');
  CHANGES.forEach(([table, write, when, became], at) =>
    driver.all(
      `CREATE TRIGGER note_${at} AFTER ${write} ON ${table} WHEN ${when} BEGIN
         INSERT INTO kept_changes (record, id, became) VALUES ('${table}', NEW.id, ${became}); END`,
    ),
  );
}

/** An endpoint of an account for every event. */
export async function subscribe(storage: Storage, accountId: AccountId, number: number): Promise<void> {
  await storage.transaction((tx) =>
    tx.webhooks.add({
      id: `endpoint-${number}` as WebhookId,
      accountId,
      url: `https://merchant-${number}.example.com/events`,
      events: ['order.*', 'refund.*', 'withdrawal.*', 'payout.*', 'claim.*', 'deposit.*', 'security.*', 'alert.*'],
      enabled: true,
      format: 'standard',
      sealed: 'sealed',
      previousSealed: null,
      previousUntil: null,
      createdAt: START,
      updatedAt: START,
    }),
  );
}
