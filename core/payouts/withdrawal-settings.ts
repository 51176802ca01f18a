import type { CurrencyCode } from '../kernel/index.ts';
import type { WithdrawalLimit } from './limits.ts';

/** Limits of withdrawals, each a plain decimal by currency; a currency without one has no limit. */
export interface WithdrawalSettings {
  readonly min: ReadonlyMap<CurrencyCode, string>;
  readonly max: ReadonlyMap<CurrencyCode, string>;
  /** The amounts above which an operator must approve. */
  readonly approveAbove: ReadonlyMap<CurrencyCode, string>;
  /** The most that merchants may withdraw in a window without an approval; none by default. */
  readonly limits?: readonly WithdrawalLimit[];
  /** The number of persons who must approve a held transfer; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  /** How long a change of a registered address is delayed, in milliseconds. */
  readonly addressHoldMs: number;
}

export const DEFAULT_APPROVALS = 1;
