import { z } from 'zod';
import type { Asset, ChainCode } from '../../../core/index.ts';
import {
  chainFields,
  count,
  depthProblems,
  depthsOf,
  maxLagMsOf,
  nodeTrustOf,
  nodeUrls,
  quorumProblems,
} from '../../plugin-options/option-fields.ts';
import type { NodeTrust } from '../../plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { tokenProblems, tokensField, tokensOf } from '../../plugin-options/token-options.ts';
import { normaliseEvmAddress } from './evm-address.ts';
import { NO_TAGS } from './evm-options.ts';
import type { EvmToken, LayerOneFee, SettlementTags } from './evm-options.ts';
import type { EvmAccounts } from './paying-keys.ts';

/** Facts about a chain's main network. */
export interface EvmDefaults {
  readonly code: ChainCode;
  readonly name: string;
  /** The chain's own coin. */
  readonly coin: Asset;
  /** Accounts of the till's seed that no other chain uses. */
  readonly accounts: EvmAccounts;
  readonly chainId: number;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The average time between blocks on the main network, in seconds. */
  readonly blockSeconds: number;
  /** Tokens of the main network, used when the options name none. */
  readonly tokens: Readonly<
    Record<string, { readonly address: string; readonly decimals: number; readonly stable?: boolean }>
  >;
  /** The block tags by which deposits count; confirmations alone when left out. */
  readonly tags?: SettlementTags;
  /** How the chain charges for its data on the first layer, when that is not part of the gas. */
  readonly layerOneFee?: LayerOneFee;
  /** The highest gas limit of a payment; 300,000 when left out. */
  readonly maxGas?: number;
}

/** The parsed options of an EVM chain's plugin, with defaults. */
export interface EvmPluginOptions extends NodeTrust {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly maxLagMs: number | null;
  readonly startBlock: number | null;
  readonly xpub: string | null;
  readonly native: boolean;
  readonly tokens: readonly EvmToken[];
  /** In wei; payments wait while the network demands more. */
  readonly maxGasPrice: bigint;
  readonly bumpAfterMs: number;
  /** The highest gas limit of a payment. */
  readonly maxGas: bigint;
  readonly maxBalanceCalls: number;
  readonly tags: SettlementTags;
  readonly layerOneFee: LayerOneFee | null;
}

/** No network of mainnet's rules mines a transaction with a higher gas limit (EIP-7825). */
const MOST_GAS = 16_777_216;
const USUAL_MAX_GAS = 300_000;

const tag = z.enum(['latest', 'safe', 'finalized'], { error: 'must be latest, safe or finalized' }).optional();

const optionsSchema = z.strictObject({
  rpcUrls: nodeUrls,
  ...chainFields,
  chainId: count(1, Number.MAX_SAFE_INTEGER).optional(),
  /** If false, the native coin is not accepted, and whole blocks need not be read. */
  native: z.boolean().optional(),
  /** Payments wait while the network demands more. */
  maxFeePerGasGwei: z.number().min(0.001).max(1_000_000).default(500),
  /** A payment that is not mined after this long is sent again at a higher price. */
  bumpAfterSeconds: count(10, 86_400).default(600),
  /** Receivers that need more gas are not paid. */
  maxGas: count(21_000, MOST_GAS).optional(),
  /** Calls of one scan that read balances; further addresses are checked in later scans. */
  maxBalanceCalls: count(1, 100_000).default(250),
  /**
   * A deposit is credited, and may be spent, only once the chain itself tags its block; `latest`: by confirmations
   * alone.
   */
  creditTag: tag,
  spendTag: tag,
  tokens: tokensField((text) => normaliseEvmAddress(text) !== null),
});
/**
 * The options of an EVM chain's plugin, as the settings file has them.
 *
 * @interface
 */
export type EvmPluginInput = z.input<typeof optionsSchema>;
type Input = z.output<typeof optionsSchema>;

/** @throws TillgateError `CONFIG_INVALID` that names every problem without its value, since a URL may contain a key */
export function parseEvmOptions(input: unknown, defaults: EvmDefaults): EvmPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const chainId = data.chainId ?? defaults.chainId;
  const depths = depthsOf(data, defaults);
  const trust = nodeTrustOf(data, data.rpcUrls);
  // On other networks the contract addresses of the main network belong to other contracts.
  const tokens = tokensOf(defaults.code, data.tokens ?? (chainId === defaults.chainId ? defaults.tokens : {}));
  const problems = [
    ...tokenProblems(defaults.code, tokens, (address) => address.toLowerCase()),
    ...depthProblems(depths),
    ...quorumProblems(trust, data.rpcUrls),
    ...(data.native === false && tokens.length === 0
      ? [{ path: 'tokens', message: 'must have at least one token while native is false' }]
      : []),
  ];
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    rpcUrls: data.rpcUrls,
    ...trust,
    chainId,
    ...depths,
    finalityBlocks: data.finalityBlocks ?? defaults.finalityBlocks,
    pollIntervalMs: data.pollIntervalMs ?? defaults.pollIntervalMs,
    maxLagMs: maxLagMsOf(data.maxLagSeconds, defaults, chainId === defaults.chainId),
    startBlock: data.startBlock ?? null,
    xpub: data.xpub ?? null,
    native: data.native ?? true,
    tokens,
    // Rounded to thousandths of a gwei.
    maxGasPrice: BigInt(Math.round(data.maxFeePerGasGwei * 1_000)) * 1_000_000n,
    bumpAfterMs: data.bumpAfterSeconds * 1_000,
    maxGas: BigInt(data.maxGas ?? defaults.maxGas ?? USUAL_MAX_GAS),
    maxBalanceCalls: data.maxBalanceCalls,
    tags: tagsOf(data, defaults),
    layerOneFee: defaults.layerOneFee ?? null,
  };
}

function tagsOf(
  { creditTag, spendTag }: Pick<Input, 'creditTag' | 'spendTag'>,
  { tags = NO_TAGS }: EvmDefaults,
): SettlementTags {
  return { credit: creditTag ?? tags.credit, spend: spendTag ?? tags.spend };
}
