import { readSync, writeSync } from 'node:fs';
import pg from 'pg';
import { errorOf, execute, fieldsOf, prepare, rowOf, simple, split, sync } from './protocol.ts';
import type { Field, Message, Outcome, Row, Statement } from './protocol.ts';

/** The socket of a `pg` client that has logged in. */
interface Socketed {
  readonly connection: {
    readonly stream: { readonly _handle: { readonly fd: number; readStop(): void; setBlocking(on: boolean): void } };
  };
}

/** Parsers of text by type. */
export type Readers = (type: number) => (text: string) => unknown;

/** The parsers of `pg`. */
export const ordinary: Readers = (type) =>
  (pg.types.getTypeParser as (type: number, format: string) => (text: string) => unknown)(type, 'text');

const idle = new Int32Array(new SharedArrayBuffer(4));
/** The pause between two reads of the socket. */
const NAP_MS = 0.03;
const BEGIN = /^BEGIN/;

/** Blocks for a moment. */
export function nap(): void {
  Atomics.wait(idle, 0, 0, NAP_MS);
}

/** A connection to PostgreSQL that is used without the event loop: the caller blocks until there is an answer. */
export class Wire {
  readonly pid: number;
  /** Referenced, so that the connection is not closed. */
  readonly #client: pg.Client;
  readonly #handle: Socketed['connection']['stream']['_handle'];
  readonly #readers: Readers;
  readonly #buffer = Buffer.allocUnsafe(1 << 16);
  readonly #known = new Map<string, readonly Field[]>();
  #left = Buffer.alloc(0);
  /** Sent together with the next statement, because it does nothing by itself. */
  #begin: Statement | null = null;
  #describing: string[] = [];
  #fields: readonly Field[] = [];
  #rows: Row[] = [];
  #failure: Outcome | null = null;
  #outcome: Outcome | null = null;
  inTransaction = false;
  /** True while a statement is in progress. */
  busy = false;

  private constructor(client: pg.Client, pid: number, readers: Readers) {
    const { _handle } = (client as unknown as Socketed).connection.stream;
    _handle.readStop();
    this.#client = client;
    this.#handle = _handle;
    this.#readers = readers;
    this.pid = pid;
  }

  static async connect(config: pg.ClientConfig, readers: Readers = ordinary): Promise<Wire> {
    const client = new pg.Client(config);
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new Wire(client, (rows[0] as { pid: number }).pid, readers);
  }

  /** Sends a statement; {@link Wire.answer} returns its outcome. */
  send(statement: Statement): void {
    this.busy = true;
    this.#clear();
    if (BEGIN.test(statement.text) && this.#begin === null && !this.inTransaction) {
      this.#begin = statement;
      this.inTransaction = true;
      this.#outcome = { rows: [] };
      return;
    }
    const all = this.#begin === null ? [statement] : [this.#begin, statement];
    this.#begin = null;
    this.#describing = all.filter(({ name }) => !this.#known.has(name)).map(({ name }) => name);
    this.#fields = this.#known.get(statement.name) ?? [];
    const parts = all.flatMap((each) =>
      this.#known.has(each.name) ? [execute(each)] : [prepare(each), execute(each)],
    );
    this.#write(Buffer.concat([...parts, sync()]));
  }

  /** Several statements without bound values. */
  sendSimple(sql: string): void {
    this.busy = true;
    this.#clear();
    this.#write(simple(sql));
  }

  /** The outcome of the statement in progress; `null` while there is none. */
  answer(): Outcome | null {
    if (this.#outcome === null) this.#read();
    const outcome = this.#outcome;
    if (outcome !== null) this.busy = false;
    return outcome;
  }

  /** Waits for the answer up to a time. */
  await(mostMs: number): Outcome | null {
    const until = performance.now() + mostMs;
    for (;;) {
      const outcome = this.answer();
      if (outcome !== null || performance.now() > until) return outcome;
      nap();
    }
  }

  /** Waits for an answer that is certain to come, which is cheaper than polling. */
  awaitSurely(): Outcome {
    this.#handle.setBlocking(true);
    for (;;) {
      const outcome = this.answer();
      if (outcome === null) continue;
      this.#handle.setBlocking(false);
      return outcome;
    }
  }

  /** Returns the socket to the event loop, to be closed. */
  close(): void {
    (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  #clear(): void {
    this.#rows = [];
    this.#fields = [];
    this.#failure = null;
    this.#outcome = null;
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const written = attempt(() => writeSync(this.#handle.fd, bytes, at));
      if (written === null) nap();
      else at += written;
    }
  }

  #read(): void {
    for (;;) {
      const length = attempt(() => readSync(this.#handle.fd, this.#buffer, 0, this.#buffer.length, null));
      if (length === null) return;
      if (length === 0) {
        this.#outcome = { message: 'Connection terminated', code: '08006' };
        return;
      }
      const bytes = Buffer.concat([this.#left, this.#buffer.subarray(0, length)]);
      this.#left = Buffer.from(split(bytes, (message) => this.#take(message)));
      if (this.#outcome !== null) return;
    }
  }

  #take({ letter, body }: Message): void {
    if (letter === 'D') this.#rows.push(rowOf(body, this.#fields));
    else if (letter === 'T' || letter === 'n') this.#describe(letter === 'T' ? fieldsOf(body, this.#readers) : []);
    else if (letter === 'E') this.#failure = errorOf(body);
    else if (letter === 'Z') {
      this.inTransaction = body[0] !== 73;
      this.#outcome = this.#failure ?? { rows: this.#rows };
    }
  }

  #describe(fields: readonly Field[]): void {
    const name = this.#describing.shift();
    if (name !== undefined) this.#known.set(name, fields);
    this.#fields = fields;
  }
}

/** The result of a system call; `null` when it would have had to wait. */
function attempt(call: () => number): number | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EAGAIN') return null;
    if (code === 'ECONNRESET' || code === 'EPIPE') return 0;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
