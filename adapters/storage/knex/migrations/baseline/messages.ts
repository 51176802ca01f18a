import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/** Callbacks of orders and events for webhook endpoints, an outbox: written in the transaction of the change. */
export function callbacks(t: Tables, { types: { text, time, int, flag, serial } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.webhooks} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), url ${text} NOT NULL,
      events ${text} NOT NULL, enabled ${flag} NOT NULL, sealed ${text} NOT NULL, previous_sealed ${text},
      previous_until ${time}, created_at ${time} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.webhooks}_account ON ${t.webhooks} (account_id, id)`,
    `CREATE TABLE ${t.callbacks} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL, order_id ${text} REFERENCES ${t.orders} (id), endpoint_id ${text},
      subject_id ${text}, event ${text} NOT NULL, credential_id ${text}, method ${text} NOT NULL, url ${text} NOT NULL,
      body ${text}, status ${text} NOT NULL, attempts ${int} NOT NULL, next_at ${time} NOT NULL, created_at ${time} NOT NULL,
      delivered_at ${time}, claimed_until ${time} NOT NULL DEFAULT 0, fence ${int} NOT NULL DEFAULT 0)`,
    `CREATE INDEX ${t.callbacks}_due ON ${t.callbacks} (next_at) WHERE status = 'PENDING'`,
    `CREATE INDEX ${t.callbacks}_account ON ${t.callbacks} (account_id, id)`,
    `CREATE INDEX ${t.callbacks}_status ON ${t.callbacks} (status, id)`,
    `CREATE UNIQUE INDEX ${t.callbacks}_event ON ${t.callbacks} (order_id, event)`,
    `CREATE INDEX ${t.callbacks}_endpoint ON ${t.callbacks} (endpoint_id, id) WHERE endpoint_id IS NOT NULL`,
    // It holds all columns that are read of waiting events, so that SQLite, which keeps no statistics, does not prefer the
    // index of an endpoint's whole list.
    `CREATE INDEX ${t.callbacks}_subject ON ${t.callbacks} (endpoint_id, subject_id, created_at, id, attempts)
      WHERE status = 'PENDING'`,
    `CREATE INDEX ${t.callbacks}_listed ON ${t.callbacks} (account_id, status, id)`,
    `CREATE INDEX ${t.callbacks}_sent ON ${t.callbacks} (endpoint_id, status, id) WHERE endpoint_id IS NOT NULL`,
    `CREATE INDEX ${t.callbacks}_bodies ON ${t.callbacks} (delivered_at) WHERE status = 'DELIVERED' AND body IS NOT NULL`,
    `CREATE TABLE ${t.attempts} (
      id ${serial}, callback_id ${text} NOT NULL REFERENCES ${t.callbacks} (id), happened_at ${time} NOT NULL,
      duration_ms ${int} NOT NULL, http_status ${int}, error ${text})`,
    `CREATE INDEX ${t.attempts}_callback ON ${t.attempts} (callback_id, id)`,
    // Callbacks of a day; kept by triggers.
    `CREATE TABLE ${t.callbackSums} (
      account_id ${text} NOT NULL, day ${time} NOT NULL, status ${text} NOT NULL, records ${int} NOT NULL,
      PRIMARY KEY (account_id, day, status))`,
    `CREATE INDEX ${t.callbackSums}_day ON ${t.callbackSums} (day)`,
  ];
}

/** Alerts, and messages to people. */
export function notices(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.alerts} (
      id ${text} PRIMARY KEY, kind ${text} NOT NULL, subject ${text} NOT NULL, reason ${text} NOT NULL, status ${text} NOT NULL,
      first_at ${time} NOT NULL, last_at ${time} NOT NULL, raised ${int} NOT NULL, acknowledged_at ${time},
      acknowledged_by ${text} REFERENCES ${t.accounts} (id))`,
    `CREATE UNIQUE INDEX ${t.alerts}_open ON ${t.alerts} (kind, subject) WHERE status = 'OPEN'`,
    `CREATE INDEX ${t.alerts}_status ON ${t.alerts} (status, id)`,
    `CREATE TABLE ${t.notices} (
      id ${text} PRIMARY KEY, notifier ${text} NOT NULL, account_id ${text} REFERENCES ${t.accounts} (id),
      type ${text} NOT NULL, subject ${text} NOT NULL, body ${text} NOT NULL, status ${text} NOT NULL, attempts ${int} NOT NULL,
      next_at ${time} NOT NULL, created_at ${time} NOT NULL, sent_at ${time}, last_error ${text}, day ${time},
      claimed_until ${time} NOT NULL DEFAULT 0, fence ${int} NOT NULL DEFAULT 0)`,
    `CREATE INDEX ${t.notices}_due ON ${t.notices} (notifier, next_at, id) WHERE status = 'PENDING'`,
    `CREATE INDEX ${t.notices}_status ON ${t.notices} (status, id)`,
    `CREATE INDEX ${t.notices}_age ON ${t.notices} (created_at)`,
    `CREATE UNIQUE INDEX ${t.notices}_day ON ${t.notices} (day, notifier, type, (coalesce(account_id, ''))) WHERE day IS NOT NULL`,
    `CREATE TABLE ${t.noticeHours} (
      notifier ${text} NOT NULL, recipient ${text} NOT NULL, type ${text} NOT NULL, hour ${time} NOT NULL, sent ${int} NOT NULL,
      held_back ${int} NOT NULL, PRIMARY KEY (hour, notifier, recipient, type))`,
    `CREATE TABLE ${t.noticePreferences} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), withdrawals ${flag} NOT NULL, summary ${flag} NOT NULL)`,
    `CREATE INDEX ${t.noticePreferences}_summary ON ${t.noticePreferences} (account_id) WHERE summary`,
  ];
}
