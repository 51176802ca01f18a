import { epochHold } from '../epochs/epoch.ts';
import { amountInWords } from '../kernel/amount.ts';
import type { Millis } from '../kernel/time.ts';
import { isTillgateError } from '../kernel/errors.ts';
import type { Lease } from '../ports/lease-store.ts';
import { FindCoins } from './coin-float.ts';
import { FollowPayouts } from './follow-payouts.ts';
import { FindFloat } from './operator-float.ts';
import { PlanSweeps } from './plan-sweeps.ts';
import type { RefusedSweep } from './plan-sweeps.ts';
import { reconcile } from './reconcile.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { DEFAULT_PAYOUT_SETTINGS } from './settings.ts';
import type { PayoutSettings, SweepSettings } from './settings.ts';
import { readSolvency, showsFloat } from './solvency.ts';
import { SolvencyStop, stopPayouts } from './solvency-stop.ts';
import { SignTransfers } from './sign-transfers.ts';

/** `advanced`: run again at once; `idle`: wait; `stopped`: signed payouts are followed, nothing new is paid. */
export type PayoutResult = 'advanced' | 'idle' | 'stopped';

const RECONCILE_EVERY_MS = 10 * 60_000;
/** A reorganisation that the follower has not processed yet looks like missing money: compare this often before stopping. */
const SHORT_BEFORE_STOP = 3;
const SWEEP_EVERY_MS = 30_000;

/**
 * Payouts of one chain: follows signed payouts, reconciles the chain with the ledger, plans sweeps and signs waiting
 * transfers. Each step begins from stored state, so it can be killed anywhere.
 */
export class PayoutRunner {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #follow: FollowPayouts;
  readonly #sweeps: PlanSweeps;
  readonly #float: Pick<FindFloat, 'run'>;
  readonly #sign: SignTransfers;
  readonly #solvency: SolvencyStop;
  #reconciledAt: Millis = -Infinity;
  #short = 0;
  #sweptAt: Millis = -Infinity;
  #sweptHeight = -1;
  #solventHeight = -1;

  constructor(
    chain: PayingChain,
    deps: PayoutDeps,
    settings: SweepSettings,
    payoutSettings: PayoutSettings = DEFAULT_PAYOUT_SETTINGS,
  ) {
    this.#chain = chain;
    this.#deps = deps;
    this.#follow = new FollowPayouts(chain, deps, { ...settings, ...payoutSettings });
    this.#sweeps = new PlanSweeps(chain, deps, settings);
    this.#float = chain.payments.model === 'utxo' ? new FindCoins(chain, deps) : new FindFloat(chain, deps);
    this.#sign = new SignTransfers(chain, deps, { ...settings, ...payoutSettings });
    const topUp = showsFloat(chain) ? chain.payments.hotAddress : null;
    this.#solvency = new SolvencyStop({ code: chain.code, assets: chain.assets, topUp }, deps);
  }

  /** One step under a held lease. @throws TillgateError `LEASE_LOST`; any error of the node or the database: try again later */
  async step(lease: Lease): Promise<PayoutResult> {
    const { storage, metrics } = this.#deps;
    const { code } = this.#chain;
    const state = await storage.chains.state(code);
    const cursor = state?.cursor ?? null;
    if (state === null || cursor === null) return 'idle';
    if (await this.#follow.run(lease, cursor)) this.#sign.forget();
    const held =
      state.haltedReason !== null ||
      state.trouble?.kind === 'disagreement' ||
      epochHold(await storage.epochs.current(), state.caughtUpAt) !== null;
    if (!held) await this.#float.run(lease, cursor.height);
    await this.#checkSolvency(cursor.height);
    const stopped = held || (await storage.transfers.payoutStop(code)) !== null;
    metrics.gauge('tillgate_payouts_stopped', stopped ? 1 : 0, { chain: code });
    if (stopped) {
      // Reconcile first when payouts are resumed.
      this.#reconciledAt = -Infinity;
      return 'stopped';
    }
    if (!(await this.#booksHold())) return 'idle';
    await this.#planSweeps(lease, cursor.height);
    return this.#signWaiting(lease, cursor.height);
  }

  /** The moves that are not worth their fee now. */
  refusedSweeps(): Promise<readonly RefusedSweep[]> {
    return this.#sweeps.refusals();
  }

  async #signWaiting(lease: Lease, height: number): Promise<PayoutResult> {
    try {
      const signed = await this.#sign.run(lease, height);
      if (signed.length === 0) return 'idle';
      await this.#follow.send(lease, signed);
      return 'advanced';
    } catch (error) {
      if (isTillgateError(error, 'CHAIN_HALTED')) return 'stopped';
      throw error;
    }
  }

  async #planSweeps(lease: Lease, height: number): Promise<void> {
    const now = this.#deps.clock.now();
    if (height === this.#sweptHeight && now - this.#sweptAt < SWEEP_EVERY_MS) return;
    await this.#sweeps.run(lease);
    this.#sweptHeight = height;
    this.#sweptAt = now;
  }

  /** With each block, and with each pass while less is held than is owed: an operator may have resumed payouts meanwhile. */
  async #checkSolvency(height: number): Promise<void> {
    if (height === this.#solventHeight) return;
    if (await this.#solvency.apply(await readSolvency(this.#chain, this.#deps.storage))) this.#solventHeight = height;
  }

  /** Reconciles before the first payment after a start, and periodically; nothing is paid while money is missing. */
  async #booksHold(): Promise<boolean> {
    const { clock, metrics } = this.#deps;
    const { code, assets } = this.#chain;
    const now = clock.now();
    if (now - this.#reconciledAt < RECONCILE_EVERY_MS) return true;
    const lines = await reconcile(this.#chain, this.#deps);
    for (const { currency, shortfall } of lines)
      metrics.gauge('tillgate_custody_shortfall', shortfall > 0n ? 1 : 0, { chain: code, currency });
    const short = lines.filter(({ shortfall }) => shortfall > 0n);
    if (short.length === 0) {
      this.#short = 0;
      this.#reconciledAt = now;
      return true;
    }
    this.#short += 1;
    if (this.#short < SHORT_BEFORE_STOP) return false;
    const missing = short.map(({ currency, shortfall }) => amountInWords(assets, currency, shortfall)).join(' and ');
    const reason = `The chain ${code} holds less than the books say, by ${missing}. Find out why, then resume payouts.`;
    await stopPayouts(this.#deps, code, reason);
    this.#short = 0;
    return false;
  }
}
