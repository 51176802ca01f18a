import { definePlugin } from '../../core/index.ts';
import { sandbox } from '../../plugins/sandbox/index.ts';

/** One simulated chain instead of six, because each derives addresses ahead. */
export const ethereum = definePlugin({
  ...sandbox.plugin,
  setup: (context) =>
    sandbox.plugin.setup({
      ...context,
      addChain: (chain, name) => {
        if (chain.code === 'ETH') context.addChain(chain, name);
      },
    }),
});
