/**
 * Every chain engine that comes with Tillgate, and what plugins share. Import the `index.ts` of a family to load that
 * family alone.
 *
 * @packageDocumentation
 */
export * from './account-key.ts';
export * from './evm/index.ts';
export { JsonRpcClient } from './json-rpc.ts';
export type { JsonRpcOptions, RpcCall, RpcCaller } from './json-rpc.ts';
export type { RpcProblem, RpcReply } from './json-rpc-replies.ts';
export * from './quorum/index.ts';
export { invalidOptions, parseOptions } from '../plugin-options/parse-options.ts';
export type { TokenInputs } from '../plugin-options/token-options.ts';
export * from './tron/index.ts';
export * from './utxo/index.ts';
