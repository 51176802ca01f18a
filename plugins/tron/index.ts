import { definePlugin } from '../../core/index.ts';
import { TronChain, openTronKeys, parseTronOptions } from '../../adapters/chains/tron/index.ts';
import type { TronPluginOptions } from '../../adapters/chains/tron/index.ts';
import { definition } from './definition.ts';

/** Tron: TRC-20 tokens; TRX for fees. */
const tron = definePlugin<TronPluginOptions>({
  name: 'tron',
  version: '1.0.0',
  requires: '^1.1.0',
  options: (input) => parseTronOptions(input, definition),
  async setup(context) {
    const { xpub, feeLimitSun, expirationMs, ...rest } = context.options;
    const { accounts } = definition;
    const keys = await openTronKeys(context.signer, accounts, xpub);
    const chain = new TronChain(
      { ...rest, xpub: xpub ?? (await context.wallet.extendedPublicKey(accounts.deposit)) },
      context.logger,
      keys === null ? null : { keys, clock: context.clock, feeLimitSun, expirationMs },
    );
    context.addChain(chain);
    context.onClose(() => chain.close());
  },
});

export { definition };
export default tron;
