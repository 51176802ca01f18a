import type { Plugin, PluginContext } from '../../core/index.ts';
import sandbox from '../../plugins/sandbox/index.ts';
import type { SandboxOptions } from '../../plugins/sandbox/index.ts';

/** One simulated chain instead of six, because each derives addresses ahead. */
export const ethereum: Plugin = {
  ...sandbox,
  setup: (context) =>
    sandbox.setup({
      ...(context as PluginContext<SandboxOptions>),
      addChain: (chain, name) => {
        if (chain.code === 'ETH') context.addChain(chain, name);
      },
    }),
};
