import { present } from '../kernel/index.ts';
import type { CallbackId, Clock, Deadline, Logger, Metrics, Millis, Random, Storage } from '../kernel/index.ts';
import { afterAttempt } from './callback-schedule.ts';
import type { AttemptOutcome } from './callback-schedule.ts';
import type { ClaimedCallback } from './callback-store.ts';
import type { Callback, CallbackAttempt } from './callback.ts';
import type { DeliverySettings } from './deliver-callbacks.ts';
import type { HandledType } from './event-types.ts';
import { checkHandledType, HandledTypes } from './handled-types.ts';

/** An event, as the till's own handlers get it. */
export interface HandledEvent {
  /** The same at each attempt: an application that has handled it once need not do so again. */
  readonly id: CallbackId;
  readonly type: HandledType;
  /** When the event was written. Events of one record have different times. */
  readonly createdAt: Millis;
  /** What the body of a webhook has under `data`. */
  readonly data: unknown;
}

/** Handles an event. It is handled when the promise, if there is one, resolves; to throw is to try again later. */
export type EventHandler = (event: HandledEvent) => void | Promise<void>;

export interface HandleEventsDeps {
  readonly storage: Pick<Storage, 'callbacks' | 'documents' | 'transaction'>;
  readonly random: Random;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The schedule of the attempts; `timeoutMs` is the time that a handler has for each. */
  readonly settings: Pick<DeliverySettings, 'scheduleMs' | 'timeoutMs'>;
  /** Redacts what looks like a secret in the message of an error, as logs do. */
  readonly scrub: (text: string) => string;
}

/** The most events that are being handled at once. */
const AT_ONCE = 32;
/** How long a pass waits for slow handlers, in milliseconds, so that they do not delay other events. */
const PATIENCE_MS = 250;
const MAX_ERROR_TEXT = 200;

/**
 * Gives the events of the outbox to handlers of this process, at least once each. The events of one record come one after
 * the other: each waits until the one before was handled or given up, however often that is tried.
 *
 * An instance takes only events of types that it has handlers for, so that those of others wait for an instance that has
 * some. Events of a type for which nobody has a handler any more do not hold up others of their record.
 */
