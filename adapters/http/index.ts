/**
 * The payment API over HTTP: one table of operations, from which routing, validation and OpenAPI are derived; a
 * pipeline without a framework; and its Express binding.
 *
 * @packageDocumentation
 */
export * from './messages.ts';
export * from './deps.ts';
export * from './error-table.ts';
export * from './operation.ts';
export * from './operations.ts';
export * from './openapi.ts';
export * from './pipeline.ts';
export { acceptedEncoding } from './accepted-encoding.ts';
export type { Encoding } from './accepted-encoding.ts';
export { CompressedText } from './compressed-text.ts';
export { BODY_LIMIT } from './operation.ts';
export * from './requests-in-progress.ts';
export * from './trace-id.ts';
export type { BodyKind } from './media-type.ts';
export type { RouteMatch } from './http-router.ts';
export { checkoutStateRecord } from './operations/checkout.ts';
export { shortAddress } from './operations/claims.ts';
export { payerBrowser } from './payer-cookie.ts';
export { typedAddress } from './typed-address.ts';
export { mineSimulated, paySimulated } from './operations/sandbox.ts';
export type { SandboxDeps } from './operations/sandbox.ts';
export type { Vocabulary } from './wire-names.ts';
export { textReply } from './replies.ts';
export * from './manage/index.ts';
export * from './in-process.ts';
export { fromWire } from '../client/names.ts';
export * from './express/binding.ts';
export type { ClientError } from './express/client-error.ts';
export * from './express/server.ts';
