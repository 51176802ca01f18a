import { beginEpochAfterLoss, beginEpochAfterRestore } from '../core/index.ts';
import type { BeginEpochDeps, EpochMarker, EpochSettings } from '../core/index.ts';
import type { EpochMarkerFile } from './epoch-marker.ts';

/** Shorter than a failover, and a few in the time between two notes. */
const SPAN_MS = 100;

export interface EpochKeeperDeps extends BeginEpochDeps {
  /** `null` where nothing is kept outside the database: an application that embeds the till. */
  readonly marker: EpochMarkerFile | null;
  readonly settings: EpochSettings;
  /** What is done when the database has lost what it had: whatever this process remembers of it is wrong. */
  readonly onLost: (reason: string) => void;
}

/** Compares the database with its marker at the start and while it runs, and keeps the marker up to date. */
export class EpochKeeper {
  readonly #deps: EpochKeeperDeps;
  #known: EpochMarker | null = null;
  /** The last order that this process acknowledged in each short span since its last note: no failover is shorter. */
  readonly #acknowledged = new Map<number, string>();
  #lost = false;

  constructor(deps: EpochKeeperDeps) {
    this.#deps = deps;
    if (deps.marker === null) return;
    deps.events.on('order.created', ({ orderId }) => {
      this.#acknowledged.set(Math.floor(deps.clock.now() / SPAN_MS), orderId);
    });
  }

  /** Begins a new epoch when the database is a restored backup. Before anything else: no address may be given out yet. */
  async check(): Promise<void> {
    const { marker, settings } = this.#deps;
    if (marker === null) return;
    const known = marker.read();
    await beginEpochAfterRestore(this.#deps, known, settings);
    if (known !== null) await beginEpochAfterLoss(this.#deps, known);
    await this.note();
  }

  /** Writes how far the database has come. One that has lost what it had gets a new epoch, and keeps its marker. */
  async note(): Promise<void> {
    const { marker, storage, onLost } = this.#deps;
    if (marker === null || this.#lost) return;
    const reason = await this.#loss();
    if (reason !== null) {
      this.#lost = true;
      onLost(reason);
      return;
    }
    const [{ number: epoch, tillId, marked }, progress] = [
      await storage.epochs.current(),
      await storage.epochs.progress(),
    ];
    const next = { tillId, epoch, ...progress };
    if (JSON.stringify(next) === JSON.stringify(this.#known)) return;
    marker.write(next);
    this.#known = next;
    if (!marked) await storage.epochs.setMarked();
  }

  async #loss(): Promise<string | null> {
    if (this.#known === null) return null;
    const orders = [...this.#acknowledged];
    const reason = await beginEpochAfterLoss(
      this.#deps,
      this.#known,
      orders.map(([, id]) => id),
    );
    for (const [span, id] of orders) if (this.#acknowledged.get(span) === id) this.#acknowledged.delete(span);
    return reason;
  }
}
