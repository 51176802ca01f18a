import { raiseAlert } from '../notify/index.ts';
import type { Asset, CurrencyCode, Lease, Millis } from '../kernel/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import type { SweepCandidate } from './transfer-store.ts';
import { gasBalance } from './gas-balance.ts';
import { isWorthNeeded, shortfallsOf, sweepCost } from './consolidation.ts';
import type { TokenShortfall } from './consolidation.ts';
import { CoinConsolidation } from './coin-consolidation.ts';
import { ColdMoves } from './cold-moves.ts';
import { isContractRefusal } from './contract-refusal.ts';
import type { CurrencyStops } from './currency-stops.ts';
import type { FrozenCoins } from './frozen-coins.ts';
import { HotWallet } from './hot-wallet.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { queueMove } from './queue-move.ts';
import type { OwnMove } from './queue-move.ts';
import type { SweepSettings } from './payout-settings.ts';
import { floatLacking, TillBudget } from './till-budget.ts';
import type { Transfer, TransferKind } from './transfer.ts';
import { concernsAll, NodeDoubt } from './troubles.ts';
import type { Troubles } from './troubles.ts';

/** A refused sweep, with the reason. */
export interface RefusedSweep {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The fee of the sweep now, in its currency; `null` when it could not be estimated. */
  readonly feeUnits: bigint | null;
  readonly reason: string;
  /** True when the contract of its token refused to move it. */
  readonly byContract: boolean;
}

interface Plan {
  readonly hot: HotWallet;
  readonly budget: TillBudget;
  readonly needed: ReadonlyMap<CurrencyCode, TokenShortfall>;
  /** The cost of the sweeps for which there is no payer. */
  lacking: bigint;
}

interface Move {
  readonly candidate: SweepCandidate;
  readonly nativeFeeUnits: bigint;
  readonly feeUnits: bigint;
}

const CANDIDATES = 100;
/** The delay before a refused sweep is priced again, in milliseconds. */
const AGAIN_MS = 10 * 60_000;
const BPS = 10_000n;
/** The margin of the gas for a rising gas price; the next sweep from the address uses what is left. */
const GAS_MARGIN = [5n, 4n] as const;

/**
 * Sweeps deposit addresses to the hot wallet on account chains, where the fee is worth it and with gas funded first for
 * tokens, and moves the amount above the hot wallet's ceiling to the cold address. On UTXO chains, merges coins.
 */
export class PlanSweeps {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #settings: SweepSettings;
  /** True while sweeps wait for the operator's coins. */
  #asked = false;
  readonly #consolidation: CoinConsolidation;
  readonly #cold: ColdMoves;
  readonly #troubles: Troubles;
  readonly #stops: CurrencyStops;
  readonly #frozen: FrozenCoins;
  readonly #doubt: NodeDoubt;
  readonly #refused = new Map<string, { readonly until: Millis; readonly units: bigint }>();
  /** Refused sweeps whose price the node did not report: they are not retried early even for a waiting payment. */
  readonly #failed = new Set<string>();

  constructor(
    chain: PayingChain,
    deps: PayoutDeps,
    settings: SweepSettings,
    {
      troubles,
      stops,
      frozen,
    }: { readonly troubles: Troubles; readonly stops: CurrencyStops; readonly frozen: FrozenCoins },
  ) {
    this.#chain = chain;
    this.#deps = deps;
    this.#settings = settings;
    this.#troubles = troubles;
    this.#stops = stops;
    this.#frozen = frozen;
    this.#doubt = new NodeDoubt(chain);
    this.#cold = new ColdMoves(chain, deps, settings, troubles);
    this.#consolidation = new CoinConsolidation(chain, deps, settings, troubles);
  }

