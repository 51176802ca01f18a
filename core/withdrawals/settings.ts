import type { CurrencyCode } from '../kernel/asset.ts';
import type { WithdrawalLimit } from './limits.ts';

/** Limits of withdrawals, each a plain decimal by currency; one that is not named has no limit. */
export interface WithdrawalSettings {
  readonly min: ReadonlyMap<CurrencyCode, string>;
  readonly max: ReadonlyMap<CurrencyCode, string>;
  /** Above it an operator has to approve. */
  readonly approveAbove: ReadonlyMap<CurrencyCode, string>;
  /** What merchants may take out in a window without an approval; none by default. */
  readonly limits?: readonly WithdrawalLimit[];
  /** How many persons have to approve what is held; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  /** How long a change of a registered address is held back. */
  readonly addressHoldMs: number;
}

export const DEFAULT_APPROVALS = 1;
