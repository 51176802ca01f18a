import type { CoinMark } from './chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from './definitions.ts';

/** Tokens by symbol, which have one mark on every chain; those of native coins are in the definitions of their chains. */
const TOKENS: Readonly<Record<string, CoinMark>> = {
  USDT: { colour: '#1f7f68', path: 'M9 10h14M16 10v14M10.5 15.5h11' },
  USDC: {
    colour: '#2b66b5',
    path: 'M20 12.7c-.4-2-2-3-4-3-2.3 0-4 1.1-4 3.1 0 4.5 8 2 8 6.5 0 2-1.7 3.1-4 3.1-2.1 0-3.7-1-4-3M16 7v18',
  },
  DAI: { colour: '#b07a12', path: 'M12 9h4a7 7 0 0 1 0 14h-4zM8.5 14h15M8.5 18h15' },
};

/** The mark of payments over Lightning, whose symbol is Bitcoin's. */
export const LIGHTNING_MARK: CoinMark = { colour: '#6d47c4', path: 'M18 6.5l-8 11h5.5l-1.5 8 8-11h-5.5z' };

/** The marks of the built-in coins and tokens, by symbol. */
export const COIN_MARKS: ReadonlyMap<string, CoinMark> = new Map([
  ...KNOWN_CHAIN_DEFINITIONS.flatMap(({ coin, mark }) => (mark === undefined ? [] : [[coin.symbol, mark] as const])),
  ...Object.entries(TOKENS),
]);
