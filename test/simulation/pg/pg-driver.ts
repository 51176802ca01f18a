import type { Knex } from 'knex';
import type { Outcome, Statement, Value } from './protocol.ts';
import type { Turns } from './turns.ts';
import { PgError } from './turns.ts';

interface Pending {
  connection(raw: RawConnection): Pending;
  options(options: unknown): Pending;
  then(resolve: (result: unknown) => void, reject: (error: unknown) => void): void;
}

/** A connection as the storage adapter holds it. */
interface RawConnection {
  readonly id: number;
  inTransaction: boolean;
  __knex__disposed?: unknown;
  /** As the client of `pg`: the storage adapter sends its named statements past knex. */
  query(statement: { readonly text: string; readonly values: readonly Value[] }): Promise<Outcome>;
}

/** The parts of a driver. */
export interface PgDriverParts {
  readonly turns: Turns;
  /** The database's time, in epoch milliseconds. */
  readonly now: () => number;
  /** Returns an unused session. */
  readonly take: () => number;
  /** Returns a clean session to the pool. */
  readonly giveBack: (connection: number) => void;
  /** Called with each table that a statement may change. */
  readonly onWrite: (table: string) => void;
}

const TARGET = /\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?([a-z_]+)"?/g;
const CLOCK = 'clock_timestamp()';

/** A statement of the adapter in PostgreSQL's form. */
interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly tellsTime: boolean;
  readonly writes: readonly string[];
}

const statements = new Map<string, Prepared>();

/**
 * Numbers the placeholders as knex does, where they are not numbered yet; binds the simulated time, after the given values, where
 * the statement uses the current time.
 */
function prepared(sql: string, values: number): Prepared {
  let known = statements.get(sql);
  if (known === undefined) {
    let count = 0;
    const numbered = sql.replaceAll('?', () => `$${++count}`);
    const text = numbered.replaceAll(CLOCK, `$${values + 1}::timestamptz`);
    const writes = [...new Set([...sql.matchAll(TARGET)].flatMap(([, table]) => (table === undefined ? [] : [table])))];
    known = { name: `s${statements.size}`, text, tellsTime: text !== numbered, writes };
    statements.set(sql, known);
  }
  return known;
}

/**
 * The part of a knex instance that the storage adapter uses, with the connections of one process of the till.
 * Statements run when it is their turn.
 */
export class PgDriver {
  readonly #parts: PgDriverParts;
  readonly #idle: RawConnection[] = [];
  readonly #used = new Set<RawConnection>();
  #dead = false;

  constructor(parts: PgDriverParts) {
    this.#parts = parts;
  }

  /** The part of a knex instance that the storage adapter uses. */
  get knex(): Knex {
    const acquireConnection = async (): Promise<RawConnection> => this.#acquire();
    const releaseConnection = async (raw: RawConnection): Promise<void> => this.#release(raw);
    return {
      client: { driverName: 'pg', acquireConnection, releaseConnection },
      raw: (sql: string, bindings: readonly Value[]) => this.#pending(sql, bindings),
    } as unknown as Knex;
  }

  /** Ends the process: its transactions are rolled back, and its connections closed. */
  kill(): void {
    if (this.#dead) return;
    this.#dead = true;
    const broken = [...this.#used];
    for (const { id } of this.#idle) this.#parts.giveBack(id);
    if (broken.length > 0) this.#parts.turns.drop(broken.map(({ id }) => id).sort((a, b) => a - b));
    this.#idle.length = 0;
    this.#used.clear();
  }

  #acquire(): RawConnection {
    if (this.#dead) throw new PgError('Connection terminated', '08006');
    const raw = this.#idle.pop() ?? this.#connect();
    this.#used.add(raw);
    return raw;
  }

  #connect(): RawConnection {
    const raw: RawConnection = {
      id: this.#parts.take(),
      inTransaction: false,
      query: async ({ text, values }) => rowsOf(await this.#run(raw, text, values)),
    };
    return raw;
  }

  #release(raw: RawConnection): void {
    if (!this.#used.delete(raw)) return;
    if (raw.__knex__disposed === undefined) this.#idle.push(raw);
    else this.#parts.turns.drop([raw.id]);
  }

  #pending(sql: string, bindings: readonly Value[]): Pending {
    let raw: RawConnection | null = null;
    const pending: Pending = {
      connection: (given) => {
        raw = given;
        return pending;
      },
      options: () => pending,
      then: (resolve, reject) => {
        this.#run(raw as RawConnection, sql, bindings)
          .then(rowsOf)
          .then(resolve, reject);
      },
    };
    return pending;
  }

  async #run(raw: RawConnection, sql: string, bindings: readonly Value[]): Promise<Outcome> {
    if (this.#dead) return { message: 'Connection terminated', code: '08006' };
    const { turns, now, onWrite } = this.#parts;
    const { name, text, tellsTime, writes } = prepared(sql, bindings.length);
    const statement: Statement = {
      name,
      text,
      values: tellsTime ? [...bindings, new Date(now()).toISOString()] : bindings,
    };
    for (const table of writes) onWrite(table);
    return turns.ask(raw.id, statement);
  }
}

/** @throws PgError for a statement that was refused */
function rowsOf(outcome: Outcome): Outcome {
  if ('rows' in outcome) return outcome;
  throw new PgError(outcome.message, outcome.code);
}
