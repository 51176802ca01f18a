import { raiseAlert } from '../alerts/raise-alert.ts';
import type { Asset, CurrencyCode } from '../kernel/asset.ts';
import { parseUnits } from '../kernel/decimal.ts';
import { isTillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import type { TransferId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { SweepCandidate } from '../ports/transfer-store.ts';
import { gasBalance } from './gas-balance.ts';
import { isWorthNeeded, shortfallsOf, sweepCost } from './consolidation.ts';
import type { TokenShortfall } from './consolidation.ts';
import { CoinConsolidation } from './coin-consolidation.ts';
import { HotWallet } from './hot-wallet.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import type { SweepSettings } from './settings.ts';
import { floatLacking, TillBudget } from './till-budget.ts';
import { newTransfer } from './transfer.ts';
import type { Transfer, TransferKind } from './transfer.ts';

/** A sweep that is not made, with the reason. */
export interface RefusedSweep {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The fee of sweeping it now, in its currency; `null` when it could not be estimated. */
  readonly feeUnits: bigint | null;
  readonly reason: string;
}

/** What one run plans with. */
interface Plan {
  readonly hot: HotWallet;
  readonly budget: TillBudget;
  readonly needed: ReadonlyMap<CurrencyCode, TokenShortfall>;
  /** The cost of the sweeps that nobody can pay for. */
  lacking: bigint;
}

/** A sweep that is worth its fee. */
interface Move {
  readonly candidate: SweepCandidate;
  readonly nativeFeeUnits: bigint;
  readonly feeUnits: bigint;
}

const CANDIDATES = 100;
/** Refused sweeps are priced again after this time. */
const AGAIN_MS = 10 * 60_000;
const BPS = 10_000n;
/** Gas is funded with a margin for a rising gas price; what is left is used by the next sweep from there. */
const GAS_MARGIN = [5n, 4n] as const;

/**
 * Sweeps deposit addresses to the hot wallet on account chains, where the fee is worth it and with gas funded first for
 * tokens; and moves what the hot wallet holds above its ceiling to the cold address. On UTXO chains, puts coins together.
 */
export class PlanSweeps {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #settings: SweepSettings;
  /** True while sweeps wait for the operator's coins. */
  #asked = false;
  readonly #consolidation: CoinConsolidation;
  readonly #refused = new Map<string, { readonly until: Millis; readonly units: bigint }>();

  constructor(chain: PayingChain, deps: PayoutDeps, settings: SweepSettings) {
    this.#chain = chain;
    this.#deps = deps;
    this.#settings = settings;
    this.#consolidation = new CoinConsolidation(chain, deps, settings);
  }

  /** Queues the sweeps that are worth their fee now, as far as somebody can pay for them. @returns how many */
  async run(lease: Lease): Promise<number> {
    const { storage } = this.#deps;
    const { code, payments } = this.#chain;
    if (payments.model !== 'account') return this.#consolidation.run(lease);
    const plan = await this.#open();
    let queued = 0;
    for (const candidate of await storage.transfers.sweepCandidates(code, CANDIDATES)) {
      const key = `${candidate.address} ${candidate.currency}`;
      const urgent = plan.needed.get(candidate.currency) ?? null;
      if (urgent === null && this.#rests(key, candidate.units)) continue;
      const priced = await this.#price(candidate, urgent);
      if ('reason' in priced) {
        this.#refused.set(key, { until: this.#deps.clock.now() + AGAIN_MS, units: candidate.units });
        continue;
      }
      this.#refused.delete(key);
      if (await this.#queueMove(lease, priced, plan)) queued += 1;
    }
    this.#askForFloat(plan);
    return queued + (await this.#queueCold(lease, plan));
  }

  async #open(): Promise<Plan> {
    const { storage } = this.#deps;
    const { code, payments } = this.#chain;
    const hot = await HotWallet.open(code, payments, storage);
    const budget = await TillBudget.open(this.#chain, storage, this.#settings.feeBudget);
    return { hot, budget, needed: await this.#needed(hot, budget), lacking: 0n };
  }

  /** Sweeps that nobody can pay for wait; one alert says what is needed for all of them. */
  #askForFloat({ budget, lacking }: Plan): void {
    if (lacking > 0n && !this.#asked)
      raiseAlert(this.#deps, 'float', `chain ${this.#chain.code}`, floatLacking(this.#chain, budget, lacking));
    this.#asked = lacking > 0n;
  }

  /** Every candidate that is not worth its fee now, priced at this moment. */
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

  /** Currencies of which the hot wallet has less than the payments that wait. */
  async #needed(hot: HotWallet, budget: TillBudget): Promise<ReadonlyMap<CurrencyCode, TokenShortfall>> {
    const waiting = await this.#deps.storage.transfers.waiting(this.#chain.code, null, 1_000);
    // What they are charged for sweeps need not be there.
    const charges = new Map([[this.#chain.payments.feeAsset.currency, budget.deficit]]);
    return shortfallsOf(hot, waiting, charges);
  }

  async #price(candidate: SweepCandidate, urgent: TokenShortfall | null): Promise<Move | RefusedSweep> {
    const { payments } = this.#chain;
    const { address, currency, units } = candidate;
    const refuse = (feeUnits: bigint | null, reason: string): RefusedSweep => ({
      address,
      currency,
      units,
      feeUnits,
      reason,
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
        isTillgateError(error, 'INSUFFICIENT_BALANCE') ||
        isTillgateError(error, 'NOT_READY')
      ) {
        return refuse(null, error.message);
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
    // A fee that has risen by a quarter is looked at again.
    const risen = (move.feeUnits * GAS_MARGIN[0]) / GAS_MARGIN[1];
    return this.#queueSweep(lease, move, {
      feeUnits: move.feeUnits,
      maxFeeUnits: risen < units / 2n ? risen : units / 2n,
    });
  }

  /** The till pays out of its own coins, or else the payments that wait for this sweep. */
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
    // Sending it costs no more than the sweep itself.
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

  async #queueCold(lease: Lease, { hot, budget, needed }: Plan): Promise<number> {
    const { code, payments, assets } = this.#chain;
    const cold = this.#settings.cold.get(code);
    if (cold === undefined) return 0;
    let queued = 0;
    for (const { currency, decimals } of assets) {
      const ceilingText = cold.above.get(currency);
      if (ceilingText === undefined || needed.has(currency)) continue;
      const ceiling = present(parseUnits(ceilingText, decimals), `sweeps.cold.${code}.above.${currency}`);
      const units = (await hot.free(currency)) - ceiling;
      // Move at least a tenth of the ceiling, not small excesses.
      if (units <= ceiling / 10n || units <= payments.dust(currency)) continue;
      const source = { address: payments.hotAddress, index: null };
      const lines = [{ to: cold.address, currency, units }];
      const { feeUnits: cost } = await payments.price({ source, lines, coins: [], replaces: null });
      if (!budget.covers(cost)) continue;
      budget.spend(cost);
      const move = {
        currency,
        units,
        feeUnits: 0n,
        maxFeeUnits: units / 10n,
        sourceAddress: payments.hotAddress,
        sourceIndex: null,
        toAddress: cold.address,
      };
      if (await this.#queue(lease, 'cold', move)) queued += 1;
    }
    return queued;
  }

  async #queue(
    lease: Lease,
    kind: TransferKind,
    move: Pick<
      Transfer,
      'currency' | 'units' | 'feeUnits' | 'maxFeeUnits' | 'sourceAddress' | 'sourceIndex' | 'toAddress'
    >,
  ): Promise<boolean> {
    const { storage, ids, clock, metrics } = this.#deps;
    const chain = this.#chain.code;
    const transfer = newTransfer(
      { ...move, id: ids.next() as TransferId, kind, chain, accountId: null, orderId: null },
      clock.now(),
    );
    const added = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.add(transfer);
    });
    if (added) metrics.count('tillgate_transfers_total', { chain, kind, status: 'REQUESTED' });
    return added;
  }

  #asset(currency: CurrencyCode): Asset | null {
    return this.#chain.assets.find((asset) => asset.currency === currency) ?? null;
  }
}
