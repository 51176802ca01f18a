/** The reaction to the end of a process. */
export type AfterEnd = { readonly kind: 'start-again'; readonly afterMs: number } | { readonly kind: 'give-up' };

/** A process that served for less time counts as failed. */
export const SHORT_LIFE_MS = 10_000;
/** This many failed processes in a row end the server. */
export const SHORT_LIVES = 5;
const FIRST_WAIT_MS = 500;

/** Decides when a process is started again: at once after a long life, then with growing waits, finally never. */
export class Restarts {
  #shortLives = 0;

  /** @param servedMs - how long it has served; 0 if it never did */
  ended(servedMs: number): AfterEnd {
    if (servedMs >= SHORT_LIFE_MS) {
      this.#shortLives = 0;
      return { kind: 'start-again', afterMs: 0 };
    }
    this.#shortLives += 1;
    if (this.#shortLives >= SHORT_LIVES) return { kind: 'give-up' };
    return { kind: 'start-again', afterMs: FIRST_WAIT_MS * 2 ** (this.#shortLives - 1) };
  }
}
