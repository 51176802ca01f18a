import type { LookupHashes, SealedPlace, SealedText } from '../secrets/sealed-places.ts';

/** The sealed texts of every place, for a new master key. */
export interface SealedStore {
  /** The texts of a place whose ids come after one, in their order. */
  list(place: SealedPlace, after: string, limit: number): Promise<readonly SealedText[]>;
  /** Replaces a text and its hashes where it is still stored as it was read; false when it was changed meanwhile. */
  replace(former: SealedText, sealed: string, hashes: LookupHashes): Promise<boolean>;
}
