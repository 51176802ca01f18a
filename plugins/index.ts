/**
 * The plugins that come with Tillgate, by the names that the configuration uses. To load one engine alone, import its
 * plugin: `tillgate/plugins/ethereum`.
 *
 * @packageDocumentation
 */
export { default as bitcoin } from './bitcoin/index.ts';
export { default as bsc } from './bsc/index.ts';
export { default as chat } from './chat/index.ts';
export { default as ethereum } from './ethereum/index.ts';
export { default as evm } from './evm/index.ts';
export { default as lightning } from './lightning/index.ts';
export { default as litecoin } from './litecoin/index.ts';
export { default as sandbox } from './sandbox/index.ts';
export { default as smtp } from './smtp/index.ts';
export { default as tron } from './tron/index.ts';
export type {
  AccountChainDefinition,
  DepthBasis,
  ChainAccounts,
  ChainDefinition,
  PriceDefinition,
  SegwitChainDefinition,
} from './chain-definition.ts';
