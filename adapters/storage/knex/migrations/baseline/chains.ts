import type { Dialect } from '../../dialects/dialect.ts';
import type { Tables } from '../../tables.ts';

/** How far each chain was followed, and the blocks above its finality. */
export function chains(t: Tables, { types: { text, time, int } }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.chainStates} (
      chain ${text} PRIMARY KEY, identity ${text}, cursor_height ${int}, cursor_hash ${text}, cursor_parent_hash ${text},
      cursor_time ${time}, caught_up_at ${time}, read_at ${time}, halted_reason ${text}, reread_height ${int}, trouble ${text})`,
    `CREATE TABLE ${t.blocks} (
      chain ${text} NOT NULL, height ${int} NOT NULL, hash ${text} NOT NULL, parent_hash ${text} NOT NULL,
      block_time ${time} NOT NULL, PRIMARY KEY (chain, height))`,
    // The next unused index of each wallet: no address is derived twice.
    `CREATE TABLE ${t.walletIndexes} (
      wallet_id ${text} PRIMARY KEY, next_index ${int} NOT NULL)`,
    // Addresses that were derived ahead.
    `CREATE TABLE ${t.addressPool} (
      chain ${text} NOT NULL, wallet_id ${text} NOT NULL, address_index ${int} NOT NULL, address ${text} NOT NULL,
      watch_key ${text} NOT NULL, PRIMARY KEY (chain, wallet_id, address_index))`,
  ];
}

/** The installation itself. */
export function service(t: Tables, { types: { text, time, int, flag }, randomId, nowMs }: Dialect): string[] {
  return [
    `CREATE TABLE ${t.leases} (
      name ${text} PRIMARY KEY, owner ${text} NOT NULL, fence ${int} NOT NULL, expires_at ${time} NOT NULL)`,
    `CREATE TABLE ${t.documents} (
      document_key ${text} PRIMARY KEY, value ${text} NOT NULL, version ${int} NOT NULL)`,
    // The database was made, or restored from a backup: each is an epoch that an operator confirms.
    `CREATE TABLE ${t.epochs} (
      number ${int} PRIMARY KEY, till_id ${text} NOT NULL, status ${text} NOT NULL, reason ${text} NOT NULL,
      started_at ${time} NOT NULL, first_indexes ${text} NOT NULL, marked ${flag} NOT NULL)`,
    `INSERT INTO ${t.epochs} (number, till_id, status, reason, started_at, first_indexes, marked)
     VALUES (1, ${randomId}, 'dismissed', 'The database was made.', ${nowMs}, '{}', FALSE)`,
    `CREATE TABLE ${t.writeProbes} (
      name ${text} PRIMARY KEY, written_at ${time} NOT NULL, room ${text} NOT NULL)`,
  ];
}
