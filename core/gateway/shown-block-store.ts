import type { ShownBlockReport } from './shown-blocks.ts';

/** The blocks that the instances of one database have answered. */
export interface ShownBlockStore {
  /**
   * Publishes this instance's reports. Returns those that others published within the last seconds. Reports are
   * forgotten after a minute.
   *
   * @param instance - a name that no other instance has
   */
  exchange(instance: string, reports: readonly ShownBlockReport[]): Promise<readonly ShownBlockReport[]>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Blocks that instances have answered; `null` where only one instance may run. */
    readonly shownBlocks: ShownBlockStore | null;
  }
}
