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

/** What a chain's plugin takes where its options say nothing. */
export interface UtxoDefaults {
  readonly confirmations: number;
  readonly tiers: readonly ConfirmationTier[];
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The time from one block to the next on the main network, on average. */
  readonly blockSeconds: number;
  /** `null` where the network replaces no waiting transaction. */
  readonly bumpAfterMs: number | null;
  /** In units for a virtual byte. */
  readonly minFeeRate: number;
  readonly maxFeeRate: number;
  readonly fallbackFeeRate: number;
  /** What spending a coin costs in the long term. */
  readonly dustFeeRate: number;
  /** Small coins are put together while the network asks for no more than that. */
  readonly consolidateFeeRate: number;
}

/** The options of a UTXO chain's plugin, read and completed (decisions, section 10). */
export interface UtxoPluginOptions extends NodeTrust {
  /** With user and password in them. */
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
  /** In units for a virtual byte. */
  minFeeRate: rate.optional(),
  maxFeeRate: rate.optional(),
  fallbackFeeRate: rate.optional(),
  dustFeeRate: rate.optional(),
  consolidateFeeRate: rate.optional(),
  feeTargetBlocks: count(1, 1_008).optional(),
  bumpAfterMs: count(1_000, 86_400_000).optional(),
});
type Input = z.infer<typeof optionsSchema>;

const DEFAULT_FEE_TARGET_BLOCKS = 6;

/** @throws TillgateError `CONFIG_INVALID` that names every problem; no value is repeated, for it may be a secret */
export function parseUtxoOptions(input: unknown, defaults: UtxoDefaults): UtxoPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const problems: FieldError[] = [];
  const rpcUrls = withCredentials(data, problems);
  // A configured number holds for all amounts.
  const depths = depthsOf(data, defaults);
  const trust = nodeTrustOf(data, rpcUrls);
  problems.push(...depthProblems(depths), ...quorumProblems(trust, rpcUrls));
  const feeRates = feeRatesOf(data, defaults);
  if (feeRates.min > feeRates.max) problems.push({ path: 'minFeeRate', message: 'must not be more than maxFeeRate' });
  // Else a coin could cost more than it was credited for.
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
  // From units for a byte to units for 1,000 of them, to the nearest: a bound, no amount of money.
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
