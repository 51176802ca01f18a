import { definePlugin } from '../../core/index.ts';
import { BITCOIN, openUtxoChain, parseUtxoOptions } from '../../adapters/chains/utxo/index.ts';
import type { UtxoDefaults, UtxoPluginOptions } from '../../adapters/chains/utxo/index.ts';

const COIN = 100_000_000n;

/** A large payment is worth a miner's trouble to undo: it waits for more blocks (decisions, section 4). */
const DEFAULTS: UtxoDefaults = {
  confirmations: 1,
  tiers: [
    { above: COIN, confirmations: 3 },
    { above: COIN * 10n, confirmations: 6 },
  ],
  spendableConfirmations: 6,
  finalityBlocks: 100,
  pollIntervalMs: 10_000,
  bumpAfterMs: 1_800_000,
  minFeeRate: 1,
  maxFeeRate: 500,
  fallbackFeeRate: 10,
};

/** Bitcoin through a node of its own, Bitcoin Core or of its kind: no wallet and no index is needed there. */
const bitcoin = definePlugin<UtxoPluginOptions>({
  name: 'bitcoin',
  version: '1.0.0',
  requires: '^1.1.0',
  options: (input) => parseUtxoOptions(input, DEFAULTS),
  async setup(context) {
    const chain = await openUtxoChain(BITCOIN, context.options, context);
    context.addChain(chain);
    context.onClose(() => chain.close());
  },
});

export default bitcoin;
