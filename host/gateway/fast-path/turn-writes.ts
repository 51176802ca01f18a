/** A connection that has bytes to write. */
export interface Unsent {
  writeUnsent(): void;
}

/** So many writes wait for the end of the turn; the first of them should not wait for thousands. */
const AT_ONCE = 64;

/**
 * What connections write in one turn of the event loop leaves together at its end. A write may have to wake the process
 * that reads it, which costs more than the write; while it is awake, the writes that follow at once do not.
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
