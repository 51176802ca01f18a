import { z } from 'zod';
import { CHAINS, SPECIFIED_ASSETS, definePlugin, present } from '../../core/index.ts';
import type { Asset, ChainCode } from '../../core/index.ts';
import { invalidOptions, parseOptions } from '../../adapters/plugin-options/parse-options.ts';
import { ADDRESSINGS } from './addressing.ts';
import { SandboxChain } from './sandbox-chain.ts';

/** The options of the sandbox plugin, read and completed. */
export interface SandboxOptions {
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly pollIntervalMs: number;
}

const optionsSchema = z.strictObject({
  confirmations: z.int().min(1).max(1_000).optional(),
  spendableConfirmations: z.int().min(1).max(1_000).optional(),
  pollIntervalMs: z.int().min(10).max(60_000).default(300),
});

function parseSandboxOptions(input: unknown): SandboxOptions {
  const { confirmations, spendableConfirmations, pollIntervalMs } = parseOptions(optionsSchema, input);
  const spendable = spendableConfirmations ?? confirmations ?? 2;
  const needed = confirmations ?? 1;
  if (spendable < needed) throw invalidOptions([{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }]);
  return { confirmations: needed, spendableConfirmations: spendable, pollIntervalMs };
}

/** Simulated chains for every on-chain pair of the specification; refused in production mode. */
const sandbox = definePlugin<SandboxOptions>({
  name: 'sandbox',
  version: '1.1.0',
  requires: '^1.1.0',
  sandboxOnly: true,
  options: parseSandboxOptions,
  async setup(context) {
    const { options, clock, documents, wallet, signer } = context;
    for (const [code, addressing] of ADDRESSINGS) {
      const chain = new SandboxChain({
        ...options,
        code,
        name: nameOf(code),
        assets: SPECIFIED_ASSETS.filter((asset) => asset.chain === code),
        addressing,
        feeAsset: feeAssetOf(code),
        xpub: await wallet.extendedPublicKey(addressing.account),
        hotXpub: signer === null ? null : await signer.extendedPublicKey(addressing.hotAccount),
        documents,
        clock,
      });
      context.addChain(chain);
      context.onClose(() => chain.close());
    }
  },
});

function nameOf(code: ChainCode): string {
  return present(CHAINS.find((chain) => chain.code === code), `the chain ${code}`).name;
}

/** No order takes Tron's own coin, but its fees are paid in it. */
const TRX: Asset = { chain: 'TRX', currency: 'TRX', symbol: 'TRX', decimals: 6, kind: 'native', stable: false };

function feeAssetOf(code: ChainCode): Asset {
  return SPECIFIED_ASSETS.find((asset) => asset.chain === code && asset.kind === 'native') ?? TRX;
}

export default sandbox;
