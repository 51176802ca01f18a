import type {
  Asset,
  AssetCatalogue,
  Clock,
  Deadline,
  Decimal,
  Fiat,
  Logger,
  Metrics,
  Millis,
  PriceTick,
  RateSource,
} from '../kernel/index.ts';
import { FIATS, TillgateError } from '../kernel/index.ts';
import type { PriceEvidence, RateEvidence } from './evidence.ts';
import { convertUnits, quoteUnits } from './conversion.ts';
import { PriceBoard, trim } from './price-board.ts';

export interface RateBookDeps {
  readonly sources: readonly RateSource[];
  /** The symbols to price: see {@link rateSymbols}. */
  readonly symbols: readonly string[];
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** In basis points: how much more is asked for than the price says; nothing where it is left out. */
  readonly spreadBps?: number;
}

/** Milliseconds after which a used price is refreshed in the background. */
const REFRESH_AFTER_MS = 60_000;
/** Milliseconds after a refresh during which a missing price is not requested again, to spare its sources. */
const RETRY_AFTER_MS = 5_000;
/** The timeout of one source, in milliseconds. */
const SOURCE_DEADLINE_MS = 5_000;

interface PricedSymbol {
  readonly usd: Decimal;
  readonly evidence: PriceEvidence;
}

/** All symbols that may need a price: the enabled assets, the coins of fees, and the fiat currencies except USD. */
export function rateSymbols(
  assets: Pick<AssetCatalogue, 'enabled'>,
  feeAssets: Iterable<Asset> = [],
): readonly string[] {
  const coins = [...assets.enabled(), ...feeAssets].map(({ symbol }) => symbol);
  const fiats = FIATS.map(({ code }) => code).filter((code) => code !== 'USD');
  return [...new Set([...coins, ...fiats])];
}

/**
 * Prices in US dollars from several sources, kept in memory. A source that fails, is late or returns invalid data does
 * not affect the others.
 */
export class RateBook {
  readonly #deps: RateBookDeps;
  readonly #wanted: ReadonlySet<string>;
  readonly #board: PriceBoard;
  /** When each source last answered; for one that never did, when this book was created. */
  readonly #answeredAt: Map<string, Millis>;
  #startedAt = -Infinity;
  #refreshing: Promise<void> | null = null;

  constructor(deps: RateBookDeps) {
    this.#deps = deps;
    this.#wanted = new Set(deps.symbols);
    this.#board = new PriceBoard(deps.sources.map(({ name }) => name));
    this.#answeredAt = new Map(deps.sources.map(({ name }) => [name, deps.clock.now()]));
  }

  get sources(): readonly RateSource[] {
    return this.#deps.sources;
  }

  /** Reads every source; one refresh runs at a time. Never fails. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#fetchAll().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  /**
   * The price of one unit of a symbol, from memory; USD is 1 by definition.
   *
   * @throws TillgateError `NOT_READY` when there is no usable price
   */
  price(symbol: string): PriceEvidence {
    return this.#require(symbol, this.#deps.clock.now()).evidence;
  }

  /** Waits for a missing price, where a source has one. Never fails. */
  prepare(symbol: string): Promise<void> {
    return this.#makeReady([symbol]);
  }

  /** As {@link price}, in US dollars; `null` when there is no usable price. */
  usd(symbol: string): Decimal | null {
    return this.#find(symbol, this.#deps.clock.now())?.usd ?? null;
  }

  /**
   * Converts a fiat price to an asset, rounded up, with the evidence. Does not wait while fresh prices are in memory.
   *
   * @param price - in minor units of the fiat
   * @param fixed - `fixed_encrypt_price`: a stablecoin is exactly 1 USD; other assets are priced as usual
   * @throws TillgateError `NOT_READY` when a price is not available
   */
  async quote(
    asset: Asset,
    fiat: Fiat,
    price: bigint,
    fixed: boolean,
  ): Promise<{ readonly units: bigint; readonly rate: RateEvidence }> {
    const { pinned, at, coin, fiatPrice } = await this.#prices(asset, fiat, fixed);
    const spread = this.#spread(pinned);
    const units = quoteUnits(asset, fiat, price, fiatPrice.usd, coin.usd, spread.spreadBps);
    return { units, rate: { at, coin: coin.evidence, fiat: fiatPrice.evidence, ...spread, fixed: pinned } };
  }

