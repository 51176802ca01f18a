import type { Duplex } from 'node:stream';

const MAX_HELD = 1_000;

/**
 * Sockets whose refusal waits. Who is refused at once asks again at once, and each attempt costs others more than the refusal is
 * worth. Nothing is read from them meanwhile.
 */
export class HeldSockets {
  readonly #timers = new Map<Duplex, NodeJS.Timeout>();

  get size(): number {
    return this.#timers.size;
  }

  /** Calls `answer` after so long, and at once where too many wait; not at all once the socket is closed. */
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

  /** Closes them unanswered. */
  close(): void {
    for (const socket of this.#timers.keys()) socket.destroy();
  }

  #release(socket: Duplex): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }
}
