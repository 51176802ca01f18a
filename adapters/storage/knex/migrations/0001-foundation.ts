import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

function accounts(t: Tables, { types: { text, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.accounts} (
      id ${text} PRIMARY KEY, email ${text} NOT NULL, email_key ${text} NOT NULL UNIQUE, name ${text}, role ${text} NOT NULL,
      status ${text} NOT NULL, password_hash ${text} NOT NULL, auth_version ${int} NOT NULL, data_security ${flag} NOT NULL,
      callback_api_key ${text} NOT NULL, verified_currencies ${text} NOT NULL, created_at ${time} NOT NULL, modified_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.credentials} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), name ${text} NOT NULL,
      api_key_hash ${text} NOT NULL UNIQUE, api_token_hash ${text} NOT NULL UNIQUE, sealed ${text} NOT NULL, status ${text} NOT NULL,
      expires_at ${time}, created_at ${time} NOT NULL, revoked_at ${time})`,
    `CREATE INDEX ${t.credentials}_account ON ${t.credentials} (account_id)`,
    `CREATE TABLE ${t.callbackCredentials} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), sealed ${text} NOT NULL, previous_sealed ${text},
      previous_until ${time}, created_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.usedSignatures} (replay_key ${text} PRIMARY KEY, expires_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.usedSignatures}_expiry ON ${t.usedSignatures} (expires_at)`,
    // One row for each numbering, so that an order and a transaction of one merchant do not block each other.
    `CREATE TABLE ${t.counters} (
      account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), counter ${text} NOT NULL, last ${int} NOT NULL,
      PRIMARY KEY (account_id, counter))`,
  ];
}

/**
 * `orders` and `order_addresses` are the hot path and carry no foreign key: the order's account must exist for its
 * number to be given (`account_counters` refers to it), and an address is written in the order's own statement.
 */
function orders(t: Tables, { types: { text, units, time, int, flag, serial } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.orders} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL, number ${int} NOT NULL, credential_id ${text}, type ${text} NOT NULL,
      platform ${text} NOT NULL, status ${text} NOT NULL, vs_currency ${text} NOT NULL, vs_price ${units} NOT NULL,
      chain ${text}, currency ${text}, units ${units}, address ${text}, rate ${text}, chosen_at ${time}, received ${units} NOT NULL,
      remark ${text} NOT NULL, succeed_url ${text}, timeout_url ${text}, callback_url ${text}, timeout_callback ${text},
      fixed_encrypt_price ${flag} NOT NULL, enable_post_callback ${flag} NOT NULL, checkout_token ${text} NOT NULL,
      tolerance_bps ${int} NOT NULL, created_at ${time} NOT NULL, updated_at ${time} NOT NULL, expires_at ${time} NOT NULL,
      watch_until ${time} NOT NULL, reorged_at ${time}, refund_address ${text})`,
    `CREATE UNIQUE INDEX ${t.orders}_number ON ${t.orders} (account_id, number)`,
    `CREATE UNIQUE INDEX ${t.orders}_checkout ON ${t.orders} (checkout_token)`,
    `CREATE INDEX ${t.orders}_pending ON ${t.orders} (chain, expires_at) WHERE status = 'PENDING'`,
    `CREATE INDEX ${t.orders}_reorged ON ${t.orders} (watch_until) WHERE reorged_at IS NOT NULL`,
    `CREATE TABLE ${t.addresses} (
      order_id ${text} NOT NULL, account_id ${text} NOT NULL, chain ${text} NOT NULL, currency ${text} NOT NULL,
      address ${text} NOT NULL, watch_key ${text} NOT NULL, wallet_id ${text} NOT NULL, address_index ${int} NOT NULL,
      watch_until ${time} NOT NULL, created_at ${time} NOT NULL, PRIMARY KEY (order_id, chain))`,
    `CREATE UNIQUE INDEX ${t.addresses}_address ON ${t.addresses} (chain, address)`,
    `CREATE UNIQUE INDEX ${t.addresses}_key ON ${t.addresses} (chain, watch_key)`,
    `CREATE UNIQUE INDEX ${t.addresses}_index ON ${t.addresses} (wallet_id, address_index)`,
    `CREATE INDEX ${t.addresses}_created ON ${t.addresses} (chain, created_at, order_id)`,
    `CREATE INDEX ${t.addresses}_watch ON ${t.addresses} (chain, watch_until, order_id)`,
    `CREATE TABLE ${t.history} (
      id ${serial}, order_id ${text} NOT NULL REFERENCES ${t.orders} (id), happened_at ${time} NOT NULL, from_status ${text},
      to_status ${text} NOT NULL, rule ${text} NOT NULL, inputs ${text} NOT NULL, rate ${text})`,
    `CREATE INDEX ${t.history}_order ON ${t.history} (order_id, id)`,
    `CREATE TABLE ${t.idempotency} (
      account_id ${text} NOT NULL, route ${text} NOT NULL, claim_key ${text} NOT NULL, body_hash ${text} NOT NULL,
      order_id ${text} NOT NULL, expires_at ${time} NOT NULL, PRIMARY KEY (account_id, route, claim_key))`,
    `CREATE INDEX ${t.idempotency}_expiry ON ${t.idempotency} (expires_at)`,
  ];
}

/**
 * The foreign key of a deposit is needed on PostgreSQL: inserting one waits for a transaction that locks the
 * order with FOR UPDATE, so that a decision on the deposits seen holds until it is committed.
 */
