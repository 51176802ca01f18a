import type { Knex } from 'knex';
import initSqlite from 'sql.js';
import type { Database, Statement } from 'sql.js';

/** Calls a function, at once or later. */
export type Deliver = (answer: () => void) => void;
/** Called after each statement that changed rows. */
export type WriteListener = (table: string) => void;

const TARGET = /\b(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+"?([a-z_]+)"?/;
const SETTING = /^\s*PRAGMA\s+\w+\s*=/i;
const READ = /^\s*(?:SELECT|PRAGMA)\b/i;
/** The in-memory database has no write-ahead log; the adapter accepts that answer too. */
const JOURNAL = ['PRAGMA journal_mode = WAL', 'PRAGMA journal_mode = MEMORY'] as const;
/** The adapter classifies a failure by SQLite's code, which sql.js only gives as text. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^UNIQUE constraint/, 'SQLITE_CONSTRAINT_UNIQUE'],
  [/^FOREIGN KEY constraint/, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [/^CHECK constraint/, 'SQLITE_CONSTRAINT_CHECK'],
  [/^NOT NULL constraint/, 'SQLITE_CONSTRAINT_NOTNULL'],
];

/** SQLite as WebAssembly: its calls are synchronous, as the simulator requires, and nothing has to be compiled. */
const sqlite = await initSqlite();

type Value = number | string | null;

interface Prepared {
  readonly statement: Statement;
  /** The columns of its rows; none for a write. */
  readonly columns: readonly string[];
  /** The written table; `null` for a read. */
  readonly writes: string | null;
}

interface Pending {
  connection(raw: unknown): Pending;
  options(options: unknown): Pending;
  then(resolve: (rows: unknown) => void, reject: (error: unknown) => void): void;
}

/**
 * The part of a knex instance that the storage adapter uses, on a SQLite database in this process: each statement runs
 * at once and is prepared once. Knex itself would cost more than all the rest, and its pool would use timers.
 */
export class SqliteDriver {
  #database: Database;
  readonly #now: () => number;
  readonly #deliver: Deliver;
  readonly #prepared = new Map<string, Prepared>();
  readonly #waiting: (() => void)[] = [];
  /** The settings that the adapter made on its connection. */
  readonly #settings = new Set<string>();
  readonly #raw = {};
  #taken = false;
  statements = 0;
  onWrite: WriteListener = () => undefined;

  /**
   * @param image - a database from {@link serialize}; a new one without it
   * @param now - the database's time, in epoch milliseconds
   * @param deliver - delivers the result of a statement; at once by default
   */
  constructor(image: Uint8Array | null, now: () => number, deliver: Deliver = (answer) => answer()) {
    this.#now = now;
    this.#deliver = deliver;
    this.#database = this.#open(image);
  }

  /** The part of a knex instance that the storage adapter uses. */
  get knex(): Knex {
    const acquireConnection = (): Promise<unknown> => this.#acquire();
    const releaseConnection = (): Promise<void> => this.#release();
    return {
      client: { driverName: 'better-sqlite3', acquireConnection, releaseConnection },
      raw: (sql: string, bindings: readonly unknown[]) => this.#pending(sql, bindings),
    } as unknown as Knex;
  }

  /** The rows of a statement by the simulator itself. */
  all<Row>(sql: string, ...bindings: unknown[]): Row[] {
    return rowsOf(this.#prepare(sql), bindings) as Row[];
  }

  /** The whole database, for another driver to start from, or for this one to return to. */
  serialize(): Uint8Array {
    const image = this.#database.export();
    this.restore(image);
    return image;
  }

  /** Serializes the database once no transaction is open, so that it contains every transaction begun before. */
  async backUp(): Promise<Uint8Array> {
    await this.#acquire();
    try {
      return this.serialize();
    } finally {
      await this.#release();
    }
  }

  /** Restores the database to a serialized state. */
  restore(image: Uint8Array): void {
    this.#prepared.clear();
    this.#database.close();
    this.#database = this.#open(image);
    for (const sql of this.#settings) this.#database.run(sql);
  }

  close(): void {
    this.#database.close();
  }

  #open(image: Uint8Array | null): Database {
    const database = new sqlite.Database(image);
    // Nobody else opens it, so SQLite need not look for others' changes and for a journal at the begin of each transaction.
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    // Overrides SQLite's function: leases and watch times use the simulated clock. The quarter avoids rounding down.
    database.create_function('unixepoch', (_modifier: unknown) => (this.#now() + 0.25) / 1000);
    return database;
  }

  #pending(sql: string, bindings: readonly unknown[]): Pending {
    const pending: Pending = {
      connection: () => pending,
      options: () => pending,
      then: (resolve, reject) => {
        let rows: unknown;
        try {
          rows = this.#run(sql === JOURNAL[0] ? JOURNAL[1] : sql, bindings);
        } catch (error) {
          this.#deliver(() => reject(withCode(error)));
          return;
        }
        this.#deliver(() => resolve(rows));
      },
    };
    return pending;
  }

  #run(sql: string, bindings: readonly unknown[]): unknown {
    this.statements += 1;
    if (SETTING.test(sql)) this.#settings.add(sql);
    const prepared = this.#prepare(sql);
    const rows = rowsOf(prepared, bindings);
    if (prepared.writes !== null) this.onWrite(prepared.writes);
    return rows;
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.#database.prepare(sql);
      prepared = {
        statement,
        columns: statement.getColumnNames(),
        writes: READ.test(sql) ? null : (TARGET.exec(sql)?.[1] ?? null),
      };
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }

  async #acquire(): Promise<unknown> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    return this.#raw;
  }

  async #release(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}

function rowsOf({ statement, columns }: Prepared, bindings: readonly unknown[]): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = [];
  try {
    if (bindings.length > 0)
      statement.bind(bindings.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as Value[]);
    while (statement.step()) {
      const row: Record<string, unknown> = {};
      for (const [at, value] of statement.get().entries()) row[columns[at] ?? ''] = value;
      rows.push(row);
    }
    return rows;
  } finally {
    statement.reset();
  }
}

function withCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = CODES.find(([words]) => words.test(error.message))?.[1] ?? 'SQLITE_ERROR';
  return Object.assign(error, { code });
}
