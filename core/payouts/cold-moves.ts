import type { Asset, CurrencyCode, Lease } from '../kernel/index.ts';
import { parseUnits, present } from '../kernel/index.ts';
import type { HotWallet } from './hot-wallet.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { queueMove } from './queue-move.ts';
import type { ColdStorage, SweepSettings } from './payout-settings.ts';
import type { TillBudget } from './till-budget.ts';
import type { Troubles } from './troubles.ts';

/** The hot wallet, what the till may spend of its own, and the currencies that payments wait for. */
export interface ColdPlan {
  readonly hot: HotWallet;
  readonly budget: TillBudget;
  readonly needed: { has(currency: CurrencyCode): boolean };
}

/** Moves the amounts above the ceilings of an account chain's hot wallet to the cold address. */
export class ColdMoves {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #cold: ColdStorage | undefined;
  readonly #troubles: Troubles;

  constructor(chain: PayingChain, deps: PayoutDeps, { cold }: Pick<SweepSettings, 'cold'>, troubles: Troubles) {
    this.#chain = chain;
    this.#deps = deps;
    this.#cold = cold.get(chain.code);
    this.#troubles = troubles;
  }

  /** Queues the moves that are due; a refused move of one currency does not delay the others. @returns how many */
  async run(lease: Lease, plan: ColdPlan): Promise<number> {
    const cold = this.#cold;
    if (cold === undefined) return 0;
    let queued = 0;
    for (const asset of this.#chain.assets) {
      const what = `the move of ${asset.currency} to the cold address ${cold.address}`;
      if ((await this.#troubles.contain(what, () => this.#move(lease, cold, asset, plan))) === true) queued += 1;
    }
    return queued;
  }

  async #move(
    lease: Lease,
    cold: ColdStorage,
    { currency, decimals }: Asset,
    { hot, budget, needed }: ColdPlan,
  ): Promise<boolean> {
    const { code, payments } = this.#chain;
    const ceilingText = cold.above.get(currency);
    if (ceilingText === undefined || needed.has(currency)) return false;
    const ceiling = present(parseUnits(ceilingText, decimals), `sweeps.cold.${code}.above.${currency}`);
    const units = (await hot.free(currency)) - ceiling;
    // Moves at least a tenth of the ceiling, not small excesses.
    if (units <= ceiling / 10n || units <= payments.dust(currency)) return false;
    const source = { address: payments.hotAddress, index: null };
    const lines = [{ to: cold.address, currency, units }];
    const { feeUnits: cost } = await payments.price({ source, lines, coins: [], replaces: null });
    if (!budget.covers(cost)) return false;
    budget.spend(cost);
    return queueMove(this.#chain, this.#deps, lease, 'cold', {
      currency,
      units,
      feeUnits: 0n,
      maxFeeUnits: units / 10n,
      sourceAddress: payments.hotAddress,
      sourceIndex: null,
      toAddress: cold.address,
    });
  }
}
