import type { Decimal, Millis, PriceTick } from '../kernel/index.ts';
import { formatUnits, pow10, readDecimal } from '../kernel/index.ts';
import type { PriceEvidence, SourcePrice } from './evidence.ts';

/** Prices older than this are not used, in milliseconds. */
export const MAX_PRICE_AGE_MS = 10 * 60_000;
/** One part in 20: a price more than 5 % from the median is not used; exactly 5 % is. */
const OUTLIER_DIVISOR = 20n;
/** The stored length of an invalid price text, limited because evidence is stored with every order. */
const MAX_TEXT = 80;

/** The tick of one source for the symbol that is priced. */
export interface SourceTick {
  readonly source: string;
  readonly tick: PriceTick;
}

/** The exact median of the usable prices, with its evidence; `usd` is `null` when none is usable. */
export interface MedianPrice {
  readonly usd: Decimal | null;
  readonly evidence: PriceEvidence;
  /** When the first of the used prices becomes too old; `Infinity` when none was fresh. */
  readonly validUntil: Millis;
}

interface Candidate {
  readonly price: SourcePrice;
  readonly usd: Decimal | null;
}

/** Prices a symbol: drops prices that are stale, not positive or far from the median, and takes the median of the rest. */
export function medianPrice(symbol: string, ticks: readonly SourceTick[], now: Millis): MedianPrice {
  const read = ticks.map((entry) => readTick(entry, now));
  const first = median(kept(read));
  const judged = first === null ? read : read.map((candidate) => dropOutlier(candidate, first));
  const usd = median(kept(judged));
  const ages = read.filter(({ price }) => price.dropped !== 'stale').map(({ price }) => price.at);
  return {
    usd,
    evidence: {
      symbol,
      usd: usd === null ? '' : formatUnits(usd.digits, usd.scale),
      sources: judged.map(({ price }) => price),
    },
    validUntil: Math.min(...ages.map((at) => at + MAX_PRICE_AGE_MS)),
  };
}

function readTick({ source, tick }: SourceTick, now: Millis): Candidate {
  const usd = readDecimal(tick.usd);
  const price = (dropped: string | null): SourcePrice => ({
    source,
    usd: tick.usd.slice(0, MAX_TEXT),
    at: tick.at,
    dropped,
  });
  // Written this way so that NaN counts as stale too.
  if (!(now - tick.at <= MAX_PRICE_AGE_MS)) return { price: price('stale'), usd: null };
  if (usd === null || usd.digits === 0n) return { price: price('not-positive'), usd: null };
  return { price: { ...price(null), usd: formatUnits(usd.digits, usd.scale) }, usd };
}

function dropOutlier(candidate: Candidate, middle: Decimal): Candidate {
  if (candidate.usd === null) return candidate;
  const [price, target] = alignTwo(candidate.usd, middle);
  const distance = price > target ? price - target : target - price;
  if (distance * OUTLIER_DIVISOR <= target) return candidate;
  return { price: { ...candidate.price, dropped: 'outlier' }, usd: null };
}

function kept(candidates: readonly Candidate[]): readonly Decimal[] {
  return candidates.flatMap(({ usd }) => (usd === null ? [] : [usd]));
}

/** The middle price, or the exact mean of the two middle ones, which needs one more decimal place. */
function median(values: readonly Decimal[]): Decimal | null {
  if (values.length === 0) return null;
  const scale = Math.max(...values.map((value) => value.scale));
  const digits = values
    .map((value) => value.digits * pow10(scale - value.scale))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = digits[digits.length >> 1] as bigint;
  const lower = digits[(digits.length - 1) >> 1] as bigint;
  return trim({ digits: (lower + upper) * 5n, scale: scale + 1 });
}

function alignTwo(a: Decimal, b: Decimal): readonly [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * pow10(scale - a.scale), b.digits * pow10(scale - b.scale)];
}

/** The number without trailing zeros after the point. */
export function trim(value: Decimal): Decimal {
  let { digits, scale } = value;
  for (; scale > 0 && digits % 10n === 0n; scale -= 1) digits /= 10n;
  return { digits, scale };
}

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
