import { Apps, ManageAccounts, ManageCredentials, ManageSecurity, ManageWithdrawals, Routes, SecondFactor, TillgateError } from '../../core/index.ts';
import type { AccountId } from '../../core/index.ts';
import { NodeDigest } from '../../adapters/crypto/index.ts';
import type { Base } from '../open.ts';

/** The largest list that a command asks for at once. */
const PAGE_MAX = 100;

/** The management use cases that need no chain: a command acts with them as the operator, and its changes are on record. */
export interface OperatorsDesk {
  readonly accounts: ManageAccounts;
  readonly credentials: ManageCredentials;
  readonly security: ManageSecurity;
  readonly withdrawals: ManageWithdrawals;
}

export function operatorsDesk(base: Base): OperatorsDesk {
  const { storage, vault, random, ids, clock, config, accounts } = base;
  const deps = { storage, vault, random, ids, clock, pageMax: PAGE_MAX };
  const secondFactor = new SecondFactor({ ...deps, digest: new NodeDigest(), issuer: config.serviceName });
  const routes = new Routes({ ...deps, configured: config.gateways });
  return {
    accounts: new ManageAccounts({ ...deps, createAccount: accounts.createAccount, apps: new Apps(deps), routes }),
    credentials: new ManageCredentials(deps),
    security: new ManageSecurity({ ...deps, secondFactor }),
    // Nobody listens in this process; a server finds its work by looking.
    withdrawals: new ManageWithdrawals({ ...deps, events: { emit: () => undefined } }),
  };
}

/** The account that an option names. @throws TillgateError `NOT_FOUND` in words that say what is missing */
export async function requireAccount({ storage }: Base, value: string | boolean | undefined): Promise<AccountId> {
  const id = String(value) as AccountId;
  if ((await storage.accounts.find(id)) === null) throw new TillgateError('NOT_FOUND', 'There is no such account.');
  return id;
}
