import type { Outcome, Row, Statement, Value } from './protocol.ts';
import { nap, ordinary, Wire } from './wire.ts';

/** The state once nothing moves any more: every session has answered, or waits for a lock. */
export interface Standstill {
  /** Sessions whose statement has ended, the longest wait first. */
  readonly ended: readonly { readonly connection: number; readonly outcome: Outcome }[];
  /** For each waiting session, the sessions that it waits for; the longest wait first. */
  readonly waiting: readonly Waiting[];
}

interface Waiting {
  readonly connection: number;
  readonly for: readonly number[];
}

/** A statement may take this long before the server is asked whether it waits. */
const PATIENCE_MS = 2;
/** `deadlock_timeout`: the simulator, not time, chooses the victim of a deadlock. */
const SETTINGS = {
  synchronous_commit: 'on',
  jit: 'off',
  deadlock_timeout: '1h',
  lock_timeout: '0',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  plan_cache_mode: 'force_generic_plan',
  client_min_messages: 'error',
};
const OPTIONS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');
const INT8 = 20;
/** Statements that may wait for a lock of another session. */
const LOCKS = /\b(?:INSERT|UPDATE|DELETE|SHARE|LOCK|lock)\b/;
const BLOCKINGS = 'SELECT pid, pg_blocking_pids(pid) AS blockers FROM unnest($1::int[]) AS pid';

/**
 * A PostgreSQL server whose calls all return synchronously, as SQLite's do: the event loop is blocked meanwhile, so
 * that no answer arrives between two turns of the simulator, and nothing depends on the server's speed. A call returns
 * when nothing moves any more: each session has answered, or waits for a lock that another one holds.
 */
export class PgServer {
  readonly #url: string;
  readonly #looker: Wire;
  readonly #spare: Wire[];
  readonly #sessions = new Map<number, Wire>();
  /** Names of the simulator's own statements: a name has at most 63 bytes. */
  readonly #names = new Map<string, string>();
  #opened = 0;
  #waiting: readonly Waiting[] = [];

  private constructor(url: string, looker: Wire, spare: Wire[]) {
    this.#url = url;
    this.#looker = looker;
    this.#spare = spare;
  }

  static async connect(url: string): Promise<PgServer> {
    const looker = await Wire.connect({ connectionString: url }, (type) => (type === INT8 ? Number : ordinary(type)));
    return new PgServer(url, looker, []);
  }

