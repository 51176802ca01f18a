/** Tron: the engine that the plugin tron configures. @packageDocumentation */
export { TronChain } from './tron-chain.ts';
export * from './tron-address.ts';
export type { TronChainOptions, TronNetwork, TronPaymentOptions, TronToken } from './tron-options.ts';
export type { TronPayer } from './tron-payments.ts';
export { openTronChain } from './open-tron-chain.ts';
export { openTronKeys } from './tron-keys.ts';
export { parseTronOptions } from './plugin-options.ts';
export type { TronDefaults, TronPluginInput, TronPluginOptions } from './plugin-options.ts';
export { tronSigning } from './tron-signing.ts';
