/**
 * The payment API for whatever speaks `fetch`: a `Request` in, a `Response` out, over the same operations and checks
 * as the Express binding.
 *
 * @packageDocumentation
 */
export * from './binding.ts';
export type { RequestFacts } from './fetch-request.ts';
