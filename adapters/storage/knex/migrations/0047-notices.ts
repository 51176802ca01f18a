import type { Migration } from './migration.ts';

/** Messages to persons, how many of a type an addressee got in an hour, and what accounts chose to be told of. */
export const notices: Migration = {
  name: '0047-notices',
  statements: ({ notices: table, noticeHours, noticePreferences, accounts }, { types: { text, time, int, flag } }) => [
    `CREATE TABLE ${table} (
      id ${text} PRIMARY KEY, notifier ${text} NOT NULL, account_id ${text} REFERENCES ${accounts} (id), type ${text} NOT NULL,
      subject ${text} NOT NULL, body ${text} NOT NULL, status ${text} NOT NULL, attempts ${int} NOT NULL, next_at ${time} NOT NULL,
      created_at ${time} NOT NULL, sent_at ${time}, last_error ${text}, day ${time},
      claimed_until ${time} NOT NULL DEFAULT 0, fence ${int} NOT NULL DEFAULT 0)`,
    `CREATE INDEX ${table}_due ON ${table} (notifier, next_at, id) WHERE status = 'PENDING'`,
    `CREATE INDEX ${table}_status ON ${table} (status, id)`,
    `CREATE INDEX ${table}_age ON ${table} (created_at)`,
    `CREATE UNIQUE INDEX ${table}_day ON ${table} (day, notifier, type, (coalesce(account_id, ''))) WHERE day IS NOT NULL`,
    `CREATE TABLE ${noticeHours} (
      notifier ${text} NOT NULL, recipient ${text} NOT NULL, type ${text} NOT NULL, hour ${time} NOT NULL,
      sent ${int} NOT NULL, held_back ${int} NOT NULL, PRIMARY KEY (hour, notifier, recipient, type))`,
    `CREATE TABLE ${noticePreferences} (
      account_id ${text} PRIMARY KEY REFERENCES ${accounts} (id), withdrawals ${flag} NOT NULL, summary ${flag} NOT NULL)`,
    `CREATE INDEX ${noticePreferences}_summary ON ${noticePreferences} (account_id) WHERE summary`,
  ],
};
