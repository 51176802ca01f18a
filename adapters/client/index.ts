/**
 * The merchant's client: it calls `/v1` with an API key or a signature, and verifies callbacks. It has no
 * dependencies and runs wherever `fetch` and Web Crypto exist.
 *
 * @packageDocumentation
 */
export { createTillgateClient } from './client.ts';
export type { TillgateClient } from './client.ts';
export type * from './api.ts';
export * from './errors.ts';
export * from './records.ts';
export type { CallOptions, ClientOptions, Credentials, WriteOptions } from './transport.ts';
export type { RetryOptions } from './retry.ts';
export { signRequest } from './sign-request.ts';
export type { SigningPair, UnsignedRequest } from './sign-request.ts';
export type { CallbackEvent, CallbackSummary } from './callback-form.ts';
export type { PlainRequest } from './callback-request.ts';
export { CallbackRejectedError } from './callback-checks.ts';
export type { CallbackRejection, TimeOptions } from './callback-checks.ts';
export * from './verify-callback.ts';
export * from './verify-webhook.ts';
export * from './sign-test-callback.ts';
