import { z } from 'zod';
import { BUILT_IN_ASSETS, definePlugin } from '../../core/index.ts';
import type { Asset } from '../../core/index.ts';
import { invalidOptions, parseOptions } from '../../adapters/plugin-options/parse-options.ts';
import { accountPaths } from '../chain-definition.ts';
import type { ChainDefinition } from '../chain-definition.ts';
import { CHAIN_DEFINITIONS } from '../definitions.ts';
import { addressingOf, sandboxNetwork } from './addressing.ts';
import { SandboxChain } from './sandbox-chain.ts';

/** The parsed options of the sandbox plugin, with defaults. */
export interface SandboxOptions {
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly pollIntervalMs: number;
}

/** Blocks of this instance are read at once; only blocks of another instance wait for the next poll. */
const POLL_MS = 5_000;

const optionsSchema = z.strictObject({
  confirmations: z.int().min(1).max(1_000).optional(),
  spendableConfirmations: z.int().min(1).max(1_000).optional(),
  pollIntervalMs: z.int().min(10).max(60_000).default(POLL_MS),
});

function parseSandboxOptions(input: unknown): SandboxOptions {
  const { confirmations, spendableConfirmations, pollIntervalMs } = parseOptions(optionsSchema, input);
  const spendable = spendableConfirmations ?? confirmations ?? 2;
  const needed = confirmations ?? 1;
  if (spendable < needed)
    throw invalidOptions([{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }]);
  return { confirmations: needed, spendableConfirmations: spendable, pollIntervalMs };
}

/** Simulated chains for every built-in pair except Lightning's; refused in production mode. */
export const sandbox = definePlugin<z.input<typeof optionsSchema>, SandboxOptions>({
  name: 'sandbox',
  version: '1.1.0',
  requires: '^1.7.0',
  sandboxOnly: true,
  options: parseSandboxOptions,
  accounts: () => CHAIN_DEFINITIONS.flatMap((definition) => accountPaths(sandboxNetwork(definition).accounts)),
  async setup(context) {
    const { options, clock, documents, wallet, signer } = context;
    for (const definition of CHAIN_DEFINITIONS) {
      const { accounts } = sandboxNetwork(definition);
      const chain = new SandboxChain({
        ...options,
        code: definition.code,
        name: definition.name,
        assets: assetsOf(definition),
        addressing: addressingOf(definition),
        feeAsset: definition.coin,
        xpub: await wallet.extendedPublicKey(accounts.deposit),
        hotXpub: signer === null ? null : await signer.extendedPublicKey(accounts.hot),
        documents,
        clock,
      });
      context.addChain(chain);
      context.onClose(() => chain.close());
    }
  },
});

/** The built-in currencies of a chain; for a chain without any, its native coin. */
function assetsOf({ code, coin }: ChainDefinition): readonly Asset[] {
  const builtIn = BUILT_IN_ASSETS.filter((asset) => asset.chain === code);
  return builtIn.length === 0 ? [coin] : builtIn;
}

export default sandbox;
