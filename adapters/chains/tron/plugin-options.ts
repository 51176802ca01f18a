import { z } from 'zod';
import type { ChainCode, FieldError } from '../../../core/index.ts';
import { tronKey } from './tron-address.ts';
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
import type { Depths, NodeTrust } from '../../plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { tokenProblems, tokensField, tokensOf } from '../../plugin-options/token-options.ts';
import type { TokenInputs } from '../../plugin-options/token-options.ts';
import type { TronNetwork, TronToken } from './tron-options.ts';
import { SUN_PER_TRX } from './tron-values.ts';

/** The parsed options of the plugin `tron`, with defaults. */
export interface TronPluginOptions extends NodeTrust {
  readonly apiUrls: readonly string[];
  readonly solidityUrls: readonly string[] | null;
  readonly apiKey: string | null;
  readonly network: TronNetwork;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly maxLagMs: number | null;
  readonly startBlock: number | null;
  readonly xpub: string | null;
  readonly tokens: readonly TronToken[];
  readonly feeLimitSun: bigint;
  readonly expirationMs: number;
}

/** The defaults of the plugin's options. */
export interface TronDefaults extends Depths {
  readonly code: ChainCode;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  /** The average time between blocks on the main network, in seconds. */
  readonly blockSeconds: number;
  /** Tokens of the main network, used when the options name none. */
  readonly tokens: TokenInputs;
}

const DEFAULT_FEE_LIMIT_TRX = 100;
const DEFAULT_EXPIRATION_SECONDS = 600;
/** The network accepts no transaction that expires later. */
const MAX_EXPIRATION_SECONDS = 86_000;
/** Solidified blocks are about a minute old. */
const MIN_EXPIRATION_SECONDS = 180;

const optionsSchema = z.strictObject({
  apiUrls: nodeUrls,
  solidityUrls: nodeUrls.optional(),
  ...chainFields,
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be one word')
    .optional(),
  network: z.enum(['main', 'test']).optional(),
  tokens: tokensField((text) => tronKey(text) !== null),
  feeLimitTrx: count(1, 15_000).optional(),
  expirationSeconds: count(MIN_EXPIRATION_SECONDS, MAX_EXPIRATION_SECONDS).optional(),
});
/**
 * The options of Tron's plugin, as the settings file has them.
 *
 * @interface
 */
export type TronPluginInput = z.input<typeof optionsSchema>;
type OptionsInput = z.infer<typeof optionsSchema>;

/** @throws TillgateError `CONFIG_INVALID` that names every problem without its value, since a URL may contain a key */
export function parseTronOptions(input: unknown, defaults: TronDefaults): TronPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const network = data.network ?? 'main';
  const depths = depthsOf(data, defaults);
  // On other networks the contract addresses of the main network belong to other contracts.
  const tokens = tokensOf(defaults.code, data.tokens ?? (network === 'main' ? defaults.tokens : {}));
  const problems = problemsOf(data, defaults.code, tokens, depths);
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    apiUrls: data.apiUrls,
    ...nodeTrustOf(data, data.apiUrls),
    solidityUrls: data.solidityUrls ?? null,
    apiKey: data.apiKey ?? null,
    network,
    ...depths,
    finalityBlocks: data.finalityBlocks ?? defaults.finalityBlocks,
    pollIntervalMs: data.pollIntervalMs ?? defaults.pollIntervalMs,
    maxLagMs: maxLagMsOf(data.maxLagSeconds, defaults, network === 'main'),
    startBlock: data.startBlock ?? null,
    xpub: data.xpub ?? null,
    tokens,
    feeLimitSun: BigInt(data.feeLimitTrx ?? DEFAULT_FEE_LIMIT_TRX) * SUN_PER_TRX,
    expirationMs: (data.expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS) * 1000,
  };
}

function problemsOf(data: OptionsInput, chain: ChainCode, tokens: readonly TronToken[], depths: Depths): FieldError[] {
  return [
    ...tokenProblems(chain, tokens, (address) => address),
    ...(tokens.length === 0 ? [{ path: 'tokens', message: 'must have at least one token' }] : []),
    ...depthProblems(depths),
    ...quorumProblems(nodeTrustOf(data, data.apiUrls), data.apiUrls),
    ...(data.solidityUrls !== undefined && data.solidityUrls.length !== data.apiUrls.length
      ? [{ path: 'solidityUrls', message: 'must have one URL for each of apiUrls, in the same order' }]
      : []),
  ];
}
