import { z } from 'zod';
import { SHIB_ERC20, BUILT_IN_ASSETS } from '../../core/index.ts';
import type { Asset, ChainCode, FieldError } from '../../core/index.ts';
import { count } from './option-fields.ts';

/** A token of a chain: its contract and its asset. */
export interface ConfiguredToken {
  readonly address: string;
  readonly asset: Asset;
}

/** The minimum for a stablecoin, in its own units; one is worth about a dollar. */
const LEAST_STABLE = '0.01';
/** The minimums of other tokens by symbol, each about a hundredth of a dollar. Unknown tokens have none. */
const LEAST_OF: Readonly<Record<string, string>> = { SHIB: '1000' };

const KNOWN_ASSETS: readonly Asset[] = [...BUILT_IN_ASSETS, SHIB_ERC20];

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
    /** The minimum deposit: a smaller one is recorded, credited as nothing and never swept. */
    minDeposit: z
      .string()
      .regex(/^\d{1,18}(\.\d{1,36})?$/, 'must be a plain decimal of the token, such as 0.01')
      .optional(),
  });
  return z
    .record(z.string().regex(/^[A-Z0-9][A-Z0-9-]{0,31}$/, 'must be a currency code such as USDT-ERC20'), token, {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'must be an object by currency code, such as {"USDT-ERC20": {"address": "0x…", "decimals": 6}}'
          : undefined,
    })
    .optional();
}

/** The input of the option for each currency. */
export type TokenInputs = NonNullable<z.output<ReturnType<typeof tokensField>>>;

/** The tokens, with built-in facts where the options leave them out. */
export function tokensOf(chain: ChainCode, inputs: TokenInputs): readonly ConfiguredToken[] {
  return Object.entries(inputs).map(([currency, { address, decimals, symbol, stable: given, minDeposit }]) => {
    const known = KNOWN_ASSETS.find((asset) => asset.currency === currency);
    const usual = known?.symbol ?? currency.replace(/-.*/, '');
    const stable = given ?? known?.stable ?? false;
    const least = roundedUp(minDeposit ?? (stable ? LEAST_STABLE : (LEAST_OF[symbol ?? usual] ?? '0')), decimals);
    return {
      address,
      asset: {
        chain,
        currency,
        symbol: symbol ?? usual,
        decimals,
        kind: 'token',
        stable,
        ...(least > 0n ? { minDeposit: least } : {}),
      },
    };
  });
}

/** In the smallest unit, rounded up. */
function roundedUp(text: string, decimals: number): bigint {
  const [whole = '0', part = ''] = text.split('.');
  const exact = BigInt(whole + part.slice(0, decimals).padEnd(decimals, '0'));
  return /[1-9]/.test(part.slice(decimals)) ? exact + 1n : exact;
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
