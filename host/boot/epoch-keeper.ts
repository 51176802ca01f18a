import { beginEpochAfterLoss, beginEpochAfterRestore } from '../../core/index.ts';
import type { BeginEpochDeps, EpochMarker, EpochSettings } from '../../core/index.ts';
import type { EpochMarkerFile } from './epoch-marker.ts';

/** Shorter than a database failover, and short enough for several spans between two notes. */
const SPAN_MS = 100;

export interface EpochKeeperDeps extends BeginEpochDeps {
  /** `null` for an embedded till, which keeps nothing outside the database. */
  readonly marker: EpochMarkerFile | null;
  readonly settings: EpochSettings;
  /** Called when the database has lost acknowledged data: everything that this process remembers of it is invalid. */
  readonly onLost: (reason: string) => void;
}

/** Compares the database with its marker at the start and while it runs, and keeps the marker up to date. */
export class EpochKeeper {
  readonly #deps: EpochKeeperDeps;
  #known: EpochMarker | null = null;
  /** The last order that this process acknowledged in each span of {@link SPAN_MS} since its last note. */
  readonly #acknowledged = new Map<number, string>();
  #lost = false;

  constructor(deps: EpochKeeperDeps) {
    this.#deps = deps;
    if (deps.marker === null) return;
    deps.events.on('order.created', ({ orderId }) => {
      this.#acknowledged.set(Math.floor(deps.clock.now() / SPAN_MS), orderId);
    });
  }

  /** Begins a new epoch when the database is a restored backup. It must run first, before any address is given out. */
  async check(): Promise<void> {
    const { marker, settings } = this.#deps;
    if (marker === null) return;
    const known = marker.read();
    await beginEpochAfterRestore(this.#deps, known, settings);
    if (known !== null) await beginEpochAfterLoss(this.#deps, known);
    await this.note();
  }

  /** Writes the database's progress to the marker. After a loss of data the marker stays and a new epoch begins. */
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
