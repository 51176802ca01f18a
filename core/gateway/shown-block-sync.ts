import type { Millis } from '../kernel/index.ts';
import type { ShownBlockStore } from './shown-block-store.ts';
import type { ShownBlockReport, ShownBlocks } from './shown-blocks.ts';

export interface ShownBlockSyncDeps {
  readonly blocks: ShownBlocks;
  /** `null` where no other instance shares the database. */
  readonly store: ShownBlockStore | null;
  /** A name that no instance had before. */
  readonly instance: string;
  /** The clock of {@link ShownBlocks}, in milliseconds. */
  readonly now: () => Millis;
}

/**
 * Tells all instances of one database which blocks were answered, and which upstreams were left by their Apps. No
 * request waits for it: while an upstream serves on all instances, each App stays with its home without it.
 */
export class ShownBlockSync {
  readonly #deps: ShownBlockSyncDeps;
  /** What could not be published. */
  #unsent: readonly ShownBlockReport[] = [];

  constructor(deps: ShownBlockSyncDeps) {
    this.#deps = deps;
  }

  /** True for a database without other instances, for which {@link run} does nothing. */
  get alone(): boolean {
    return this.#deps.store === null;
  }

  /** Makes one exchange. @throws TillgateError `NOT_READY`; the next one says the same again */
  async run(): Promise<void> {
    const { blocks, store, instance, now } = this.#deps;
    if (store === null || blocks.isEmpty) return;
    this.#unsent = merged([...this.#unsent, ...blocks.reports()]);
    const heard = await store.exchange(instance, this.#unsent);
    this.#unsent = [];
    blocks.hear(heard, now());
  }
}

/** One report for each upstream: the last block, and whether it was left at all. */
function merged(reports: readonly ShownBlockReport[]): readonly ShownBlockReport[] {
  const byName = new Map<string, ShownBlockReport>();
  for (const report of reports) {
    const name = `${report.routeId} ${report.seed}`;
    byName.set(name, { ...report, left: report.left || byName.get(name)?.left === true });
  }
  return [...byName.values()];
}
