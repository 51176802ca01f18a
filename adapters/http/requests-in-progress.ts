import { TillgateError } from '../../core/index.ts';

/** The refusal of a service that stops. */
export function shuttingDown(): TillgateError {
  return new TillgateError('NOT_READY', 'The service is shutting down.');
}

/**
 * The requests that are being answered, for a server that is not the till's own: what closes the till waits for them.
 * One of these may be shared by several bindings.
 */
export class RequestsInProgress {
  readonly #running = new Set<symbol>();
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  /** True once {@link RequestsInProgress.close} was called: new requests are to be refused. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Counts a request; one that comes after the close is not waited for. @returns to be called when its reply is over; again does nothing */
  begin(): () => void {
    if (this.#closed) return () => undefined;
    const request = Symbol('request');
    this.#running.add(request);
    return () => {
      this.#running.delete(request);
      if (this.#running.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Has new requests refused. @returns once those in progress were answered */
  close(): Promise<void> {
    this.#closed = true;
    return new Promise((resolve) => {
      if (this.#running.size === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }
}
