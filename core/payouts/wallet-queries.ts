import { LIGHTNING_ASSET, TillgateError } from '../kernel/index.ts';
import type { AccountId, Amount, Asset, AssetCatalogue, ChainCode, CurrencyCode, Storage } from '../kernel/index.ts';
import { merchantAccount } from '../ledger/index.ts';
import type { MerchantBalance } from '../ledger/index.ts';
import type { BalanceSheet, ChainBalances, ChainRegistry } from '../chain/index.ts';
import type { WalletBalance } from './wallet-balance.ts';
import type { WatchAddress } from './watch-address.ts';

/** Concurrent node reads for one reply. */
const READS_AT_ONCE = 4;

export interface WalletQueriesDeps {
  readonly storage: Pick<Storage, 'ledger' | 'transfers' | 'wallets'>;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
}

/** Balances of accounts: in the ledger, and on chain at their own addresses. */
export class WalletQueries {
  readonly #deps: WalletQueriesDeps;
  /** Running node reads: one for each account at a time, which concurrent callers share. */
  readonly #looks = new Map<AccountId, Promise<readonly Amount[]>>();

  constructor(deps: WalletQueriesDeps) {
    this.#deps = deps;
  }

  /** The ledger's balances in each enabled currency, including zeros, and in any other with one. */
  async list(accountId: AccountId): Promise<readonly WalletBalance[]> {
    const read = await this.#ledger(accountId);
    return this.#deps.assets.list().flatMap(({ asset, enabled }) => {
      const balance = read(asset);
      return enabled || !isEmpty(balance) ? [balance] : [];
    });
  }

  /** The account's balance in BTC-LN; zeros also without a Lightning node. */
  async lightning(accountId: AccountId): Promise<WalletBalance> {
    return (await this.#ledger(accountId))(LIGHTNING_ASSET);
  }

  async #ledger(accountId: AccountId): Promise<(asset: Asset) => WalletBalance> {
    const { ledger, transfers } = this.#deps.storage;
    const balances = await ledger.balances(`merchant:${accountId}:`);
    const immovable = await transfers.frozenOf(accountId);
    const units = new Map(balances.map((balance) => [`${balance.account} ${balance.currency}`, balance.units]));
    const read = (part: MerchantBalance, { currency }: Asset): bigint =>
      units.get(`${merchantAccount(accountId, part)} ${currency}`) ?? 0n;
    return (asset) => {
      const booked = read('available', asset);
      const frozen = least(booked, immovable.get(asset.currency) ?? 0n);
      const [pending, claims, reserved] = [read('pending', asset), read('claims', asset), read('reserved', asset)];
      return { asset, available: booked - frozen, pending, claims, reserved, frozen };
    };
  }

  /**
   * Self-custody balances: what the nodes report at the addresses that the account registered, never the ledger. A
   * chain without registered addresses is not read.
   *
   * @throws TillgateError `NODE_FAILED` with the chain
   */
  selfCustody(accountId: AccountId): Promise<readonly Amount[]> {
    const running = this.#looks.get(accountId);
    if (running !== undefined) return running;
    const look = this.#look(accountId).finally(() => this.#looks.delete(accountId));
    this.#looks.set(accountId, look);
    return look;
  }

  async #look(accountId: AccountId): Promise<readonly Amount[]> {
    const watched = await this.#deps.storage.wallets.watched(accountId);
    const sheets = await inParallel(watched, READS_AT_ONCE, (each) => this.#balances(each));
    const chains = [...new Set(watched.map(({ chain }) => chain))];
    return chains.flatMap((chain) => {
      const ofChain = sheets.filter((_sheet, at) => watched[at]?.chain === chain);
      return this.#readable(chain).assets.map((asset) => ({ asset, units: sum(ofChain, asset.currency) }));
    });
  }

  async #balances({ chain, kind, value }: WatchAddress): Promise<BalanceSheet> {
    const balances = this.#readable(chain);
    try {
      return await (kind === 'address' ? balances.ofAddress(value) : balances.ofExtendedKey(value));
    } catch (error) {
      throw new TillgateError(
        'NODE_FAILED',
        `The node of the chain ${chain} did not return the balances.`,
        { chain },
        error,
      );
    }
  }

  #readable(chain: ChainCode): ChainBalances {
    const balances = this.#deps.chains.get(chain)?.balances ?? null;
    if (balances === null)
      throw new TillgateError('NODE_FAILED', `Balances on the chain ${chain} cannot be read here.`, { chain });
    return balances;
  }
}

function isEmpty({ available, pending, claims, reserved, frozen }: WalletBalance): boolean {
  return [available, pending, claims, reserved, frozen].every((units) => units === 0n);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function sum(sheets: readonly BalanceSheet[], currency: CurrencyCode): bigint {
  return sheets.reduce((total, sheet) => total + (sheet.get(currency) ?? 0n), 0n);
}

/** The results in order, with at most `limit` tasks at once; after a failure no further one is started. */
async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [at, item] of queue) {
      if (failed) return;
      try {
        results[at] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
