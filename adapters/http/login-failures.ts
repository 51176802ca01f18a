import { addressKey, networkOf, TillgateError } from '../../core/index.ts';

const MINUTE_MS = 60_000;
/** The most keys that are counted; beyond it the oldest are forgotten. */
const MAX_KEYS = 100_000;

interface Count {
  tries: number;
  readonly until: number;
}

export interface LoginFailuresOptions {
  /** Failures allowed in a minute for an address, and for an account from one network. */
  readonly perMinute: () => number;
  readonly maxKeys?: number;
  readonly now?: () => number;
}

/**
 * Counts failed logins in each minute, by address and by account and network: failures of others never block the right
 * password from another network. An attempt counts from its beginning, so that parallel attempts count, until it
 * succeeds.
 */
export class LoginFailures {
  readonly #options: Required<LoginFailuresOptions>;
  /** By key, oldest first: all entries live equally long. */
  readonly #counts = new Map<string, Count>();

  constructor({ perMinute, maxKeys = MAX_KEYS, now = () => performance.now() }: LoginFailuresOptions) {
    this.#options = { perMinute, maxKeys, now };
  }

  /**
   * Runs a login, and removes its attempt from the count when it succeeds.
   *
   * @throws TillgateError `RATE_LIMITED` without running it, after too many failures; any error of the login
   */
  async guard<T>(client: string, account: string, login: () => Promise<T>): Promise<T> {
    const keys = [`address ${addressKey(client)}`, `network ${networkOf(client)} ${account.toLowerCase()}`];
    this.#begin(keys);
    const result = await login();
    for (const key of keys) this.#forgive(key);
    return result;
  }

  #begin(keys: readonly string[]): void {
    const { perMinute, maxKeys, now } = this.#options;
    const at = now();
    this.#prune((count) => count.until <= at);
    const full = keys
      .map((key) => this.#counts.get(key))
      .find((count) => count !== undefined && count.tries >= perMinute());
    if (full !== undefined) throw tooMany(full.until - at);
    for (const key of keys) {
      const count = this.#counts.get(key);
      if (count === undefined) this.#counts.set(key, { tries: 1, until: at + MINUTE_MS });
      else count.tries += 1;
    }
    this.#prune(() => this.#counts.size > maxKeys);
  }

  #forgive(key: string): void {
    const count = this.#counts.get(key);
    if (count === undefined) return;
    count.tries -= 1;
    if (count.tries <= 0) this.#counts.delete(key);
  }

  #prune(isOver: (count: Count) => boolean): void {
    for (const [key, count] of this.#counts) {
      if (!isOver(count)) return;
      this.#counts.delete(key);
    }
  }
}

function tooMany(ms: number): TillgateError {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1000));
  return new TillgateError('RATE_LIMITED', `Too many failed logins; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}
