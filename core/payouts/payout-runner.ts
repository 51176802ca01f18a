import { epochHold } from './epoch.ts';
import { amountInWords, isTillgateError } from '../kernel/index.ts';
import type { CurrencyCode, Lease, Millis } from '../kernel/index.ts';
import type { ChainState } from '../chain/index.ts';
import { FindCoins } from './coin-float.ts';
import { CurrencyStops } from './currency-stops.ts';
import { FollowPayouts } from './follow-payouts.ts';
import { FrozenCoins } from './frozen-coins.ts';
import { FindFloat } from './operator-float.ts';
import { PlanSweeps } from './plan-sweeps.ts';
import type { RefusedSweep } from './plan-sweeps.ts';
import { reconcile } from './reconcile.ts';
import type { CustodyLine } from './reconcile.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { DEFAULT_PAYOUT_SETTINGS } from './payout-settings.ts';
import type { PayoutSettings, SweepSettings } from './payout-settings.ts';
import { insolvencyReason, readSolvency, showsFloat, SolvencyStop } from './solvency.ts';
import { stopPayouts } from './payout-stop.ts';
import type { SolvencyScope } from './solvency.ts';
import { SignTransfers } from './sign-transfers.ts';
import { concernsAll, Troubles } from './troubles.ts';

/** `advanced`: run again at once; `idle`: wait; `stopped`: signed payouts are followed, and nothing new is paid. */
export type PayoutResult = 'advanced' | 'idle' | 'stopped';

const RECONCILE_EVERY_MS = 10 * 60_000;
/** The interval of comparisons while a token is missing, in milliseconds. */
const COMPARE_STOPPED_EVERY_MS = 60_000;
/**
 * Comparisons with a shortfall before payments stop, because a reorganisation that the follower has not processed yet
 * looks like missing money.
 */
const SHORT_BEFORE_STOP = 3;
const SWEEP_EVERY_MS = 30_000;
/** The interval at which waiting payments are checked while nothing can be signed, in milliseconds. */
const WAIT_EVERY_MS = 60_000;
const FLOAT = "looking for the operator's coins";
const RESTORED = 'The database may be a restored backup.';
const NOT_REACHED = 'The chain could not be asked; the log has the reason.';

/**
 * Payouts of one chain: follows signed payouts, reconciles the chain with the ledger, plans sweeps and signs waiting
 * transfers. Each step starts from stored state, so it can be killed anywhere.
 */
export class PayoutRunner {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #follow: FollowPayouts;
  readonly #sweeps: PlanSweeps;
  readonly #float: Pick<FindFloat, 'run'>;
  readonly #sign: SignTransfers;
  readonly #scope: SolvencyScope;
  readonly #solvency: SolvencyStop;
  readonly #troubles: Troubles;
  readonly #stops: CurrencyStops;
  readonly #frozen: FrozenCoins;
  #waitedAt: Millis = -Infinity;
  #reconciledAt: Millis = -Infinity;
  #short = 0;
  /** Missing tokens that are not stopped yet, with their consecutive comparisons. */
  readonly #shortTokens = new Map<CurrencyCode, number>();
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
    this.#troubles = new Troubles(chain.code, deps);
    this.#stops = new CurrencyStops(chain, deps);
    const troubles = this.#troubles;
    this.#frozen = new FrozenCoins(chain, deps, { stops: this.#stops, troubles });
    const around = { troubles, stops: this.#stops, frozen: this.#frozen };
    this.#sweeps = new PlanSweeps(chain, deps, settings, around);
    this.#float = chain.payments.model === 'utxo' ? new FindCoins(chain, deps) : new FindFloat(chain, deps);
    this.#sign = new SignTransfers(chain, deps, { ...settings, ...payoutSettings }, around);
    const topUp = showsFloat(chain) ? chain.payments.hotAddress : null;
    this.#scope = { code: chain.code, assets: chain.assets, topUp };
    this.#solvency = new SolvencyStop(this.#scope, deps);
  }