function deposits(t: Tables, { types: { text, units, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.deposits} (
      id ${text} PRIMARY KEY, order_id ${text} NOT NULL REFERENCES ${t.orders} (id), account_id ${text} NOT NULL, chain ${text} NOT NULL,
      txid ${text} NOT NULL, tx_index ${text} NOT NULL, block_height ${int} NOT NULL, block_hash ${text} NOT NULL, currency ${text} NOT NULL,
      units ${units} NOT NULL, from_address ${text}, to_address ${text} NOT NULL, status ${text} NOT NULL, seen_at ${time} NOT NULL,
      paid_at ${time} NOT NULL, credited_at ${time}, credits ${int} NOT NULL, loss_units ${units} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.deposits}_transfer ON ${t.deposits} (chain, txid, tx_index)`,
    `CREATE INDEX ${t.deposits}_order ON ${t.deposits} (order_id)`,
    `CREATE INDEX ${t.deposits}_unsettled ON ${t.deposits} (chain, id) WHERE status IN ('SEEN', 'CREDITED')`,
    `CREATE INDEX ${t.deposits}_height ON ${t.deposits} (chain, block_height)`,
    `CREATE TABLE ${t.transactions} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL, number ${int} NOT NULL, type ${text} NOT NULL, status ${text} NOT NULL,
      order_id ${text}, chain ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL, obtained ${units} NOT NULL,
      fee ${units} NOT NULL, from_address ${text}, to_address ${text} NOT NULL, tx_hash ${text}, happened_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.transactions}_number ON ${t.transactions} (account_id, number)`,
  ];
}

function ledger(t: Tables, dialect: Dialect): string[] {
  const { text, units, time, int } = dialect.types;
  return [
    `CREATE TABLE ${t.entries} (
      id ${text} PRIMARY KEY, booked_at ${time} NOT NULL, kind ${text} NOT NULL, reference ${text} NOT NULL UNIQUE)`,
    `CREATE TABLE ${t.postings} (
      entry_id ${text} NOT NULL REFERENCES ${t.entries} (id), line ${int} NOT NULL, account ${text} NOT NULL, currency ${text} NOT NULL,
      units ${units} NOT NULL, PRIMARY KEY (entry_id, line))`,
    `CREATE INDEX ${t.postings}_account ON ${t.postings} (account, currency)`,
    `CREATE TABLE ${t.balances} (
      account ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL, PRIMARY KEY (account, currency),
      CHECK (substr(account, 1, 9) <> 'merchant:' OR NOT (${dialect.isNegative('units')})))`,
  ];
}

function callbacks(t: Tables, { types: { text, time, int, serial } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.callbacks} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL, order_id ${text} NOT NULL REFERENCES ${t.orders} (id), event ${text} NOT NULL,
      credential_id ${text}, method ${text} NOT NULL, url ${text} NOT NULL, body ${text}, status ${text} NOT NULL, attempts ${int} NOT NULL,
      next_at ${time} NOT NULL, created_at ${time} NOT NULL, delivered_at ${time}, claimed_until ${time} NOT NULL DEFAULT 0,
      fence ${int} NOT NULL DEFAULT 0)`,
    `CREATE UNIQUE INDEX ${t.callbacks}_event ON ${t.callbacks} (order_id, event)`,
    `CREATE INDEX ${t.callbacks}_due ON ${t.callbacks} (next_at) WHERE status = 'PENDING'`,
    `CREATE INDEX ${t.callbacks}_account ON ${t.callbacks} (account_id, id)`,
    `CREATE INDEX ${t.callbacks}_status ON ${t.callbacks} (status, id)`,
    `CREATE TABLE ${t.attempts} (
      id ${serial}, callback_id ${text} NOT NULL REFERENCES ${t.callbacks} (id), happened_at ${time} NOT NULL, duration_ms ${int} NOT NULL,
      http_status ${int}, error ${text})`,
    `CREATE INDEX ${t.attempts}_callback ON ${t.attempts} (callback_id, id)`,
  ];
}

function chains(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.chainStates} (
      chain ${text} PRIMARY KEY, identity ${text} NOT NULL, cursor_height ${int}, cursor_hash ${text}, cursor_parent_hash ${text},
      cursor_time ${time}, caught_up_at ${time}, halted_reason ${text})`,
    `CREATE TABLE ${t.blocks} (
      chain ${text} NOT NULL, height ${int} NOT NULL, hash ${text} NOT NULL, parent_hash ${text} NOT NULL, block_time ${time} NOT NULL,
      PRIMARY KEY (chain, height))`,
    `CREATE TABLE ${t.walletIndexes} (wallet_id ${text} PRIMARY KEY, next_index ${int} NOT NULL)`,
    `CREATE TABLE ${t.addressPool} (
      chain ${text} NOT NULL, wallet_id ${text} NOT NULL, address_index ${int} NOT NULL, address ${text} NOT NULL, watch_key ${text} NOT NULL,
      PRIMARY KEY (chain, wallet_id, address_index))`,
    `CREATE TABLE ${t.leases} (name ${text} PRIMARY KEY, owner ${text} NOT NULL, fence ${int} NOT NULL, expires_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.documents} (document_key ${text} PRIMARY KEY, value ${text} NOT NULL, version ${int} NOT NULL)`,
  ];
}

/** Everything that a first real payment needs. */
export const foundation: Migration = {
  name: '0001-foundation',
  statements: (tables, dialect) =>
    [accounts, orders, deposits, ledger, callbacks, chains].flatMap((part) => part(tables, dialect)),
};
