import type { AlertChannels } from '../notify/index.ts';
import { LIGHTNING_ASSET, TillgateError } from '../kernel/index.ts';
import type { ChainCode, Clock, Millis, Storage } from '../kernel/index.ts';
import type { ChainState } from './chain-store.ts';
import type { ChainRegistry } from './chain-adapter.ts';
import type { LightningNode } from './lightning.ts';
import { ChainWatchdog } from './watch-chains.ts';

export interface ChainReportsDeps extends AlertChannels {
  readonly storage: Pick<Storage, 'chains'>;
  readonly chains: ChainRegistry;
  /** `null` without a Lightning node. */
  readonly lightning: LightningNode | null;
  readonly clock: Clock;
}

/** How often every instance reads the reports, for metrics and for new orders, in milliseconds. */
export const CHAIN_REPORTS_INTERVAL_MS = 5_000;

/** Milliseconds since a chain was last read completely; since its state was created, if it never was. */
export function lagMs({ caughtUpAt, trouble, readAt }: ChainState, now: Millis): number {
  return Math.max(0, now - (caughtUpAt ?? trouble?.since ?? readAt ?? now));
}

/**
 * How far each configured chain has been read, according to the state that its follower stores. A chain has its state,
 * metric and alert as soon as it is configured, even if no node of it has ever answered.
 */
export class ChainReports {
  readonly #deps: ChainReportsDeps;
  readonly #names: ReadonlyMap<ChainCode, string>;
  readonly #watchdog: ChainWatchdog;
  #states: ReadonlyMap<ChainCode, ChainState> = new Map();

  constructor(deps: ChainReportsDeps) {
    this.#deps = deps;
    this.#names = new Map([
      ...[...deps.chains].map(([code, { name }]) => [code, name] as const),
      ...(deps.lightning === null ? [] : [[LIGHTNING_ASSET.chain, 'Lightning'] as const]),
    ]);
    this.#watchdog = new ChainWatchdog(deps);
  }

  /** Reads the states, sets the metric of each chain's lag, and raises an alert for each unread chain. */
  async refresh(): Promise<readonly ChainState[]> {
    const { clock, metrics } = this.#deps;
    const states = await this.#stored();
    const now = clock.now();
    this.#states = new Map(states.map((state) => [state.chain, state]));
    for (const state of states)
      metrics.gauge('tillgate_chain_lag_seconds', lagMs(state, now) / 1_000, { chain: state.chain });
    this.#watchdog.look(states, this.#names, now);
    return states;
  }

  /** The state of each configured chain, created where there is none. */
  async #stored(): Promise<readonly ChainState[]> {
    const { storage, clock } = this.#deps;
    const find = async (): Promise<readonly ChainState[]> =>
      (await storage.chains.states()).filter(({ chain }) => this.#names.has(chain));
    const states = await find();
    const begun = new Set(states.flatMap(({ chain, readAt }) => (readAt === null ? [] : [chain])));
    if (begun.size === this.#names.size) return states;
    for (const code of this.#names.keys()) if (!begun.has(code)) await storage.chains.begin(code, clock.now());
    return find();
  }

  /**
   * Refuses new orders on a chain whose node is in its initial download: their payments would be found at an unknown
   * time. A chain that merely lags accepts orders, because they do not expire before it has caught up.
   *
   * @throws TillgateError `NOT_READY`
   */
  requireUsable(chain: ChainCode): void {
    if (this.#states.get(chain)?.trouble?.kind === 'initial-download')
      throw new TillgateError(
        'NOT_READY',
        `The node of ${chain} is still downloading the chain; orders are accepted once it has finished.`,
      );
  }
}
