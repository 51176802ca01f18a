import type { Dialect } from '../dialects/dialect.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migration.ts';

const LIVE = "status NOT IN ('CONFIRMED', 'FAILED')";

function transfers(t: Tables, { types: { text, units, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.transfers} (
      id ${text} PRIMARY KEY, kind ${text} NOT NULL CHECK (kind IN ('withdrawal', 'refund', 'sweep', 'gas', 'cold')),
      account_id ${text} REFERENCES ${t.accounts} (id), order_id ${text} REFERENCES ${t.orders} (id), chain ${text} NOT NULL,
      currency ${text} NOT NULL, units ${units} NOT NULL, fee_units ${units} NOT NULL, max_fee_units ${units} NOT NULL,
      source_address ${text} NOT NULL, source_index ${int}, to_address ${text} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('HELD', 'REQUESTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED')),
      bundle_id ${text} REFERENCES ${t.payouts} (id), reason ${text}, created_at ${time} NOT NULL, updated_at ${time} NOT NULL,
      finished_at ${time}, CHECK (kind <> 'refund' OR order_id IS NOT NULL))`,
    // Few transfers are under way, and finished ones grow without bound: each query has a partial index of the former.
    `CREATE INDEX ${t.transfers}_waiting ON ${t.transfers} (chain, status, id) WHERE status = 'REQUESTED'`,
    `CREATE INDEX ${t.transfers}_signed ON ${t.transfers} (chain, id) WHERE status IN ('SIGNED', 'BROADCAST')`,
    `CREATE INDEX ${t.transfers}_live ON ${t.transfers} (account_id, kind) WHERE ${LIVE}`,
    `CREATE INDEX ${t.transfers}_bundle ON ${t.transfers} (bundle_id) WHERE bundle_id IS NOT NULL`,
    `CREATE INDEX ${t.transfers}_order ON ${t.transfers} (order_id, id) WHERE kind = 'refund'`,
    `CREATE INDEX ${t.transfers}_status ON ${t.transfers} (status, id)`,
    // Of concurrent requests only one gets its transfer. A paid refund blocks another one for ever.
    `CREATE UNIQUE INDEX ${t.transfers}_one_refund ON ${t.transfers} (order_id) WHERE kind = 'refund' AND status <> 'FAILED'`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_gas ON ${t.transfers} (chain, to_address) WHERE kind = 'gas' AND ${LIVE}`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_sweep ON ${t.transfers} (chain, source_address, currency) WHERE kind = 'sweep' AND ${LIVE}`,
    `CREATE UNIQUE INDEX ${t.transfers}_one_cold ON ${t.transfers} (chain, currency) WHERE kind = 'cold' AND ${LIVE}`,
  ];
}

function payouts(t: Tables, { types: { text, units, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.payouts} (
      id ${text} PRIMARY KEY, chain ${text} NOT NULL, source_address ${text} NOT NULL, source_index ${int}, nonce ${int},
      status ${text} NOT NULL CHECK (status IN ('LIVE', 'DONE', 'VOID')), mined_txid ${text}, mined_height ${int}, sent_at ${time},
      created_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.payouts}_nonce ON ${t.payouts} (chain, source_address, nonce) WHERE nonce IS NOT NULL AND status <> 'VOID'`,
    `CREATE INDEX ${t.payouts}_live ON ${t.payouts} (chain, id) WHERE status = 'LIVE'`,
    `CREATE INDEX ${t.payouts}_done ON ${t.payouts} (chain, mined_height, id) WHERE status = 'DONE'`,
    // A txid belongs to one payout of a chain only.
    `CREATE TABLE ${t.payoutAttempts} (
      bundle_id ${text} NOT NULL REFERENCES ${t.payouts} (id), number ${int} NOT NULL, chain ${text} NOT NULL, txid ${text} NOT NULL,
      raw ${text} NOT NULL, fee_units ${units} NOT NULL, terms ${text} NOT NULL, expires_at ${time}, created_at ${time} NOT NULL,
      PRIMARY KEY (bundle_id, number))`,
    `CREATE UNIQUE INDEX ${t.payoutAttempts}_txid ON ${t.payoutAttempts} (chain, txid)`,
    `CREATE TABLE ${t.payerNonces} (
      chain ${text} NOT NULL, address ${text} NOT NULL, next_nonce ${int} NOT NULL, PRIMARY KEY (chain, address))`,
  ];
}

