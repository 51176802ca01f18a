/** The routing fee that a Lightning withdrawal reserves. */
export interface LightningFeeSettings {
  /** In basis points of the amount. */
  readonly maxFeeBps: number;
  /** The least fee limit, in satoshi. */
  readonly minFeeSats: number;
}

export const DEFAULT_LIGHTNING_FEES: LightningFeeSettings = { maxFeeBps: 100, minFeeSats: 10 };

/** The maximum routing fee, in millisatoshi; rounded up, so that it is never zero. */
export function maxRoutingFee({ maxFeeBps, minFeeSats }: LightningFeeSettings, msat: bigint): bigint {
  const share = (msat * BigInt(maxFeeBps) + 9_999n) / 10_000n;
  const least = BigInt(minFeeSats) * 1_000n;
  return share > least ? share : least;
}

/**
 * The longest validity of an invoice to pay, in milliseconds, because its amount may stay reserved that long while its
 * payment waits. The receiver chooses the validity, and BOLT 11 allows some 30,000 years.
 */
export const DEFAULT_LONGEST_INVOICE_MS = 31 * 86_400_000;
