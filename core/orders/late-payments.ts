import type { UnconfirmedPayment } from '../chain/index.ts';
import type { AssetCatalogue, CurrencyCode, Millis } from '../kernel/index.ts';
import { findFiat } from '../kernel/index.ts';
import type { RateBook, RateEvidence } from '../ledger/index.ts';
import type { Order } from './order.ts';
import type { OrderSettings } from './order-settings.ts';

export interface LatePaymentsDeps {
  readonly rates: Pick<RateBook, 'prepare' | 'evidence'>;
  readonly assets: Pick<AssetCatalogue, 'find'>;
  readonly settings: Pick<OrderSettings, 'unconfirmedHoldMs'>;
}

/** When a payment was made, and the rate when it was first seen. */
export interface FirstSight {
  readonly paidAt: Millis;
  /** Set for a payment after the order's deadline; `null` where no rate was known, and for others. */
  readonly rate: RateEvidence | null;
}

/** Records the rate of late payments when they are first seen, at which they count later (core/decisions/order-times.md). */
export class LatePayments {
  readonly #deps: LatePaymentsDeps;

  constructor(deps: LatePaymentsDeps) {
    this.#deps = deps;
  }

  /** Waits for missing prices, where a source has them: a quiet till may not have read them for long. Never fails. */
  async prepare(currencies: Iterable<CurrencyCode>): Promise<void> {
    const { rates, assets } = this.#deps;
    for (const symbol of new Set([...currencies].map((currency) => assets.find(currency)?.symbol)))
      if (symbol !== undefined) await rates.prepare(symbol);
  }

  /** The present rate for a payment that was made at this time; from memory. */
  rateOf(order: Order, currency: CurrencyCode, paidAt: Millis): RateEvidence | null {
    const { rates, assets } = this.#deps;
    const [asset, fiat] = [assets.find(currency), findFiat(order.vsCurrency)];
    if (paidAt <= order.expiresAt || asset === null || fiat === null) return null;
    return rates.evidence(asset, fiat, order.fixedEncryptPrice);
  }

  /**
   * A payment counts from when it was first seen unconfirmed, if it was mined within the time for which it may keep an
   * order open. One that is mined later counts from its block, at the rate of that time; otherwise its payer could
   * choose the time of mining after the rate has moved.
   */
  firstSight(
    order: Order,
    { currency, block }: { readonly currency: CurrencyCode; readonly block: { readonly time: Millis } },
    { now, unconfirmed }: { readonly now: Millis; readonly unconfirmed: UnconfirmedPayment | null },
  ): FirstSight {
    const seenAt = unconfirmed?.seenAt ?? now;
    // A block whose time is in the future was mined before it was read.
    const minedAt = Math.min(block.time, now);
    const isHeld = minedAt <= Math.max(order.expiresAt, seenAt) + this.#deps.settings.unconfirmedHoldMs;
    if (!isHeld) return { paidAt: minedAt, rate: this.rateOf(order, currency, minedAt) };
    const paidAt = Math.min(minedAt, seenAt);
    if (unconfirmed === null) return { paidAt, rate: this.rateOf(order, currency, paidAt) };
    return { paidAt, rate: paidAt <= order.expiresAt ? null : unconfirmed.rate };
  }
}
