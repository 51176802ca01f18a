import { isTillgateError } from '../../core/index.ts';
import type { Clock, Logger, Millis } from '../../core/index.ts';

/** An outage that lasts is logged again this often. */
const AGAIN_MS = 60_000;

interface Outage {
  readonly since: Millis;
  loggedAt: Millis;
  /** The loops that have not worked again yet. */
  readonly loops: Set<string>;
}

/**
 * What is unavailable for all loops at once, such as the database, is logged once when it begins, once a minute while it
 * lasts, and once when it is over, instead of at each attempt of each loop.
 */
export class Outages {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #open = new Map<string, Outage>();

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** @returns whether this failure of a loop is to be logged as an error */
  failed(loop: string, error: unknown): boolean {
    if (!isTillgateError(error, 'NOT_READY')) return true;
    const now = this.#clock.now();
    const outage = this.#open.get(error.message);
    if (outage === undefined) {
      this.#open.set(error.message, { since: now, loggedAt: now, loops: new Set([loop]) });
      return true;
    }
    outage.loops.add(loop);
    if (now - outage.loggedAt < AGAIN_MS) return false;
    outage.loggedAt = now;
    return true;
  }

  /** A loop has worked again. */
  worked(loop: string): void {
    for (const [reason, { loops, since }] of this.#open) {
      if (!loops.delete(loop) || loops.size > 0) continue;
      this.#open.delete(reason);
      this.#logger.info('the work continues after an outage', { reason, ms: this.#clock.now() - since });
    }
  }
}
