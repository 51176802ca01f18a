import { assert } from '../../../core/index.ts';
import type { Connection } from './connections.ts';
import type { Dialect, Run } from './dialects/dialect.ts';
import { StatementError } from './errors.ts';
import type { Tables } from './tables.ts';

/** Time limits of a transaction. */
export interface TransactionLimits {
  /** A transaction idle for this long most likely waits for the connection that it holds itself. */
  readonly idleMs: number;
  /**
   * The latest commit after the start: `watched` relies on rows becoming visible within a minute of their
   * `created_at`.
   */
  readonly lifetimeMs: number;
}

export const DEFAULT_LIMITS: TransactionLimits = { idleMs: 10_000, lifetimeMs: 25_000 };

/** The statements of one open transaction. */
export class Session {
  readonly dialect: Dialect;
  readonly tables: Tables;
  readonly #connection: Connection;
  /** `null` for no limit. */
  readonly #limits: TransactionLimits | null;
  readonly #startedAt = performance.now();
  #lastUse = this.#startedAt;
  readonly #running = new Set<Promise<unknown>>();
  #over = false;
  /** The serialisation failure or deadlock that aborted this transaction. */
  collision: StatementError | null = null;

  constructor(connection: Connection, dialect: Dialect, tables: Tables, limits: TransactionLimits | null) {
    this.#connection = connection;
    this.dialect = dialect;
    this.tables = tables;
    this.#limits = limits;
  }

  readonly run: Run = async (sql, bindings, options) => {
    assert(!this.#over, 'a statement after the end of its transaction');
    const running = this.#connection.run(sql, bindings, options);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      if (error instanceof StatementError && error.failure.kind === 'retry') this.collision = error;
      throw error;
    } finally {
      this.#running.delete(running);
      this.#lastUse = performance.now();
    }
  };

  /** The outcome of the work, or an error once it has been idle for too long. */
  async racing<T>(work: Promise<T>): Promise<T> {
    if (this.#limits === null) return work;
    const { idleMs } = this.#limits;
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<never>((_resolve, reject) => {
      timer = setInterval(() => {
        if (this.#running.size === 0 && performance.now() - this.#lastUse >= idleMs)
          reject(timedOut('was idle for', idleMs));
      }, idleMs / 10);
      timer.unref();
    });
    try {
      return await Promise.race([work, idle]);
    } finally {
      clearInterval(timer);
    }
  }

  /** The last check before the commit. */
  finish(): void {
    assert(this.#running.size === 0, 'a transaction committed while a statement of it was still running');
    const lifetimeMs = this.#limits?.lifetimeMs ?? Infinity;
    if (performance.now() - this.#startedAt > lifetimeMs) throw timedOut('took longer than', lifetimeMs);
    this.#over = true;
  }

  /** Refuses further statements and waits for those running: one that ran after the rollback would commit by itself. */
  async end(): Promise<void> {
    this.#over = true;
    await Promise.allSettled(this.#running);
  }
}

function timedOut(what: string, ms: number): StatementError {
  const failure = { kind: 'unavailable', code: 'TRANSACTION_TIMEOUT', connectionLost: false } as const;
  return new StatementError(failure, `the transaction ${what} ${ms} ms; it may wait for the connection that it holds`);
}
