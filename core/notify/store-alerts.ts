import type { Clock, DomainEvents, EventBus, IdGenerator, Logger, Storage } from '../kernel/index.ts';
import { newAlert } from './alert.ts';

export interface StoreAlertsDeps {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly events: EventBus;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The most alerts that wait to be stored. Further ones are only in the log, as while the database is unavailable. */
const MOST_WAITING = 1_000;

/**
 * Stores raised alerts one after the other, asynchronously, so that a failure here does not affect the work that raised
 * them. They are in the log already.
 */
export class StoreAlerts {
  readonly #deps: StoreAlertsDeps;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #unsubscribe: (() => void) | null = null;

  constructor(deps: StoreAlertsDeps) {
    this.#deps = deps;
  }

  /** Stores each alert from now on; starting it twice does nothing. */
  start(): void {
    this.#unsubscribe ??= this.#deps.events.on('alert', (raised) => {
      if (this.#waiting >= MOST_WAITING) return;
      this.#waiting += 1;
      this.#last = this.#last.then(() => this.#store(raised));
    });
  }

  /** Stops accepting alerts; resolves when all raised ones are stored or have failed. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    await this.settled();
  }

  /** Resolves when no alert is waiting. */
  async settled(): Promise<void> {
    while (this.#waiting > 0) await this.#last;
  }

  async #store({ kind, subject, reason }: DomainEvents['alert']): Promise<void> {
    const { storage, ids, clock, logger } = this.#deps;
    try {
      const alert = newAlert({ ids, clock }, { kind, subject, reason });
      await storage.transaction((tx) => tx.alerts.raise(alert));
    } catch (error) {
      logger.error('an alert could not be stored', {
        alert: kind,
        subject,
        cause: error instanceof Error ? error.message : String(error),
      });
    } finally {
      this.#waiting -= 1;
    }
  }
}
