import { beginEpochAfterRestore } from '../core/index.ts';
import type { BeginEpochDeps, EpochSettings } from '../core/index.ts';
import type { EpochMarkerFile } from './epoch-marker.ts';

export interface EpochKeeperDeps extends BeginEpochDeps {
  /** `null` where nothing is kept outside the database: an application that embeds the till. */
  readonly marker: EpochMarkerFile | null;
  readonly settings: EpochSettings;
}

/** Compares the database with its marker at the start, and keeps the marker up to date. */
export class EpochKeeper {
  readonly #deps: EpochKeeperDeps;
  #written = '';

  constructor(deps: EpochKeeperDeps) {
    this.#deps = deps;
  }

  /** Begins a new epoch when the database is a restored backup. Before anything else: no address may be given out yet. */
  async check(): Promise<void> {
    const { marker, settings } = this.#deps;
    if (marker === null) return;
    await beginEpochAfterRestore(this.#deps, marker.read(), settings);
    await this.note();
  }

  /** Writes how far the database has come. */
  async note(): Promise<void> {
    const { marker, storage } = this.#deps;
    if (marker === null) return;
    const [{ number: epoch, tillId, marked }, progress] = [
      await storage.epochs.current(),
      await storage.epochs.progress(),
    ];
    const next = { tillId, epoch, ...progress };
    const text = JSON.stringify(next);
    if (text === this.#written) return;
    marker.write(next);
    this.#written = text;
    if (!marked) await storage.epochs.setMarked();
  }
}
