/** Something that must get on by a certain time. */
export interface Dated {
  /** On the machine's steady clock, in milliseconds. */
  dueAt: number;
  /** Called at most once, and no longer among the dated then. */
  overdue(): void;
}

const TICK_MS = 100;

/**
 * Deadlines of all that is under way, looked at ten times a second: a timer for each request, set and taken back, would
 * cost more than the request's own checks.
 */
export class Deadlines {
  readonly #dated = new Set<Dated>();
  readonly #timer = setInterval(() => this.#look(), TICK_MS).unref();

  add(dated: Dated): void {
    this.#dated.add(dated);
  }

  delete(dated: Dated): void {
    this.#dated.delete(dated);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#dated.clear();
  }

  #look(): void {
    const now = performance.now();
    for (const dated of this.#dated) {
      if (dated.dueAt > now) continue;
      this.#dated.delete(dated);
      dated.overdue();
    }
  }
}
