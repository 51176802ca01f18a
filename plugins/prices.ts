import type { PriceIds } from '../core/index.ts';
import type { PriceDefinition } from './chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from './definitions.ts';

const token = (coingecko: string, kraken: string, sandboxUsd: string): PriceDefinition => ({
  ids: { coingecko, kraken },
  sandboxUsd,
});

/** Tokens by symbol, with one price for every chain. */
const TOKENS: Readonly<Record<string, PriceDefinition>> = {
  USDT: token('tether', 'USDTUSD', '1'),
  USDC: token('usd-coin', 'USDCUSD', '1'),
  DAI: token('dai', 'DAIUSD', '1'),
  SHIB: token('shiba-inu', 'SHIBUSD', '0.00002'),
};

/** The price sources of every built-in coin and token, by symbol. */
export const PRICE_DEFINITIONS: Readonly<Record<string, PriceDefinition>> = {
  ...Object.fromEntries(KNOWN_CHAIN_DEFINITIONS.map(({ coin, price }) => [coin.symbol, price])),
  ...TOKENS,
};

/** Only their ids, in the format in which a plugin supplies those of its own chain. */
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
