import type { AccountId } from '../kernel/ids.ts';
import type { AccountSecurity } from '../manage/account-entry.ts';
import type { Passkey } from './passkey.ts';

/** Reads of what an account can prove itself with; of a storage, or of a transaction. */
export interface FactorReads {
  readonly manage: { security(accountId: AccountId): Promise<AccountSecurity> };
  readonly passkeys: { ofAccount(accountId: AccountId): Promise<readonly Passkey[]> };
}

/** The second factors that an account has, and must therefore use. */
export interface ConfirmedFactors {
  readonly totp: boolean;
  readonly passkeys: number;
}

export async function confirmedFactors(
  { manage, passkeys }: FactorReads,
  accountId: AccountId,
): Promise<ConfirmedFactors> {
  const { totp } = await manage.security(accountId);
  const { length } = await passkeys.ofAccount(accountId);
  return { totp: totp !== null && totp.confirmedAt !== null, passkeys: length };
}

/** True for an account with a second factor of any kind. */
export async function hasConfirmedFactor(reads: FactorReads, accountId: AccountId): Promise<boolean> {
  const { totp, passkeys } = await confirmedFactors(reads, accountId);
  return totp || passkeys > 0;
}
