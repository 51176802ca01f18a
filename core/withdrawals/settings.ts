import type { CurrencyCode } from '../kernel/asset.ts';

/** Limits of withdrawals, each a plain decimal by currency; one that is not named has no limit. */
export interface WithdrawalSettings {
  readonly min: ReadonlyMap<CurrencyCode, string>;
  readonly max: ReadonlyMap<CurrencyCode, string>;
  /** Above it an operator has to approve. */
  readonly approveAbove: ReadonlyMap<CurrencyCode, string>;
  /** How long a change of a registered address is held back. */
  readonly addressHoldMs: number;
}
