import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/** Apps and their keys, by the keyed hash that requests are looked up with. */
export function apps(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.apps} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), name ${text} NOT NULL,
      enabled ${flag} NOT NULL, version ${int} NOT NULL, provider_id ${text}, chains ${text} NOT NULL, admission_mode ${text},
      limits ${text}, quota ${text}, prepaid ${flag} NOT NULL DEFAULT FALSE, buyer ${text}, created_at ${time} NOT NULL,
      modified_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.apps}_account ON ${t.apps} (account_id, id)`,
    `CREATE TABLE ${t.appKeys} (
      id ${text} PRIMARY KEY, app_id ${text} NOT NULL REFERENCES ${t.apps} (id), lookup_hash ${text} NOT NULL UNIQUE,
      sealed ${text} NOT NULL, status ${text} NOT NULL CHECK (status IN ('active', 'grace', 'revoked')), expires_at ${time},
      revoked_at ${time}, created_at ${time} NOT NULL, last_used_at ${time},
      CHECK (status <> 'grace' OR expires_at IS NOT NULL), CHECK (status <> 'revoked' OR revoked_at IS NOT NULL))`,
    `CREATE INDEX ${t.appKeys}_app ON ${t.appKeys} (app_id, id)`,
    `CREATE UNIQUE INDEX ${t.appKeys}_active ON ${t.appKeys} (app_id) WHERE status = 'active'`,
    `CREATE TABLE ${t.prepaidUnits} (
      app_id ${text} PRIMARY KEY REFERENCES ${t.apps} (id), token ${text} NOT NULL UNIQUE,
      bought ${int} NOT NULL DEFAULT 0 CHECK (bought >= 0), used ${int} NOT NULL DEFAULT 0 CHECK (used >= 0))`,
    `CREATE TABLE ${t.purchases} (
      order_id ${text} PRIMARY KEY REFERENCES ${t.orders} (id), app_id ${text} NOT NULL REFERENCES ${t.prepaidUnits} (app_id),
      plan ${text} NOT NULL, units ${int} NOT NULL CHECK (units > 0), created_at ${time} NOT NULL,
      state ${text} NOT NULL CHECK (state IN ('OPEN', 'CREDITED', 'TAKEN_BACK')))`,
    `CREATE INDEX ${t.purchases}_app ON ${t.purchases} (app_id, created_at)`,
    // Plans that are paid by the request itself (x402).
    `CREATE TABLE ${t.gateOffers} (
      order_id ${text} PRIMARY KEY REFERENCES ${t.orders} (id), plan ${text} NOT NULL, units ${int} NOT NULL CHECK (units > 0),
      created_at ${time} NOT NULL, app_id ${text} REFERENCES ${t.prepaidUnits} (app_id),
      key_id ${text} REFERENCES ${t.appKeys} (id), ticket_hash ${text}, CHECK ((app_id IS NULL) = (ticket_hash IS NULL)),
      CHECK (key_id IS NULL OR app_id IS NOT NULL))`,
    `CREATE INDEX ${t.gateOffers}_app ON ${t.gateOffers} (app_id, created_at) WHERE app_id IS NOT NULL`,
  ];
}

/** Routes, and the feed by which every instance applies their changes and those of keys before they are confirmed. */
export function routes(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.routes} (
      id ${text} PRIMARY KEY, host ${text} NOT NULL UNIQUE, chain ${text} NOT NULL, network ${text} NOT NULL,
      protocol ${text} NOT NULL, sealed_upstreams ${text} NOT NULL, admission ${text} NOT NULL, enabled ${flag} NOT NULL,
      methods ${text} NOT NULL, limits ${text} NOT NULL, cors ${text} NOT NULL DEFAULT '{"origins":["*"]}',
      units ${text} NOT NULL DEFAULT '{}', reads ${text} NOT NULL DEFAULT '{}', plans ${text} NOT NULL DEFAULT '[]',
      timeouts ${text} NOT NULL, max_body_bytes ${int} NOT NULL, max_batch ${int} NOT NULL, created_at ${time} NOT NULL,
      modified_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.feed} (
      id ${int} PRIMARY KEY CHECK (id = 1), version ${int} NOT NULL)`,
    `INSERT INTO ${t.feed} (id, version) VALUES (1, 0)`,
    `CREATE TABLE ${t.changes} (
      version ${int} PRIMARY KEY, kind ${text} NOT NULL, subject_id ${text} NOT NULL, changed_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.instances} (
      id ${text} PRIMARY KEY, applied ${int} NOT NULL, beat ${int} NOT NULL, lease_ms ${int} NOT NULL,
      confirmed_at ${time} NOT NULL)`,
  ];
}

/** The usage that instances admitted, for limits across all of them, and the recorded usage by hour and day. */
export function usage(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.uses} (
      instance ${text} NOT NULL, app_id ${text} NOT NULL, route_id ${text} NOT NULL, taken ${int} NOT NULL,
      running ${int} NOT NULL, shown_at ${time} NOT NULL, PRIMARY KEY (instance, app_id, route_id))`,
    `CREATE INDEX ${t.uses}_shown ON ${t.uses} (shown_at)`,
    `CREATE TABLE ${t.usage} (
      app_id ${text} NOT NULL, hour ${time} NOT NULL, route ${text} NOT NULL, method ${text} NOT NULL, requests ${int} NOT NULL,
      units ${int} NOT NULL, errors ${int} NOT NULL, bytes_in ${int} NOT NULL, bytes_out ${int} NOT NULL,
      PRIMARY KEY (app_id, hour, route, method))`,
    `CREATE INDEX ${t.usage}_hour ON ${t.usage} (hour)`,
    `CREATE TABLE ${t.usageDays} (
      app_id ${text} NOT NULL, day ${time} NOT NULL, units ${int} NOT NULL, PRIMARY KEY (app_id, day))`,
    `CREATE INDEX ${t.usageDays}_day ON ${t.usageDays} (day)`,
    // The last batch of usage that was added for each instance, so that none is added twice.
    `CREATE TABLE ${t.usageBatches} (
      instance ${text} PRIMARY KEY, number ${int} NOT NULL, added_at ${time} NOT NULL)`,
  ];
}
