import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/**
 * On PostgreSQL the foreign key of a deposit makes its insertion wait for a transaction that has locked the order with
 * FOR UPDATE, so that a decision on the deposits it saw holds until it is committed.
 */
export function deposits(t: Tables, { types: { text, units, time, int } }: Dialect): string[] {
  return [
    // rate is the price when the payment was first seen; loss_units is what a reorganisation took after the credit.
    `CREATE TABLE ${t.deposits} (
      id ${text} PRIMARY KEY, order_id ${text} NOT NULL REFERENCES ${t.orders} (id), account_id ${text} NOT NULL,
      chain ${text} NOT NULL, txid ${text} NOT NULL, tx_index ${text} NOT NULL, block_height ${int} NOT NULL,
      block_hash ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL, rate ${text}, from_address ${text},
      to_address ${text} NOT NULL, status ${text} NOT NULL,
      assignment ${text} NOT NULL DEFAULT 'ORDER' CHECK (assignment IN ('ORDER', 'UNASSIGNED', 'RETURNING', 'RETURNED')),
      unassigned_reason ${text}, seen_at ${time} NOT NULL, paid_at ${time} NOT NULL, credited_at ${time},
      credits ${int} NOT NULL, least_confirmations ${int}, loss_units ${units} NOT NULL,
      return_cost_units ${units} NOT NULL DEFAULT '0')`,
    `CREATE INDEX ${t.deposits}_order ON ${t.deposits} (order_id)`,
    `CREATE INDEX ${t.deposits}_height ON ${t.deposits} (chain, block_height)`,
    `CREATE INDEX ${t.deposits}_unassigned ON ${t.deposits} (id) WHERE assignment <> 'ORDER'`,
    `CREATE UNIQUE INDEX ${t.deposits}_transfer ON ${t.deposits} (chain, txid, tx_index) WHERE status <> 'ORPHANED'`,
    `CREATE INDEX ${t.deposits}_orphaned ON ${t.deposits} (chain, txid) WHERE status = 'ORPHANED'`,
    `CREATE INDEX ${t.deposits}_unsettled ON ${t.deposits} (chain, order_id, id, block_height, status) WHERE status IN ('SEEN', 'CREDITED')`,
    `CREATE INDEX ${t.deposits}_address ON ${t.deposits} (chain, to_address)`,
    // Payments that are in no block yet.
    `CREATE TABLE ${t.unconfirmedPayments} (
      chain ${text} NOT NULL, txid ${text} NOT NULL, tx_index ${text} NOT NULL,
      order_id ${text} NOT NULL REFERENCES ${t.orders} (id), watch_key ${text} NOT NULL, currency ${text} NOT NULL,
      units ${units} NOT NULL, rate ${text}, seen_at ${time} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('WAITING', 'MISSING', 'GONE')), since ${time} NOT NULL,
      PRIMARY KEY (chain, txid, tx_index))`,
    `CREATE INDEX ${t.unconfirmedPayments}_live ON ${t.unconfirmedPayments} (order_id) WHERE status <> 'GONE'`,
    // The merchant's list: one row for each credited deposit and each transfer.
    `CREATE TABLE ${t.transactions} (
      id ${text} PRIMARY KEY, account_id ${text} NOT NULL, number ${int} NOT NULL, type ${text} NOT NULL,
      status ${text} NOT NULL, order_id ${text}, chain ${text} NOT NULL, currency ${text} NOT NULL, units ${units} NOT NULL,
      obtained ${units} NOT NULL, fee ${units} NOT NULL, from_address ${text}, to_address ${text} NOT NULL, tx_hash ${text},
      happened_at ${time} NOT NULL)`,
    `CREATE UNIQUE INDEX ${t.transactions}_number ON ${t.transactions} (account_id, number)`,
    `CREATE INDEX ${t.transactions}_listed ON ${t.transactions} (account_id, type, status, happened_at, id)`,
    `CREATE INDEX ${t.transactions}_coin ON ${t.transactions} (account_id, currency, type, status, happened_at, id)`,
    `CREATE INDEX ${t.transactions}_all ON ${t.transactions} (type, status, happened_at, id)`,
    `CREATE INDEX ${t.transactions}_all_coin ON ${t.transactions} (currency, type, status, happened_at, id)`,
    `CREATE INDEX ${t.transactions}_hash ON ${t.transactions} (tx_hash) WHERE tx_hash IS NOT NULL`,
    `CREATE INDEX ${t.transactions}_order ON ${t.transactions} (order_id) WHERE order_id IS NOT NULL`,
    `CREATE INDEX ${t.transactions}_sent ON ${t.transactions} (to_address, (currency || ' ' || type || ' ' || status), happened_at, id)`,
    // How far the comparison of balances with the ledger has come on each chain.
    `CREATE TABLE ${t.comparisons} (
      chain ${text} PRIMARY KEY, watched_after ${text}, watched_began_height ${int} NOT NULL DEFAULT 0,
      watched_began_at ${time} NOT NULL DEFAULT 0, every_after ${text}, every_began_height ${int} NOT NULL DEFAULT 0,
      every_began_at ${time} NOT NULL DEFAULT 0, unseen_since ${time}, unseen_height ${int})`,
  ];
}
