/** So many failures in a row, and the store is left alone for a while. */
const FAILURES = 3;
const PAUSE_MS = 5_000;

/** Stops asking a store that fails; after a pause one request tries it again. */
export class StoreCircuit {
  readonly #onChange: (open: boolean) => void;
  #failures = 0;
  #pausedUntil = -Infinity;
  #trying = false;

  /** @param onChange - called with true when the store is left alone, and with false when it answers again */
  constructor(onChange: (open: boolean) => void) {
    this.#onChange = onChange;
  }

  /** True if the store may be asked now. Whoever asks reports what came of it. */
  mayAsk(now: number): boolean {
    if (this.#failures < FAILURES) return true;
    if (now < this.#pausedUntil || this.#trying) return false;
    this.#trying = true;
    return true;
  }

  succeeded(): void {
    const wasOpen = this.#failures >= FAILURES;
    this.#failures = 0;
    this.#trying = false;
    if (wasOpen) this.#onChange(false);
  }

  failed(now: number): void {
    const wasOpen = this.#failures >= FAILURES;
    this.#failures += 1;
    this.#trying = false;
    if (this.#failures < FAILURES) return;
    this.#pausedUntil = now + PAUSE_MS;
    if (!wasOpen) this.#onChange(true);
  }
}
