import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TillgateError } from '../../core/index.ts';

/** How often the payers of an order may change it in a minute. */
export const PAYER_WRITES_OF_ORDER = 12;

/** Counts requests by key, a minute at a time; each instance counts its own. */
export class RateLimit {
  readonly #limiter: RateLimiterMemory;

  /** @param perMinute - how many a key may have in a minute */
  constructor(perMinute: number) {
    this.#limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  }

  /** @throws TillgateError `RATE_LIMITED` with the seconds until the next minute begins for this key. */
  async take(key: string): Promise<void> {
    try {
      await this.#limiter.consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const retryAfterSeconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new TillgateError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      });
    }
  }
}
