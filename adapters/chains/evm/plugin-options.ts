import { z } from 'zod';
import { SHIB_ERC20, SPECIFIED_ASSETS } from '../../../core/index.ts';
import type { Asset, ChainCode, FieldError } from '../../../core/index.ts';
import { invalidOptions, parseOptions } from '../parse-options.ts';
import { normaliseEvmAddress } from './evm-address.ts';
import type { EvmToken } from './evm-options.ts';
import type { EvmAccounts } from './paying-keys.ts';

/** What a chain's plugin knows of its main network. */
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
  /** Tokens of the main network, used when the options name none. */
  readonly tokens: Readonly<Record<string, { readonly address: string; readonly decimals: number }>>;
}

/** The options of an EVM chain's plugin, read and completed (decisions, section 10). */
export interface EvmPluginOptions {
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  readonly finalityBlocks: number;
  readonly pollIntervalMs: number;
  readonly startBlock: number | null;
  readonly xpub: string | null;
  readonly native: boolean;
  readonly tokens: readonly EvmToken[];
  /** In wei: above it payments wait. */
  readonly maxGasPrice: bigint;
  readonly bumpAfterMs: number;
}

const KNOWN_ASSETS: readonly Asset[] = [...SPECIFIED_ASSETS, SHIB_ERC20];
const count = (minimum: number, maximum: number): z.ZodNumber => z.int().min(minimum).max(maximum);

const tokenSchema = z.strictObject({
  address: z.string().refine((text) => normaliseEvmAddress(text) !== null, 'must be an address with a right checksum'),
  decimals: count(0, 36),
  symbol: z.string().regex(/^[A-Z0-9]{1,16}$/, 'must be a symbol that rate sources know, such as USDT').optional(),
  stable: z.boolean().optional(),
});
type TokenInput = z.infer<typeof tokenSchema>;

const optionsSchema = z.strictObject({
  rpcUrls: z
    .array(z.string().refine(isHttpUrl, 'must be an http or https URL'))
    .min(1, 'at least one node URL is needed')
    .max(16),
  chainId: count(1, Number.MAX_SAFE_INTEGER).optional(),
  confirmations: count(1, 10_000).optional(),
  spendableConfirmations: count(1, 10_000).optional(),
  finalityBlocks: count(1, 10_000).optional(),
  pollIntervalMs: count(100, 600_000).optional(),
  startBlock: count(0, Number.MAX_SAFE_INTEGER).optional(),
  xpub: z.string().min(1).optional(),
  /** False: the chain's own coin is not taken, and whole blocks need not be read. */
  native: z.boolean().optional(),
  /** Payments wait while the network asks for more. */
  maxFeePerGasGwei: z.number().min(0.001).max(1_000_000).default(500),
  /** A payment that is not mined after this long is sent again at a higher price. */
  bumpAfterSeconds: count(10, 86_400).default(600),
  tokens: z.record(z.string().regex(/^[A-Z0-9][A-Z0-9-]{0,31}$/, 'must be a currency code such as USDT-ERC20'), tokenSchema).optional(),
});

/** @throws TillgateError `CONFIG_INVALID` that names every problem; no value is repeated, for a URL may hold a key */
export function parseEvmOptions(input: unknown, defaults: EvmDefaults): EvmPluginOptions {
  const data = parseOptions(optionsSchema, input);
  const chainId = data.chainId ?? defaults.chainId;
  const { confirmations, spendableConfirmations } = confirmationsOf(data, defaults);
  // The main network's contracts are somebody else's on every other network.
  const tokenInputs: Readonly<Record<string, TokenInput>> = data.tokens ?? (chainId === defaults.chainId ? defaults.tokens : {});
  const tokens = Object.entries(tokenInputs).map(([currency, token]) => toToken(defaults.code, currency, token));
  const problems = [
    ...foreignTokens(defaults.code, tokens),
    ...sharedContracts(tokens),
    ...(spendableConfirmations < confirmations ? [{ path: 'spendableConfirmations', message: 'must not be less than confirmations' }] : []),
    ...(data.native === false && tokens.length === 0 ? [{ path: 'tokens', message: 'names nothing to take while native is off' }] : []),
  ];
  if (problems.length > 0) throw invalidOptions(problems);
  return {
    rpcUrls: data.rpcUrls,
    chainId,
    confirmations,
    spendableConfirmations,
    finalityBlocks: data.finalityBlocks ?? defaults.finalityBlocks,
    pollIntervalMs: data.pollIntervalMs ?? defaults.pollIntervalMs,
    startBlock: data.startBlock ?? null,
    xpub: data.xpub ?? null,
    native: data.native ?? true,
    tokens,
    // Thousandths of a gwei are as fine as anybody sets it.
    maxGasPrice: BigInt(Math.round(data.maxFeePerGasGwei * 1_000)) * 1_000_000n,
    bumpAfterMs: data.bumpAfterSeconds * 1_000,
  };
}

/** A configured `confirmations` without the other sets both (decisions, section 4). */
function confirmationsOf(
  given: { readonly confirmations?: number | undefined; readonly spendableConfirmations?: number | undefined },
  defaults: EvmDefaults,
): { readonly confirmations: number; readonly spendableConfirmations: number } {
  const confirmations = given.confirmations ?? defaults.confirmations;
  const spendable = given.spendableConfirmations ?? (given.confirmations === undefined ? defaults.spendableConfirmations : confirmations);
  return { confirmations, spendableConfirmations: spendable };
}

function toToken(chain: ChainCode, currency: string, { address, decimals, symbol, stable }: TokenInput): EvmToken {
  const known = KNOWN_ASSETS.find((asset) => asset.currency === currency);
  return {
    address,
    asset: {
      chain,
      currency,
      symbol: symbol ?? known?.symbol ?? (currency.split('-')[0] as string),
      decimals,
      kind: 'token',
      stable: stable ?? known?.stable ?? false,
    },
  };
}

function foreignTokens(chain: ChainCode, tokens: readonly EvmToken[]): FieldError[] {
  return tokens.flatMap(({ asset: { currency } }) => {
    const known = KNOWN_ASSETS.find((asset) => asset.currency === currency);
    if (known === undefined || (known.chain === chain && known.kind === 'token')) return [];
    return [{ path: `tokens.${currency}`, message: known.kind === 'native' ? 'is a native coin, not a token' : `belongs to ${known.chain}` }];
  });
}

function sharedContracts(tokens: readonly EvmToken[]): FieldError[] {
  const first = new Map<string, string>();
  const problems: FieldError[] = [];
  for (const { asset, address } of tokens) {
    const key = address.toLowerCase();
    const other = first.get(key);
    if (other !== undefined) problems.push({ path: `tokens.${asset.currency}.address`, message: `is the contract of ${other} already` });
    first.set(key, other ?? asset.currency);
  }
  return problems;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
