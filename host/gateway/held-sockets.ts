import type { Duplex } from 'node:stream';

const MAX_HELD = 1_000;

/**
 * Delays the refusal of sockets. A client that is refused at once retries at once, and each attempt costs others more
 * than the refusal saves. Nothing is read from the sockets meanwhile.
 */
export class HeldSockets {
  readonly #timers = new Map<Duplex, NodeJS.Timeout>();

  get size(): number {
    return this.#timers.size;
  }

  /** Calls `answer` after this time, or at once when too many sockets wait; never after the socket is closed. */
  hold(socket: Duplex, ms: number, answer: () => void): void {
    if (this.#timers.size >= MAX_HELD) {
      answer();
      return;
    }
    socket.once('close', () => this.#release(socket));
    const timer = setTimeout(() => {
      this.#release(socket);
      answer();
    }, ms);
    this.#timers.set(socket, timer);
  }

  /** Closes the sockets unanswered. */
  close(): void {
    for (const socket of this.#timers.keys()) socket.destroy();
  }

  #release(socket: Duplex): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }
}
