import type { Asset, AssetCatalogue } from '../kernel/asset.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { Fiat } from '../kernel/fiat.ts';
import { FIATS } from '../kernel/fiat.ts';
import type { Millis } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Deadline } from '../ports/deadline.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { PriceTick, RateSource } from '../ports/rate-source.ts';
import type { PriceEvidence, RateEvidence } from './evidence.ts';
import { convertUnits } from './convert.ts';
import { trim } from './median.ts';
import { PriceBoard } from './price-board.ts';
import { quoteUnits } from './quote.ts';

export interface RateBookDeps {
  readonly sources: readonly RateSource[];
  /** What is to be priced: see {@link rateSymbols}. */
  readonly symbols: readonly string[];
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Prices older than this are fetched again, in the background, when somebody asks. */
const REFRESH_AFTER_MS = 60_000;
/** After a fetch, a price that is still missing is not asked for again before this: a source that lacks it is not hammered. */
const RETRY_AFTER_MS = 5_000;
/** How long one source may take. */
const SOURCE_DEADLINE_MS = 5_000;

interface PricedSymbol {
  readonly usd: Decimal;
  readonly evidence: PriceEvidence;
}

/**
 * Everything that may have to be priced: the symbols of the enabled assets, of the coins that fees are paid in, and the
 * fiat codes but USD itself.
 */
export function rateSymbols(assets: Pick<AssetCatalogue, 'enabled'>, feeAssets: Iterable<Asset> = []): readonly string[] {
  const coins = [...assets.enabled(), ...feeAssets].map(({ symbol }) => symbol);
  const fiats = FIATS.map(({ code }) => code).filter((code) => code !== 'USD');
  return [...new Set([...coins, ...fiats])];
}

/**
 * Prices in US dollars from several sources, kept in memory (decisions, section 4, "Rate"). One source's failure,
 * delay or nonsense takes nothing from the others.
 */
export class RateBook {
  readonly #deps: RateBookDeps;
  readonly #wanted: ReadonlySet<string>;
  readonly #board: PriceBoard;
  #startedAt = -Infinity;
  #refreshing: Promise<void> | null = null;

  constructor(deps: RateBookDeps) {
    this.#deps = deps;
    this.#wanted = new Set(deps.symbols);
    this.#board = new PriceBoard(deps.sources.map(({ name }) => name));
  }

  /** Asks every source, at most one round at a time; never fails. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#fetchAll().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  /**
   * The price of one unit of a symbol, from memory; USD is 1 by definition.
   *
   * @throws TillgateError `NOT_READY` when no usable price is there.
   */
  price(symbol: string): PriceEvidence {
    return this.#require(symbol, this.#deps.clock.now()).evidence;
  }

  /**
   * What a fiat price is worth in an asset, rounded up, with its evidence. With fresh prices in memory nobody waits.
   *
   * @param price - in minor units of the fiat
   * @param fixed - `fixed_encrypt_price`: a stable coin is exactly 1 USD; other assets are priced as ever
   * @throws TillgateError `NOT_READY` when one of the two prices cannot be had.
   */
  async quote(asset: Asset, fiat: Fiat, price: bigint, fixed: boolean): Promise<{ readonly units: bigint; readonly rate: RateEvidence }> {
    const pinned = fixed && asset.stable;
    await this.#makeReady(pinned ? [fiat.code] : [fiat.code, asset.symbol]);
    const at = this.#deps.clock.now();
    const fiatPrice = this.#require(fiat.code, at);
    const coinPrice = pinned ? oneDollar(asset.symbol, 'fixed', at) : this.#require(asset.symbol, at);
    const units = quoteUnits(asset, fiat, price, fiatPrice.usd, coinPrice.usd);
    return { units, rate: { at, coin: coinPrice.evidence, fiat: fiatPrice.evidence, fixed: pinned } };
  }

  /**
   * What a fiat price is worth in US dollars, exact.
   *
   * @param price - in minor units of the fiat
   * @throws TillgateError `NOT_READY` when the fiat's price cannot be had.
   */
  async usdWorth(fiat: Fiat, price: bigint): Promise<Decimal> {
    await this.#makeReady([fiat.code]);
    const { usd } = this.#require(fiat.code, this.#deps.clock.now());
    return trim({ digits: price * usd.digits, scale: fiat.decimals + usd.scale });
  }

  /**
   * What an amount of one asset is worth in another, rounded up: a fee in the chain's own coin, charged in a token.
   *
   * @throws TillgateError `NOT_READY` when one of the two prices cannot be had.
   */
  async convert(units: bigint, from: Asset, to: Asset): Promise<bigint> {
    if (from.currency === to.currency) return units;
    await this.#makeReady([from.symbol, to.symbol]);
    const now = this.#deps.clock.now();
    return convertUnits(units, from, this.#require(from.symbol, now).usd, to, this.#require(to.symbol, now).usd, 'up');
  }

  #require(symbol: string, now: Millis): PricedSymbol {
    const found = this.#find(symbol, now);
    if (found === null) throw new TillgateError('NOT_READY', `There is no usable price of ${symbol} at the moment; try again.`);
    return found;
  }

  #find(symbol: string, now: Millis): PricedSymbol | null {
    if (symbol === 'USD') return oneDollar('USD', 'definition', now);
    const { usd, evidence } = this.#board.price(symbol, now);
    return usd === null ? null : { usd, evidence };
  }

  /** Waits for a refresh only when a price is missing; one that will soon be old is renewed behind the caller's back. */
  async #makeReady(symbols: readonly string[]): Promise<void> {
    const now = this.#deps.clock.now();
    const age = now - this.#startedAt;
    const missing = symbols.some((symbol) => this.#find(symbol, now) === null);
    if (missing && (this.#refreshing !== null || age >= RETRY_AFTER_MS)) await this.refresh();
    else if (!missing && age >= REFRESH_AFTER_MS && symbols.some((symbol) => symbol !== 'USD')) void this.refresh();
  }

  async #fetchAll(): Promise<void> {
    this.#startedAt = this.#deps.clock.now();
    await Promise.all(this.#deps.sources.map((source) => this.#fetchOne(source)));
  }

  async #fetchOne(source: RateSource): Promise<void> {
    const { clock, logger, metrics } = this.#deps;
    let outcome = 'ok';
    try {
      this.#board.put(source.name, await this.#askInTime(source), this.#wanted, clock.now());
    } catch (error) {
      outcome = 'failed';
      // Only the error's kind: its message may hold a URL with the operator's key.
      logger.warn('a rate source failed', { source: source.name, kind: error instanceof Error ? error.name : typeof error });
    }
    metrics.count('tillgate_rate_fetches_total', { source: source.name, outcome });
  }

  /** The source's answer, or an error when the deadline passes first, whether or not the source heeds the signal. */
  async #askInTime(source: RateSource): Promise<readonly PriceTick[]> {
    const signal = this.#deps.deadline(SOURCE_DEADLINE_MS);
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('The rate source took too long.')), { once: true });
      source.fetch(this.#deps.symbols, signal).then(resolve, reject);
    });
  }
}

function oneDollar(symbol: string, source: string, at: Millis): PricedSymbol {
  return {
    usd: { digits: 1n, scale: 0 },
    evidence: { symbol, usd: '1', sources: [{ source, usd: '1', at, dropped: null }] },
  };
}
