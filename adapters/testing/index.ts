/**
 * What a plugin's author runs over a chain, a storage or a rate source of one's own: suites for node:test that ask for
 * every promise of the interface. The host needs none of it.
 *
 * @packageDocumentation
 */
export { describeChain } from './describe-chain.ts';
export type { ChainAbility, ChainHarness, ChainTricks, ChainWorld } from './chain-harness.ts';
export { describeLightning } from './describe-lightning.ts';
export type { ForeignInvoice, HeldPayment, LightningAbility, LightningHarness, LightningTricks, LightningWorld } from './lightning-harness.ts';
export { memoryDocuments, setUpPlugin } from './set-up-plugin.ts';
export type { PluginSurroundings, PluginYield } from './set-up-plugin.ts';
export { describeStorage } from './describe-storage.ts';
export type { StorageWorld } from './describe-storage.ts';
export { describeRateSource } from './describe-rate-source.ts';
export type { RateHarness, RateWorld } from './describe-rate-source.ts';
