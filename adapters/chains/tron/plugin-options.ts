import { z } from 'zod';
import type { FieldError } from '../../../core/index.ts';
import { tronKey } from './tron-address.ts';
import { chainFields, count, depthProblems, depthsOf, nodeUrls } from '../../plugin-options/option-fields.ts';
import type { Depths } from '../../plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../plugin-options/parse-options.ts';
import { tokenProblems, tokensField, tokensOf } from '../../plugin-options/token-options.ts';
import type { TokenInputs } from '../../plugin-options/token-options.ts';
import type { TronNetwork, TronToken } from './tron-options.ts';
import { SUN_PER_TRX } from './tron-values.ts';

/** The options of the plugin `tron`, read and completed (decisions, section 10). */
export interface TronPluginOptions {
  readonly apiUrls: readonly string[];
  readonly solidityUrls: readonly string[] | null;
  readonly apiKey: string | null;
  readonly network: TronNetwork;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly startBlock: number | null;
  readonly xpub: string | null;
  readonly tokens: readonly TronToken[];
  readonly feeLimitSun: bigint;
  readonly expirationMs: number;
}

const CHAIN = 'TRX';
/** Blocks come every 3 s; about 20 later they are solidified. */
const DEFAULTS = { confirmations: 20, finalityBlocks: 30, pollIntervalMs: 3_000, feeLimitTrx: 100, expirationSeconds: 600 } as const;
const MAIN_TOKENS: TokenInputs = {
  'USDT-TRC20': { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
  'USDC-TRC20': { address: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', decimals: 6 },
};
/** The network takes no transaction that expires later. */
const MAX_EXPIRATION_SECONDS = 86_000;
/** Solidified blocks are a minute old. */
const MIN_EXPIRATION_SECONDS = 180;

const optionsSchema = z.strictObject({
  apiUrls: nodeUrls,
  solidityUrls: nodeUrls.optional(),
  ...chainFields,
  apiKey: z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be one word').optional(),
  network: z.enum(['main', 'test']).optional(),
  tokens: tokensField((text) => tronKey(text) !== null),
  feeLimitTrx: count(1, 15_000).optional(),
  expirationSeconds: count(MIN_EXPIRATION_SECONDS, MAX_EXPIRATION_SECONDS).optional(),
});
type OptionsInput = z.infer<typeof optionsSchema>;

/** @throws TillgateError `CONFIG_INVALID` that names every problem; no value is repeated, for a URL may hold a key */
export function parseTronOptions(input: unknown): TronPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const network = data.network ?? 'main';
  const depths = depthsOf(data, { confirmations: DEFAULTS.confirmations, spendableConfirmations: DEFAULTS.confirmations });
  // The main network's contracts are somebody else's on every other network.
  const tokens = tokensOf(CHAIN, data.tokens ?? (network === 'main' ? MAIN_TOKENS : {}));
  const problems = problemsOf(data, tokens, depths);
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    apiUrls: data.apiUrls,
    solidityUrls: data.solidityUrls ?? null,
    apiKey: data.apiKey ?? null,
    network,
    ...depths,
    finalityBlocks: data.finalityBlocks ?? DEFAULTS.finalityBlocks,
    pollIntervalMs: data.pollIntervalMs ?? DEFAULTS.pollIntervalMs,
    startBlock: data.startBlock ?? null,
    xpub: data.xpub ?? null,
    tokens,
    feeLimitSun: BigInt(data.feeLimitTrx ?? DEFAULTS.feeLimitTrx) * SUN_PER_TRX,
    expirationMs: (data.expirationSeconds ?? DEFAULTS.expirationSeconds) * 1000,
  };
}

function problemsOf(data: OptionsInput, tokens: readonly TronToken[], depths: Depths): FieldError[] {
  return [
    ...tokenProblems(CHAIN, tokens, (address) => address),
    ...(tokens.length === 0 ? [{ path: 'tokens', message: 'names nothing to take' }] : []),
    ...depthProblems(depths),
    ...(data.solidityUrls !== undefined && data.solidityUrls.length !== data.apiUrls.length
      ? [{ path: 'solidityUrls', message: 'must be one for each of apiUrls, in their order' }]
      : []),
  ];
}
