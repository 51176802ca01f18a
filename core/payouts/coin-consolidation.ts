import { isDust, isTillgateError } from '../kernel/index.ts';
import type { Asset, Lease, TransferId } from '../kernel/index.ts';
import type { PricedPayment, SpendableCoin } from '../chain/index.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { maxCoinsOf, sumOf } from './payout-coins.ts';
import { DEFAULT_COINS_ABOVE } from './payout-settings.ts';
import type { SweepSettings } from './payout-settings.ts';
import { TillBudget } from './till-budget.ts';
import { newTransfer } from './transfer.ts';
import type { Troubles } from './troubles.ts';

/** The accounts that one pass considers. */
const ACCOUNTS = 10;
/** The coins of an account that are read at once, largest first. */
const READ = 1_000;
/** The factor by which a fee may grow since the consolidation was planned. */
const MARGIN = 2n;

type Deps = Pick<PayoutDeps, 'storage' | 'ids' | 'clock' | 'metrics'>;

/**
 * Merges small coins of one account while fees are low, one transaction at a time, so that one transaction can pay the
 * account's balance. The largest coins stay free for payments meanwhile.
 */
export class CoinConsolidation {
  readonly #chain: PayingChain;
  readonly #deps: Deps;
  readonly #settings: SweepSettings;
  readonly #above: number;

  readonly #troubles: Troubles;

  constructor(chain: PayingChain, deps: Deps, settings: SweepSettings, troubles: Troubles) {
    this.#chain = chain;
    this.#troubles = troubles;
    this.#deps = deps;
    this.#settings = settings;
    this.#above = settings.coinsAbove ?? DEFAULT_COINS_ABOVE;
  }

  /** Queues one consolidation when it is due, fees are low and the till may pay for it. @returns how many */
  async run(lease: Lease): Promise<number> {
    // Only an adapter that limits the coins of a transaction can merge coins.
    if (this.#chain.payments.maxCoins === undefined) return 0;
    for (const coins of await this.#due()) {
      const priced = await this.#troubles.contain('consolidating coins', () => this.#price(coins));
      if (priced === null || !(await this.#mayPay(priced.feeUnits))) continue;
      return (await this.#queue(lease, coins, priced.feeUnits)) ? 1 : 0;
    }
    return 0;
  }

  /** The coins for which a consolidation was planned; `null` when they have changed since. */
  async coinsOf(units: bigint): Promise<readonly SpendableCoin[] | null> {
    return (await this.#due()).find((coins) => sumOf(coins) === units) ?? null;
  }

  async #mayPay(units: bigint): Promise<boolean> {
    return (await TillBudget.open(this.#chain, this.#deps.storage, this.#settings.feeBudget)).covers(units);
  }

  /** The smallest coins of each account that has too many. The largest, half of the limit, stay free. */
  async #due(): Promise<readonly (readonly SpendableCoin[])[]> {
    const { code, payments } = this.#chain;
    const { transfers } = this.#deps.storage;
    const asset = this.#asset();
    const due: (readonly SpendableCoin[])[] = [];
    for (const accountId of await transfers.ownersOfMany(code, asset.currency, this.#above, ACCOUNTS)) {
      const free = await transfers.freeCoins(code, asset.currency, READ, { of: accountId });
      const worth = free.filter(({ units }) => !isDust(asset, units));
      if (worth.length <= this.#above) continue;
      const count = Math.min(worth.length - Math.floor(this.#above / 2), maxCoinsOf({ payments }));
      due.push(worth.slice(-count));
    }
    return due;
  }

  async #price(coins: readonly SpendableCoin[]): Promise<PricedPayment | null> {
    const { payments } = this.#chain;
    const source = { address: payments.hotAddress, index: null };
    try {
      return await payments.price({ source, lines: [], coins: [], required: coins, replaces: null });
    } catch (error) {
      if (isTillgateError(error, 'STATE_CONFLICT') || isTillgateError(error, 'INSUFFICIENT_BALANCE')) return null;
      throw error;
    }
  }

  async #queue(lease: Lease, coins: readonly SpendableCoin[], feeUnits: bigint): Promise<boolean> {
    const { storage, ids, clock, metrics } = this.#deps;
    const { code: chain, payments } = this.#chain;
    const request = {
      id: ids.next() as TransferId,
      kind: 'sweep' as const,
      accountId: null,
      orderId: null,
      chain,
      currency: payments.feeAsset.currency,
      units: sumOf(coins),
      feeUnits,
      maxFeeUnits: feeUnits * MARGIN,
      sourceAddress: payments.hotAddress,
      sourceIndex: null,
      toAddress: payments.hotAddress,
    };
    const added = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.add(newTransfer(request, clock.now()));
    });
    if (added) metrics.count('tillgate_transfers_total', { chain, kind: 'sweep', status: 'REQUESTED' });
    return added;
  }

  #asset(): Asset {
    const { assets, payments } = this.#chain;
    return assets.find(({ currency }) => currency === payments.feeAsset.currency) ?? payments.feeAsset;
  }
}
