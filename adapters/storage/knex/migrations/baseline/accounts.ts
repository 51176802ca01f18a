import { NO_AUDIT } from '../../../../../core/index.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/** Accounts, their profile and their protections. */
export function accounts(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    // email_key is the folded email that logins are compared by; data_security_off_at is when the demand for signatures
    // ends.
    `CREATE TABLE ${t.accounts} (
      id ${text} PRIMARY KEY, email ${text} NOT NULL, email_key ${text} NOT NULL UNIQUE, name ${text}, role ${text} NOT NULL,
      admin_since ${time}, status ${text} NOT NULL, password_hash ${text} NOT NULL, password_expires_at ${time},
      auth_version ${int} NOT NULL, data_security ${flag} NOT NULL, data_security_off_at ${time},
      callback_api_key ${text} NOT NULL, verified_currencies ${text} NOT NULL, created_at ${time} NOT NULL,
      modified_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.accounts}_admins ON ${t.accounts} (id) WHERE role = 'admin' AND status = 'active'`,
    // An account's picture and its last login.
    `CREATE TABLE ${t.profiles} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), avatar_url ${text}, first_login_at ${time},
      last_login_at ${time}, last_login_ip ${text}, last_login_user_agent ${text})`,
    // The TOTP secret is sealed with the master key; totp_last_step is the last time step that was used.
    `CREATE TABLE ${t.security} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), totp_sealed ${text},
      totp_required ${flag} NOT NULL DEFAULT FALSE, totp_confirmed_at ${time}, totp_last_step ${int}, totp_judged ${text},
      totp_tries ${int}, totp_paused_until ${time}, totp_for_withdrawals ${flag} NOT NULL, totp_for_withdrawals_off_at ${time})`,
    `CREATE TABLE ${t.passkeys} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), credential_id ${text} NOT NULL UNIQUE,
      public_key ${text} NOT NULL, sign_count ${int} NOT NULL, transports ${text} NOT NULL, name ${text} NOT NULL,
      created_at ${time} NOT NULL, last_used_at ${time})`,
    `CREATE INDEX ${t.passkeys}_account ON ${t.passkeys} (account_id, id)`,
    `CREATE TABLE ${t.passkeyChallenges} (
      hash ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), purpose ${text} NOT NULL,
      session_hash ${text}, expires_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.passkeyChallenges}_account ON ${t.passkeyChallenges} (account_id, expires_at)`,
    `CREATE INDEX ${t.passkeyChallenges}_expiry ON ${t.passkeyChallenges} (expires_at)`,
    // The networks an account has logged in from, so that a new one is reported.
    `CREATE TABLE ${t.loginNetworks} (
      account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), network ${text} NOT NULL, seen_at ${time} NOT NULL,
      PRIMARY KEY (account_id, network))`,
    // Sessions of the management API, by the hash of their token.
    `CREATE TABLE ${t.sessions} (
      token_hash ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), auth_version ${int} NOT NULL,
      cookie ${flag} NOT NULL, created_at ${time} NOT NULL, last_used_at ${time} NOT NULL DEFAULT 0,
      expires_at ${time} NOT NULL, raised_until ${time}, wrong_passwords ${int} NOT NULL DEFAULT 0, ip ${text},
      user_agent ${text})`,
    `CREATE INDEX ${t.sessions}_account ON ${t.sessions} (account_id)`,
    `CREATE INDEX ${t.sessions}_expiry ON ${t.sessions} (expires_at)`,
    `CREATE INDEX ${t.sessions}_use ON ${t.sessions} (last_used_at)`,
  ];
}

/** Credentials of the payment API, by hashes; what has to be shown again is sealed with the master key. */
export function credentials(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.credentials} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), name ${text} NOT NULL,
      scopes ${text} NOT NULL, api_key_hash ${text} NOT NULL UNIQUE,
      api_token_hash ${text} NOT NULL UNIQUE, sealed ${text} NOT NULL, status ${text} NOT NULL, expires_at ${time},
      created_at ${time} NOT NULL, revoked_at ${time})`,
    `CREATE INDEX ${t.credentials}_account ON ${t.credentials} (account_id)`,
    `CREATE INDEX ${t.credentials}_listed ON ${t.credentials} (account_id, id)`,
    // The secret that callbacks of an account are signed with, and the previous one while it is rotated.
    `CREATE TABLE ${t.callbackCredentials} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), sealed ${text} NOT NULL, previous_sealed ${text},
      previous_until ${time}, created_at ${time} NOT NULL)`,
    // Signatures of requests that move money, each accepted once.
    `CREATE TABLE ${t.usedSignatures} (
      replay_key ${text} PRIMARY KEY, expires_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.usedSignatures}_expiry ON ${t.usedSignatures} (expires_at)`,
    // The last number given, one row for each numbering of an account, so that its orders and its transactions do not block
    // each other.
    `CREATE TABLE ${t.counters} (
      account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), counter ${text} NOT NULL, last ${int} NOT NULL,
      PRIMARY KEY (account_id, counter))`,
  ];
}

/** The audit log: a hash chain, and its last link. */
export function audit(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.audit} (
      seq ${int} PRIMARY KEY, id ${text} NOT NULL UNIQUE, happened_at ${time} NOT NULL, actor_id ${text}, account_id ${text},
      action ${text} NOT NULL, subject_type ${text} NOT NULL, subject_id ${text} NOT NULL, changes ${text} NOT NULL, ip ${text},
      trace_id ${text}, hash ${text} NOT NULL)`,
    `CREATE INDEX ${t.audit}_account ON ${t.audit} (account_id, id)`,
    `CREATE TABLE ${t.auditHead} (
      id ${int} PRIMARY KEY CHECK (id = 1), seq ${int} NOT NULL, hash ${text} NOT NULL)`,
    `INSERT INTO ${t.auditHead} (id, seq, hash) VALUES (1, ${NO_AUDIT.seq}, '${NO_AUDIT.hash}')`,
  ];
}
