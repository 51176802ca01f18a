import type { Clock, Millis, NodeDisagreement } from '../../../core/index.ts';

interface Open extends NodeDisagreement {
  readonly since: Millis;
  readonly seenAt: Millis;
  readonly atOnce: boolean;
}

/** Honest nodes differ for a moment: at the head, and about what waits to be mined. */
const PATIENCE_MS = 60_000;
/** Nothing asks while payments are stopped: after this long they are tried again. */
const FORGOTTEN_MS = 10 * 60_000;

/** What the nodes of one chain contradict each other about, until they agree. */
export class Disagreements {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #open = new Map<string, Open>();

  constructor(clock: Clock, patienceMs = PATIENCE_MS) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** @param atOnce - it cannot pass by itself: two honest nodes never differ about this */
  note(subject: string, found: NodeDisagreement, atOnce: boolean): void {
    const now = this.#clock.now();
    const since = this.#open.get(subject)?.since ?? now;
    this.#open.set(subject, { ...found, since, seenAt: now, atOnce });
  }

  end(subject: string): void {
    this.#open.delete(subject);
  }

  /** What lasts; `null` when the nodes agree. */
  get lasting(): NodeDisagreement | null {
    const now = this.#clock.now();
    for (const [subject, { seenAt }] of this.#open) if (now - seenAt > FORGOTTEN_MS) this.#open.delete(subject);
    const [found] = [...this.#open.values()].filter(({ since, atOnce }) => atOnce || now - since >= this.#patienceMs);
    return found === undefined ? null : { text: found.text, nodes: found.nodes };
  }
}
