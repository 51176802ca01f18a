import type { PriceIds } from '../core/index.ts';
import type { PriceDefinition } from './chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from './definitions.ts';

const token = (coingecko: string, kraken: string, sandboxUsd: string): PriceDefinition => ({
  ids: { coingecko, kraken },
  sandboxUsd,
});

/** Tokens by their symbols: one price on whatever chain they are. */
const TOKENS: Readonly<Record<string, PriceDefinition>> = {
  USDT: token('tether', 'USDTUSD', '1'),
  USDC: token('usd-coin', 'USDCUSD', '1'),
  DAI: token('dai', 'DAIUSD', '1'),
  SHIB: token('shiba-inu', 'SHIBUSD', '0.00002'),
};

/** How every built-in coin and token is priced, by symbol. */
export const PRICE_DEFINITIONS: Readonly<Record<string, PriceDefinition>> = {
  ...Object.fromEntries(KNOWN_CHAIN_DEFINITIONS.map(({ coin, price }) => [coin.symbol, price])),
  ...TOKENS,
};

/** The same as ids alone, in the form in which a plugin gives those of its own chain. */
export const BUILT_IN_PRICE_IDS: Readonly<Record<string, PriceIds>> = Object.fromEntries(
  Object.entries(PRICE_DEFINITIONS).map(([symbol, { ids }]) => [symbol, ids]),
);

/** The ids at one source, by symbol. */
export function priceIdsAt(
  source: string,
  priceIds: Readonly<Record<string, PriceIds>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(priceIds).flatMap(([symbol, { [source]: id }]) => (id === undefined ? [] : [[symbol, id]])),
  );
}
