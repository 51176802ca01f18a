/** Chains of Bitcoin's family: the engine that the plugins bitcoin and litecoin configure. @packageDocumentation */
export { UtxoChain } from './utxo-chain.ts';
export { openUtxoChain } from './open-chain.ts';
export type { UtxoSurroundings } from './open-chain.ts';
export * from './segwit-address.ts';
export { UTXO_NETWORKS } from './utxo-coins.ts';
export type { UtxoCoin, UtxoNetworkName, UtxoNetworkTerms } from './utxo-coins.ts';
export type { ConfirmationTier, FeeRateBounds, UtxoChainOptions } from './utxo-options.ts';
export { parseUtxoOptions } from './plugin-options.ts';
export type { UtxoDefaults, UtxoPluginInput, UtxoPluginOptions } from './plugin-options.ts';
export { utxoSigning } from './utxo-signing.ts';
