import type { SimRandom } from '../random.ts';
import type { Outcome, Statement } from './protocol.ts';
import type { PgServer, Standstill } from './server.ts';

/** A failure in the form of PostgreSQL's driver. */
export class PgError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** A piece of work that continues at its turn. */
interface Turn {
  /** The session; `null` for work without a query. */
  readonly connection: number | null;
  readonly statement: Statement | null;
  readonly resolve: (outcome: Outcome) => void;
}

const NOTHING: Outcome = { rows: [] };
const DEADLOCK: Outcome = { message: 'deadlock detected', code: '40P01' };
const TIMED_OUT: Outcome = { message: 'canceling statement due to lock timeout', code: '55P03' };
/** The outcome for a process whose connection was closed. */
const GONE: Outcome = { message: 'Connection terminated', code: '08006' };
/** After this many idle rounds of the event loop, a session that waits for a lock waits in vain. */
const STUCK = 100;

/**
 * Runs one statement at a time, chosen at random from the seed among those that could run: two instances are
 * interleaved statement by statement, the same way each time. A statement that waits for a lock keeps its place until
 * it gets the lock.
 */
export class Turns {
  readonly #server: PgServer;
  readonly #ready: Turn[] = [];
  readonly #waiting = new Map<number, Turn>();
  #random: SimRandom;
  #scheduled = false;
  #idle = 0;
  statements = 0;
  /** The number of statements that had to wait for a lock. */
  waits = 0;
  deadlocks = 0;
  timeouts = 0;

  constructor(server: PgServer, random: SimRandom) {
    this.#server = server;
    this.#random = random;
  }

  /** Runs one statement, when it is its turn. */
  async ask(connection: number, statement: Statement): Promise<Outcome> {
    return new Promise((resolve) => this.#add({ connection, statement, resolve }));
  }

  /** Lets others go first. */
  async pause(): Promise<void> {
    await new Promise((resolve) => this.#add({ connection: null, statement: null, resolve }));
  }

  /** Ends sessions, and everything that they wait for. */
  drop(connections: readonly number[]): void {
    const gone = new Set(connections);
    const dead = this.#ready.filter(({ connection }) => connection !== null && gone.has(connection));
    this.#ready.splice(0, Infinity, ...this.#ready.filter((turn) => !dead.includes(turn)));
    for (const connection of connections) {
      const turn = this.#waiting.get(connection);
      if (turn !== undefined) dead.push(turn);
      this.#waiting.delete(connection);
    }
    this.#settle(this.#server.drop(connections));
    for (const { resolve } of dead) resolve(GONE);
  }

  #add(turn: Turn): void {
    this.#ready.push(turn);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Work that was answered continues to its next statement first.
    setImmediate(() => {
      this.#scheduled = false;
      this.#next();
      if (this.#ready.length > 0 || this.#waiting.size > 0) this.#schedule();
    });
  }

  #next(): void {
    const at = this.#ready.length > 1 ? this.#random.int(0, this.#ready.length - 1) : 0;
    const [turn] = this.#ready.splice(at, 1);
    if (turn === undefined) this.#await();
    else this.#go(turn);
  }

  #go(turn: Turn): void {
    this.#idle = 0;
    if (turn.connection === null || turn.statement === null) {
      turn.resolve(NOTHING);
      return;
    }
    this.statements += 1;
    this.#waiting.set(turn.connection, turn);
    const standstill = this.#server.run(turn.connection, turn.statement);
    if (standstill.waiting.some(({ connection }) => connection === turn.connection)) this.waits += 1;
    this.#settle(standstill);
  }

  /** All work waits: for something that returns soon, or for ever. */
  #await(): void {
    this.#idle += 1;
    if (this.#idle < STUCK) return;
    this.#idle = 0;
    const [connection] = this.#waiting.keys();
    if (connection === undefined) return;
    this.timeouts += 1;
    this.#end(connection, TIMED_OUT);
  }

  #settle({ ended, waiting }: Standstill): void {
    for (const { connection, outcome } of ended) {
      const turn = this.#waiting.get(connection);
      this.#waiting.delete(connection);
      turn?.resolve(outcome);
    }
    if (waiting.length > 0) this.#untie(waiting);
  }

  /** Resolves a deadlock by ending one of its sessions, as `deadlock_timeout` does. */
  #untie(waiting: Standstill['waiting']): void {
    const ring = ringOf(new Map(waiting.map(({ connection, for: others }) => [connection, others])));
    const victim = this.#random.pick(ring);
    if (victim === undefined) return;
    this.deadlocks += 1;
    this.#end(victim, DEADLOCK);
  }

  #end(connection: number, outcome: Outcome): void {
    const turn = this.#waiting.get(connection);
    this.#waiting.delete(connection);
    const { ended, waiting } = this.#server.cancel(connection);
    // It may have been given its lock just then.
    const own = ended.find((each) => each.connection === connection)?.outcome;
    turn?.resolve(own !== undefined && 'rows' in own ? own : outcome);
    this.#settle({ ended, waiting });
  }
}

/** The sessions of a deadlock, lowest first; none without a deadlock. */
export function ringOf(waits: ReadonlyMap<number, readonly number[]>): readonly number[] {
  for (const start of [...waits.keys()].sort((a, b) => a - b)) {
    const path = wayBack(start, start, waits, new Set());
    if (path !== null) return path.sort((a, b) => a - b);
  }
  return [];
}

function wayBack(
  from: number,
  to: number,
  waits: ReadonlyMap<number, readonly number[]>,
  seen: Set<number>,
): number[] | null {
  for (const next of waits.get(from) ?? []) {
    if (next === to) return [from];
    if (seen.has(next)) continue;
    seen.add(next);
    const rest = wayBack(next, to, waits, seen);
    if (rest !== null) return [from, ...rest];
  }
  return null;
}
