import { TillgateError } from '../../core/index.ts';

/** The error for requests that arrive while the service stops. */
export function shuttingDown(): TillgateError {
  return new TillgateError('NOT_READY', 'The service is shutting down.');
}

/**
 * The requests that are being answered by a server that the till does not own: closing the till waits for them. Several
 * bindings may share one instance.
 */
export class RequestsInProgress {
  readonly #running = new Set<symbol>();
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  /** Whether {@link RequestsInProgress.close} was called: new requests must be refused. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Counts a request. A request that begins after the close is not waited for. @returns a function to call when its
   * reply is over; further calls do nothing
   */
  begin(): () => void {
    if (this.#closed) return () => undefined;
    const request = Symbol('request');
    this.#running.add(request);
    return () => {
      this.#running.delete(request);
      if (this.#running.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Lets new requests be refused. @returns once those in progress were answered */
  close(): Promise<void> {
    this.#closed = true;
    return new Promise((resolve) => {
      if (this.#running.size === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }
}
