import type { AccountId, ChainCode, Millis, NewestQuery, PayeeId } from '../kernel/index.ts';
import type { Payee } from './payee.ts';

/** Reads of the receivers that accounts list. */
export interface PayeeStore {
  /** Payees of one account, or of all for `null`, newest first. */
  list(accountId: AccountId | null, query: NewestQuery<PayeeId>): Promise<readonly Payee[]>;
}

/** Writes of the receivers that accounts list. Lock the account first. */
export interface PayeeWrites {
  find(id: PayeeId): Promise<Payee | null>;
  countOf(accountId: AccountId): Promise<number>;
  /** Adds a payee; false when the account lists this address already. */
  add(payee: Payee): Promise<boolean>;
  remove(id: PayeeId): Promise<boolean>;
  /** True when the account's payees or its withdrawal address in force at this time are this address. */
  lists(accountId: AccountId, chain: ChainCode, address: string, now: Millis): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly payees: PayeeStore;
  }
  interface Transaction {
    readonly payees: PayeeWrites;
  }
}
