import type {
  Account,
  AccountId,
  Transaction,
  WalletStore,
  WatchAddress,
  WithdrawalAddress,
} from '../../../core/index.ts';

/** An account that may register addresses. */
export function accountOf(id: string, status: Account['status'] = 'active'): Account {
  return {
    id: id as AccountId,
    email: `${id}@example.com`,
    name: null,
    role: 'user',
    status,
    adminSince: null,
    passwordHash: 'none',
    passwordExpiresAt: null,
    authVersion: 1,
    dataSecurity: false,
    dataSecurityOffAt: null,
    callbackApiKey: 'order',
    verifiedCurrencies: [],
    createdAt: 0,
    modifiedAt: 0,
  };
}

/** Registered addresses in memory, with the writes of a transaction that always commits. */
export class MemoryWallets {
  readonly accounts = new Map<string, Account>();
  readonly addresses = new Map<string, WithdrawalAddress>();
  readonly watches: WatchAddress[] = [];
  saves = 0;

  readonly store: WalletStore = {
    withdrawalAddress: async (accountId, chain) => this.addresses.get(`${accountId}:${chain}`) ?? null,
    withdrawalAddresses: async () => [...this.addresses.values()],
    watched: async (accountId) => this.watches.filter((each) => each.accountId === accountId),
    watchAddresses: async () => this.watches,
  };

  readonly tx: Pick<Transaction, 'accounts' | 'wallets'> = {
    accounts: {
      lock: async (id) => this.accounts.get(id) ?? null,
      lockShared: async (id) => this.accounts.get(id) ?? null,
      update: async () => true,
    },
    wallets: {
      lockWithdrawalAddress: async (accountId, chain) => this.addresses.get(`${accountId}:${chain}`) ?? null,
      saveWithdrawalAddress: async (record) => {
        this.saves += 1;
        this.addresses.set(`${record.accountId}:${record.chain}`, record);
      },
      addWatchAddress: async (record) => {
        if (
          this.watches.some(
            ({ accountId, chain, value }) =>
              accountId === record.accountId && chain === record.chain && value === record.value,
          )
        )
          return false;
        this.watches.push(record);
        return true;
      },
      findWatchAddress: async (id) => this.watches.find((each) => each.id === id) ?? null,
      removeWatchAddress: async (id) => {
        const at = this.watches.findIndex((each) => each.id === id);
        if (at === -1) return false;
        this.watches.splice(at, 1);
        return true;
      },
    },
  };
}
