import type { ChainCode } from '../kernel/asset.ts';
import { TillgateError } from '../kernel/errors.ts';
import type { Millis } from '../kernel/time.ts';
import type { ChainState } from '../ports/chain-store.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage } from '../ports/storage.ts';

export interface ChainReportsDeps {
  readonly storage: Pick<Storage, 'chains'>;
  readonly chains: Pick<ChainRegistry, 'has'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** How often every instance reads them: for metrics, and for new orders. */
export const CHAIN_REPORTS_INTERVAL_MS = 5_000;

/** How long ago everything of a chain had been read. */
export function lagMs({ caughtUpAt, trouble }: ChainState, now: Millis): number {
  return Math.max(0, now - (caughtUpAt ?? trouble?.since ?? now));
}

/** How far each configured chain has been read, as the instance that follows it has stored it. */
export class ChainReports {
  readonly #deps: ChainReportsDeps;
  #states: ReadonlyMap<ChainCode, ChainState> = new Map();

  constructor(deps: ChainReportsDeps) {
    this.#deps = deps;
  }

  /** Reads them, and sets the metric of how far each chain lags. */
  async refresh(): Promise<readonly ChainState[]> {
    const { storage, chains, clock, metrics } = this.#deps;
    const states = (await storage.chains.states()).filter(({ chain }) => chains.has(chain));
    this.#states = new Map(states.map((state) => [state.chain, state]));
    for (const state of states)
      metrics.gauge('tillgate_chain_lag_seconds', lagMs(state, clock.now()) / 1_000, { chain: state.chain });
    return states;
  }

  /**
   * A chain whose node downloads its past takes no new orders: their payments would be found when it is done, at an unknown
   * time. One that merely lags takes them, for its orders wait for it.
   *
   * @throws TillgateError `NOT_READY`
   */
  requireUsable(chain: ChainCode): void {
    if (this.#states.get(chain)?.trouble?.kind === 'initial-download')
      throw new TillgateError(
        'NOT_READY',
        `The node of ${chain} downloads the chain; it takes no orders until it is done.`,
      );
  }
}
