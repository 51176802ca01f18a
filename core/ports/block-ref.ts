import type { Millis } from '../kernel/time.ts';

/** A block's place in its chain. Hashes are the chain's own text form, lower case where it has cases. */
export interface BlockRef {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: Millis;
}
