/**
 * The plugins that come with Tillgate, by the names that the configuration uses. To load one engine alone, import its
 * plugin: `tillgate/plugins/ethereum`.
 *
 * @packageDocumentation
 */
export { bitcoin } from './bitcoin/index.ts';
export { bsc } from './bsc/index.ts';
export { chat } from './chat/index.ts';
export { ethereum } from './ethereum/index.ts';
export { evm } from './evm/index.ts';
export { lightning } from './lightning/index.ts';
export { litecoin } from './litecoin/index.ts';
export { sandbox } from './sandbox/index.ts';
export { smtp } from './smtp/index.ts';
export { tron } from './tron/index.ts';
export type {
  AccountChainDefinition,
  DepthBasis,
  ChainAccounts,
  ChainDefinition,
  PriceDefinition,
  SegwitChainDefinition,
} from './chain-definition.ts';
