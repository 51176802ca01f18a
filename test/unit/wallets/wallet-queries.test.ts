import { beforeEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  AssetCatalogue,
  formatAmount,
  isTillgateError,
  SHIB_ERC20,
  BUILT_IN_ASSETS,
  TillgateError,
  WalletQueries,
} from '../../../core/index.ts';
import type {
  AccountId,
  Asset,
  BalanceSheet,
  ChainBalances,
  LedgerBalance,
  LedgerStore,
  TransferStore,
  WatchAddress,
  WatchAddressId,
} from '../../../core/index.ts';
import { presentWallet } from '../../../adapters/http/operations/wallets.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import { MemoryWallets } from './memory-wallets.ts';

const SHOP = '1530217733410816000' as AccountId;
const of = (...currencies: string[]): Asset[] =>
  BUILT_IN_ASSETS.filter(({ currency }) => currencies.includes(currency));

/** A node that tells what it is told to, and counts how many ask at once. */
class FakeBalances implements ChainBalances {
  readonly assets: readonly Asset[];
  readonly sheets = new Map<string, BalanceSheet>();
  failure: Error | null = null;
  reads = 0;
  underWay = 0;
  most = 0;

  constructor(assets: readonly Asset[]) {
    this.assets = assets;
  }

  readExtendedKey(text: string): string | null {
    return text.startsWith('xpub') ? text : null;
  }

