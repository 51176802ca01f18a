import type { Clock, Millis, NodeDisagreement } from '../../../core/index.ts';

interface Open extends NodeDisagreement {
  readonly since: Millis;
  readonly seenAt: Millis;
  readonly atOnce: boolean;
  /** The disagreement was reported, so that an alert can be raised. */
  readonly reported: boolean;
  /** The nodes agree again. */
  readonly ended: boolean;
}

/** Honest nodes differ for a moment: at the head, and about the mempool. */
const PATIENCE_MS = 60_000;
/** No questions are asked while payments are stopped; after this time they are tried again. */
const FORGOTTEN_MS = 10 * 60_000;

/** The facts about which the nodes of one chain contradict each other, until they agree. */
export class Disagreements {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #open = new Map<string, Open>();

  constructor(clock: Clock, patienceMs = PATIENCE_MS) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** @param atOnce - the disagreement cannot pass by itself: two honest nodes never differ about this */
  note(subject: string, found: NodeDisagreement, atOnce: boolean): void {
    const now = this.#clock.now();
    const { since = now, reported = false } = this.#open.get(subject) ?? {};
    this.#open.set(subject, { ...found, since, seenAt: now, atOnce, reported, ended: false });
  }

  /**
   * Records that the nodes agree about a subject. A disagreement that cannot pass by itself stays until it was reported
   * once.
   */
  end(subject: string): void {
    const open = this.#open.get(subject);
    if (open?.atOnce === true && !open.reported) this.#open.set(subject, { ...open, ended: true });
    else this.#open.delete(subject);
  }

  /** The disagreement that lasts; `null` when the nodes agree. */
  get lasting(): NodeDisagreement | null {
    const found = this.#due();
    return found === null ? null : { text: found.text, nodes: found.nodes };
  }

  /** The disagreement for an alert: one that has ended in the meantime is still reported once. */
  report(): NodeDisagreement | null {
    const { lasting } = this;
    for (const [subject, open] of this.#open)
      if (open.ended) this.#open.delete(subject);
      else if (open.atOnce) this.#open.set(subject, { ...open, reported: true });
    return lasting;
  }

  #due(): Open | null {
    const now = this.#clock.now();
    for (const [subject, { seenAt }] of this.#open) if (now - seenAt > FORGOTTEN_MS) this.#open.delete(subject);
    const due = [...this.#open.values()].filter(({ since, atOnce }) => atOnce || now - since >= this.#patienceMs);
    return due[0] ?? null;
  }
}
