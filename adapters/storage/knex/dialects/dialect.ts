import type { Binding } from '../binding.ts';
import type { Failure } from '../errors.ts';
import type { Column } from '../rows/columns.ts';
import type { Tables } from '../tables.ts';
import type { NewOrder } from '../../../../core/index.ts';

/** A row as a driver gives it, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement and returns its rows (those of RETURNING too). */
export type Run = (sql: string, bindings?: readonly Binding[], options?: RunOptions) => Promise<readonly Row[]>;

export interface RunOptions {
  /** Prepares the statement under this name, where the engine has prepared statements. */
  readonly name?: string;
}

/** Column types. `units` holds money of up to 78 digits, exactly. */
export interface ColumnTypes {
  readonly text: string;
  readonly units: string;
  readonly time: string;
  readonly int: string;
  readonly flag: string;
  /** An auto-increment primary key. */
  readonly serial: string;
}

/** The purpose of a connection. */
export interface ConnectionRole {
  readonly readOnly: boolean;
  /** False for the application's own pool, whose session settings must not be changed. */
  readonly owned: boolean;
}

/** The legal changes of a status column, which a trigger enforces. */
export interface MoveRule {
  readonly table: string;
  readonly moves: readonly (readonly [string, string])[];
}

/** Changes of a column that a trigger refuses. */
export interface UpdateRule {
  readonly table: string;
  readonly name: string;
  readonly column: string;
  /** SQL over OLD and NEW. */
  readonly refused: string;
  /** The error message. */
  readonly words: string;
}

/** A queue of the new rows of a table. */
export interface QueueRule {
  readonly source: string;
  readonly queue: string;
  /** The kind of the rows, for people who read the queue. */
  readonly kind: string;
  /** The column that names a row. */
  readonly subject: string;
}

/** Sums over the rows of a table, kept by triggers in each transaction that changes them. */
export interface SumRule {
  /** The table whose rows are summed up; without its schema. */
  readonly source: string;
  /** The table of the sums: the columns of `groups`, `records`, and the parts of each amount (see {@link Dialect.unitParts}). */
  readonly sums: string;
  /** The sums' key: a name, and SQL over a row of the source. */
  readonly groups: readonly { readonly name: string; readonly of: (row: string) => string }[];
  /** Columns of non-negative units. */
  readonly amounts: readonly string[];
}

/** The listener of a notification channel. */
export interface ChannelListener {
  onNotification(): void;
  /** Called when the connection is lost: no more notifications will arrive. */
  onLost(): void;
}

/** A subscription to a channel. */
export interface Listening {
  end(): Promise<void>;
}

