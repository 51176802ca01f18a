import { assert } from '../../../core/index.ts';
import type { Connection } from './connections.ts';
import type { Dialect, Run } from './dialects/dialect.ts';
import { StatementError } from './errors.ts';
import type { Tables } from './tables.ts';

/** A transaction that does nothing for so long has lost its way: most likely it waits for the connection that it holds. */
const IDLE_MS = 10_000;
/**
 * No transaction may commit later than this after its start: `watched` relies on rows becoming visible within a minute
 * of their `created_at`.
 */
export const LIFETIME_MS = 25_000;

/** The statements of one open transaction. */
export class Session {
  readonly dialect: Dialect;
  readonly tables: Tables;
  readonly #connection: Connection;
  readonly #patient: boolean;
  readonly #startedAt = performance.now();
  #lastUse = this.#startedAt;
  #running = 0;
  #over = false;
  /** The serialisation failure or deadlock that ended this transaction, if one did. */
  collision: StatementError | null = null;

  constructor(connection: Connection, dialect: Dialect, tables: Tables, patient: boolean) {
    this.#connection = connection;
    this.dialect = dialect;
    this.tables = tables;
    this.#patient = patient;
  }

  readonly run: Run = async (sql, bindings, options) => {
    assert(!this.#over, 'a statement after the end of its transaction');
    this.#running += 1;
    try {
      return await this.#connection.run(sql, bindings, options);
    } catch (error) {
      if (error instanceof StatementError && error.failure.kind === 'retry') this.collision = error;
      throw error;
    } finally {
      this.#running -= 1;
      this.#lastUse = performance.now();
    }
  };

  /** The work's outcome, or an error as soon as the work has been idle for too long. */
  async racing<T>(work: Promise<T>): Promise<T> {
    if (this.#patient) return work;
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<never>((_resolve, reject) => {
      timer = setInterval(() => {
        if (this.#running === 0 && performance.now() - this.#lastUse >= IDLE_MS) reject(timedOut('was idle', IDLE_MS));
      }, IDLE_MS / 10);
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
    assert(this.#running === 0, 'a transaction committed while a statement of it was still running');
    if (!this.#patient && performance.now() - this.#startedAt > LIFETIME_MS) throw timedOut('took longer than', LIFETIME_MS);
    this.end();
  }

  end(): void {
    this.#over = true;
  }
}

function timedOut(what: string, ms: number): StatementError {
  const failure = { kind: 'unavailable', code: 'TRANSACTION_TIMEOUT', connectionLost: false } as const;
  return new StatementError(failure, `the transaction ${what} ${ms} ms; it may wait for the connection that it holds`);
}
