import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/** How payers see an account, and its payment links and points of sale. */
export function sales(t: Tables, { types: { text, units, time, int, flag } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.branding} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), name ${text}, colour ${text}, support ${text},
      logo_id ${text}, logo_type ${text}, logo ${text}, version ${int} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE INDEX ${t.branding}_logo ON ${t.branding} (logo_id) WHERE logo_id IS NOT NULL`,
    // Each brand name, folded, belongs to one account.
    `CREATE TABLE ${t.brandNames} (
      name_key ${text} PRIMARY KEY, account_id ${text} NOT NULL UNIQUE REFERENCES ${t.accounts} (id))`,
    `CREATE TABLE ${t.links} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), token ${text} NOT NULL,
      face ${text} NOT NULL, title ${text} NOT NULL, description ${text} NOT NULL, vs_currency ${text} NOT NULL, price ${units},
      min_price ${units}, max_price ${units}, coins ${text}, max_sales ${int}, expires_at ${time}, active ${flag} NOT NULL,
      return_url ${text}, callback_url ${text}, timeout_callback ${text}, enable_post_callback ${flag} NOT NULL,
      fixed_encrypt_price ${flag} NOT NULL, reference_prefix ${text}, metadata ${text} NOT NULL, pairing ${text},
      devices ${text} NOT NULL, version ${int} NOT NULL, created_at ${time} NOT NULL, updated_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.links}_token ON ${t.links} (token)`,
    `CREATE INDEX ${t.links}_account ON ${t.links} (account_id, created_at, id)`,
    `CREATE INDEX ${t.links}_all ON ${t.links} (created_at, id)`,
  ];
}

/**
 * `orders` and `order_addresses` are the hot path and have no foreign key to the account: its row must exist for the order
 * to get its number, and an address is written in the statement of its order.
 */
export function orders(t: Tables, { types: { text, units, time, int, flag, serial }, unitParts }: Dialect): string[] {
  const sums = ['received', 'vs_price'].flatMap((column) =>
    unitParts.of(column).map((_, at) => `${column}_${at} ${unitParts.type} NOT NULL`),
  );
  return [
    // decide_at is when an expired order is decided at the latest, while payments that could complete it are unconfirmed.
    `CREATE TABLE ${t.orders} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL, number ${int} NOT NULL, credential_id ${text},
      link_id ${text} REFERENCES ${t.links} (id), type ${text} NOT NULL, platform ${text} NOT NULL,
      hosted ${flag} NOT NULL DEFAULT FALSE, status ${text} NOT NULL, vs_currency ${text} NOT NULL, vs_price ${units} NOT NULL,
      chain ${text}, currency ${text}, units ${units}, address ${text}, rate ${text}, chosen_at ${time},
      received ${units} NOT NULL, remark ${text} NOT NULL, merchant_reference ${text}, metadata ${text} NOT NULL DEFAULT '{}',
      succeed_url ${text}, timeout_url ${text}, callback_url ${text}, timeout_callback ${text},
      fixed_encrypt_price ${flag} NOT NULL, enable_post_callback ${flag} NOT NULL, checkout_token ${text} NOT NULL,
      tolerance_bps ${int} NOT NULL, created_at ${time} NOT NULL, updated_at ${time} NOT NULL, expires_at ${time} NOT NULL,
      watch_until ${time} NOT NULL, decide_at ${time}, reorged_at ${time}, refund_address ${text}, refund_address_at ${time},
      refund_browser ${text})`,
    `CREATE UNIQUE INDEX ${t.orders}_number ON ${t.orders} (account_id, number)`,
    `CREATE UNIQUE INDEX ${t.orders}_checkout ON ${t.orders} (checkout_token)`,
    `CREATE INDEX ${t.orders}_pending ON ${t.orders} (chain, expires_at) WHERE status = 'PENDING'`,
    `CREATE INDEX ${t.orders}_reorged ON ${t.orders} (watch_until) WHERE reorged_at IS NOT NULL`,
    `CREATE INDEX ${t.orders}_listed ON ${t.orders} (account_id, status, created_at, id)`,
    `CREATE INDEX ${t.orders}_coin ON ${t.orders} (account_id, currency, status, created_at, id) WHERE currency IS NOT NULL`,
    `CREATE INDEX ${t.orders}_all ON ${t.orders} (status, created_at, id)`,
    `CREATE INDEX ${t.orders}_all_coin ON ${t.orders} (currency, status, created_at, id) WHERE currency IS NOT NULL`,
    `CREATE UNIQUE INDEX ${t.orders}_reference ON ${t.orders} (merchant_reference, account_id) WHERE merchant_reference IS NOT NULL`,
    `CREATE INDEX ${t.orders}_link ON ${t.orders} (link_id, status, created_at, id) WHERE link_id IS NOT NULL`,
    `CREATE INDEX ${t.orders}_decide ON ${t.orders} (decide_at, id) WHERE decide_at IS NOT NULL`,
    // assigned_height is the block from which payments to the address are looked for; compared_height the last one at which
    // its balance was compared with the ledger.
    `CREATE TABLE ${t.addresses} (
      order_id ${text} NOT NULL, account_id ${text} NOT NULL, chain ${text} NOT NULL, currency ${text} NOT NULL,
      address ${text} NOT NULL, watch_key ${text} NOT NULL, wallet_id ${text} NOT NULL, address_index ${int} NOT NULL,
      assigned_at ${time} NOT NULL DEFAULT 0, assigned_height ${int}, compared_height ${int}, watch_until ${time} NOT NULL,
      created_at ${time} NOT NULL, PRIMARY KEY (order_id, chain))`,
    `CREATE UNIQUE INDEX ${t.addresses}_address ON ${t.addresses} (chain, address)`,
    `CREATE UNIQUE INDEX ${t.addresses}_key ON ${t.addresses} (chain, watch_key)`,
    `CREATE UNIQUE INDEX ${t.addresses}_index ON ${t.addresses} (wallet_id, address_index)`,
    `CREATE INDEX ${t.addresses}_created ON ${t.addresses} (chain, created_at, order_id)`,
    `CREATE INDEX ${t.addresses}_watch ON ${t.addresses} (chain, watch_until, order_id)`,
    `CREATE INDEX ${t.addresses}_uncompared ON ${t.addresses} (chain, watch_until, order_id) WHERE compared_height IS NULL`,
    `CREATE TABLE ${t.history} (
      id ${serial}, order_id ${text} NOT NULL REFERENCES ${t.orders} (id), happened_at ${time} NOT NULL, from_status ${text},
      to_status ${text} NOT NULL, rule ${text} NOT NULL, inputs ${text} NOT NULL, rate ${text})`,
    `CREATE INDEX ${t.history}_order ON ${t.history} (order_id, id)`,
    `CREATE TABLE ${t.idempotency} (
      account_id ${text} NOT NULL, route ${text} NOT NULL, claim_key ${text} NOT NULL, body_hash ${text} NOT NULL,
      order_id ${text} NOT NULL, expires_at ${time} NOT NULL, PRIMARY KEY (account_id, route, claim_key))`,
    `CREATE INDEX ${t.idempotency}_expiry ON ${t.idempotency} (expires_at)`,
    // Orders of a day; kept by triggers.
    `CREATE TABLE ${t.orderSums} (
      account_id ${text} NOT NULL, day ${time} NOT NULL, currency ${text} NOT NULL, vs_currency ${text} NOT NULL,
      status ${text} NOT NULL, records ${int} NOT NULL, ${sums.join(', ')}, PRIMARY KEY (account_id, day, currency, vs_currency, status))`,
    `CREATE INDEX ${t.orderSums}_day ON ${t.orderSums} (day)`,
  ];
}
