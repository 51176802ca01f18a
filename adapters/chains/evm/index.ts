/** EVM chains: the engine that the plugins ethereum and bsc configure. @packageDocumentation */
export { EvmChain } from './evm-chain.ts';
export * from './evm-address.ts';
export type { EvmChainOptions, EvmPayingOptions, EvmToken, SettlementTag, SettlementTags } from './evm-options.ts';
export { openEvmChain } from './open-evm-chain.ts';
export { openPayingKeys } from './paying-keys.ts';
export type { EvmAccounts, PayingKeys } from './paying-keys.ts';
export { parseEvmOptions } from './plugin-options.ts';
export type { EvmDefaults, EvmPluginInput, EvmPluginOptions } from './plugin-options.ts';
export { evmSigning } from './evm-signing.ts';
