import type { LookupHashes, SealedPlace, SealedText } from './sealed-places.ts';

/** All encrypted texts by place, for replacing the master key. */
export interface SealedStore {
  /** The texts of a place with ids after this one, by id. */
  list(place: SealedPlace, after: string, limit: number): Promise<readonly SealedText[]>;
  /** Replaces a text and its hashes if it is stored as it was read; false when it was changed meanwhile. */
  replace(former: SealedText, sealed: string, hashes: LookupHashes): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /** Every secret that is stored encrypted. */
    readonly sealed: SealedStore;
  }
}
