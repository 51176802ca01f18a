import type { AppId } from '../../core/index.ts';

const PAUSE_MS = 2_000;
const MAX_PAUSES = 10_000;

/**
 * Refuses new WebSockets for two seconds after a flood, for an App's clients of one address. Cutting a flood off costs
 * little, but each new connection costs others a few milliseconds.
 */
export class FloodPauses {
  /** When each pause ends, the oldest first. */
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

  /** The rest of the pause, in milliseconds; 0 when a WebSocket may be opened. */
  leftOf(app: AppId, address: string, now: number): number {
    return Math.max(0, (this.#ends.get(nameOf(app, address)) ?? 0) - now);
  }
}

const nameOf = (app: AppId, address: string): string => `${app} ${address}`;
