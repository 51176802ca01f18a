import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

/** What a session has proved, and whence it was opened. */
function sessions(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.sessions} ADD COLUMN raised_until ${time}`,
    `ALTER TABLE ${t.sessions} ADD COLUMN wrong_passwords ${int} DEFAULT 0 NOT NULL`,
    `ALTER TABLE ${t.sessions} ADD COLUMN ip ${text}`,
    `ALTER TABLE ${t.sessions} ADD COLUMN user_agent ${text}`,
  ];
}

/** When a demand that is being switched off ends. */
function loosenings(t: Tables, { types: { time } }: Dialect): string[] {
  return [
    `ALTER TABLE ${t.accounts} ADD COLUMN data_security_off_at ${time}`,
    `ALTER TABLE ${t.security} ADD COLUMN totp_for_withdrawals_off_at ${time}`,
  ];
}

/** Sessions that are raised for a while, and loosenings that wait. */
export const trust: Migration = {
  name: '0016-trust',
  statements: (tables, dialect) => [sessions, loosenings].flatMap((part) => part(tables, dialect)),
};
