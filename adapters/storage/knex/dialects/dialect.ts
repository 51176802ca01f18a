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
  /** Prepares the statement under this name where the engine has such a thing. */
  readonly name?: string;
}

/** How columns are declared. `units` holds money of up to 78 digits, exactly. */
export interface ColumnTypes {
  readonly text: string;
  readonly units: string;
  readonly time: string;
  readonly int: string;
  readonly flag: string;
  /** A primary key that counts up by itself. */
  readonly serial: string;
}

/** What a new connection is for. */
export interface ConnectionRole {
  readonly readOnly: boolean;
  /** False for a connection of an embedder's own pool: its session settings are not ours to change. */
  readonly owned: boolean;
}

/** Of one order of a batch: its number, or that its idempotency key was used before. */
export type BatchOutcome = { readonly kind: 'created'; readonly number: number } | { readonly kind: 'repeated' };

/** A rule that a trigger enforces: the only legal changes of a status column. */
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
  /** What the refusal says. */
  readonly words: string;
}

/** Who listens to a channel. */
export interface ChannelListener {
  /** Something was notified. */
  news(): void;
  /** The connection is gone; nothing will be heard any more. */
  lost(): void;
}

/** A channel that is listened to. */
export interface Listening {
  end(): Promise<void>;
}

/** Everything in which the engines differ. */
export interface Dialect {
  readonly types: ColumnTypes;
  /** SQL for the database's own time in epoch milliseconds. */
  readonly nowMs: string;
  /** Starts a transaction that will write. */
  readonly begin: string;
  /** Starts a transaction whose reads all see one moment. */
  readonly beginSnapshot: string;
  /** Row-lock clauses; empty where one write lock covers all. */
  readonly forUpdate: string;
  readonly forShare: string;
  readonly forUpdateSkipLocked: string;
  /** How many batches of orders, or of withdrawals, may be on their way at once. */
  readonly batchesAtOnce: number;
  /** True where several servers may share one database. */
  readonly manyServers: boolean;
  /** SQL that is true when the column is one of a list bound with {@link Dialect.list}. */
  anyOf(column: string): string;
  list(values: readonly string[]): Binding;
  /** SQL that is true when the column is one of a query's rows, few beside the table's: each is looked up along an index. */
  anyFrom(column: string, query: string): string;
  /** SQL that is true when a units column is below zero. */
  isNegative(column: string): string;
  /** Expressions that sort units, none of them below zero, as numbers. */
  bySize(column: string): readonly string[];
  /** SQL for a sum of units that tells large from small, not exact to the unit everywhere. */
  roughSum(column: string): string;
  rowsOf(result: unknown): readonly Row[];
  classify(error: unknown): Failure;
  /** Brings a new connection into the state that money needs, and makes sure that it is. */
  prepare(run: Run, role: ConnectionRole): Promise<void>;
  /** @throws TillgateError `CONFIG_INVALID` for a server or library version that must not hold money. */
  checkVersion(run: Run): Promise<void>;
  /** Statements at the start of a migration's transaction, so that one instance migrates at a time. */
  migrationLock(tables: Tables): readonly string[];
  /** Makes the schema when there is none, and has the rest of a migration's transaction take place in it; `null` where there are no schemas. */
  readonly enterSchema: ((run: Run, schema: string) => Promise<void>) | null;
  /** Statements that (re)create the trigger refusing every other change of `status`. */
  enforceMoves(rule: MoveRule): readonly string[];
  /** Statements that (re)create the trigger refusing some changes of a column. */
  enforceUpdates(rule: UpdateRule): readonly string[];
  /** Statements that (re)create the triggers refusing changes and deletions of rows. */
  enforceAppendOnly(table: string): readonly string[];
  /** Words of damage found in the database's file; empty for none. */
  integrity(run: Run): Promise<readonly string[]>;
  /** How long followers of the change feed wait between two looks, with notifications and without, in milliseconds. */
  readonly feedPoll: { readonly notifiedMs: number; readonly unnotifiedMs: number };
  /** Statements that notify a channel's listeners when their transaction commits; none where there is no such thing. */
  notify(channel: string): readonly string[];
  /** Listens on a connection of its own; `null` where there is no such thing. */
  readonly listen: ((raw: unknown, channel: string, listener: ChannelListener, end: () => Promise<void>) => Promise<Listening>) | null;
  /** Writes a batch of orders in one durable step, all or none; no idempotency key comes twice in it. */
  createOrders(store: BatchTarget, batch: readonly NewOrder[]): Promise<readonly BatchOutcome[]>;
  /** `INSERT … SELECT …` of any number of records, in their order; `ON CONFLICT` may follow. */
  insertList<T>(table: string, columns: readonly Column<T>[], records: readonly T[]): ListInsertion;
}

/** A statement with what it binds. */
export interface ListInsertion {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

/** What {@link Dialect.createOrders} writes with. */
export interface BatchTarget {
  readonly tables: Tables;
  /** One statement, committed by itself. */
  readonly write: Run;
  /** A transaction that starts with the right to write. */
  readonly transaction: <T>(work: (run: Run) => Promise<T>) => Promise<T>;
}
