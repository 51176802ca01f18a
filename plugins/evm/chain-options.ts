import { z } from 'zod';
import { CHAINS, BUILT_IN_ASSETS } from '../../core/index.ts';
import { count } from '../../adapters/plugin-options/option-fields.ts';
import { invalidOptions, parseOptions } from '../../adapters/plugin-options/parse-options.ts';
import { EVM_PRESETS, FIRST_FREE_ACCOUNT, evmAccounts } from './presets.ts';
import type { EvmChainDefinition, EvmPresetName } from './presets.ts';

const PRESET_NAMES = Object.keys(EVM_PRESETS) as [EvmPresetName, ...EvmPresetName[]];
const PRESETS: readonly EvmChainDefinition[] = Object.values(EVM_PRESETS);
const TAKEN_CODES: readonly string[] = [...CHAINS, ...PRESETS].map(({ code }) => code);
const TAKEN_CURRENCIES: readonly string[] = [...BUILT_IN_ASSETS, ...PRESETS.map(({ coin }) => coin)].map(
  ({ currency }) => currency,
);

const symbol = z.string().regex(/^[A-Z0-9]{1,16}$/, 'must be a symbol that rate sources know, such as ETH');
const tag = z.enum(['latest', 'safe', 'finalized']);

/** A chain described in the settings. */
const chainSchema = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,15}$/, 'must be a code of capital letters and digits, such as LINEA')
    .refine((code) => !TAKEN_CODES.includes(code), 'is the code of a chain that has a plugin or a preset of its own'),
  name: z.string().min(1).max(64),
  chainId: count(1, Number.MAX_SAFE_INTEGER),
  coin: z.strictObject({
    currency: z
      .string()
      .regex(/^[A-Z0-9][A-Z0-9-]{0,31}$/, 'must be a currency code such as ETH-LINEA')
      .refine((currency) => !TAKEN_CURRENCIES.includes(currency), 'is the coin of another chain: write ETH-LINEA'),
    symbol,
    decimals: count(0, 36).default(18),
    priceIds: z.record(z.string(), z.string()).default({}),
  }),
  /** k: the till's seed has accounts 2k and 2k + 1 of `m/44'/60'` for it. */
  account: count(FIRST_FREE_ACCOUNT, 1_000_000),
  blockSeconds: z.number().min(0.05).max(600),
  confirmations: count(1, 10_000),
  spendableConfirmations: count(1, 10_000),
  finalityBlocks: count(1, 10_000),
  pollIntervalMs: count(100, 600_000).default(6_000),
  tags: z.strictObject({ credit: tag, spend: tag }).default({ credit: 'latest', spend: 'latest' }),
  /** How the chain charges for its data on the first layer, beside gas. */
  layerOneFee: z.enum(['none', 'op-stack']).default('none'),
});

/** An https URL with a place for a hash or an address. */
const pageWith = (place: string) =>
  z
    .string()
    .regex(/^https:\/\/[^\s"<>\\]+$/, 'must be an https URL')
    .refine((url) => url.includes(place), `must contain ${place}`)
    .optional();

const fields = {
  preset: z.enum(PRESET_NAMES, { error: `must be one of ${PRESET_NAMES.join(', ')}` }).optional(),
  chain: chainSchema.optional(),
  /** The page of a transaction in a block explorer; that of the preset by default. */
  explorer: pageWith('{txid}'),
  /** The page of an address in a block explorer; that of the preset by default. */
  addressExplorer: pageWith('{address}'),
};
const schema = z.looseObject(fields);

/**
 * The options that name the chain.
 *
 * @interface
 */
export type ChainInput = z.input<z.ZodObject<typeof fields>>;

/** The chain that the options name, and the other options. @throws TillgateError `CONFIG_INVALID` naming the field */
export function chainOf(input: unknown): { readonly definition: EvmChainDefinition; readonly rest: unknown } {
  const { preset, chain, explorer, addressExplorer, ...rest } = parseOptions(schema, input);
  const pages = {
    ...(explorer !== undefined && { explorer }),
    ...(addressExplorer !== undefined && { addressExplorer }),
  };
  if (preset !== undefined && chain !== undefined)
    throw invalidOptions([{ path: 'chain', message: 'cannot be given beside a preset' }]);
  if (preset !== undefined) return { definition: { ...EVM_PRESETS[preset], ...pages }, rest };
  if (chain === undefined) {
    const message = `must be one of ${PRESET_NAMES.join(', ')}, or describe the chain in "chain"`;
    throw invalidOptions([{ path: 'preset', message }]);
  }
  return { definition: { ...definitionOf(chain), ...pages }, rest };
}

function definitionOf({ coin, account, layerOneFee, ...facts }: z.output<typeof chainSchema>): EvmChainDefinition {
  const { currency, symbol: priced, decimals, priceIds } = coin;
  return {
    ...facts,
    ...(layerOneFee === 'none' ? {} : { layerOneFee }),
    coin: { chain: facts.code, currency, symbol: priced, decimals, kind: 'native', stable: false },
    price: { ids: priceIds, sandboxUsd: '1' },
    addressForm: 'evm',
    accounts: evmAccounts(account),
    maxLagBlocks: Math.max(1, Math.ceil(20 / facts.blockSeconds)),
    tokens: {},
    basis: null,
  };
}