/** The differences between the engines. */
export interface Dialect {
  readonly types: ColumnTypes;
  /** Whether the database runs in this process, so that its clock is the machine's. */
  readonly inProcess: boolean;
  /** SQL for the database's own time in epoch milliseconds. */
  readonly nowMs: string;
  /** SQL for a new random text of 32 hexadecimal digits. */
  readonly randomId: string;
  /** Starts a transaction that will write. */
  readonly begin: string;
  /** Starts a read-only transaction on one snapshot. */
  readonly beginSnapshot: string;
  /**
   * Starts a transaction that reads one snapshot and deletes only rows in it; `null` where such a transaction would
   * block all writers.
   */
  readonly beginCheckpoint: string | null;
  /** Removes the time limit of statements in the current transaction; `null` where there is none. */
  readonly withoutTimeLimit: string | null;
  /** Row-lock clauses; empty on an engine with one write lock. */
  readonly forUpdate: string;
  readonly forShare: string;
  readonly forUpdateSkipLocked: string;
  /** The number of batches, of orders or of withdrawals, that may commit at the same time. */
  readonly batchesAtOnce: number;
  /** Whether several servers may share one database. */
  readonly manyServers: boolean;
  /** Whether postings have a partition for each month, which can be closed and detached. */
  readonly partitions: boolean;
  /** SQL that is true when the column is one of a list bound with {@link Dialect.list}. */
  anyOf(column: string): string;
  list(values: readonly string[]): Binding;
  /** SQL that is true when the column is in a query's result, which is small beside the table, so that an index is used. */
  anyFrom(column: string, query: string): string;
  /** Whether a subquery may refer to the rows before it (LATERAL), so that many ranges have one plan. */
  readonly lateral: boolean;
  /** SQL that is true when a units column is below zero. */
  isNegative(column: string): string;
  /** Expressions that sort non-negative units numerically. */
  bySize(column: string): readonly string[];
  /** SQL for the parts by which non-negative units are summed exactly, and the type of such a sum. */
  readonly unitParts: { readonly type: string; of(column: string): readonly string[] };
  /** SQL for the parts of an exact sum of units, as text: the sum is each part times 10^(12 × its place). */
  sumParts(column: string): readonly string[];
  /** SQL for a sum of units by which rows can be sorted; SQLite's is not exact. */
  roughSum(column: string): string;
  rowsOf(result: unknown): readonly Row[];
  /**
   * Runs a named statement on the driver's own connection, because knex builds the text of a statement anew each time;
   * `null` where knex's client keeps named statements itself, or has none.
   */
  readonly prepared:
    ((raw: unknown, name: string, sql: string, bindings: readonly Binding[]) => Promise<unknown>) | null;
  classify(error: unknown): Failure;
  /** Sets the session settings that durability needs on a new connection, and verifies them. */
  prepare(run: Run, role: ConnectionRole): Promise<void>;
  /** @throws TillgateError `CONFIG_INVALID` for a server or library version that is not safe for money. */
  checkVersion(run: Run): Promise<void>;
  /** The first statements of a migration's transaction: a lock, so that one instance migrates at a time. */
  migrationLock(tables: Tables): readonly string[];
  /** Creates the schema when missing and selects it for a migration's transaction; `null` on an engine without schemas. */
  readonly enterSchema: ((run: Run, schema: string) => Promise<void>) | null;
  /** Statements that (re)create the trigger that refuses every other change of `status`. */
  enforceMoves(rule: MoveRule): readonly string[];
  /** Statements that (re)create the trigger that refuses some changes of a column. */
  enforceUpdates(rule: UpdateRule): readonly string[];
  /** Statements that (re)create the triggers that keep sums of a table's rows. */
  keepSums(rule: SumRule): readonly string[];
  /** Statements that (re)create the trigger that writes each new row of a table into a queue. */
  queueNew(rule: QueueRule): readonly string[];
  /** Statements that (re)create the triggers that refuse updates and deletes, of each partition too. */
  enforceAppendOnly(table: string): readonly string[];
  /** Damage found in the database file; empty for none. */
  integrity(run: Run): Promise<readonly string[]>;
  /** Poll interval of the change feed, with notifications and without, in milliseconds. */
  readonly feedPoll: { readonly notifiedMs: number; readonly unnotifiedMs: number };
  /** Statements that notify a channel's listeners at commit; none on an engine without notifications. */
  notify(channel: string): readonly string[];
  /** Listens on a dedicated connection; `null` on an engine without notifications. */
  readonly listen:
    ((raw: unknown, channel: string, listener: ChannelListener, end: () => Promise<void>) => Promise<Listening>) | null;
  /** Statements that (re)create what {@link Dialect.storeOrders} needs in the database. */
  orderBatches(tables: Tables): readonly string[];
  /**
   * Stores a batch of orders with their claims, numbers and addresses, by one statement; no idempotency key and no reference
   * occurs twice in it.
   *
   * @returns the numbers of those that are stored, by id; the key or the reference of the others was used before
   */
  storeOrders(run: Run, tables: Tables, batch: readonly NewOrder[]): Promise<ReadonlyMap<string, number>>;
  /** `INSERT … SELECT …` of any number of records, in their order; `ON CONFLICT` may follow. */
  insertList<T>(table: string, columns: readonly Column<T>[], records: readonly T[]): ListInsertion;
}

/** A statement with its bound values. */
export interface ListInsertion {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}
