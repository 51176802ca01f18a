import { setTimeout as pause } from 'node:timers/promises';
import { TillgateError, isTillgateError } from '../../core/index.ts';
import type { Clock, Millis, Storage } from '../../core/index.ts';

/** Readiness checks write to the database at most this often. */
const EVERY_MS = 5_000;
/** A database that takes longer to write one row is not ready. */
const LONGEST_MS = 5_000;

/** Checks whether the database accepts writes: it may answer reads while its disk is full. */
export class WriteProbe {
  readonly #storage: Pick<Storage, 'probeWrite'>;
  readonly #clock: Clock;
  readonly #longestMs: number;
  #running: Promise<void> | null = null;
  #last: { readonly at: Millis; readonly failure: TillgateError | null } | null = null;

  constructor(storage: Pick<Storage, 'probeWrite'>, clock: Clock, longestMs = LONGEST_MS) {
    this.#storage = storage;
    this.#clock = clock;
    this.#longestMs = longestMs;
  }

  /** @throws TillgateError `NOT_READY` while the database refuses a write, or takes too long for it */
  async run(): Promise<void> {
    const age = this.#last === null ? EVERY_MS : this.#clock.now() - this.#last.at;
    if (age < 0 || age >= EVERY_MS) await this.#inTime((this.#running ??= this.#write()));
    if (this.#last?.failure != null) throw this.#last.failure;
  }

  /** Runs one write at a time; concurrent callers share its result. It never rejects. */
  async #write(): Promise<void> {
    const failure = await this.#storage.probeWrite().then(
      () => null,
      (error: unknown) => notReady(error),
    );
    this.#last = { at: this.#clock.now(), failure };
    this.#running = null;
  }

  async #inTime(write: Promise<void>): Promise<void> {
    const inTime = await Promise.race([write.then(() => true), pause(this.#longestMs, false, { ref: false })]);
    if (!inTime)
      throw new TillgateError('NOT_READY', `The database has not written one row within ${this.#longestMs / 1_000} s.`);
  }
}

function notReady(error: unknown): TillgateError {
  if (isTillgateError(error, 'NOT_READY')) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new TillgateError('NOT_READY', `The database refuses writes: ${reason}`, {}, error);
}