export class HandleEvents {
  readonly #deps: HandleEventsDeps;
  readonly #handlers = new Map<HandledType, Set<EventHandler>>();
  readonly #types: HandledTypes;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: HandleEventsDeps) {
    this.#deps = deps;
    this.#types = new HandledTypes(deps.storage, () => [...this.#handlers.keys()]);
  }

  /**
   * Adds a handler. Two handlers of one type are both tried again when one of them fails.
   *
   * @returns a function that removes it; events of a type without a handler wait
   * @throws TillgateError `INVALID_FIELDS` for an unknown type
   */
  on(type: HandledType, handler: EventHandler): () => void {
    checkHandledType(type);
    // One of its own, so that a function that was added twice is removed once.
    const added: EventHandler = (event) => handler(event);
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers.add(added));
    return () => {
      handlers.delete(added);
      if (handlers.size === 0 && this.#handlers.get(type) === handlers) this.#handlers.delete(type);
    };
  }

  /**
   * From when it resolves, events of the handlers' types are written to the outbox, by every instance, until the type is
   * forgotten.
   */
  subscribe(): Promise<void> {
    return this.#types.subscribe();
  }

  /**
   * Ends the writing of events of a type that no process handles any more, and gives up those that wait. A process that
   * does handle it must be stopped first: it would hear of no further event until it is started again. An event of a
   * transaction that is under way in another process may still be written; the next call gives it up.
   *
   * @returns how many events were given up
   * @throws TillgateError `INVALID_FIELDS` for an unknown type; `STATE_CONFLICT` while this process has a handler of it
   */
  async forget(type: HandledType): Promise<number> {
    const events = await this.#types.forget(type);
    this.#deps.logger.info('events of a type are no longer written for handlers', { type, givenUp: events });
    return events;
  }

  /**
   * Makes one pass: claims due events and has them handled. Returns their number when all are done, or after 250 ms: slow
   * handlers go on while the next pass runs.
   */
  async run(): Promise<number> {
    await this.subscribe();
    const { storage, clock, deadline, settings } = this.#deps;
    const types = [...this.#handlers.keys()];
    const room = AT_ONCE - this.#running.size;
    if (types.length === 0) return 0;
    const at = clock.now();
    // The lease covers the attempt, and the same time again for storing its outcome.
    const leaseMs = settings.timeoutMs * 2;
    const claims = room === 0 ? [] : await storage.callbacks.claimHandled(types, at, leaseMs, room);
    for (const claim of claims) this.#start(claim, at);
    const patience = deadline(PATIENCE_MS);
    await Promise.race([
      this.drain(),
      new Promise<void>((resolve) => patience.addEventListener('abort', () => resolve(), { once: true })),
    ]);
    return claims.length;
  }

  /** Resolves when nothing is being handled; for the shutdown. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(claim: ClaimedCallback, at: Millis): void {
    const running = this.#attempt(claim, at).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #attempt(claim: ClaimedCallback, claimedAt: Millis): Promise<void> {
    const { clock, logger, metrics, settings } = this.#deps;
    const { id: eventId, event: type } = claim.callback;
    const handlers = this.#handlers.get(type as HandledType);
    // Too late to finish within the lease, or its handler was removed since: as if it had not been claimed.
    if (clock.now() - claimedAt > settings.timeoutMs || handlers === undefined) return;
    try {
      const outcome = await this.#handle(claim.callback, [...handlers]);
      const result = await this.#record(claim, clock.now(), outcome);
      metrics.count('tillgate_callbacks_total', { outcome: result });
      if (result === 'dead') logger.error('an event was given up: its handler failed each time', { eventId, type });
    } catch (error) {
      metrics.count('tillgate_callbacks_total', { outcome: 'unrecorded' });
      logger.error('the outcome of an event could not be stored; it will be handled again', { eventId, type, error });
    }
  }

  /** Runs the handlers. One that is not done in time has failed; it cannot be stopped. */
  async #handle(callback: Callback, handlers: readonly EventHandler[]): Promise<AttemptOutcome> {
    const { clock, deadline, logger, settings } = this.#deps;
    const began = clock.now();
    const limit = deadline(settings.timeoutMs);
    const late = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(new Error(`not done after ${settings.timeoutMs} ms`));
      limit.addEventListener('abort', fail, { once: true });
    });
    const run = async (handler: EventHandler): Promise<void> => handler(eventOf(callback));
    try {
      const ended = await Promise.race([late, Promise.allSettled(handlers.map(run))]);
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
      return { kind: 'handled', durationMs: clock.now() - began };
    } catch (error) {
      const { id: eventId, event: type } = callback;
      logger.warn('a handler failed; its event is handled again later', { eventId, type, error });
      return { kind: 'failed', reason: this.#deps.scrub(messageOf(error)), durationMs: clock.now() - began };
    }
  }

  async #record(claim: ClaimedCallback, now: Millis, outcome: AttemptOutcome): Promise<string> {
    const { storage, random, settings } = this.#deps;
    const { id: callbackId, attempts } = claim.callback;
    const { result, changes } = afterAttempt(outcome, attempts, now, random, settings.scheduleMs);
    const error = outcome.kind === 'failed' ? outcome.reason.slice(0, MAX_ERROR_TEXT) : null;
    const { durationMs } = outcome;
    const attempt: CallbackAttempt = { callbackId, at: now - durationMs, durationMs, httpStatus: null, error };
    return (await storage.callbacks.finish(claim, changes, attempt)) ? result : 'lost';
  }
}

/** The event of a row of the outbox. Each handler gets an object of its own. */
export function eventOf({ id, event, createdAt, body }: Callback): HandledEvent {
  const { data } = JSON.parse(present(body, 'the body of an event')) as { readonly data: unknown };
  return { id, type: event as HandledType, createdAt, data };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
