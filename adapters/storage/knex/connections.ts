import type { Knex } from 'knex';
import type { Metrics } from '../../../core/index.ts';
import type { Binding } from './binding.ts';
import type { ConnectionRole, Dialect, Row, RunOptions } from './dialects/dialect.ts';
import { StatementError, wordsOf } from './errors.ts';

/** A driver's connection; knex marks a broken one as disposed. */
interface DriverConnection {
  __knex__disposed?: unknown;
}

/** The pool functions of knex's client. */
interface PoolClient {
  /** Missing in a client of the application that manages its connections differently. */
  readonly pool?: { readonly max: number; numUsed(): number; numPendingCreates(): number };
  acquireConnection(): Promise<DriverConnection>;
  acquireRawConnection(): Promise<DriverConnection>;
  destroyRawConnection(connection: DriverConnection): Promise<unknown>;
  releaseConnection(connection: DriverConnection): Promise<void>;
}

/** A connection that is checked out of its pool. */
export class Connection {
  readonly #knex: Knex;
  readonly #dialect: Dialect;
  readonly raw: DriverConnection;

  constructor(knex: Knex, dialect: Dialect, raw: DriverConnection) {
    this.#knex = knex;
    this.#dialect = dialect;
    this.raw = raw;
  }

  /**
   * Runs one statement.
   *
   * @throws StatementError with the classified failure, and without any bound value
   */
  async run(sql: string, bindings: readonly Binding[] = [], options: RunOptions = {}): Promise<readonly Row[]> {
    const { prepared } = this.#dialect;
    const { name } = options;
    try {
      if (prepared !== null && name !== undefined)
        return this.#dialect.rowsOf(await prepared(this.raw, name, sql, bindings));
      const statement = this.#knex.raw(sql, bindings as readonly Knex.RawBinding[]).connection(this.raw);
      if (name !== undefined) void statement.options({ name });
      return this.#dialect.rowsOf(await statement);
    } catch (error) {
      throw this.#wrapped(error);
    }
  }

  /** A broken connection, or one in an unknown state, must not go back into use. */
  dispose(): void {
    this.raw.__knex__disposed ??= 'discarded by the storage';
  }

  get lost(): boolean {
    return this.raw.__knex__disposed !== undefined;
  }

  #wrapped(error: unknown): StatementError {
    const failure = this.#dialect.classify(error);
    if (failure.connectionLost) this.dispose();
    return new StatementError(failure, wordsOf(error));
  }
}

/** A connection pool. Each connection gets its session settings, which durability needs, before its first statement. */
export class Connections {
  readonly #knex: Knex;
  readonly #dialect: Dialect;
  readonly #role: ConnectionRole;
  readonly #metrics: Metrics | null;
  readonly #prepared = new WeakSet<DriverConnection>();

  /** @param metrics - counts how long work waits while every connection is in use */
  constructor(knex: Knex, dialect: Dialect, role: ConnectionRole, metrics: Metrics | null = null) {
    this.#knex = knex;
    this.#dialect = dialect;
    this.#role = role;
    this.#metrics = metrics;
  }

  /** Checks a connection out for the duration of `work`. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = this.#knex.client as PoolClient;
    const connection = isFull(client) ? await this.#await(client) : await this.#acquire(client);
    try {
      if (!this.#prepared.has(connection.raw)) await this.#prepare(connection);
      return await work(connection);
    } finally {
      await client.releaseConnection(connection.raw);
    }
  }

  /** Opens a long-lived connection outside of the pool; `end` closes it. */
  async dedicated(): Promise<{ readonly raw: unknown; readonly end: () => Promise<void> }> {
    const client = this.#knex.client as PoolClient;
    const raw = await client.acquireRawConnection();
    const end = async (): Promise<void> => {
      await client.destroyRawConnection(raw);
    };
    return { raw, end };
  }

  async close(): Promise<void> {
    if (this.#role.owned) await this.#knex.destroy();
  }

  async #await(client: PoolClient): Promise<Connection> {
    const began = performance.now();
    try {
      return await this.#acquire(client);
    } finally {
      this.#metrics?.count('tillgate_database_wait_seconds_total', {}, (performance.now() - began) / 1000);
    }
  }

  async #acquire(client: PoolClient): Promise<Connection> {
    try {
      return new Connection(this.#knex, this.#dialect, await client.acquireConnection());
    } catch (error) {
      const failure = this.#dialect.classify(error);
      // A pool that cannot open a connection means that the database is unavailable.
      throw new StatementError({ ...failure, kind: 'unavailable', connectionLost: true }, wordsOf(error));
    }
  }

  async #prepare(connection: Connection): Promise<void> {
    try {
      await this.#dialect.prepare((sql, bindings) => connection.run(sql, bindings), this.#role);
      this.#prepared.add(connection.raw);
    } catch (error) {
      connection.dispose();
      throw error;
    }
  }
}

const isFull = ({ pool }: PoolClient): boolean =>
  pool !== undefined && pool.numUsed() + pool.numPendingCreates() >= pool.max;
