/**
 * Conformance suites for node:test, with which plugin authors test their chains, Lightning nodes, storages and rate
 * sources against every requirement of the interfaces. The host does not use them.
 *
 * @packageDocumentation
 */
export { describeChain } from './describe-chain.ts';
export type { ChainAbility, ChainHarness, ChainTricks, ChainWorld } from './chain-harness.ts';
export { describeLightning } from './describe-lightning.ts';
export type {
  ForeignInvoice,
  HeldPayment,
  LightningAbility,
  LightningHarness,
  LightningTricks,
  LightningWorld,
} from './lightning-harness.ts';
export { memoryDocuments, setUpPlugin } from './set-up-plugin.ts';
export type { PluginSurroundings, PluginYield } from './set-up-plugin.ts';
export { describeStorage } from './describe-storage.ts';
export type { StorageWorld } from './describe-storage.ts';
export { RecordingDispatcher } from './recording-dispatcher.ts';
export { describeRateSource } from './describe-rate-source.ts';
export type { RateHarness, RateWorld } from './describe-rate-source.ts';
export { MnemonicWallet } from '../wallet/index.ts';
