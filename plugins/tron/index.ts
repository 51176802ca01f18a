import { definePlugin } from '../../core/index.ts';
import { TronChain, openTronKeys, parseTronOptions } from '../../adapters/chains/tron/index.ts';
import type { TronPluginOptions } from '../../adapters/chains/tron/index.ts';

/** Deposits lie at account 2k + 1, the hot wallet at 2k (decisions, section 10). */
const ACCOUNTS = { hot: "m/44'/195'/0'", deposit: "m/44'/195'/1'" } as const;

/** Tron: TRC-20 tokens; TRX for fees. */
const tron = definePlugin<TronPluginOptions>({
  name: 'tron',
  version: '1.0.0',
  requires: '^1.1.0',
  options: parseTronOptions,
  async setup(context) {
    const { xpub, feeLimitSun, expirationMs, ...rest } = context.options;
    const keys = await openTronKeys(context.signer, ACCOUNTS, xpub);
    const chain = new TronChain(
      { ...rest, xpub: xpub ?? (await context.wallet.extendedPublicKey(ACCOUNTS.deposit)) },
      context.logger,
      keys === null ? null : { keys, clock: context.clock, feeLimitSun, expirationMs },
    );
    context.addChain(chain);
    context.onClose(() => chain.close());
  },
});

export default tron;
