import {
  AddressPool,
  AssetCatalogue,
  ChainFollower,
  ChainReports,
  ChoosePayment,
  CreateOrder,
  DEFAULT_POOL,
  ExpireOrders,
  LatePayments,
  LIGHTNING_ASSET,
  LinkSales,
  OrderAdminActions,
  OrderStateMachine,
  OrderQueries,
  OrderQuota,
  RateBook,
  RescanDeposits,
  rateSymbols,
  refusedFor,
} from '../../../core/index.ts';
import type { AddressPoolSettings, Asset, ChainRegistry } from '../../../core/index.ts';
import type { TillConfig } from '../../settings/settings.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Prices, orders, and the deposits that pay them. */
export const orderRecipes = {
  assets: recipe(['chains', 'lightning', 'plugins'], ({ chains, lightning, plugins }) => {
    const assets = [...chains.values()].flatMap((chain) => chain.assets);
    return new AssetCatalogue(lightning === null ? assets : [...assets, LIGHTNING_ASSET], plugins.chainNames);
  }),
  rateBook: recipe(
    ['config', 'rates', 'assets', 'chains', 'clock', 'deadline', 'logger', 'metrics'],
    ({ config, rates: sources, assets, chains, ...ports }) =>
      new RateBook({
        ...ports,
        spreadBps: config.orders.spreadBps,
        sources,
        symbols: rateSymbols(assets, feeAssets(chains)),
      }),
  ),
  addressPool: recipe(
    ['config', 'chains', 'storage'],
    ({ config, ...ports }) => new AddressPool({ ...ports, settings: poolSettings(config) }),
  ),
  orderStateMachine: recipe(
    ['config', 'assets', 'events', 'metrics'],
    ({ config, ...parts }) => new OrderStateMachine({ ...parts, settings: config.orders }),
  ),
  latePayments: recipe(
    ['config', 'rateBook', 'assets'],
    ({ config, rateBook: rates, assets }) => new LatePayments({ rates, assets, settings: config.orders }),
  ),
  orderQuota: recipe(
    ['config', 'storage', 'clock'],
    ({ config, ...parts }) => new OrderQuota({ ...parts, settings: config.orders }),
  ),
  createOrder: recipe(
    [
      'config',
      'storage',
      'assets',
      'rateBook',
      'addressPool',
      'invoices',
      'chainReports',
      'clock',
      'ids',
      'random',
      'events',
      'metrics',
      'orderQuota',
    ],
    ({ config, rateBook: rates, addressPool: addresses, orderQuota: quota, ...parts }) =>
      new CreateOrder({ ...parts, rates, addresses, quota, settings: config.orders }),
  ),
  choosePayment: recipe(
    ['storage', 'assets', 'chains', 'rateBook', 'addressPool', 'invoices', 'chainReports', 'clock', 'orderQuota'],
    ({ rateBook: rates, addressPool: addresses, orderQuota: quota, ...parts }) =>
      new ChoosePayment({ ...parts, rates, addresses, quota }),
  ),
  orderQueries: recipe(
    ['config', 'storage', 'assets', 'chains', 'clock', 'baseUrl'],
    ({ config, baseUrl, ...parts }) =>
      new OrderQueries({
        ...parts,
        settings: config.orders,
        refundHoldMs: refusedFor(config.withdrawals.refunds),
        // Read at each use: with port 0 the address is known only once the server listens.
        get baseUrl() {
          return baseUrl.url;
        },
      }),
  ),
  orderAdminActions: recipe(
    ['storage', 'orderStateMachine', 'clock'],
    ({ orderStateMachine: stateMachine, ...ports }) => new OrderAdminActions({ ...ports, stateMachine }),
  ),
  expireOrders: recipe(
    ['storage', 'orderStateMachine', 'clock', 'logger'],
    ({ orderStateMachine: stateMachine, ...ports }) => new ExpireOrders({ ...ports, stateMachine }),
  ),
  linkSales: recipe(
    ['config', 'storage', 'createOrder', 'choosePayment', 'assets', 'clock', 'ids', 'random', 'digest'],
    ({ config, ...parts }) => new LinkSales({ ...parts, settings: config.orders }),
  ),
  chainReports: recipe(
    ['storage', 'chains', 'lightning', 'clock', 'events', 'logger', 'metrics'],
    (ports) => new ChainReports(ports),
  ),
  rescanDeposits: recipe(
    ['chains', 'storage', 'latePayments', 'clock', 'ids', 'events', 'logger', 'metrics'],
    (parts) => new RescanDeposits(parts),
  ),
  followers: recipe(
    ['chains', 'storage', 'orderStateMachine', 'latePayments', 'clock', 'ids', 'events', 'logger', 'metrics'],
    ({ chains, orderStateMachine: stateMachine, ...ports }) =>
      new Map([...chains].map(([code, chain]) => [code, new ChainFollower(chain, { ...ports, stateMachine })])),
  ),
} satisfies Recipes;

/** Deriving an address blocks the event loop, so it is done in small batches; a sandbox needs no large pool. */
function poolSettings({ mode }: TillConfig): AddressPoolSettings {
  return { ...DEFAULT_POOL, refill: 20, lowWater: mode === 'sandbox' ? 200 : DEFAULT_POOL.lowWater };
}

/** Network fees are paid in these assets, so they need prices too. */
function feeAssets(chains: ChainRegistry): readonly Asset[] {
  return [...chains.values()].flatMap(({ payments }) => (payments === null ? [] : [payments.feeAsset]));
}
