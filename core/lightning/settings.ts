/** What a withdrawal over Lightning reserves for its way (decisions, section 6). */
export interface LightningFeeSettings {
  /** In basis points of the amount. */
  readonly maxFeeBps: number;
  /** At least this, in satoshi. */
  readonly minFeeSats: number;
}

export const DEFAULT_LIGHTNING_FEES: LightningFeeSettings = { maxFeeBps: 100, minFeeSats: 10 };

/** The most that routing may cost, in millisatoshi: rounded up, so that a small share is still a limit that can be met. */
export function maxRoutingFee({ maxFeeBps, minFeeSats }: LightningFeeSettings, msat: bigint): bigint {
  const share = (msat * BigInt(maxFeeBps) + 9_999n) / 10_000n;
  const least = BigInt(minFeeSats) * 1_000n;
  return share > least ? share : least;
}
