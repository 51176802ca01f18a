import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

function apps(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.apps} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), name ${text} NOT NULL, enabled ${flag} NOT NULL,
      version ${int} NOT NULL, provider_id ${text}, chains ${text} NOT NULL, admission_mode ${text}, limits ${text},
      created_at ${time} NOT NULL, modified_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.apps}_account ON ${t.apps} (account_id, id)`,
    `CREATE TABLE ${t.appKeys} (
      id ${text} PRIMARY KEY, app_id ${text} NOT NULL REFERENCES ${t.apps} (id), lookup_hash ${text} NOT NULL UNIQUE, sealed ${text} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('active', 'grace', 'revoked')), expires_at ${time}, revoked_at ${time},
      created_at ${time} NOT NULL, last_used_at ${time},
      CHECK (status <> 'grace' OR expires_at IS NOT NULL), CHECK (status <> 'revoked' OR revoked_at IS NOT NULL))`,
    `CREATE INDEX ${t.appKeys}_app ON ${t.appKeys} (app_id, id)`,
    // Of concurrent rotations only one creates the active key.
    `CREATE UNIQUE INDEX ${t.appKeys}_active ON ${t.appKeys} (app_id) WHERE status = 'active'`,
  ];
}

function routes(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.routes} (
      id ${text} PRIMARY KEY, host ${text} NOT NULL UNIQUE, chain ${text} NOT NULL, network ${text} NOT NULL, protocol ${text} NOT NULL,
      sealed_upstreams ${text} NOT NULL, admission ${text} NOT NULL, enabled ${flag} NOT NULL, methods ${text} NOT NULL, limits ${text} NOT NULL,
      timeouts ${text} NOT NULL, max_body_bytes ${int} NOT NULL, max_batch ${int} NOT NULL, created_at ${time} NOT NULL, modified_at ${time} NOT NULL)`,
  ];
}

/**
 * The version of the feed is one row, so that publishing transactions commit in the order of their versions: a reader
 * that sees a change sees every earlier one. (With a sequence a lower number could appear after a higher one.)
 */
function feed(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.feed} (id ${int} PRIMARY KEY CHECK (id = 1), version ${int} NOT NULL)`,
    `INSERT INTO ${t.feed} (id, version) VALUES (1, 0)`,
    `CREATE TABLE ${t.changes} (version ${int} PRIMARY KEY, kind ${text} NOT NULL, subject_id ${text} NOT NULL, changed_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.instances} (
      id ${text} PRIMARY KEY, applied ${int} NOT NULL, beat ${int} NOT NULL, lease_ms ${int} NOT NULL, confirmed_at ${time} NOT NULL)`,
  ];
}

/** Apps, their keys, managed gateway routes, and the change feed for all instances. */
export const gateway: Migration = {
  name: '0002-gateway',
  statements: (tables, dialect) => [apps, routes, feed].flatMap((part) => part(tables, dialect)),
};
