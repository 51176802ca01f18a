import { definePlugin } from '../../core/index.ts';
import { LITECOIN, openUtxoChain, parseUtxoOptions } from '../../adapters/chains/utxo/index.ts';
import type { UtxoDefaults, UtxoPluginOptions } from '../../adapters/chains/utxo/index.ts';

/** Decisions, section 4. */
const DEFAULTS: UtxoDefaults = {
  confirmations: 6,
  tiers: [],
  spendableConfirmations: 12,
  finalityBlocks: 100,
  pollIntervalMs: 5_000,
  // Its nodes replace no waiting transaction unless they are told to; with `bumpAfterMs` the operator says that they are.
  bumpAfterMs: null,
  minFeeRate: 1,
  maxFeeRate: 1_000,
  fallbackFeeRate: 10,
};

/** Litecoin through a node of its own; addresses of its extension blocks (MWEB) are refused. */
const litecoin = definePlugin<UtxoPluginOptions>({
  name: 'litecoin',
  version: '1.0.0',
  requires: '^1.1.0',
  options: (input) => parseUtxoOptions(input, DEFAULTS),
  async setup(context) {
    const chain = await openUtxoChain(LITECOIN, context.options, context);
    context.addChain(chain);
    context.onClose(() => chain.close());
  },
});

export default litecoin;
