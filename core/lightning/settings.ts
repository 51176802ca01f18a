/** The routing fee that a Lightning withdrawal reserves (decisions, section 6). */
export interface LightningFeeSettings {
  /** In basis points of the amount. */
  readonly maxFeeBps: number;
  /** At least this, in satoshi. */
  readonly minFeeSats: number;
}

export const DEFAULT_LIGHTNING_FEES: LightningFeeSettings = { maxFeeBps: 100, minFeeSats: 10 };

/** The highest routing fee, in millisatoshi; rounded up, so that it is never zero. */
export function maxRoutingFee({ maxFeeBps, minFeeSats }: LightningFeeSettings, msat: bigint): bigint {
  const share = (msat * BigInt(maxFeeBps) + 9_999n) / 10_000n;
  const least = BigInt(minFeeSats) * 1_000n;
  return share > least ? share : least;
}
