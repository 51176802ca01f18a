import { definePlugin } from '../../core/index.ts';
import { openLightning, parseLightningOptions } from '../../adapters/lightning/index.ts';
import type { LightningPluginInput, LightningPluginOptions } from '../../adapters/lightning/index.ts';

/** Orders and withdrawals in BTC-LN through your own Lightning node: lnd, Core Lightning or phoenixd. */
export const lightning = definePlugin<LightningPluginInput, LightningPluginOptions>({
  name: 'lightning',
  version: '1.0.0',
  requires: '^1.2.0',
  options: parseLightningOptions,
  async setup(context) {
    const node = await openLightning(context.options, context);
    context.addLightning(node);
    context.onClose(() => node.close());
  },
});

export default lightning;
