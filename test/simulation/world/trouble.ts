/** The faults of a node. */
export interface NodeTrouble {
  /** It does not answer. */
  down: boolean;
  /** It hides this many of the latest blocks. */
  lag: number;
  /** It has forgotten its mempool. */
  forgetful: boolean;
  /** From this height up it shows blocks that are not the chain's; `null` for an honest one. */
  forkedAt: number | null;
  /** It has the blocks but not yet their logs, so its first answers lack token payments. */
  omits: boolean;
  /** It doubles the amounts of payments when blocks are read, but not in the check before a credit. */
  misreads: boolean;
  /** The amount that it adds to the hot wallet's native balance. */
  boast: bigint;
  /** The number of latest blocks whose state it keeps; `null` for all. */
  keeps: number | null;
  /** It gives two answers about the same block. */
  contradicts: boolean;
  /** Its marks come from a node on an abandoned branch, and are above its head. */
  deadMarks: boolean;
}

export const HONEST: NodeTrouble = {
  down: false,
  lag: 0,
  forgetful: false,
  forkedAt: null,
  omits: false,
  misreads: false,
  boast: 0n,
  keeps: null,
  contradicts: false,
  deadMarks: false,
};
