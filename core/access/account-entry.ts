import type { Account } from './account.ts';
import type { Demand } from './demand.ts';
import type { TotpState } from './totp.ts';
import type { AccountId, Millis } from '../kernel/index.ts';

/** A login to the management API, as stored. */
export interface Login {
  readonly at: Millis;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** An account with its profile of the management API. */
export interface AccountEntry {
  readonly account: Account;
  readonly avatarUrl: string | null;
  readonly firstLoginAt: Millis | null;
  readonly lastLogin: Login | null;
}

/** The second factor of an account and when it is required. */
export interface AccountSecurity {
  readonly accountId: AccountId;
  /** `null` when none is enrolled. */
  readonly totp: TotpState | null;
  /** Whether each withdrawal requires a code. */
  readonly totpForWithdrawals: Demand;
}
