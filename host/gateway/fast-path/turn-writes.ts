/** A connection that has bytes to write. */
export interface Unsent {
  writeUnsent(): void;
}

/** At most this many writes wait for the end of the turn, so that the first does not wait for thousands. */
const AT_ONCE = 64;

/**
 * Delays the writes of one turn of the event loop to its end. A write may have to wake the process that reads it, which
 * costs more than the write itself; immediately following writes find that process awake.
 */
export class TurnWrites {
  #waiting: Unsent[] = [];
  readonly #end = (): void => this.#write();

  add(connection: Unsent): void {
    const { length } = this.#waiting;
    if (length === 0) setImmediate(this.#end);
    this.#waiting.push(connection);
    if (length + 1 >= AT_ONCE) this.#write();
  }

  #write(): void {
    const connections = this.#waiting;
    this.#waiting = [];
    for (const connection of connections) connection.writeUnsent();
  }
}

export const turnWrites = new TurnWrites();
