import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TillgateError } from '../../core/index.ts';

/** Changes that the payers of one order may make to it in a minute. */
export const PAYER_WRITES_OF_ORDER = 12;

/** Limits the requests of each key in each minute. Each instance counts its own requests. */
export class RateLimit {
  readonly #limiter: RateLimiterMemory;
  readonly #perMinute: () => number;

  /** @param perMinute - the most requests of a key in a minute, at present */
  constructor(perMinute: () => number) {
    this.#perMinute = perMinute;
    this.#limiter = new RateLimiterMemory({ points: perMinute(), duration: 60 });
  }

  /** @throws TillgateError `RATE_LIMITED`, with the seconds until the next minute of this key begins */
  async take(key: string): Promise<void> {
    this.#limiter.points = this.#perMinute();
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
