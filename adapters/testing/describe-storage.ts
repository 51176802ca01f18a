import { after, before, describe, test } from 'node:test';
import { present } from '../../core/index.ts';
import type { Storage } from '../../core/index.ts';
import { RecordingDispatcher } from './recording-dispatcher.ts';
import { storageLists } from './storage-lists.ts';
import { storageMoney } from './storage-money.ts';
import { storageWork } from './storage-work.ts';

/** A storage on the suite's own database. */
export interface StorageWorld {
  /** Migrated and empty. */
  readonly storage: Storage;
  /** Another instance on the same database. */
  another(): Promise<Storage>;
  /** Closes every instance and removes the database. */
  close(): Promise<void>;
}

/**
 * Registers the conformance suite of {@link Storage} with node:test, under a name. It tests the requirements on which
 * money depends and the lists that are read in parts, not every query.
 */
export function describeStorage(name: string, open: () => Promise<StorageWorld>): void {
  describe(`${name}: the promises of a storage`, { concurrency: 1 }, () => {
    let world: StorageWorld | null = null;
    let second: Storage | null = null;
    const dispatcher = new RecordingDispatcher();
    before(async () => {
      world = await open();
      second = await world.another();
      for (const each of [world.storage, second]) each.dispatchTo(dispatcher);
    });
    after(() => world?.close());
    for (const { title, run } of [...storageMoney, ...storageWork, ...storageLists]) {
      test(title, () => run(present(world, 'the storage').storage, present(second, 'a second instance'), dispatcher));
    }
  });
}
