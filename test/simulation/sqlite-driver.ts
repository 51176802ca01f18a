import Sqlite from 'better-sqlite3';
import type { Database, Statement } from 'better-sqlite3';
import type { Knex } from 'knex';

/** Told of each statement that changed rows. */
export type WriteListener = (table: string) => void;

const TARGET = /\b(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+"?([a-z_]+)"?/;

interface Prepared {
  readonly statement: Statement;
  readonly reader: boolean;
  /** The table that it writes to; `null` for a read. */
  readonly writes: string | null;
}

interface Pending {
  connection(raw: unknown): Pending;
  options(options: unknown): Pending;
  then(resolve: (rows: unknown) => void, reject: (error: unknown) => void): void;
}

/**
 * What the storage adapter uses of a knex instance, on an SQLite database in this process: each statement runs at once
 * and is prepared once. Knex itself would cost more than all the rest, and its pool would bring timers.
 */
export class SqliteDriver {
  readonly database: Database;
  readonly #prepared = new Map<string, Prepared>();
  readonly #waiting: (() => void)[] = [];
  readonly #raw = {};
  #taken = false;
  statements = 0;
  onWrite: WriteListener = () => undefined;

  /**
   * @param image - a database as {@link Database.serialize} gives it; a new one without it
   * @param now - the time that the database goes by, in epoch milliseconds
   */
  constructor(image: Buffer | null, now: () => number) {
    this.database = image === null ? new Sqlite(':memory:') : new Sqlite(image);
    // Overrides SQLite's own: leases and watch times go by the simulated clock. A quarter keeps the product from rounding down.
    this.database.function('unixepoch', { varargs: true }, () => (now() + 0.25) / 1000);
  }

  /** A knex instance as far as the storage adapter goes. */
  get knex(): Knex {
    const acquireConnection = (): Promise<unknown> => this.#acquire();
    const releaseConnection = (): Promise<void> => this.#release();
    return { client: { driverName: 'better-sqlite3', acquireConnection, releaseConnection }, raw: (sql: string, bindings: readonly unknown[]) => this.#pending(sql, bindings) } as unknown as Knex;
  }

  /** Rows of a statement that is the simulator's own. */
  all<Row>(sql: string, ...bindings: unknown[]): Row[] {
    return this.#prepare(sql).statement.all(...bindings) as Row[];
  }

  close(): void {
    this.database.close();
  }

  #pending(sql: string, bindings: readonly unknown[]): Pending {
    const pending: Pending = {
      connection: () => pending,
      options: () => pending,
      then: (resolve, reject) => {
        let rows: unknown;
        try {
          rows = this.#run(sql, bindings);
        } catch (error) {
          reject(error);
          return;
        }
        resolve(rows);
      },
    };
    return pending;
  }

  #run(sql: string, bindings: readonly unknown[]): unknown {
    this.statements += 1;
    const { statement, reader, writes } = this.#prepare(sql);
    const values = bindings.some((value) => typeof value === 'boolean') ? bindings.map((value) => (typeof value === 'boolean' ? Number(value) : value)) : bindings;
    if (!reader) statement.run(...values);
    const rows = reader ? statement.all(...values) : [];
    if (writes !== null) this.onWrite(writes);
    return rows;
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.database.prepare(sql);
      prepared = { statement, reader: statement.reader, writes: statement.readonly ? null : (TARGET.exec(sql)?.[1] ?? null) };
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
