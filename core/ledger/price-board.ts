import type { Millis, PriceTick } from '../kernel/index.ts';
import type { MedianPrice } from './median.ts';
import { medianPrice } from './median.ts';

/** The newest tick of each source for each symbol, and their medians while they are valid. */
export class PriceBoard {
  readonly #sources: readonly string[];
  readonly #ticks = new Map<string, Map<string, PriceTick>>();
  readonly #medians = new Map<string, MedianPrice>();

  /** @param sources - the names of the sources, in the order of the evidence */
  constructor(sources: readonly string[]) {
    this.#sources = sources;
  }

  /** Stores a source's answer. A symbol that it lacks keeps its previous tick until that is too old. */
  put(source: string, ticks: readonly PriceTick[], wanted: ReadonlySet<string>, now: Millis): void {
    for (const { symbol, usd, at } of ticks) {
      // Sources may be plugins: a value that is not a string would throw whenever the price is read.
      if (!wanted.has(symbol) || typeof usd !== 'string') continue;
      const bySource = this.#ticks.get(symbol) ?? new Map<string, PriceTick>();
      this.#ticks.set(symbol, bySource);
      // Limited to the present, so that the price of a source whose clock is ahead still becomes stale.
      bySource.set(source, { symbol, usd, at: Math.min(at, now) });
      this.#medians.delete(symbol);
    }
  }

  /** The symbol's current price. */
  price(symbol: string, now: Millis): MedianPrice {
    const known = this.#medians.get(symbol);
    if (known !== undefined && now <= known.validUntil) return known;
    const bySource = this.#ticks.get(symbol);
    const ticks = this.#sources.flatMap((source) => {
      const tick = bySource?.get(source);
      return tick === undefined ? [] : [{ source, tick }];
    });
    const price = medianPrice(symbol, ticks, now);
    this.#medians.set(symbol, price);
    return price;
  }
}
