/**
 * The payment API for servers that use `fetch` types: a `Request` in, a `Response` out, with the same operations and
 * checks as the Express binding.
 *
 * @packageDocumentation
 */
export * from './binding.ts';
export type { RequestFacts } from './fetch-request.ts';
