import type { AccountId, ChainCode, NewestQuery, WatchAddressId } from '../kernel/index.ts';
import type { WatchAddress } from './watch-address.ts';
import type { WithdrawalAddress } from './withdrawal-address.ts';

/** The position of a withdrawal address in a list. */
export type AddressPosition = Pick<WithdrawalAddress, 'chain' | 'accountId'>;

/** Reads of the addresses that accounts registered. */
export interface WalletStore {
  withdrawalAddress(accountId: AccountId, chain: ChainCode): Promise<WithdrawalAddress | null>;
  /** Withdrawal addresses of one account, or of all for `null`, after a position, by chain and then by account. */
  withdrawalAddresses(
    accountId: AccountId | null,
    after: AddressPosition | null,
    limit: number,
  ): Promise<readonly WithdrawalAddress[]>;
  /** All watched addresses of an account, oldest first. */
  watched(accountId: AccountId): Promise<readonly WatchAddress[]>;
  /** Watched addresses of one account, or of all for `null`, newest first. */
  watchAddresses(accountId: AccountId | null, query: NewestQuery<WatchAddressId>): Promise<readonly WatchAddress[]>;
}

/** Writes of the addresses that accounts registered, inside a transaction. */
export interface WalletWrites {
  /** The record, locked until the transaction ends. When there may be none, lock the account's row first. */
  lockWithdrawalAddress(accountId: AccountId, chain: ChainCode): Promise<WithdrawalAddress | null>;
  saveWithdrawalAddress(record: WithdrawalAddress): Promise<void>;
  /** Adds a watched address; false when the account already has this value on this chain. */
  addWatchAddress(record: WatchAddress): Promise<boolean>;
  findWatchAddress(id: WatchAddressId): Promise<WatchAddress | null>;
  removeWatchAddress(id: WatchAddressId): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly wallets: WalletStore;
  }
  interface Transaction {
    readonly wallets: WalletWrites;
  }
}
