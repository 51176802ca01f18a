import { z } from 'zod';
import { SHIB_ERC20, SPECIFIED_ASSETS } from '../../core/index.ts';
import type { Asset, ChainCode, FieldError } from '../../core/index.ts';
import { count } from './option-fields.ts';

/** A token of a chain: its contract and what it is. */
export interface ConfiguredToken {
  readonly address: string;
  readonly asset: Asset;
}

const KNOWN_ASSETS: readonly Asset[] = [...SPECIFIED_ASSETS, SHIB_ERC20];

/** The option `tokens`: contracts by currency code. */
export function tokensField(isAddress: (text: string) => boolean) {
  const token = z.strictObject({
    address: z.string().refine(isAddress, 'must be an address with a right checksum'),
    decimals: count(0, 36),
    symbol: z
      .string()
      .regex(/^[A-Z0-9]{1,16}$/, 'must be a symbol that rate sources know, such as USDT')
      .optional(),
    stable: z.boolean().optional(),
  });
  return z
    .record(z.string().regex(/^[A-Z0-9][A-Z0-9-]{0,31}$/, 'must be a currency code such as USDT-ERC20'), token)
    .optional();
}

/** What the option gives for each currency. */
export type TokenInputs = NonNullable<z.output<ReturnType<typeof tokensField>>>;

/** The tokens with what is known of them where the options say nothing. */
export function tokensOf(chain: ChainCode, inputs: TokenInputs): readonly ConfiguredToken[] {
  return Object.entries(inputs).map(([currency, { address, decimals, symbol, stable }]) => {
    const known = KNOWN_ASSETS.find((asset) => asset.currency === currency);
    const usual = known?.symbol ?? currency.replace(/-.*/, '');
    return {
      address,
      asset: {
        chain,
        currency,
        symbol: symbol ?? usual,
        decimals,
        kind: 'token',
        stable: stable ?? known?.stable ?? false,
      },
    };
  });
}

/** Currencies of other chains, native coins, and contracts that are named twice. */
export function tokenProblems(
  chain: ChainCode,
  tokens: readonly ConfiguredToken[],
  contractKey: (address: string) => string,
): readonly FieldError[] {
  return [...foreignTokens(chain, tokens), ...sharedContracts(tokens, contractKey)];
}

function foreignTokens(chain: ChainCode, tokens: readonly ConfiguredToken[]): FieldError[] {
  return tokens.flatMap(({ asset: { currency } }) => {
    const known = KNOWN_ASSETS.find((asset) => asset.currency === currency);
    if (known?.kind === 'native' || currency === chain)
      return [{ path: `tokens.${currency}`, message: 'is a native coin, not a token' }];
    return known === undefined || known.chain === chain
      ? []
      : [{ path: `tokens.${currency}`, message: `belongs to ${known.chain}` }];
  });
}

function sharedContracts(tokens: readonly ConfiguredToken[], contractKey: (address: string) => string): FieldError[] {
  const first = new Map<string, string>();
  return tokens.flatMap(({ asset: { currency }, address }) => {
    const key = contractKey(address);
    const other = first.get(key);
    first.set(key, other ?? currency);
    return other === undefined
      ? []
      : [{ path: `tokens.${currency}.address`, message: `is the contract of ${other} already` }];
  });
}
