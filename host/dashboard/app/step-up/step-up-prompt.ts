import { ApiError, STEP_UP_CANCELLED } from '../api/api-error.ts';

/** Prompts for a step-up: one dialog for any number of waiting requests. */
export class StepUpPrompt {
  readonly #listeners = new Set<() => void>();
  #asked: { readonly promise: Promise<void>; readonly end: (error: ApiError | null) => void } | null = null;

  /** @throws ApiError with the reason `step_up_cancelled` */
  ask(): Promise<void> {
    if (this.#asked === null) {
      let end: (error: ApiError | null) => void = () => undefined;
      const promise = new Promise<void>((resolve, reject) => {
        end = (error) => {
          if (error === null) resolve();
          else reject(error);
        };
      });
      this.#asked = { promise, end };
      this.#changed();
    }
    return this.#asked.promise;
  }

  end(raised: boolean): void {
    const asked = this.#asked;
    this.#asked = null;
    this.#changed();
    asked?.end(raised ? null : new ApiError(403, 'tillgate.stepUp.cancelled', STEP_UP_CANCELLED));
  }

  readonly isOpen = (): boolean => this.#asked !== null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
