import type { AppId } from '../../core/index.ts';

const PAUSE_MS = 2_000;
const MAX_PAUSES = 10_000;

/**
 * Who has flooded a WebSocket gets no further one for two seconds: an App's clients of one address. To cut a flood off costs little, but
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

  /** How long no further WebSocket may be opened, in milliseconds; 0 where one may. */
  leftOf(app: AppId, address: string, now: number): number {
    return Math.max(0, (this.#ends.get(nameOf(app, address)) ?? 0) - now);
  }
}

const nameOf = (app: AppId, address: string): string => `${app} ${address}`;
