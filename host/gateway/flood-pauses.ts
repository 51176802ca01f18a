import { refuse } from '../../core/index.ts';
import type { AppId, Refusal } from '../../core/index.ts';

const PAUSE_MS = 1_000;
const MAX_PAUSES = 10_000;

/**
 * Who has flooded a WebSocket gets no further one for a second: an App's clients of one address. To cut a flood off costs little, but
 * each new connection costs others a few milliseconds.
 */
export class FloodPauses {
  /** When each ends, the first that began first. */
  readonly #ends = new Map<string, number>();

  get size(): number {
    return this.#ends.size;
  }

  /** @param now - in milliseconds */
  begin(app: AppId, address: string, now: number): void {
    for (const [client, end] of this.#ends) {
      if (end > now && this.#ends.size < MAX_PAUSES) break;
      this.#ends.delete(client);
    }
    const client = nameOf(app, address);
    this.#ends.delete(client);
    this.#ends.set(client, now + PAUSE_MS);
  }

  /** The refusal of a further WebSocket; `null` where it may be opened. */
  check(app: AppId, address: string, now: number): Refusal | null {
    const end = this.#ends.get(nameOf(app, address)) ?? -Infinity;
    return end > now ? refuse('rate_limited', { message: FLOODED, retryAfterSeconds: 1 }) : null;
  }
}

const FLOODED =
  'A WebSocket from here was closed, since it sent too many frames that are no messages; try again later.';

const nameOf = (app: AppId, address: string): string => `${app} ${address}`;
