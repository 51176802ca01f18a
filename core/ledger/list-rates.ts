import { formatUnits, mulDiv, pow10, requireFiat } from '../kernel/index.ts';
import type { Asset, AssetCatalogue, Decimal, Fiat } from '../kernel/index.ts';
import type { RateBook } from './rate-book.ts';

/** The present price of one coin. */
export interface CoinRate {
  readonly asset: Asset;
  readonly fiat: Fiat;
  /** One coin in the fiat currency, rounded down; `null` when there is no usable price at the moment. */
  readonly price: string | null;
}

export interface ListRatesDeps {
  readonly assets: Pick<AssetCatalogue, 'list'>;
  readonly rates: Pick<RateBook, 'prepare' | 'usd'>;
}

/** Enough for a token of which a cent buys a billion. */
const RATE_DECIMALS = 12;

/** The prices at which orders are converted, before a spread. */
export class ListRates {
  readonly #deps: ListRatesDeps;

  constructor(deps: ListRatesDeps) {
    this.#deps = deps;
  }

  /**
   * The prices of all coins in which orders can be created.
   *
   * @param currency - a fiat code, such as EUR
   * @throws TillgateError `UNSUPPORTED` for another code
   */
  async list(currency: string): Promise<readonly CoinRate[]> {
    const { assets, rates } = this.#deps;
    const fiat = requireFiat(currency);
    const enabled = assets.list().flatMap(({ asset, enabled: isEnabled }) => (isEnabled ? [asset] : []));
    for (const symbol of new Set([fiat.code, ...enabled.map((asset) => asset.symbol)])) await rates.prepare(symbol);
    const one = rates.usd(fiat.code);
    return enabled.map((asset) => ({ asset, fiat, price: quotient(rates.usd(asset.symbol), one) }));
  }
}

function quotient(coin: Decimal | null, fiat: Decimal | null): string | null {
  if (coin === null || fiat === null) return null;
  const units = mulDiv(coin.digits * pow10(fiat.scale), pow10(RATE_DECIMALS), fiat.digits * pow10(coin.scale), 'down');
  return formatUnits(units, RATE_DECIMALS);
}
