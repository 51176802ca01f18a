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
export type { EvmChainOptions, EvmPayingOptions, EvmToken } from './evm/evm-options.ts';
export { openEvmChain } from './evm/open-evm-chain.ts';
export { openPayingKeys } from './evm/paying-keys.ts';
export type { EvmAccounts, PayingKeys } from './evm/paying-keys.ts';
export { parseEvmOptions } from './evm/plugin-options.ts';
export type { EvmDefaults, EvmPluginOptions } from './evm/plugin-options.ts';
export { invalidOptions, parseOptions } from './parse-options.ts';
export { TronChain } from './tron/tron-chain.ts';
export type { TronChainOptions, TronNetwork, TronPaymentOptions, TronToken } from './tron/tron-options.ts';
export type { TronPayer } from './tron/tron-payments.ts';
export { openTronKeys } from './tron/tron-keys.ts';
export { parseTronOptions } from './tron/plugin-options.ts';
export type { TronPluginOptions } from './tron/plugin-options.ts';
export { UtxoChain } from './utxo/utxo-chain.ts';
export { openUtxoChain } from './utxo/open-chain.ts';
export type { UtxoSurroundings } from './utxo/open-chain.ts';
export { BITCOIN, LITECOIN, UTXO_NETWORKS } from './utxo/utxo-coins.ts';
export type { UtxoCoin, UtxoNetworkName, UtxoNetworkTerms } from './utxo/utxo-coins.ts';
export type { ConfirmationTier, FeeRateBounds, UtxoChainOptions } from './utxo/utxo-options.ts';
export { parseUtxoOptions } from './utxo/plugin-options.ts';
export type { UtxoDefaults, UtxoPluginOptions } from './utxo/plugin-options.ts';
