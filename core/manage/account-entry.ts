import type { Account } from '../accounts/account.ts';
import type { TotpState } from '../auth/totp.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** One login to the management API, as it is remembered. */
export interface Login {
  readonly at: Millis;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** An account with what only the management API knows of it. */
export interface AccountEntry {
  readonly account: Account;
  readonly avatarUrl: string | null;
  readonly firstLoginAt: Millis | null;
  readonly lastLogin: Login | null;
}

/** The second factor of an account and what it is demanded for. */
export interface AccountSecurity {
  readonly accountId: AccountId;
  /** `null` before anything was enrolled. */
  readonly totp: TotpState | null;
  readonly totpForWithdrawals: boolean;
}
