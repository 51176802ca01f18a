import { createHash } from 'node:crypto';
import { request } from 'undici';
import type { BreachedPasswords, Logger } from '../../core/index.ts';
import { networkCode, readBounded } from '../system/bounded-reply.ts';

export interface RangeServiceOptions {
  /** The URL to which `/` and five hexadecimal digits are appended, such as `https://api.pwnedpasswords.com/range`. */
  readonly url: string;
  /** The time limit of the whole exchange; 3 seconds by default. */
  readonly timeoutMs?: number;
  readonly logger: Logger;
}

const TIMEOUT_MS = 3_000;
/** In bytes, many times the size of any answer. */
const MAX_BYTES = 1024 * 1024;
/** The digits of the hash that are sent: hundreds of breached passwords begin with them. */
const SENT = 5;
/** The rest of a hash and how often it was found; 0 in padding lines. */
const LINE = /^([0-9A-F]{35}):(\d{1,15})$/i;

/** Breached passwords by the range protocol of Have I Been Pwned: neither a password nor its hash leaves this machine. */
export class RangeService implements BreachedPasswords {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #logger: Logger;

  constructor({ url, timeoutMs = TIMEOUT_MS, logger }: RangeServiceOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#logger = logger;
  }

  /** A failing service prevents nobody from setting a password; the log then says that this one was not checked. */
  async isBreached(password: string): Promise<boolean> {
    const hash = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
    const found = await this.#ask(hash.slice(0, SENT));
    if (typeof found === 'string') {
      this.#logger.warn('a new password was not checked for data breaches', {
        setting: 'auth.breachedPasswords',
        reason: found,
      });
      return false;
    }
    return (found.get(hash.slice(SENT)) ?? 0) > 0;
  }

  /** How often each hash of the range was found, by the rest of the hash; otherwise the reason why that is unknown. */
  async #ask(range: string): Promise<ReadonlyMap<string, number> | string> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { statusCode, body } = await request(`${this.#url}/${range}`, {
        headers: { 'add-padding': 'true', 'user-agent': 'tillgate' },
        signal,
      });
      const text = await readBounded(body, MAX_BYTES);
      if (statusCode !== 200) return `the service answered with status ${statusCode}`;
      return (text === null ? null : countsOf(text)) ?? 'the service did not return a range of hashes';
    } catch (error) {
      return signal.aborted
        ? 'the service did not answer in time'
        : `${new URL(this.#url).host} cannot be reached (${networkCode(error)})`;
    }
  }
}

function countsOf(text: string): ReadonlyMap<string, number> | null {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/).filter((each) => each !== '')) {
    const [, rest, count] = LINE.exec(line) ?? [];
    if (rest === undefined) return null;
    counts.set(rest.toUpperCase(), Number(count));
  }
  return counts;
}
