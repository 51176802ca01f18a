import type { Asset, AssetCatalogue, CurrencyCode, Millis, Transaction } from '../kernel/index.ts';
import { mulDiv, parseUnits, pow10, present } from '../kernel/index.ts';
import type { RequestedUnits } from './transfer-store.ts';
import type { RateBook } from '../ledger/index.ts';
import type { Transfer } from './transfer.ts';

/** Stands for a limit on all currencies together, by their present worth in US dollars. */
export const ALL_IN_USD = 'USD';
/** The decimals of amounts in US dollars, which are rounded up; a limit has no more. */
const USD_DECIMALS = 18;

/**
 * The most that may be paid out in a window without an operator's approval: withdrawals, on chains and on Lightning,
 * refunds, whose destination a stolen key can choose as well, and returns of unassigned deposits. At least one limit is
 * given; each is a plain decimal.
 */
export interface WithdrawalLimit {
  /** A currency of the till, or {@link ALL_IN_USD}. */
  readonly currency: CurrencyCode;
  readonly windowMs: Millis;
  /** The most of one account. Returns of unassigned deposits together count as one account's. */
  readonly perAccount?: string | undefined;
  readonly total?: string | undefined;
}

export interface WithdrawalLimitsDeps {
  readonly limits: readonly WithdrawalLimit[];
  readonly assets: Pick<AssetCatalogue, 'find'>;
  readonly rates: Pick<RateBook, 'prepare' | 'usd'>;
}

/** Holds transfers that exceed the operator's limits. */
export class WithdrawalLimits {
  readonly #deps: WithdrawalLimitsDeps;

  constructor(deps: WithdrawalLimitsDeps) {
    this.#deps = deps;
  }

  /** True when a limit counts this currency. */
  concern(currency: CurrencyCode): boolean {
    return this.#of(currency).length > 0;
  }

  /** Waits, before the transaction, for the price that a limit in US dollars needs, if any. Never fails. */
  async prepare({ currency, symbol }: Asset): Promise<void> {
    if (this.#of(currency).some((limit) => limit.currency === ALL_IN_USD)) await this.#deps.rates.prepare(symbol);
  }

  /**
   * Returns the transfer, HELD when it exceeds a limit. Transactions run this one at a time until each ends, so that
   * concurrent requests cannot exceed a limit together.
   */
  async hold<T extends Transfer>(tx: Transaction, transfer: T): Promise<T> {
    const limits = this.#of(transfer.currency);
    if (limits.length === 0 || transfer.status === 'HELD') return transfer;
    await tx.transfers.lockRequests();
    const windows = new Map<Millis, readonly RequestedUnits[]>();
    for (const limit of limits) {
      const { windowMs } = limit;
      const former =
        windows.get(windowMs) ?? (await tx.transfers.requestedSince(transfer.createdAt - windowMs, transfer.accountId));
      windows.set(windowMs, former);
      const reason = this.#breach(limit, former, transfer);
      if (reason !== null) return { ...transfer, status: 'HELD', reason };
    }
    return transfer;
  }

  #of(currency: CurrencyCode): readonly WithdrawalLimit[] {
    return this.#deps.limits.filter((limit) => limit.currency === currency || limit.currency === ALL_IN_USD);
  }

  #breach(limit: WithdrawalLimit, former: readonly RequestedUnits[], transfer: Transfer): string | null {
    const all = [...former, { currency: transfer.currency, own: true, units: transfer.units }];
    return (
      this.#above(limit, 'perAccount', all.filter(({ own }) => own)) ?? // prettier-ignore
      this.#above(limit, 'total', all)
    );
  }

  #above(limit: WithdrawalLimit, bound: 'perAccount' | 'total', requested: readonly RequestedUnits[]): string | null {
    const { [bound]: most, currency, windowMs } = limit;
    if (most === undefined) return null;
    const sum = currency === ALL_IN_USD ? this.#worth(requested) : { units: sumOf(requested, currency), missing: null };
    if (sum.units === null) return `There is no usable price of ${sum.missing}, so a limit in USD cannot be checked.`;
    const decimals = currency === ALL_IN_USD ? USD_DECIMALS : this.#asset(currency).decimals;
    if (sum.units <= present(parseUnits(most, decimals), `a limit of ${currency}`)) return null;
    const whose = bound === 'total' ? 'all accounts together' : 'one account';
    return `It exceeds the limit of ${whose}: ${most} ${currency} in ${windowMs / 3_600_000} hours.`;
  }

  /** The sum in US dollars; unknown when a currency has no usable price. */
  #worth(requested: readonly RequestedUnits[]): { readonly units: bigint | null; readonly missing: string | null } {
    let units = 0n;
    for (const { currency, units: each } of requested) {
      const asset = this.#deps.assets.find(currency);
      const usd = asset === null ? null : this.#deps.rates.usd(asset.symbol);
      if (asset === null || usd === null) return { units: null, missing: currency };
      units += mulDiv(each * usd.digits, pow10(USD_DECIMALS), pow10(asset.decimals + usd.scale), 'up');
    }
    return { units, missing: null };
  }

  #asset(currency: CurrencyCode): Asset {
    return present(this.#deps.assets.find(currency), `asset ${currency}`);
  }
}

function sumOf(requested: readonly RequestedUnits[], wanted: CurrencyCode): bigint {
  return requested.reduce((sum, { currency, units }) => (currency === wanted ? sum + units : sum), 0n);
}
