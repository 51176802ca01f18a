import { TillgateError } from '../kernel/index.ts';
import type { AccountId } from '../kernel/index.ts';
import type { AccountSecurity } from './account-entry.ts';
import type { Passkey } from './passkey.ts';

/** Reads of an account's second factors, from a storage or a transaction. */
export interface FactorReads {
  readonly manage: { security(accountId: AccountId): Promise<AccountSecurity> };
  readonly passkeys: { ofAccount(accountId: AccountId): Promise<readonly Passkey[]> };
}

/** The second factors that an account must use: confirmed ones, and codes that an operator set up. */
export interface DemandedFactors {
  readonly totp: boolean;
  readonly passkeys: number;
}

export async function demandedFactors(
  { manage, passkeys }: FactorReads,
  accountId: AccountId,
): Promise<DemandedFactors> {
  const { totp } = await manage.security(accountId);
  const { length } = await passkeys.ofAccount(accountId);
  return { totp: totp !== null && (totp.required || totp.confirmedAt !== null), passkeys: length };
}

export type FactorName = 'totp' | 'passkey';

/** The fields in which a request may prove these factors; one is enough. */
export function factorNames({ totp, passkeys }: DemandedFactors): readonly FactorName[] {
  return [...(totp ? (['totp'] as const) : []), ...(passkeys > 0 ? (['passkey'] as const) : [])];
}

/** The refusal of a login without any of the account's factors; its fields tell a client which ones to offer. */
export function missingFactor(names: readonly FactorName[]): TillgateError {
  const fields = names.map((path) => ({ path, message: 'is required' }));
  return new TillgateError('VERIFY_CODE_INVALID', `${names.join(' or ')}: is required`, { fields });
}

/** True for an account that must use a second factor of any kind. */
export async function hasDemandedFactor(reads: FactorReads, accountId: AccountId): Promise<boolean> {
  const { totp, passkeys } = await demandedFactors(reads, accountId);
  return totp || passkeys > 0;
}
