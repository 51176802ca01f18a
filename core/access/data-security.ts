import type { Account } from './account.ts';
import { isDemanded } from './demand.ts';
import type { Demand } from './demand.ts';
import { TillgateError } from '../kernel/index.ts';
import type { AccountId, Clock, Millis, Storage } from '../kernel/index.ts';

export interface DataSecurityDeps {
  readonly storage: Pick<Storage, 'accounts'>;
  readonly clock: Clock;
}

/** The Data Security of an account as a {@link Demand}. */
export function dataSecurityOf({ dataSecurity: on, dataSecurityOffAt: offAt }: Account): Demand {
  return { on, offAt };
}

/** True while every request of the account must be signed. */
export function mustSign(account: Account, now: Millis): boolean {
  return isDemanded(dataSecurityOf(account), now);
}

/**
 * Turns an account's Data Security on or off, from the next request on every instance.
 *
 * @throws TillgateError `NOT_FOUND` for an unknown account.
 */
export async function setDataSecurity(deps: DataSecurityDeps, accountId: AccountId, on: boolean): Promise<void> {
  const changed = await deps.storage.accounts.update(accountId, {
    dataSecurity: on,
    dataSecurityOffAt: null,
    modifiedAt: deps.clock.now(),
  });
  if (!changed) throw new TillgateError('NOT_FOUND', 'There is no such account.');
}
