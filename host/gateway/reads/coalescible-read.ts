import type { FinalBlock } from './final-block.ts';

/** A request whose answer equal ones may get. */
export interface CoalescibleRead {
  readonly key: string;
  readonly id: string;
  readonly route: string;
  /** False for a request whose answer a new block may change. */
  readonly namesBlock: boolean;
  /** The key among requests in flight; `null` where each request must be sent. */
  readonly flightKey: string | null;
  /** The cache key of its answer; `null` for an answer that is never cached. */
  readonly kept: KeptBy | null;
}

/** The call whose answer is cached, and the state of finality when it was sent. */
export interface KeptBy {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly chain: string;
  readonly network: string;
  readonly final: FinalBlock;
  readonly generation: number;
  readonly height: number;
}
