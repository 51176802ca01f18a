/** How a route sends reads to its nodes (JSON-RPC and WebSocket). `null` means the chain's default, or off. */
export interface ReadRules {
  /**
   * The most blocks by which an upstream may be behind the foremost one and still get reads of the newest block;
   * `null`: derived from the chain's block interval.
   */
  readonly headLagBlocks: number | null;
  /** The most blocks that one call of `eth_getLogs` may read. */
  readonly maxLogsRange: number | null;
  /** The time without an answer after which a read is also sent to a second upstream, in milliseconds (JSON-RPC). */
  readonly hedgeAfterMs: number | null;
  /** Whether identical reads in flight at the same time are sent once. */
  readonly dedupe: boolean;
  /** Whether answers about final blocks are cached in memory (JSON-RPC of Ethereum's family). */
  readonly cache: boolean;
}

export const DEFAULT_READS: ReadRules = {
  headLagBlocks: null,
  maxLogsRange: null,
  hedgeAfterMs: null,
  dedupe: false,
  cache: false,
};
