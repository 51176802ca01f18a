/** How a route sends reads to its nodes (JSON-RPC and WebSocket). What is `null` is left to the chain, or off. */
export interface ReadRules {
  /** Blocks that an upstream may be behind the foremost one and still be asked about the newest block; `null`: as the chain's blocks come. */
  readonly headLagBlocks: number | null;
  /** How many blocks `eth_getLogs` may read in a call. */
  readonly maxLogsRange: number | null;
  /** After how many milliseconds without an answer a second upstream is asked too (JSON-RPC). */
  readonly hedgeAfterMs: number | null;
  /** Whether equal reads that are in flight at the same time are sent once. */
  readonly dedupe: boolean;
  /** Whether answers about final blocks are kept in memory (JSON-RPC of Ethereum's family). */
  readonly cache: boolean;
}

export const DEFAULT_READS: ReadRules = {
  headLagBlocks: null,
  maxLogsRange: null,
  hedgeAfterMs: null,
  dedupe: false,
  cache: false,
};
