import { setTimeout as pause } from 'node:timers/promises';
import { TillgateError } from '../../../core/index.ts';
import type { Connection, Connections } from './connections.ts';
import type { Binding } from './binding.ts';
import type { Dialect, Listening, ChannelListener, Row, Run, RunOptions } from './dialects/dialect.ts';
import { notReady, publicError, StatementError } from './errors.ts';
import { NestingGuard } from './nesting-guard.ts';
import { Session } from './session.ts';
import type { TransactionLimits } from './session.ts';
import type { Namespace, Tables } from './tables.ts';

/** Attempts after a serialisation failure or a deadlock. */
const TRIES = 12;

export interface DatabaseParts {
  readonly dialect: Dialect;
  readonly namespace: Namespace;
  /** SQLite: one connection. */
  readonly writers: Connections;
  /** Connections that see every commit; the same pool as `writers` where there is no other. */
  readonly readers: Connections;
  /** Refuses calls of the storage inside one of its transactions that bypass the transaction. */
  readonly guardNesting: boolean;
  readonly limits: TransactionLimits;
}

export interface TransactionOptions {
  /** No time limit: for migrations. */
  readonly patient?: boolean;
}

/** Statements and transactions on one database, of either engine. Errors are those that the storage port promises. */
export class Database {
  readonly dialect: Dialect;
  readonly namespace: Namespace;
  readonly tables: Tables;
  readonly #parts: DatabaseParts;
  readonly #guard: NestingGuard;
  #closed = false;

  constructor(parts: DatabaseParts) {
    this.dialect = parts.dialect;
    this.namespace = parts.namespace;
    this.tables = parts.namespace.tables;
    this.#parts = parts;
    this.#guard = new NestingGuard(parts.guardNesting);
  }

  /** One read that sees every committed write. A dead connection is replaced once. */
  readonly read: Run = (sql, bindings, options) =>
    this.#outermost(() => this.#again(() => harmless(this.#one(this.#parts.readers, sql, bindings, options))));

  /** One write in its own transaction; retried after a serialisation failure or deadlock, which rolled it back. */
  readonly write: Run = (sql, bindings, options) =>
    this.#outermost(() => uncollided(() => this.#one(this.#parts.writers, sql, bindings, options)));

  /** Reads of one snapshot of the database. */
  snapshot<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const { beginSnapshot } = this.dialect;
    return this.#outermost(() =>
      this.#attempt(this.#parts.readers, beginSnapshot, { patient: true }, ({ run }) => work(run)),
    );
  }

  /** Reads whole tables in one snapshot, without a time limit. */
  survey<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.snapshot(async (run) => {
      if (this.dialect.withoutTimeLimit !== null) await run(this.dialect.withoutTimeLimit);
      return work(run);
    });
  }

  /** Reads one snapshot and makes writes that change no row outside of it, without a time limit. */
  checkpointing<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#outermost(() =>
      uncollided(() =>
        this.#attempt(this.#parts.writers, begin, { patient: true }, async (session) => {
          if (this.dialect.withoutTimeLimit !== null) await session.run(this.dialect.withoutTimeLimit);
          return work(session);
        }),
      ),
    );
  }

  /** Runs `work` atomically; retried from its start after a serialisation failure or deadlock. */
  transaction<T>(work: (session: Session) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { begin } = this.dialect;
    return this.#outermost(() =>
      uncollided(() => this.#again(() => this.#attempt(this.#parts.writers, begin, options, work))),
    );
  }

  /** Listens to a channel on its own connection; `null` on an engine without notifications. */
  async listen(channel: string, listener: ChannelListener): Promise<Listening | null> {
    const { listen } = this.dialect;
    if (listen === null || this.#closed) return null;
    const { raw, end } = await this.#parts.readers.dedicated();
    return listen(raw, channel, listener, end);
  }

  /** @throws Error when the call is inside a transaction of this database and the nesting guard is on */
  checkNesting(): void {
    this.#guard.check();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#parts.readers.close(), this.#parts.writers.close()]);
  }

  #one(pool: Connections, sql: string, bindings?: readonly Binding[], options?: RunOptions): Promise<readonly Row[]> {
    return pool.use((connection) => connection.run(sql, bindings, options));
  }

  async #attempt<T>(
    pool: Connections,
    begin: string,
    options: TransactionOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    return pool.use(async (connection) => {
      // Nothing was written when BEGIN fails.
      await harmless(begun(connection, begin));
      const session = new Session(
        connection,
        this.dialect,
        this.tables,
        options.patient === true ? null : this.#parts.limits,
      );
      try {
        const result = await this.#guard.inside(() => session.racing(work(session)));
        session.finish();
        await connection.run('COMMIT');
        return result;
      } catch (error) {
        await session.end();
        await rolledBack(connection);
        // When the work caught a serialisation failure, its later errors come from the aborted transaction: throw the cause.
        throw session.collision ?? error;
      }
    });
  }

  /** Retries once on another connection when a pooled connection was dead before anything ran on it. */
  async #again<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StatementError && error.failure.connectionLost && error.harmless)) throw error;
      return run();
    }
  }

  async #outermost<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new TillgateError('NOT_READY', 'The storage is shutting down.');
    this.#guard.check();
    try {
      return await run();
    } catch (error) {
      throw this.#closed && !(error instanceof TillgateError) ? notReady('', error) : publicError(error);
    }
  }
}

/** Runs work from its start, repeatedly while it collides with other work (serialisation failures, deadlocks). */
async function uncollided<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const collided = error instanceof StatementError && error.failure.kind === 'retry';
      if (!collided || tries === TRIES) throw error;
      await pause(Math.random() * 2 ** Math.min(tries, 6));
    }
  }
}

/** Marks the failure of a statement that changes nothing as one that may be repeated. */
async function harmless<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof StatementError) error.harmless = true;
    throw error;
  }
}

/** A failed BEGIN may have begun a transaction: the connection must not go back to the pool with it open. */
async function begun(connection: Connection, begin: string): Promise<unknown> {
  try {
    return await connection.run(begin);
  } catch (error) {
    await rolledBack(connection);
    throw error;
  }
}

/** After a failed rollback the state of the connection is unknown, so it is disposed. */
async function rolledBack(connection: Connection): Promise<void> {
  if (connection.lost) return;
  try {
    await connection.run('ROLLBACK');
  } catch (error) {
    // SQLite rolls back by itself when its disk is full.
    if (!(error instanceof Error && /no transaction is active/.test(error.message))) connection.dispose();
  }
}
