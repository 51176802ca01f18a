import { TillgateError, readDecimal } from '../../core/index.ts';
import type { Clock, FieldError, PriceTick, RateSource } from '../../core/index.ts';
import { priceText } from './prices.ts';

/** US dollars per unit, by symbol (`USDT`), full currency code (`USDT-ERC20`) or fiat code. */
export type StaticPrices = Readonly<Record<string, string>>;

/** Prices from the configuration; they are always current. */
export class StaticSource implements RateSource {
  readonly name = 'static';
  readonly #clock: Clock;
  readonly #prices: ReadonlyMap<string, string>;

  /** @throws TillgateError `CONFIG_INVALID` naming every price that is not a decimal above zero, or given twice. */
  constructor(clock: Clock, prices: StaticPrices) {
    this.#clock = clock;
    this.#prices = readPrices(prices);
  }

  async fetch(symbols: readonly string[]): Promise<readonly PriceTick[]> {
    const at = this.#clock.now();
    return symbols.flatMap((symbol) => {
      const usd = this.#prices.get(symbol);
      return usd === undefined ? [] : [{ symbol, usd, at }];
    });
  }
}

function readPrices(prices: StaticPrices): ReadonlyMap<string, string> {
  const bySymbol = new Map<string, string>();
  const fields: FieldError[] = [];
  for (const [code, text] of Object.entries(prices)) {
    const value = readDecimal(text);
    // `USDT-ERC20` is a `USDT`: a code's last part names the token standard or the network.
    const symbol = code.replace(/-[^-]*$/, '');
    const price = value === null || value.digits === 0n ? null : priceText(value);
    if (price === null)
      fields.push({ path: `prices.${code}`, message: 'must be a decimal above zero, such as "2500"' });
    else if ((bySymbol.get(symbol) ?? price) !== price)
      fields.push({ path: `prices.${code}`, message: `${symbol} has another price already` });
    else bySymbol.set(symbol, price);
  }
  if (fields.length > 0) throw new TillgateError('CONFIG_INVALID', 'The static prices are not usable.', { fields });
  if (!bySymbol.has('USD')) bySymbol.set('USD', '1');
  return bySymbol;
}
