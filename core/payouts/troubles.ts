import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import type { ChainCode, ErrorCode } from '../kernel/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import type { ChainAdapter } from '../chain/index.ts';

/** Consecutive failures before an alert, so that a short outage of a node raises none. */
const FAILURES_BEFORE_ALERT = 3;
/** Consecutive failures after which the node is suspected: its head is read. */
const DOUBTFUL = 3;
/** Failures of single payments that end a pass, however well the node answers, because each may have taken long. */
const MOST_FAILURES = 12;

/** Errors that concern every payment of a chain. */
const OF_ALL: readonly ErrorCode[] = ['LEASE_LOST', 'CHAIN_HALTED', 'SIGNER_UNAVAILABLE'];

/** True for a failure after which no other payment can be made either. */
export function concernsAll(error: unknown): boolean {
  return OF_ALL.some((code) => isTillgateError(error, code));
}

/**
 * Failures of single parts of the payout loop, for which nothing else waits. One alert states the failure and its
 * reason; when the part has succeeded and fails again, the alert is raised again.
 */
export class Troubles {
  readonly #chain: ChainCode;
  readonly #channels: AlertChannels;
  readonly #failures = new Map<string, number>();
  readonly #alerted = new Map<string, string>();

  constructor(chain: ChainCode, channels: AlertChannels) {
    this.#chain = chain;
    this.#channels = channels;
  }

  /**
   * Runs one part of the work.
   *
   * @param what - the part, as a noun
   * @returns the result of the part; `null` when it failed
   * @throws errors that concern every payment of the chain
   */
  async contain<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work();
      this.over(what);
      return done;
    } catch (error) {
      if (concernsAll(error)) throw error;
      this.failed(what, error);
      return null;
    }
  }

  /** Counts a failure. Raises the alert at once for a refusal; for other failures, when they last. */
  failed(what: string, error: unknown): void {
    const failures = (this.#failures.get(what) ?? 0) + 1;
    this.#failures.set(what, failures);
    const reason = error instanceof Error ? error.message : 'unknown';
    this.#channels.logger.warn('a step of the payouts failed; the other steps continue', {
      chain: this.#chain,
      part: what,
      failures,
      reason,
    });
    if (isRefusal(error) || failures >= FAILURES_BEFORE_ALERT)
      this.#alert(what, isTillgateError(error) ? reason : 'The log has the reason.');
  }

  over(what: string): void {
    this.#failures.delete(what);
    this.#alerted.delete(what);
  }

  #alert(what: string, reason: string): void {
    if (this.#alerted.get(what) === reason) return;
    this.#alerted.set(what, reason);
    raiseAlert(
      this.#channels,
      'payouts',
      `chain ${this.#chain}: ${what}`,
      `It fails, while other payments continue: ${reason}`,
    );
  }
}

/** True when a retry changes nothing by itself: the network, the receiver or a contract refuses. */
function isRefusal(error: unknown): boolean {
  return isTillgateError(error, 'STATE_CONFLICT') || isTillgateError(error, 'DESTINATION_UNPAYABLE');
}

/**
 * Distinguishes failures of single payments from failures of the node: after several in a row the node's head is read.
 * While the node answers, the failures are the payments' own, and the payments behind them are tried.
 */
export class NodeDoubt {
  readonly #chain: Pick<ChainAdapter, 'head'>;
  #inRow = 0;
  #sum = 0;

  constructor(chain: Pick<ChainAdapter, 'head'>) {
    this.#chain = chain;
  }

  begin(): void {
    this.#inRow = 0;
    this.#sum = 0;
  }

  /** Records that a call for a payment succeeded. */
  answered(): void {
    this.#inRow = 0;
  }

  /** Records a failed call. @returns false when the pass must end @throws TillgateError the node's own failure */
  async failed(): Promise<boolean> {
    this.#inRow += 1;
    this.#sum += 1;
    if (this.#inRow % DOUBTFUL === 0) await this.#chain.head();
    return this.#sum < MOST_FAILURES;
  }
}