  async ofAddress(address: string): Promise<BalanceSheet> {
    this.reads += 1;
    this.most = Math.max(this.most, ++this.underWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.underWay -= 1;
    if (this.failure !== null) throw this.failure;
    return this.sheets.get(address) ?? new Map();
  }

  ofExtendedKey(key: string): Promise<BalanceSheet> {
    return this.ofAddress(key);
  }
}

describe('wallet queries', () => {
  let wallets: MemoryWallets;
  let balances: LedgerBalance[];
  let frozen: Map<string, bigint>;
  let eth: FakeChain;
  let btc: FakeChain;
  let queries: WalletQueries;
  let asked: string[];
  beforeEach(() => {
    wallets = new MemoryWallets();
    balances = [];
    frozen = new Map();
    asked = [];
    const now = (): number => 0;
    eth = new FakeChain(of('ETH', 'USDT-ERC20'), now);
    btc = new FakeChain(of('BTC'), now);
    const ledger = {
      balances: async (prefix: string) => {
        asked.push(prefix);
        return balances.filter(({ account }) => account.startsWith(prefix));
      },
    } as unknown as LedgerStore;
    const transfers = { frozenOf: async () => frozen } as unknown as TransferStore;
    const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
    queries = new WalletQueries({
      storage: { ledger, transfers, wallets: wallets.store },
      assets: new AssetCatalogue([...eth.assets, ...btc.assets]),
      chains,
    });
  });

  const balance = (part: string, currency: string, units: bigint, account = SHOP): void =>
    void balances.push({ account: `merchant:${account}:${part}`, currency, units });
  let number = 0;
  const watch = (chain: string, value: string, kind: WatchAddress['kind'] = 'address'): void => {
    number += 1;
    wallets.watches.push({
      id: `15302177334108160${String(number).padStart(2, '0')}` as WatchAddressId,
      accountId: SHOP,
      chain,
      kind,
      value,
      label: '',
      createdAt: number,
    });
  };

  describe('the wallet list', () => {
    test('has a row for each enabled currency, zeros too, and none for what is not enabled', async () => {
      const rows = (await queries.list(SHOP)).map(presentWallet);
      assert.deepEqual(
        rows.map(({ chain, currency }) => `${chain}/${currency}`),
        ['ETH/ETH', 'ETH/USDT-ERC20', 'BTC/BTC'],
      );
      assert.deepEqual(rows[0], {
        chain: 'ETH',
        currency: 'ETH',
        available: '0',
        pending: '0',
        locked: '0',
        total: '0',
      });
      assert.deepEqual(asked, [`merchant:${SHOP}:`]);
    });

    test('fault 46: sums available, pending and locked without losing a digit', async () => {
      balance('available', 'ETH', 2n ** 200n + 1n);
      balance('pending', 'ETH', 2n);
      balance('reserved', 'ETH', 3n);
      balance('available', 'ETH', 5n, '1530217733410816999' as AccountId);
      const [row] = (await queries.list(SHOP)).map(presentWallet);
      const text = (units: bigint): string =>
        `${units / 10n ** 18n}.${(units % 10n ** 18n).toString().padStart(18, '0')}`;
      assert.deepEqual(row, {
        chain: 'ETH',
        currency: 'ETH',
        available: text(2n ** 200n + 1n),
        pending: '0.000000000000000002',
        locked: '0.000000000000000003',
        total: text(2n ** 200n + 6n),
      });
    });

    test('fault 382: coins that cannot be moved are locked and not available, and are part of the total', async () => {
      balance('available', 'USDT-ERC20', 7_000_000n);
      balance('reserved', 'USDT-ERC20', 2_000_000n);
      frozen.set('USDT-ERC20', 5_000_000n);
      // More of it is frozen than the account is owed.
      balance('available', 'ETH', 1n);
      frozen.set('ETH', 3n);
      const rows = (await queries.list(SHOP)).map(presentWallet);
      assert.deepEqual(
        rows.slice(0, 2).map(({ available, locked, total }) => [available, locked, total]),
        [
          ['0', '0.000000000000000001', '0.000000000000000001'],
          ['2', '7', '9'],
        ],
      );
    });

    test('shows a currency that is not enabled any more while something is left of it', async () => {
      balance('available', 'LTC', 150_000_000n);
      balance('available', 'BNB', 0n);
      balance('reserved', 'BTC-LN', 1n);
      const rows = (await queries.list(SHOP)).map(presentWallet).filter(({ chain }) => !['ETH', 'BTC'].includes(chain));
      assert.deepEqual(
        rows.map(({ currency, total }) => [currency, total]),
        [
          ['BTC-LN', '0.00000000001'],
          ['LTC', '1.5'],
        ],
      );
    });
  });

  describe('self-custody balances', () => {
    test('are summed over addresses and keys, for each asset of the chains where something is registered', async () => {
      const node = new FakeBalances([...eth.assets, SHIB_ERC20]);
      eth.balances = node;
      btc.balances = new FakeBalances(btc.assets);
      watch('ETH', 'eth-a');
      watch('ETH', 'xpub-b', 'extended-key');
      node.sheets.set(
        'eth-a',
        new Map([
          ['ETH', 10n ** 18n],
          ['DOGE', 5n],
        ]),
      );
      node.sheets.set(
        'xpub-b',
        new Map([
          ['ETH', 1n],
          ['SHIB-ERC20', 7n * 10n ** 18n],
        ]),
      );
      const balances = await queries.selfCustody(SHOP);
      assert.deepEqual(
        balances.map((each) => [each.asset.chain, each.asset.currency, formatAmount(each)]),
        [
          ['ETH', 'ETH', '1.000000000000000001'],
          ['ETH', 'USDT-ERC20', '0'],
          ['ETH', 'SHIB-ERC20', '7'],
        ],
      );
      assert.equal(btc.balances instanceof FakeBalances && btc.balances.reads, 0);
      assert.deepEqual(asked, []);
    });

    test('are none while nothing is registered', async () => {
      assert.deepEqual(await queries.selfCustody(SHOP), []);
    });

    test('read at most four addresses at once, and once for two that ask together', async () => {
      const node = new FakeBalances(eth.assets);
      eth.balances = node;
      for (let index = 0; index < 20; index++) watch('ETH', `eth-${index}`);
      const [first, second] = await Promise.all([queries.selfCustody(SHOP), queries.selfCustody(SHOP)]);
      assert.deepEqual(first, second);
      assert.equal(node.reads, 20);
      assert.equal(node.most, 4);
      await queries.selfCustody(SHOP);
      assert.equal(node.reads, 40);
    });

    test('fail as a whole, naming the chain, when a node fails; nothing more is asked then', async () => {
      const node = new FakeBalances(eth.assets);
      eth.balances = node;
      node.failure = new TillgateError('NODE_FAILED', 'gone');
      for (let index = 0; index < 20; index++) watch('ETH', `eth-${index}`);
      const named = (error: unknown): boolean =>
        isTillgateError(error, 'NODE_FAILED') && /ETH/.test(error.message) && !/gone/.test(error.message);
      await assert.rejects(queries.selfCustody(SHOP), named);
      assert(node.reads <= 4, `${node.reads} reads`);
      node.failure = null;
      assert.equal((await queries.selfCustody(SHOP)).length, 2);
    });

    test('fail likewise where a chain is gone or its node cannot tell', async () => {
      for (const chain of ['BTC', 'DOGE']) {
        wallets.watches.splice(0);
        watch(chain, 'some-address');
        await assert.rejects(
          queries.selfCustody(SHOP),
          (error) => isTillgateError(error, 'NODE_FAILED') && error.message.includes(chain),
        );
      }
    });
  });
});
