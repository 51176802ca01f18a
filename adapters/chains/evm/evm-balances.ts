import { TillgateError } from '../../../core/index.ts';
import type { Asset, BalanceSheet, ChainBalances, CurrencyCode } from '../../../core/index.ts';
import { AccountKey, readXpub } from '../account-key.ts';
import { evmAddress, evmKey } from './evm-address.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { AccountBalances } from './account-balances.ts';
import { asCount } from './rpc-values.ts';

/** The gap limit of BIP-44: a wallet has no coins after this many unused addresses. */
const GAP = 20;
/** A key with more used addresses than this does not belong to a person's wallet. */
const MOST_ADDRESSES = 2_000;

/** Reads balances of any addresses on an EVM chain. */
export class EvmBalances implements ChainBalances {
  readonly assets: readonly Asset[];
  readonly #client: JsonRpcClient;
  readonly #balances: AccountBalances;

  /** @param balances - must support all of the assets */
  constructor(client: JsonRpcClient, balances: AccountBalances, assets: readonly Asset[]) {
    this.#client = client;
    this.#balances = balances;
    this.assets = assets;
  }

  /** An account's key (`m/44'/60'/0'`) in the one format that EVM wallets use. */
  readExtendedKey(text: string): string | null {
    return readXpub(text);
  }

  async ofAddress(address: string): Promise<BalanceSheet> {
    return this.#balances.sum(this.assets.map(({ currency }) => ({ address, currency })));
  }

  /** Reads the addresses `…/0/i`; EVM wallets have no change addresses. */
  async ofExtendedKey(key: string): Promise<BalanceSheet> {
    const account = new AccountKey(key);
    const total = new Map<CurrencyCode, bigint>();
    for (let first = 0, unused = 0; unused < GAP; first += GAP) {
      if (first >= MOST_ADDRESSES)
        throw new TillgateError(
          'NODE_FAILED',
          `The extended key has more than ${MOST_ADDRESSES} used addresses; this is the limit.`,
        );
      const addresses = Array.from({ length: GAP }, (_, offset) => evmAddress(evmKey(account.point(first + offset))));
      const lastUsed = await this.#read(addresses, total);
      unused = lastUsed === -1 ? unused + GAP : GAP - 1 - lastUsed;
    }
    return total;
  }

  /**
   * Adds the balances of these addresses; returns the index of the last one that ever sent or holds anything, -1 for
   * none.
   */
  async #read(addresses: readonly string[], total: Map<CurrencyCode, bigint>): Promise<number> {
    const counts = await this.#client.batchResults(
      addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })),
    );
    const questions = addresses.flatMap((address, at) =>
      this.assets.map(({ currency }) => ({ address, currency, at })),
    );
    const used = new Set(counts.flatMap((count, at) => (asCount(count, 'a nonce') > 0 ? [at] : [])));
    (await this.#balances.read(questions)).forEach((units, index) => {
      const { currency, at } = questions[index] as (typeof questions)[number];
      total.set(currency, (total.get(currency) ?? 0n) + (units ?? 0n));
      if (units !== null && units > 0n) used.add(at);
    });
    return Math.max(-1, ...used);
  }
}
