import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

function accounts(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.profiles} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), avatar_url ${text}, first_login_at ${time}, last_login_at ${time},
      last_login_ip ${text}, last_login_user_agent ${text})`,
    `CREATE TABLE ${t.security} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), totp_sealed ${text}, totp_confirmed_at ${time}, totp_last_step ${int},
      totp_tries ${int}, totp_paused_until ${time}, totp_for_withdrawals ${flag} NOT NULL)`,
    `CREATE INDEX ${t.accounts}_admins ON ${t.accounts} (id) WHERE role = 'admin' AND status = 'active'`,
    `CREATE INDEX ${t.credentials}_listed ON ${t.credentials} (account_id, id)`,
  ];
}

function sessions(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.sessions} (
      token_hash ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), auth_version ${int} NOT NULL,
      cookie ${flag} NOT NULL, created_at ${time} NOT NULL, expires_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.sessions}_account ON ${t.sessions} (account_id)`,
    `CREATE INDEX ${t.sessions}_expiry ON ${t.sessions} (expires_at)`,
  ];
}

function audit(t: Tables, { types: { text, time } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.audit} (
      id ${text} PRIMARY KEY, happened_at ${time} NOT NULL, actor_id ${text}, account_id ${text}, action ${text} NOT NULL,
      subject_type ${text} NOT NULL, subject_id ${text} NOT NULL, changes ${text} NOT NULL, ip ${text}, trace_id ${text})`,
    `CREATE INDEX ${t.audit}_account ON ${t.audit} (account_id, id)`,
  ];
}

/** Profiles, second factors, sessions and the audit log of the management API. */
export const management: Migration = {
  name: '0003-management',
  statements: (tables, dialect) => [accounts, sessions, audit].flatMap((part) => part(tables, dialect)),
};
