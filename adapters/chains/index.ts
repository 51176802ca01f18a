/**
 * Chains as the till sees them: the engines that chain plugins configure, and what they share.
 *
 * @packageDocumentation
 */
export { JsonRpcClient } from './json-rpc.ts';
export type { JsonRpcOptions, RpcCall, RpcCaller } from './json-rpc.ts';
export type { RpcReply } from './json-rpc-replies.ts';
export * from './derive.ts';
export { EvmChain } from './evm/evm-chain.ts';
export * from './evm/evm-address.ts';
export type { EvmChainOptions, EvmToken } from './evm/evm-options.ts';
export { parseEvmOptions } from './evm/plugin-options.ts';
export type { EvmDefaults, EvmPluginOptions } from './evm/plugin-options.ts';
export { invalidOptions, parseOptions } from './parse-options.ts';