  /** Opens enough connections; no other method of this class waits for the event loop. */
  async provide(count: number): Promise<void> {
    while (this.#spare.length < count)
      this.#spare.push(await Wire.connect({ connectionString: this.#url, options: OPTIONS }));
  }

  /** Takes an unused connection. */
  open(): number {
    const wire = this.#spare.pop();
    if (wire === undefined) throw new Error('the simulator has no connection left: provide more');
    this.#opened += 1;
    this.#sessions.set(this.#opened, wire);
    return this.#opened;
  }

  run(connection: number, statement: Statement): Standstill {
    const wire = this.#wire(connection);
    wire.send(statement);
    const outcome = this.#mayWait(wire, statement) ? wire.await(PATIENCE_MS) : wire.awaitSurely();
    // Inside a transaction no lock is released.
    if (outcome !== null && (this.#waiting.length === 0 || (wire.inTransaction && 'rows' in outcome))) {
      return { ended: [{ connection, outcome }], waiting: this.#waiting };
    }
    return this.#settle(outcome === null ? [] : [{ connection, outcome }]);
  }

  /** Cancels the statement that a session waits in. */
  cancel(connection: number): Standstill {
    const { pid } = this.#wire(connection);
    let outcome: Outcome | null = null;
    while (outcome === null) {
      this.look('SELECT pg_cancel_backend($1)', [pid]);
      outcome = this.#wire(connection).await(PATIENCE_MS);
    }
    return this.#settle([{ connection, outcome }]);
  }

  /** Ends sessions as the end of their process would: their transactions are rolled back before it returns. */
  drop(connections: readonly number[]): Standstill {
    for (const connection of connections) {
      const wire = this.#sessions.get(connection);
      if (wire === undefined) continue;
      this.#sessions.delete(connection);
      this.look('SELECT pg_terminate_backend($1)', [wire.pid]);
      while (this.look('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [wire.pid]).length > 0) nap();
      wire.close();
    }
    return this.#settle([]);
  }

  /** Runs a statement of the simulator, outside the sessions of the till. */
  look(text: string, values: readonly Value[] = []): readonly Row[] {
    const name = this.#names.get(text) ?? `l${this.#names.size}`;
    this.#names.set(text, name);
    this.#looker.send({ name, text, values });
    return rowsOf(this.#looker.awaitSurely());
  }

  /** Runs several statements of the simulator. */
  execute(statements: readonly string[]): void {
    this.#looker.sendSimple(statements.join(';\n'));
    rowsOf(this.#looker.awaitSurely());
  }

  close(): void {
    for (const wire of [this.#looker, ...this.#spare, ...this.#sessions.values()]) wire.close();
  }

  /** False for a statement that no other session can block. */
  #mayWait(wire: Wire, { text }: Statement): boolean {
    if (!LOCKS.test(text)) return false;
    for (const other of this.#sessions.values()) if (other !== wire && other.inTransaction) return true;
    return false;
  }

  #wire(connection: number): Wire {
    const wire = this.#sessions.get(connection);
    if (wire === undefined) throw new Error(`there is no connection ${connection}`);
    return wire;
  }

  /** Waits until nothing moves any more. */
  #settle(ended: { readonly connection: number; readonly outcome: Outcome }[]): Standstill {
    for (let before = ''; ;) {
      const busy = [...this.#sessions].filter(([, wire]) => wire.busy);
      for (const [connection, wire] of busy) {
        const outcome = wire.await(PATIENCE_MS / busy.length);
        if (outcome !== null) ended.push({ connection, outcome });
      }
      const waiting = this.#blockings();
      const now = JSON.stringify(waiting);
      // The same result twice: between the checks of two sessions, one may have released the other.
      if (waiting !== null && (waiting.length === 0 || now === before)) return this.#standstill(ended, waiting);
      before = now;
    }
  }

  #standstill(
    ended: { readonly connection: number; readonly outcome: Outcome }[],
    waiting: readonly Waiting[],
  ): Standstill {
    const former = this.#waiting.map(({ connection }) => connection);
    // Sessions that wait for the first time come last.
    const place = (connection: number): number =>
      former.includes(connection) ? former.indexOf(connection) : former.length + connection;
    const inOrder = (a: { readonly connection: number }, b: { readonly connection: number }): number =>
      place(a.connection) - place(b.connection);
    const answer = { ended: ended.sort(inOrder), waiting: [...waiting].sort(inOrder) };
    this.#waiting = answer.waiting;
    return answer;
  }

  /** The waiting sessions with their blockers; `null` while a session is neither ready nor blocked. */
  #blockings(): readonly Waiting[] | null {
    const busy = [...this.#sessions].filter(([, wire]) => wire.busy);
    if (busy.length === 0) return [];
    const rows = this.look(BLOCKINGS, [busy.map(([, { pid }]) => pid)]);
    const blockers = new Map(rows.map((row) => [row['pid'] as number, row['blockers'] as readonly number[]]));
    const byPid = new Map([...this.#sessions].map(([connection, { pid }]) => [pid, connection]));
    const waiting = busy.map(([connection, { pid }]) => {
      const others = new Set((blockers.get(pid) ?? []).map((blocker) => byPid.get(blocker) ?? 0));
      return { connection, for: [...others].sort((a, b) => a - b) };
    });
    return waiting.every((each) => each.for.length > 0) ? waiting : null;
  }
}

function rowsOf(outcome: Outcome): readonly Row[] {
  if ('rows' in outcome) return outcome.rows;
  throw new Error(`a statement of the simulator's own failed: ${outcome.message}`);
}