  /**
   * The present prices for what is paid out. They are those of {@link quote} without the spread, which protects an account
   * against prices that fall before it sells: here it is the one that pays.
   *
   * @param fixed - as in {@link quote}
   * @throws TillgateError `NOT_READY` when a price is not available
   */
  async payoutRate(asset: Asset, fiat: Fiat, fixed = false): Promise<RateEvidence> {
    const { pinned, at, coin, fiatPrice } = await this.#prices(asset, fiat, fixed);
    return { at, coin: coin.evidence, fiat: fiatPrice.evidence, fixed: pinned };
  }

  /** The present prices for {@link quote}, from memory; `null` when one is not available. */
  evidence(asset: Asset, fiat: Fiat, fixed: boolean): RateEvidence | null {
    const at = this.#deps.clock.now();
    const pinned = fixed && asset.stable;
    const [coin, price] = [
      pinned ? oneDollar(asset.symbol, 'fixed', at) : this.#find(asset.symbol, at),
      this.#find(fiat.code, at),
    ];
    if (coin === null || price === null) return null;
    return { at, coin: coin.evidence, fiat: price.evidence, ...this.#spread(pinned), fixed: pinned };
  }

  async #prices(asset: Asset, fiat: Fiat, fixed: boolean) {
    const pinned = fixed && asset.stable;
    await this.#makeReady(pinned ? [fiat.code] : [fiat.code, asset.symbol]);
    const at = this.#deps.clock.now();
    const fiatPrice = this.#require(fiat.code, at);
    const coin = pinned ? oneDollar(asset.symbol, 'fixed', at) : this.#require(asset.symbol, at);
    return { pinned, at, coin, fiatPrice };
  }

  /** A price that the merchant has fixed is asked for as it is. */
  #spread(pinned: boolean): Pick<RateEvidence, 'spreadBps'> {
    const { spreadBps = 0 } = this.#deps;
    return pinned || spreadBps === 0 ? {} : { spreadBps };
  }

  /**
   * Converts a fiat price to US dollars, exactly.
   *
   * @param price - in minor units of the fiat
   * @throws TillgateError `NOT_READY` when the fiat's price is not available.
   */
  async usdWorth(fiat: Fiat, price: bigint): Promise<Decimal> {
    await this.#makeReady([fiat.code]);
    const { usd } = this.#require(fiat.code, this.#deps.clock.now());
    return trim({ digits: price * usd.digits, scale: fiat.decimals + usd.scale });
  }

  /**
   * Converts an amount of one asset to another, rounded up, for a fee in the native coin that is charged in a token.
   *
   * @throws TillgateError `NOT_READY` when a price is not available
   */
  async convert(units: bigint, from: Asset, to: Asset): Promise<bigint> {
    if (from.currency === to.currency) return units;
    await this.#makeReady([from.symbol, to.symbol]);
    const now = this.#deps.clock.now();
    return convertUnits(units, from, this.#require(from.symbol, now).usd, to, this.#require(to.symbol, now).usd, 'up');
  }

  #require(symbol: string, now: Millis): PricedSymbol {
    const found = this.#find(symbol, now);
    if (found === null)
      throw new TillgateError('NOT_READY', `There is no usable price of ${symbol} at the moment; retry later.`);
    return found;
  }

  #find(symbol: string, now: Millis): PricedSymbol | null {
    if (symbol === 'USD') return oneDollar('USD', 'definition', now);
    const { usd, evidence } = this.#board.price(symbol, now);
    return usd === null ? null : { usd, evidence };
  }

  /** Waits for a refresh only when a price is missing; an ageing one is refreshed in the background. */
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
    const { name } = source;
    let outcome = 'ok';
    try {
      this.#board.put(name, await this.#askInTime(source), this.#wanted, clock.now());
      this.#answeredAt.set(name, clock.now());
    } catch (error) {
      outcome = 'failed';
      // The error's name only, because its message may contain a URL with the operator's key.
      logger.warn('rate source failed', {
        source: name,
        kind: error instanceof Error ? error.name : typeof error,
      });
    }
    metrics.count('tillgate_rate_fetches_total', { source: name, outcome });
    const ageMs = clock.now() - (this.#answeredAt.get(name) ?? 0);
    metrics.gauge('tillgate_rate_age_seconds', ageMs / 1_000, { source: name });
  }

  /** The source's answer, or an error at the deadline, even if the source ignores the signal. */
  async #askInTime(source: RateSource): Promise<readonly PriceTick[]> {
    const signal = this.#deps.deadline(SOURCE_DEADLINE_MS);
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('The rate source timed out.')), { once: true });
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
