/** One row of Get Wallets List (decisions, section 5); amounts are plain decimals. */
export interface WalletRecord {
  readonly chain: string;
  readonly currency: string;
  readonly available: string;
  readonly pending: string;
  /** Held by requests that are under way. */
  readonly locked: string;
  readonly total: string;
}

/** Specification, "Self-custody balance entry". `amount` is a plain decimal here and a JSON number on the wire. */
export interface SelfCustodyRecord {
  readonly chain: string;
  readonly currency: string;
  readonly amount: string;
}
