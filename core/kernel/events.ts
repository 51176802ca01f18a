import { token } from './token.ts';

/** Events by name. They are emitted after the transaction committed, and serve pages and metrics, never money. */
// Each room adds its events beside their types, by `declare module`; the interface is empty here.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface DomainEvents {}

/** Typed in-process events. An error of a listener is logged and does not affect others. */
export interface EventBus {
  emit<Name extends keyof DomainEvents>(name: Name, event: DomainEvents[Name]): void;
  /** Returns a function that unsubscribes. */
  on<Name extends keyof DomainEvents>(name: Name, listener: (event: DomainEvents[Name]) => void): () => void;
}

export const EVENT_BUS = token<EventBus>('EventBus');