  /**
   * Queues the sweeps that are worth their fee now and have a payer. A failure of one address or currency does not
   * delay the others.
   *
   * @returns the number of queued sweeps
   */
  async run(lease: Lease): Promise<number> {
    const { storage } = this.#deps;
    const { code, payments } = this.#chain;
    if (payments.model !== 'account') return this.#consolidation.run(lease);
    await this.#probeStopped();
    await this.#frozen.lookAgain(lease);
    const plan = await this.#open();
    this.#doubt.begin();
    let queued = 0;
    for (const candidate of await storage.transfers.sweepCandidates(code, CANDIDATES)) {
      const made = await this.#consider(lease, candidate, plan);
      if (made === null) break;
      if (made) queued += 1;
    }
    this.#askForFloat(plan);
    return queued + (await this.#cold.run(lease, plan));
  }

  /** @returns whether a move was queued; `null` when the pass has failed often enough */
  async #consider(lease: Lease, candidate: SweepCandidate, plan: Plan): Promise<boolean | null> {
    const { address, currency, units } = candidate;
    const key = `${address} ${currency}`;
    // A token with a shortfall on the chain, or whose contract refuses to move it, is not swept.
    if (this.#stops.of('short').includes(currency) || this.#stops.of('refused').includes(currency)) return false;
    const urgent = plan.needed.get(currency) ?? null;
    if ((urgent === null || this.#failed.has(key)) && this.#rests(key, units)) return false;
    const what = `the sweep of ${currency} from ${address}`;
    const until = this.#deps.clock.now() + AGAIN_MS;
    try {
      const priced = await this.#price(candidate, urgent);
      this.#doubt.answered();
      this.#troubles.over(what);
      this.#failed.delete(key);
      if ('reason' in priced) {
        // Frozen coins are no candidates until they can be moved.
        if (priced.byContract && (await this.#frozen.refused(lease, candidate, priced.reason))) return false;
        this.#refused.set(key, { until, units });
        return false;
      }
      this.#refused.delete(key);
      return await this.#queueMove(lease, priced, plan);
    } catch (error) {
      if (concernsAll(error)) throw error;
      this.#troubles.failed(what, error);
      this.#refused.set(key, { until, units });
      this.#failed.add(key);
      return (await this.#doubt.failed()) ? false : null;
    }
  }

  /** The contract may accept the hot wallet again after a refusal. */
  async #probeStopped(): Promise<void> {
    for (const currency of this.#stops.of('refused'))
      await this.#troubles.contain(`asking the contract of ${currency}`, () => this.#stops.probe(currency));
  }

  async #open(): Promise<Plan> {
    const { storage } = this.#deps;
    const { code, payments } = this.#chain;
    const hot = await HotWallet.open(code, payments, storage);
    const budget = await TillBudget.open(this.#chain, storage, this.#settings.feeBudget);
    return { hot, budget, needed: await this.#needed(hot, budget), lacking: 0n };
  }

  /** Sweeps without a payer wait; one alert states what is needed for all of them. */
  #askForFloat({ budget, lacking }: Plan): void {
    if (lacking > 0n && !this.#asked)
      raiseAlert(this.#deps, 'float', `chain ${this.#chain.code}`, floatLacking(this.#chain, budget, lacking));
    this.#asked = lacking > 0n;
  }

  /** Every candidate that is not worth its fee now, priced at this time. */
  async refusals(): Promise<readonly RefusedSweep[]> {
    if (this.#chain.payments.model !== 'account') return [];
    const refused: RefusedSweep[] = [];
    for (const candidate of await this.#deps.storage.transfers.sweepCandidates(this.#chain.code, CANDIDATES)) {
      const priced = await this.#price(candidate, null);
      if ('reason' in priced) refused.push(priced);
    }
    return refused;
  }

  #rests(key: string, units: bigint): boolean {
    const refusal = this.#refused.get(key);
    return refusal !== undefined && refusal.units === units && refusal.until > this.#deps.clock.now();
  }

  /** Currencies of which the hot wallet has less than the waiting payments need. */
  async #needed(hot: HotWallet, budget: TillBudget): Promise<ReadonlyMap<CurrencyCode, TokenShortfall>> {
    const { storage, clock } = this.#deps;
    const waiting = await storage.transfers.waiting(this.#chain.code, clock.now(), null, 1_000);
    // The sweep fees that these payments are charged need not be in the hot wallet.
    const charges = new Map([[this.#chain.payments.feeAsset.currency, budget.deficit]]);
    return shortfallsOf(hot, waiting, charges, (currency) =>
      this.#troubles.contain(`the balance of ${currency} in the hot wallet`, () => hot.free(currency)),
    );
  }

  async #price(candidate: SweepCandidate, urgent: TokenShortfall | null): Promise<Move | RefusedSweep> {
    const { payments } = this.#chain;
    const { address, currency, units } = candidate;
    const refuse = (feeUnits: bigint | null, reason: string, byContract = false): RefusedSweep => ({
      address,
      currency,
      units,
      feeUnits,
      reason,
      byContract,
    });
    const asset = this.#asset(currency);
    if (asset === null) return refuse(null, 'The currency is not configured any more.');
    try {
      const lines = [{ to: payments.hotAddress, currency, units }];
      const { feeUnits: nativeFeeUnits } = await payments.price({
        source: candidate,
        lines,
        coins: [],
        replaces: null,
      });
      const isNative = currency === payments.feeAsset.currency;
      const feeUnits = await this.#deps.rates.convert(sweepCost(isNative, nativeFeeUnits), payments.feeAsset, asset);
      const isNeeded = urgent !== null && (isWorthNeeded(feeUnits, units) || (!isNative && urgent.canAfford(feeUnits)));
      if (!isNeeded && feeUnits * BPS > units * BigInt(this.#settings.maxFeeBps))
        return refuse(feeUnits, 'The fee is too large a share of what it would move.');
      return { candidate, nativeFeeUnits, feeUnits };
    } catch (error) {
      if (
        isTillgateError(error, 'STATE_CONFLICT') ||
        isTillgateError(error, 'DESTINATION_UNPAYABLE') ||
        isTillgateError(error, 'INSUFFICIENT_BALANCE') ||
        isTillgateError(error, 'NOT_READY')
      ) {
        return refuse(null, error.message, isContractRefusal(error));
      }
      throw error;
    }
  }

  async #queueMove(lease: Lease, move: Move, plan: Plan): Promise<boolean> {
    const { payments } = this.#chain;
    const { currency, units } = move.candidate;
    const urgent = plan.needed.get(currency);
    if (currency !== payments.feeAsset.currency) return this.#queueTokens(lease, move, plan);
    if (!this.#paysFor(move.feeUnits, plan, urgent)) return false;
    urgent?.addSweep(units, move.feeUnits);
    // The fee is checked again when it has risen by a quarter.
    const risen = (move.feeUnits * GAS_MARGIN[0]) / GAS_MARGIN[1];
    return this.#queueSweep(lease, move, {
      feeUnits: move.feeUnits,
      maxFeeUnits: risen < units / 2n ? risen : units / 2n,
    });
  }

  /** The till pays from its own coins, otherwise the payments that wait for this sweep. */
  #paysFor(feeUnits: bigint, plan: Plan, urgent: TokenShortfall | undefined): boolean {
    const { budget } = plan;
    if (budget.covers(feeUnits)) {
      budget.spend(feeUnits);
      return true;
    }
    if (urgent?.isMissing !== true || !budget.canAdvance(feeUnits)) return false;
    budget.advance(feeUnits);
    return true;
  }

  async #queueTokens(lease: Lease, move: Move, plan: Plan): Promise<boolean> {
    const { payments } = this.#chain;
    const { candidate, nativeFeeUnits, feeUnits } = move;
    const { address, currency, units } = candidate;
    const { hot, budget } = plan;
    const native = payments.feeAsset.currency;
    const urgent = plan.needed.get(currency);
    const there = await gasBalance(this.#chain, this.#deps.storage, address);
    if (there >= nativeFeeUnits) {
      urgent?.addSweep(units, feeUnits);
      return this.#queueSweep(lease, move, { feeUnits: 0n, maxFeeUnits: 0n });
    }
    const gas = (nativeFeeUnits * GAS_MARGIN[0]) / GAS_MARGIN[1] - there;
    // Sending the gas costs at most as much as the sweep itself.
    const cost = gas + nativeFeeUnits;
    if (!budget.covers(plan.lacking + cost)) {
      plan.lacking += cost;
      return false;
    }
    if ((await hot.free(native)) < gas * 2n) return false;
    urgent?.addSweep(units, feeUnits);
    budget.spend(cost);
    await hot.spend(native, gas);
    return this.#queue(lease, 'gas', {
      currency: native,
      units: gas,
      feeUnits: 0n,
      maxFeeUnits: 0n,
      sourceAddress: payments.hotAddress,
      sourceIndex: null,
      toAddress: address,
    });
  }

  #queueSweep(
    lease: Lease,
    { candidate: { address, index, currency, units } }: Move,
    fee: Pick<Transfer, 'feeUnits' | 'maxFeeUnits'>,
  ): Promise<boolean> {
    const { hotAddress: toAddress } = this.#chain.payments;
    return this.#queue(lease, 'sweep', {
      currency,
      units,
      ...fee,
      sourceAddress: address,
      sourceIndex: index,
      toAddress,
    });
  }

  #queue(lease: Lease, kind: TransferKind, move: OwnMove): Promise<boolean> {
    return queueMove(this.#chain, this.#deps, lease, kind, move);
  }

  #asset(currency: CurrencyCode): Asset | null {
    return this.#chain.assets.find((asset) => asset.currency === currency) ?? null;
  }
}
