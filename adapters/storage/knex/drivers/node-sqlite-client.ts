import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import Sqlite3Client from 'knex/lib/dialects/sqlite3/index.js';
import type { DriverQuery } from 'knex/lib/dialects/sqlite3/index.js';
import { nodeSqlite } from './node-sqlite-module.ts';
import type { NodeSqlite, NodeSqliteDatabase, NodeSqliteStatement, NodeSqliteValue } from './node-sqlite-module.ts';
import { nameOfCode } from './sqlite-codes.ts';

/** The `connection` settings of a {@link NodeSqliteClient}. */
export interface NodeSqliteConnection {
  readonly filename: string;
  readonly readOnly: boolean;
  /** How long a statement waits for a lock that another connection holds, in milliseconds. */
  readonly busyTimeoutMs: number;
}

/** The methods of knex whose result is a number of rows or an id. */
const WITHOUT_ROWS: readonly (string | undefined)[] = ['insert', 'update', 'counter', 'del'];
/** Codes of a lock that another connection gives back; SQLITE_BUSY_SNAPSHOT would remain. */
const LOCKED: readonly string[] = ['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY'];
const LONGEST_PAUSE_MS = 32;

/**
 * Knex on `node:sqlite`. A statement runs on the thread of the application, in a turn of the event loop of its own, so
 * that other work proceeds between two statements. SQLite itself would wait for a lock on this thread, and so stop a
 * transaction of the same process that holds it: the client waits instead, and tries the statement again.
 */
export class NodeSqliteClient extends Sqlite3Client {
  /** The prepared statements of each connection, by their text. */
  readonly #prepared = new WeakMap<NodeSqliteDatabase, Map<string, NodeSqliteStatement>>();

  static {
    this.prototype.driverName = 'node:sqlite';
  }

  override _driver(): unknown {
    return nodeSqlite()?.DatabaseSync;
  }

  override async acquireRawConnection(): Promise<NodeSqliteDatabase> {
    const { filename, readOnly } = this.connectionSettings as NodeSqliteConnection;
    const Database = this.driver as NodeSqlite['DatabaseSync'];
    try {
      // SQLite's own default, which the package sqlite3 has too: the storage turns foreign keys on.
      return new Database(filename, { readOnly, enableForeignKeyConstraints: false });
    } catch (error) {
      throw driverError(error);
    }
  }

  override async destroyRawConnection(connection: NodeSqliteDatabase): Promise<void> {
    connection.close();
  }

  override async _query(connection: NodeSqliteDatabase, query: DriverQuery): Promise<DriverQuery> {
    const { busyTimeoutMs } = this.connectionSettings as NodeSqliteConnection;
    const until = performance.now() + busyTimeoutMs;
    await nextTurn();
    for (let tries = 0; ; tries++) {
      try {
        return run(this.#statement(connection, query), query);
      } catch (error) {
        const failure = driverError(error);
        if (!LOCKED.includes(failure.code) || performance.now() >= until) throw failure;
        await pause(Math.min(2 ** tries, LONGEST_PAUSE_MS));
      }
    }
  }

  /** A statement with a name is prepared once for a connection. SQLite itself prepares it again when the schema changes. */
  #statement(connection: NodeSqliteDatabase, { sql, options }: DriverQuery): NodeSqliteStatement {
    if (options?.name === undefined) return connection.prepare(sql);
    const kept = this.#prepared.get(connection) ?? new Map<string, NodeSqliteStatement>();
    this.#prepared.set(connection, kept);
    const statement = kept.get(sql) ?? connection.prepare(sql);
    kept.set(sql, statement);
    return statement;
  }
}

/** Runs one statement, and gives the result the form that the package `sqlite3` gives it. */
function run(statement: NodeSqliteStatement, query: DriverQuery): DriverQuery {
  const values = (query.bindings ?? []).map(bound);
  if (WITHOUT_ROWS.includes(query.method) && !query.returning) {
    const { lastInsertRowid: lastID, changes } = statement.run(...values);
    query.context = { lastID, changes };
    return query;
  }
  statement.setReturnArrays(true);
  const rows = statement.all(...values);
  const names = rows.length === 0 ? [] : statement.columns().map(({ name }) => name);
  query.response = rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [at, name] of names.entries()) record[name] = readable(row[at]);
    return record;
  });
  return query;
}

/** A binding as SQLite must see it: an integer as an integer, because `'5.0'` would be stored where text is. */
function bound(value: unknown): NodeSqliteValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string' || typeof value === 'bigint' || value instanceof Uint8Array) return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return BigInt(value.valueOf());
  // node:sqlite would take another object for the values of named parameters, and bind nothing.
  throw new TypeError('A value of this type cannot be bound to a statement.');
}

const readable = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

/** An error with SQLite's name of it as its code, as the other drivers have it, and without any value of a row. */
function driverError(error: unknown): Error & { readonly code: string } {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message?: unknown };
  if (typeof errcode === 'number') return named(nameOfCode(errcode), String(message));
  // The connection was closed.
  if (code === 'ERR_INVALID_STATE') return named('SQLITE_MISUSE', String(message));
  // SQLite's integers have 64 bits. Its message has the value.
  if (code === 'ERR_OUT_OF_RANGE') return named('ERR_OUT_OF_RANGE', 'an integer is too large to be read exactly');
  const other = error instanceof Error ? error : new Error(String(error));
  return Object.assign(other, { code: typeof code === 'string' ? code : '' });
}

const named = (code: string, words: string): Error & { readonly code: string } =>
  Object.assign(new Error(`${code}: ${words}`), { code });