  /** Makes one step under a held lease. @throws TillgateError `LEASE_LOST`; other errors: retry later */
  async step(lease: Lease): Promise<PayoutResult> {
    const { storage, metrics } = this.#deps;
    const { code } = this.#chain;
    const state = await storage.chains.state(code);
    const cursor = state?.cursor ?? null;
    if (state === null || cursor === null) return 'idle';
    if (await this.#follow.run(lease, cursor)) this.#sign.forget();
    // Payments that wait in a restored backup may have been paid since, so they are neither signed nor failed.
    const isUnsure = epochHold(await storage.epochs.current(), state.caughtUpAt) !== null;
    const held = heldReason(state) ?? (isUnsure ? RESTORED : null);
    if (held === null) await this.#troubles.contain(FLOAT, () => this.#float.run(lease, cursor.height));
    await this.#checkSolvency(cursor.height);
    const stop = await this.#stops.refresh();
    const stopped = held ?? (stop === null ? null : `Payouts on the chain ${code} are stopped: ${stop}`);
    metrics.gauge('tillgate_payouts_stopped', stopped === null ? 0 : 1, { chain: code });
    for (const { currency } of this.#chain.assets) {
      const isStopped = stopped === null && this.#stops.reasonOf(currency) !== null;
      metrics.gauge('tillgate_currency_payouts_stopped', isStopped ? 1 : 0, { chain: code, currency });
    }
    if (stopped === null) return this.#pay(lease, cursor.height);
    // Reconciles first when payouts are resumed.
    this.#reconciledAt = -Infinity;
    if (!isUnsure) await this.#wait(lease, stopped);
    return 'stopped';
  }

  /** Compares, plans and signs. When signing is not reached, the time limits of waiting payments still apply. */
  async #pay(lease: Lease, height: number): Promise<PayoutResult> {
    try {
      if (!(await this.#booksHold())) {
        await this.#wait(lease, 'The chain is being compared with the ledger: something seems to be missing.');
        return 'idle';
      }
      await this.#troubles.contain('planning sweeps', () => this.#planSweeps(lease, height));
      return await this.#signWaiting(lease, height);
    } catch (error) {
      // Payments wait for the signer without a time limit, because its absence is not their fault.
      if (!concernsAll(error)) await this.#wait(lease, NOT_REACHED);
      throw error;
    }
  }

  async #wait(lease: Lease, reason: string): Promise<void> {
    const now = this.#deps.clock.now();
    if (now - this.#waitedAt < WAIT_EVERY_MS) return;
    await this.#sign.wait(lease, reason);
    this.#waitedAt = now;
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

  /**
   * Checked with each block, and with each pass while less is held than is owed, because an operator may have resumed
   * payouts meanwhile.
   */
  async #checkSolvency(height: number): Promise<void> {
    if (height === this.#solventHeight) return;
    await this.#stops.refresh();
    await this.#frozen.measure();
    const lines = await readSolvency(this.#chain, this.#deps.storage);
    const native = this.#chain.payments.feeAsset.currency;
    const isSolvent = await this.#solvency.apply(lines, (currency) => currency === native);
    for (const line of lines.filter(({ currency }) => currency !== native))
      await this.#stops.set(line.currency, 'insolvent', insolvencyReason(this.#scope, [line]));
    if (isSolvent && this.#stops.of('insolvent').length === 0) this.#solventHeight = height;
  }

  /**
   * Reconciles before the first payment after a start, and periodically. Nothing is paid while the native coin is
   * missing; nothing is paid in a token while the token is.
   */
  async #booksHold(): Promise<boolean> {
    const now = this.#deps.clock.now();
    const every = this.#stops.of('short').length > 0 ? COMPARE_STOPPED_EVERY_MS : RECONCILE_EVERY_MS;
    if (now - this.#reconciledAt < every) return true;
    const lines = await reconcile(this.#chain, this.#deps);
    for (const { currency, shortfall } of lines)
      this.#deps.metrics.gauge('tillgate_custody_shortfall', shortfall > 0n ? 1 : 0, {
        chain: this.#chain.code,
        currency,
      });
    const native = this.#chain.payments.feeAsset.currency;
    for (const line of lines) if (line.currency !== native) await this.#judgeToken(line);
    const [own] = lines.filter(({ currency }) => currency === native);
    if (own !== undefined && own.shortfall > 0n) return this.#noteMissing(own);
    this.#short = 0;
    if (this.#shortTokens.size === 0) this.#reconciledAt = now;
    return true;
  }

  async #noteMissing({ currency, shortfall }: CustodyLine): Promise<boolean> {
    const { code, assets } = this.#chain;
    this.#short += 1;
    if (this.#short < SHORT_BEFORE_STOP) return false;
    const missing = amountInWords(assets, currency, shortfall);
    const reason = `The chain ${code} holds less than the ledger says, by ${missing}. Find out why, then resume payouts.`;
    await stopPayouts(this.#deps, code, reason);
    this.#short = 0;
    return false;
  }

  /**
   * A token that is missing, or whose balance is not reported, stops only itself: at once for payments, and after
   * several comparisons as a stored stop with an alert.
   */
  async #judgeToken({ currency, shortfall, isRead }: CustodyLine): Promise<void> {
    const { assets } = this.#chain;
    if (!isRead) {
      this.#stops.suspect(currency, 'The node did not return its balances; the log has the reason.');
      return;
    }
    if (shortfall === 0n) {
      this.#shortTokens.delete(currency);
      this.#stops.suspect(currency, null);
      return this.#stops.set(currency, 'short', null);
    }
    const looks = (this.#shortTokens.get(currency) ?? 0) + 1;
    this.#shortTokens.set(currency, looks);
    const reason = `The chain holds less of it than the ledger says, by ${amountInWords(assets, currency, shortfall)}. A token that deducts a fee from each transfer is not supported; otherwise find the cause, then send the missing amount to the hot wallet or resume payouts.`;
    this.#stops.suspect(currency, reason);
    if (looks < SHORT_BEFORE_STOP) return;
    this.#shortTokens.delete(currency);
    await this.#stops.set(currency, 'short', reason);
  }
}

/** Why nothing is signed while the chain itself is in doubt; `null` when it is not. */
function heldReason({ chain, haltedReason, trouble }: ChainState): string | null {
  if (haltedReason !== null) return `The chain ${chain} is stopped: ${haltedReason}`;
  return trouble?.kind === 'disagreement' ? `The nodes of ${chain} disagree: ${trouble.text}` : null;
}
