import { z } from 'zod';
import { SPECIFIED_ASSETS } from '../../../core/index.ts';
import type { FieldError } from '../../../core/index.ts';
import { tronKey } from '../derive.ts';
import { invalidOptions, parseOptions } from '../parse-options.ts';
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
const MAIN_TOKENS: Readonly<Record<string, TokenInput>> = {
  'USDT-TRC20': { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 },
  'USDC-TRC20': { address: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', decimals: 6 },
};
/** The network takes no transaction that expires later. */
const MAX_EXPIRATION_SECONDS = 86_000;
/** Solidified blocks are a minute old. */
const MIN_EXPIRATION_SECONDS = 180;

const count = (minimum: number, maximum: number): z.ZodNumber => z.int().min(minimum).max(maximum);
const urls = z.array(z.string().refine(isHttpUrl, 'must be an http or https URL')).min(1, 'at least one node URL is needed').max(16);

const tokenSchema = z.strictObject({
  address: z.string().refine((text) => tronKey(text) !== null, 'must be an address with a right checksum'),
  decimals: count(0, 36),
  symbol: z.string().regex(/^[A-Z0-9]{1,16}$/, 'must be a symbol that rate sources know, such as USDT').optional(),
  stable: z.boolean().optional(),
});
type TokenInput = z.infer<typeof tokenSchema>;

const optionsSchema = z.strictObject({
  apiUrls: urls,
  solidityUrls: urls.optional(),
  apiKey: z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be one word').optional(),
  network: z.enum(['main', 'test']).optional(),
  confirmations: count(1, 10_000).optional(),
  spendableConfirmations: count(1, 10_000).optional(),
  finalityBlocks: count(1, 10_000).optional(),
  pollIntervalMs: count(100, 600_000).optional(),
  startBlock: count(0, Number.MAX_SAFE_INTEGER).optional(),
  xpub: z.string().min(1).optional(),
  tokens: z.record(z.string().regex(/^[A-Z0-9][A-Z0-9-]{0,31}$/, 'must be a currency code such as USDT-TRC20'), tokenSchema).optional(),
  feeLimitTrx: count(1, 15_000).optional(),
  expirationSeconds: count(MIN_EXPIRATION_SECONDS, MAX_EXPIRATION_SECONDS).optional(),
});
type OptionsInput = z.infer<typeof optionsSchema>;

/** @throws TillgateError `CONFIG_INVALID` that names every problem; no value is repeated, for a URL may hold a key */
export function parseTronOptions(input: unknown): TronPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const network = data.network ?? 'main';
  const confirmations = data.confirmations ?? DEFAULTS.confirmations;
  // One of them sets both (decisions, section 4); the usual ones are the same.
  const spendableConfirmations = data.spendableConfirmations ?? confirmations;
  // The main network's contracts are somebody else's on every other network.
  const tokens = Object.entries(data.tokens ?? (network === 'main' ? MAIN_TOKENS : {})).map(([currency, token]) => toToken(currency, token));
  const problems = problemsOf(data, tokens, { confirmations, spendableConfirmations });
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    apiUrls: data.apiUrls,
    solidityUrls: data.solidityUrls ?? null,
    apiKey: data.apiKey ?? null,
    network,
    confirmations,
    spendableConfirmations,
    finalityBlocks: data.finalityBlocks ?? DEFAULTS.finalityBlocks,
    pollIntervalMs: data.pollIntervalMs ?? DEFAULTS.pollIntervalMs,
    startBlock: data.startBlock ?? null,
    xpub: data.xpub ?? null,
    tokens,
    feeLimitSun: BigInt(data.feeLimitTrx ?? DEFAULTS.feeLimitTrx) * SUN_PER_TRX,
    expirationMs: (data.expirationSeconds ?? DEFAULTS.expirationSeconds) * 1000,
  };
}

function problemsOf(data: OptionsInput, tokens: readonly TronToken[], depth: { readonly confirmations: number; readonly spendableConfirmations: number }): FieldError[] {
  return [
    ...foreignTokens(tokens),
    ...sharedContracts(tokens),
    ...(tokens.length === 0 ? [{ path: 'tokens', message: 'names nothing to take' }] : []),
    ...(depth.spendableConfirmations < depth.confirmations ? [{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }] : []),
    ...(data.solidityUrls !== undefined && data.solidityUrls.length !== data.apiUrls.length
      ? [{ path: 'solidityUrls', message: 'must be one for each of apiUrls, in their order' }]
      : []),
  ];
}

function toToken(currency: string, { address, decimals, symbol, stable }: TokenInput): TronToken {
  const known = SPECIFIED_ASSETS.find((asset) => asset.currency === currency);
  return {
    address,
    asset: {
      chain: CHAIN,
      currency,
      symbol: symbol ?? known?.symbol ?? (currency.split('-')[0] as string),
      decimals,
      kind: 'token',
      stable: stable ?? known?.stable ?? false,
    },
  };
}

function foreignTokens(tokens: readonly TronToken[]): FieldError[] {
  return tokens.flatMap(({ asset: { currency } }) => {
    const known = SPECIFIED_ASSETS.find((asset) => asset.currency === currency);
    if (currency === CHAIN) return [{ path: `tokens.${currency}`, message: 'is the native coin, not a token' }];
    return known === undefined || known.chain === CHAIN ? [] : [{ path: `tokens.${currency}`, message: `belongs to ${known.chain}` }];
  });
}

function sharedContracts(tokens: readonly TronToken[]): FieldError[] {
  const first = new Map<string, string>();
  return tokens.flatMap(({ asset: { currency }, address }) => {
    const other = first.get(address);
    first.set(address, other ?? currency);
    return other === undefined ? [] : [{ path: `tokens.${currency}.address`, message: `is the contract of ${other} already` }];
  });
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
