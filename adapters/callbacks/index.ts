/** Callbacks over HTTP, to checked and pinned addresses. @packageDocumentation */
export * from './addresses.ts';
export * from './resolver.ts';
export * from './undici-callback-transport.ts';
export { callbackPresenter } from '../http/operations/order-record.ts';
export { eventPresenter } from '../http/event-data.ts';