function holdings(t: Tables, dialect: Dialect): string[] {
  const { text, units, int, flag, serial } = dialect.types;
  return [
    `CREATE TABLE ${t.holdings} (
      id ${serial}, chain ${text} NOT NULL, ref ${text} NOT NULL, address ${text} NOT NULL, address_index ${int},
      currency ${text} NOT NULL, units ${units} NOT NULL, status ${text} NOT NULL CHECK (status IN ('FREE', 'TAKEN', 'SPENT', 'GONE')),
      bundle_id ${text} REFERENCES ${t.payouts} (id), further ${flag} NOT NULL,
      CHECK (status <> 'FREE' OR bundle_id IS NULL), CHECK (status NOT IN ('TAKEN', 'SPENT') OR bundle_id IS NOT NULL))`,
    `CREATE UNIQUE INDEX ${t.holdings}_ref ON ${t.holdings} (chain, ref)`,
    `CREATE INDEX ${t.holdings}_kept ON ${t.holdings} (chain, ref) WHERE status IN ('FREE', 'TAKEN')`,
    `CREATE INDEX ${t.holdings}_coins ON ${t.holdings} (chain, currency, ${dialect.bySize('units').join(', ')}, id) WHERE status = 'FREE'`,
    `CREATE INDEX ${t.holdings}_address ON ${t.holdings} (chain, currency, address)`,
    // Most addresses have one deposit. Further deposits have an index of their own, so that a sum by address does not
    // scan all of them.
    `CREATE INDEX ${t.holdings}_further ON ${t.holdings} (chain, currency, address) WHERE status = 'FREE' AND further AND address_index IS NOT NULL`,
    `CREATE INDEX ${t.holdings}_bundle ON ${t.holdings} (bundle_id) WHERE bundle_id IS NOT NULL`,
  ];
}

function addresses(t: Tables, { types: { text, time } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.withdrawalAddresses} (
      account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), chain ${text} NOT NULL, former_address ${text}, address ${text} NOT NULL,
      active_from ${time} NOT NULL, updated_at ${time} NOT NULL, PRIMARY KEY (account_id, chain))`,
    `CREATE INDEX ${t.withdrawalAddresses}_chain ON ${t.withdrawalAddresses} (chain, account_id)`,
    `CREATE TABLE ${t.watchAddresses} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL REFERENCES ${t.accounts} (id), chain ${text} NOT NULL,
      kind ${text} NOT NULL CHECK (kind IN ('address', 'extended-key')), value ${text} NOT NULL, label ${text} NOT NULL,
      created_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.watchAddresses}_value ON ${t.watchAddresses} (account_id, chain, value)`,
    `CREATE INDEX ${t.watchAddresses}_account ON ${t.watchAddresses} (account_id, id)`,
    `CREATE TABLE ${t.withdrawalFreezes} (
      account_id ${text} PRIMARY KEY REFERENCES ${t.accounts} (id), reason ${text} NOT NULL, frozen_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.payoutStops} (chain ${text} PRIMARY KEY, reason ${text} NOT NULL, stopped_at ${time} NOT NULL)`,
  ];
}

/** Deposits that became spendable before this migration are coins of the till too. */
function formerDeposits(t: Tables): string[] {
  const earlier = `SELECT 1 FROM ${t.deposits} e WHERE e.order_id = d.order_id AND e.chain = d.chain AND e.currency = d.currency AND e.status = 'SPENDABLE' AND e.id < d.id`;
  return [
    `INSERT INTO ${t.holdings} (chain, ref, address, address_index, currency, units, status, bundle_id, further)
     SELECT d.chain, d.txid || ':' || d.tx_index, a.address, a.address_index, d.currency, d.units, 'FREE', NULL, EXISTS (${earlier})
     FROM ${t.deposits} d JOIN ${t.addresses} a ON a.order_id = d.order_id AND a.chain = d.chain
     WHERE d.status = 'SPENDABLE' ORDER BY d.id`,
  ];
}

/** Payouts: transfers, signed transactions, the coins that they spend, and withdrawal addresses. */
export const moneyOut: Migration = {
  name: '0004-money-out',
  statements: (tables, dialect) =>
    [payouts, transfers, holdings, addresses, formerDeposits].flatMap((part) => part(tables, dialect)),
};
