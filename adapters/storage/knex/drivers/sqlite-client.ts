import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import Sqlite3Client from 'knex/lib/dialects/sqlite3/index.js';
import { TillgateError } from '../../../../core/index.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { BUSY_TIMEOUT_MS, nodeSqliteDialect, sqliteDialect } from '../dialects/sqlite-dialect.ts';
import { NodeSqliteClient } from './node-sqlite-client.ts';
import type { NodeSqliteConnection } from './node-sqlite-client.ts';
import { defectOfNodeSqlite, thisNode, USABLE_NODES } from './node-sqlite-module.ts';

/** The drivers of SQLite: two npm packages, and `node:sqlite`, which is part of Node. */
export type SqliteDriver = 'sqlite3' | 'better-sqlite3' | 'node';

/** An SQLite file. */
export interface SqliteConfig {
  /** A driver, or `sqlite` for the package `sqlite3` where it can be loaded and `node:sqlite` where it cannot. */
  readonly client: 'sqlite' | SqliteDriver;
  /** A path, or `:memory:` for a database in memory. */
  readonly filename: string;
}

export interface SqliteClientOptions {
  /** Neither creates nor changes the file. */
  readonly readOnly?: boolean;
  /** How long `node:sqlite` waits for a lock; the dialect sets it on the connections of the packages. */
  readonly busyTimeoutMs?: number;
}

/** The settings of a knex instance on an SQLite file, and the dialect for its driver. */
export interface SqliteClient {
  readonly settings: Knex.Config;
  readonly dialect: Dialect;
}

/** Why a package cannot be used. */
export interface PackageDefect {
  readonly reason: string;
  /** True for one that is installed and does not load, such as one built for another version of Node. */
  readonly installed: boolean;
}

/** Which drivers there are: for each of the two why it cannot be used, or `null`. */
export interface FoundDrivers {
  readonly sqlite3: () => PackageDefect | null;
  readonly node: () => string | null;
}

/** @throws TillgateError `CONFIG_INVALID` when there is no driver */
export function sqliteClient(
  { client, filename }: SqliteConfig,
  { readOnly = false, busyTimeoutMs = BUSY_TIMEOUT_MS }: SqliteClientOptions = {},
): SqliteClient {
  const driver = driverOf(client);
  if (driver === 'node') {
    const connection: NodeSqliteConnection = { filename, readOnly, busyTimeoutMs };
    return { settings: { client: NodeSqliteClient, connection, useNullAsDefault: true }, dialect: nodeSqliteDialect };
  }
  // Knex opens a file for writing and creates it; the mode in the URI overrides both.
  const connection = readOnly
    ? { filename: `${pathToFileURL(filename).href}?mode=ro`, flags: ['OPEN_URI'] }
    : { filename };
  return { settings: { client: driver, connection, useNullAsDefault: true }, dialect: sqliteDialect };
}

/**
 * The driver for a database. The package `sqlite3` comes first, because it works in threads of its own, and because an
 * application that uses it on the same file must not have a second copy of SQLite in its process: each would drop the
 * file locks of the other.
 *
 * @throws TillgateError `CONFIG_INVALID` with words on what to install
 */
export function driverOf(wanted: SqliteConfig['client'], found: FoundDrivers = DRIVERS): SqliteDriver {
  if (wanted === 'sqlite3' || wanted === 'better-sqlite3') return wanted;
  const missing = wanted === 'node' ? null : found.sqlite3();
  if (wanted === 'sqlite' && missing === null) return 'sqlite3';
  const defect = found.node();
  if (defect === null) return 'node';
  const help =
    missing === null
      ? `node:sqlite cannot be used: ${defect}. Use ${USABLE_NODES}, or the package sqlite3.`
      : `There is no driver for SQLite: ${missing.reason}, and ${defect}. ${cureOf(missing)}, or use ${USABLE_NODES}.`;
  throw new TillgateError('CONFIG_INVALID', help);
}

const cureOf = ({ installed }: PackageDefect): string => `Run "npm ${installed ? 'rebuild' : 'install'} sqlite3"`;

/**
 * What an operator should know of the driver: the package `sqlite3` is installed, does not load, and `node:sqlite` is used in
 * its place. `null` where all is as usual.
 */
export function driverNotice(wanted: SqliteConfig['client'], found: FoundDrivers = DRIVERS): string | null {
  if (wanted !== 'sqlite') return null;
  const missing = found.sqlite3();
  if (missing === null || !missing.installed || found.node() !== null) return null;
  return `${missing.reason}, so node:sqlite is used. ${cureOf(missing)} to use the package, or "npm uninstall sqlite3"`;
}

const DRIVERS: FoundDrivers = {
  sqlite3: () => {
    try {
      // As knex loads it, from where knex is installed.
      Sqlite3Client.prototype._driver();
      return null;
    } catch (error) {
      const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n', 1);
      const installed = !/^Cannot find (?:module|package) 'sqlite3'/.test(reason);
      return { reason: `the package sqlite3 cannot be loaded (${reason})`, installed };
    }
  },
  node: () => defectOfNodeSqlite(thisNode()),
};
