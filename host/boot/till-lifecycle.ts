import { setTimeout as pause } from 'node:timers/promises';
import { isTillgateError, SettingsAgreement } from '../../core/index.ts';
import { beginChains } from './begin-chains.ts';
import { boundingSettings } from '../settings/bounding-settings.ts';
import type { Till } from './container.ts';
import { EpochKeeper } from './epoch-keeper.ts';
import type { Runtime } from './runtime.ts';
import { Workers } from '../workers/workers.ts';
import type { WorkerScope } from '../workers/workers.ts';

const DRAIN_MS = 7000;
const CLOSE_MS = 1000;

/** Starts the work of an open till and shuts it down in order, whichever server takes its requests. */
export class TillLifecycle {
  readonly #runtime: Runtime;
  readonly #till: Till;
  readonly #epochKeeper: EpochKeeper;
  /** `null` where there is only one instance. */
  readonly #agreement: SettingsAgreement | null;
  #workers: Workers | null = null;
  #keysLoaded = false;
  readonly #onOutdated: () => void;
  #outdated = false;

  /**
   * @param onOutdated - called once, when a newer release has migrated the database or the database has lost data:
   * nothing may be written any more. Without it the workers stop.
   */
  constructor(runtime: Runtime, till: Till, onOutdated?: () => void) {
    this.#onOutdated = onOutdated ?? (() => void this.stop());
    this.#runtime = runtime;
    this.#till = till;
    const { marker = null, config, owner: instance } = runtime;
    const { documents, uses } = runtime.storage;
    const settings = boundingSettings(config, till);
    this.#agreement = uses === null ? null : new SettingsAgreement({ ...till, documents, instance, settings });
    this.#epochKeeper = new EpochKeeper({
      ...till,
      marker,
      settings: config.restore,
      onLost: (reason) => this.#end('the database has lost data, so this process ends; start it again', reason),
    });
  }

  /** Completes everything that must precede the first answered request. */
  async prepare(scope: WorkerScope = 'all'): Promise<void> {
    const { chainReports, handleEvents, keyCache, gateway } = this.#till;
    await this.#epochKeeper.check();
    await this.#agreement?.join();
    // From here on no event is missed for which there is a handler.
    await handleEvents.subscribe();
    // From here on each chain has a state and a metric, even when its node does not answer.
    await chainReports.refresh();
    if (scope === 'all') await beginChains({ ...this.#till, owner: this.#runtime.owner });
    if (!this.#keysLoaded) await keyCache.start();
    this.#keysLoaded = true;
    gateway.openIfNeeded();
  }

  /** Starts the loops; does nothing while they run. */
  start(scope: WorkerScope = 'all'): void {
    if (this.#workers !== null) return;
    const { storage, owner, leaseTtlMs, clockWatch } = this.#runtime;
    const tools = { ...this.#till, leases: storage.leases, owner, leaseTtlMs, clockWatch };
    const { gateway, callbacks } = this.#runtime.config;
    const kept = { usageRetentionMs: gateway.usageRetentionMs, keepBodiesMs: callbacks.keepBodiesMs };
    const onOutdated = (reason: string): void =>
      this.#end('this release is older than its database, so this instance stops its work', reason);
    const duties = {
      ...{ ...this.#till, epochKeeper: this.#epochKeeper, ...kept, onOutdated },
      agree: () => this.#agree(),
    };
    this.#workers = new Workers(duties, tools, scope);
    this.#workers.start();
  }

  /** Stops an instance that was cut off for so long that others started with different settings. */
  async #agree(): Promise<void> {
    try {
      await this.#agreement?.join();
    } catch (error) {
      if (!isTillgateError(error, 'CONFIG_INVALID')) throw error;
      this.#end('another instance has other settings, so this instance stops its work', error.message);
    }
  }

  #end(what: string, reason: string): void {
    if (this.#outdated) return;
    this.#outdated = true;
    this.#till.logger.error(what, { reason });
    this.#onOutdated();
  }

  /** Waits for every running pass to finish and releases the leases. The loops can be started again. */
  async stop(): Promise<void> {
    const workers = this.#workers;
    this.#workers = null;
    await workers?.stop();
  }

  /** Waits at most 7 seconds for `serving` to end and for the work to finish. */
  async drain(serving: Promise<unknown>): Promise<void> {
    const { deliverCallbacks, handleEvents } = this.#till;
    const delivered = this.stop().then(() => Promise.all([deliverCallbacks.drain(), handleEvents.drain()]));
    const finished = Promise.all([serving, delivered]);
    const inTime = await Promise.race([finished.then(() => true), pause(DRAIN_MS, false, { ref: false })]);
    // Interrupting work is safe: orders are durable before they are answered, callbacks are sent and events handled again.
    if (!inTime) this.#till.logger.warn('shutdown timed out; unfinished work resumes at the next start');
  }

  /** Closes the gateway and its connections. */
  async leave(): Promise<void> {
    const { gateway, keyCache } = this.#till;
    await Promise.race([Promise.all([gateway.close(), keyCache.close()]), pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** Closes everything within 2 seconds, the database last. */
  async close(): Promise<void> {
    const { addressPool, refusedAttempts, usageRecorder, logger } = this.#till;
    await Promise.race([addressPool.release(), pause(CLOSE_MS, undefined, { ref: false })]).catch((error: unknown) => {
      logger.warn('unused addresses were not put back', { error });
    });
    await Promise.race([refusedAttempts.flush(), pause(CLOSE_MS, undefined, { ref: false })]).catch(
      (error: unknown) => {
        logger.warn('the last refused attempts are not in the audit log', { error });
      },
    );
    await Promise.race([usageRecorder.run(), pause(CLOSE_MS, undefined, { ref: false })]).catch((error: unknown) => {
      logger.warn('the last usage was not stored', { error });
    });
    await Promise.race([this.#epochKeeper.note(), pause(CLOSE_MS, undefined, { ref: false })]).catch(
      (error: unknown) => {
        logger.warn('the marker of the database was not written', { error });
      },
    );
    await Promise.race([this.#agreement?.leave(), pause(CLOSE_MS, undefined, { ref: false })]).catch(
      (error: unknown) => {
        this.#till.logger.warn(
          'the end of this instance was not recorded; instances with other settings must wait half a minute',
          { error },
        );
      },
    );
    await Promise.race([this.#runtime.close(), pause(CLOSE_MS, undefined, { ref: false })]);
  }
}
