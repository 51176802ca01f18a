import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { FieldError } from '../../../core/index.ts';
import {
  chainFields,
  count,
  depthProblems,
  depthsOf,
  maxLagMsOf,
  nodeTrustOf,
  nodeUrl,
  nodeUrls,
  quorumProblems,
} from '../../plugin-options/option-fields.ts';
import type { NodeTrust } from '../../plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { UTXO_NETWORKS } from './utxo-coins.ts';
import type { UtxoNetworkName } from './utxo-coins.ts';
import type { ConfirmationTier, FeeRateBounds } from './utxo-options.ts';

/** The defaults of a chain's plugin options. */
export interface UtxoDefaults {
  readonly confirmations: number;
  readonly tiers: readonly ConfirmationTier[];
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The average time between blocks on the main network, in seconds. */
  readonly blockSeconds: number;
  /** `null` where the network does not replace waiting transactions. */
  readonly bumpAfterMs: number | null;
  /** In units per virtual byte. */
  readonly minFeeRate: number;
  readonly maxFeeRate: number;
  readonly fallbackFeeRate: number;
  /** The long-term fee rate for spending a coin. */
  readonly dustFeeRate: number;
  /** Small coins are consolidated while the network demands at most this rate. */
  readonly consolidateFeeRate: number;
}

/** The parsed options of a UTXO chain's plugin, with defaults. */
export interface UtxoPluginOptions extends NodeTrust {
  /** Including user and password. */
  readonly rpcUrls: readonly string[];
  readonly network: UtxoNetworkName;
  readonly confirmations: number;
  readonly tiers: readonly ConfirmationTier[];
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly maxLagMs: number | null;
  readonly startBlock: number | null;
  readonly xpub: string | null;
  readonly feeRates: FeeRateBounds;
  readonly feeTargetBlocks: number;
  readonly bumpAfterMs: number | null;
}

const rate = z.number().min(0.001).max(100_000);

const optionsSchema = z.strictObject({
  rpcUrl: nodeUrl.optional(),
  rpcUrls: nodeUrls.optional(),
  ...chainFields,
  network: z.enum(UTXO_NETWORKS).optional(),
  rpcUser: z.string().min(1).optional(),
  rpcUserFile: z.string().min(1).optional(),
  rpcPassword: z.string().min(1).optional(),
  rpcPasswordFile: z.string().min(1).optional(),
  /** In units per virtual byte. */
  minFeeRate: rate.optional(),
  maxFeeRate: rate.optional(),
  fallbackFeeRate: rate.optional(),
  dustFeeRate: rate.optional(),
  consolidateFeeRate: rate.optional(),
  feeTargetBlocks: count(1, 1_008).optional(),
  bumpAfterMs: count(1_000, 86_400_000).optional(),
});
/**
 * The options of a UTXO chain's plugin, as the settings file has them.
 *
 * @interface
 */
export type UtxoPluginInput = z.input<typeof optionsSchema>;
type Input = z.infer<typeof optionsSchema>;

const DEFAULT_FEE_TARGET_BLOCKS = 6;

/** @throws TillgateError `CONFIG_INVALID` that names every problem without its value, which may be a secret */
export function parseUtxoOptions(input: unknown, defaults: UtxoDefaults): UtxoPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const problems: FieldError[] = [];
  const rpcUrls = withCredentials(data, problems);
  // A configured number applies to all amounts.
  const depths = depthsOf(data, defaults);
  const trust = nodeTrustOf(data, rpcUrls);
  problems.push(...depthProblems(depths), ...quorumProblems(trust, rpcUrls));
  const feeRates = feeRatesOf(data, defaults);
  if (feeRates.min > feeRates.max) problems.push({ path: 'minFeeRate', message: 'must not be more than maxFeeRate' });
  // Otherwise a coin could cost more than the amount credited for it.
  if (feeRates.consolidate > feeRates.dust)
    problems.push({ path: 'consolidateFeeRate', message: 'must not be more than dustFeeRate' });
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    rpcUrls,
    ...trust,
    network: data.network ?? 'main',
    ...depths,
    tiers: data.confirmations === undefined ? defaults.tiers : [],
    finalityBlocks: data.finalityBlocks ?? defaults.finalityBlocks,
    pollIntervalMs: data.pollIntervalMs ?? defaults.pollIntervalMs,
    maxLagMs: maxLagMsOf(data.maxLagSeconds, defaults, (data.network ?? 'main') === 'main'),
    startBlock: data.startBlock ?? null,
    xpub: data.xpub ?? null,
    feeRates,
    feeTargetBlocks: data.feeTargetBlocks ?? DEFAULT_FEE_TARGET_BLOCKS,
    bumpAfterMs: data.bumpAfterMs ?? defaults.bumpAfterMs,
  };
}

function feeRatesOf(data: Input, defaults: UtxoDefaults): FeeRateBounds {
  // Converts units per byte to units per 1,000 bytes, rounded: a limit, not an amount of money.
  const inThousands = (perByte: number): bigint => BigInt(Math.round(perByte * 1_000));
  return {
    min: inThousands(data.minFeeRate ?? defaults.minFeeRate),
    max: inThousands(data.maxFeeRate ?? defaults.maxFeeRate),
    fallback: inThousands(data.fallbackFeeRate ?? defaults.fallbackFeeRate),
    dust: inThousands(data.dustFeeRate ?? defaults.dustFeeRate),
    consolidate: inThousands(
      data.consolidateFeeRate ?? Math.min(defaults.consolidateFeeRate, data.dustFeeRate ?? defaults.dustFeeRate),
    ),
  };
}

function withCredentials(data: Input, problems: FieldError[]): readonly string[] {
  const urls = data.rpcUrls ?? (data.rpcUrl === undefined ? [] : [data.rpcUrl]);
  if (urls.length === 0) problems.push({ path: 'rpcUrl', message: 'the node’s URL is needed' });
  if (data.rpcUrls !== undefined && data.rpcUrl !== undefined)
    problems.push({ path: 'rpcUrl', message: 'give either rpcUrl or rpcUrls' });
  const user = textOrFile(data, 'rpcUser', problems);
  const password = textOrFile(data, 'rpcPassword', problems);
  return urls.map((text) => {
    const parsed = new URL(text);
    if (user !== null) parsed.username = encodeURIComponent(user);
    if (password !== null) parsed.password = encodeURIComponent(password);
    return parsed.href;
  });
}

function textOrFile(data: Input, name: 'rpcUser' | 'rpcPassword', problems: FieldError[]): string | null {
  const text = data[name];
  const file = data[`${name}File`];
  if (text !== undefined && file !== undefined)
    problems.push({ path: `${name}File`, message: `is given together with ${name}` });
  if (text !== undefined || file === undefined) return text ?? null;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    problems.push({ path: `${name}File`, message: 'names a file that cannot be read' });
    return null;
  }
}
