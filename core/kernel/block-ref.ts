import type { Millis } from './time.ts';

/** A block's place in its chain. The hash is in the chain's own text form, in lower case where the form has cases. */
export interface BlockRef {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: Millis;
}
