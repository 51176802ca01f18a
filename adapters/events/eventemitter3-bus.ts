import { EventEmitter } from 'eventemitter3';
import type { DomainEvents, EventBus, Logger } from '../../core/index.ts';

/** {@link EventBus} on eventemitter3. A listener that throws or rejects is logged; the others run all the same. */
export class Eventemitter3Bus implements EventBus {
  readonly #emitter = new EventEmitter();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  emit<Name extends keyof DomainEvents>(name: Name, event: DomainEvents[Name]): void {
    this.#emitter.emit(name, event);
  }

  on<Name extends keyof DomainEvents>(name: Name, listener: (event: DomainEvents[Name]) => void): () => void {
    // A wrapper for each subscription, because one listener may subscribe twice and end each separately.
    const guarded = (event: DomainEvents[Name]): void => this.#call(name, listener, event);
    this.#emitter.on(name, guarded);
    return () => this.#emitter.off(name, guarded);
  }

  #call<Name extends keyof DomainEvents>(
    name: Name,
    listener: (event: DomainEvents[Name]) => unknown,
    event: DomainEvents[Name],
  ): void {
    const failed = (error: unknown): void => this.#logger.error('an event listener failed', { event: name, error });
    try {
      // A listener may be an async function: its type allows it.
      const returned = listener(event);
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
