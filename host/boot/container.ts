import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Container } from 'inversify';
import {
  AddressPool,
  Allowance,
  AppLimits,
  AssetCatalogue,
  Authenticate,
  ChainFollower,
  ChainReports,
  ChoosePayment,
  CreateAccount,
  CreateCredential,
  CreateOrder,
  DailySummary,
  DeliverCallbacks,
  DeliverNotices,
  ExchangeToken,
  ClaimPullPayment,
  CreatePullPayment,
  DecideClaim,
  ExpireOrders,
  ExpirePullPayments,
  GateSales,
  HandleEvents,
  InvoiceFollower,
  InvoicePayer,
  Invoices,
  CheckBatch,
  KeyCache,
  LatePayments,
  LIGHTNING_ASSET,
  LightningService,
  LinkSales,
  OrderAdminActions,
  OrderQueries,
  OrderQuota,
  OrderStateMachine,
  PayBatches,
  PayoutFeeEstimator,
  PayoutRunner,
  PORTS,
  PrepaidBalances,
  Quotas,
  RateBook,
  RateLimitSync,
  ShopOrders,
  ShownBlocks,
  ShownBlockSync,
  RefusedAttempts,
  RequestCharge,
  RequestLightningPayment,
  RequestRefund,
  RequestWithdrawal,
  RescanDeposits,
  ConfiguredRoutes,
  RouteCache,
  SecondFactor,
  StoreAlerts,
  TidyNotices,
  TillEvents,
  TillgateError,
  TopUps,
  UnassignedDeposits,
  UsageMeter,
  UsageRecorder,
  WalletQueries,
  WatchLedger,
  WithdrawalAddresses,
  WithdrawalLimits,
  assert,
  canPay,
  createManage,
  formatUnits,
  rateSymbols,
  refusedFor,
  token,
  topUpPage,
} from '../../core/index.ts';
import type {
  ChainCode,
  LightningNode,
  Manage,
  NoticeChannel,
  NoticeSettings,
  ReportFormat,
  PortReplacements,
  PortWrappers,
  Ports,
  Storage,
  Token,
} from '../../core/index.ts';
import { AesGcmVault, CryptoDigest, CryptoRandom, JoseTokenIssuer, ScryptHasher } from '../../adapters/crypto/index.ts';
import type { MasterKeys } from '../../adapters/crypto/index.ts';
import { greenfieldFormat } from '../../adapters/http/greenfield/index.ts';
import { Eventemitter3Bus } from '../../adapters/events/index.ts';
import { eventPresenter } from '../../adapters/http/event-data.ts';
import { callbackPresenter } from '../../adapters/http/operations/order-record.ts';
import { randomTraceId } from '../../adapters/http/trace-id.ts';
import { scrubText } from '../../adapters/logging/secret-text.ts';
import { deadline } from '../../adapters/system/index.ts';
import type { Tracing } from '../../adapters/tracing/index.ts';
import { BUILT_IN_PRICE_IDS } from '../../plugins/prices.ts';
import { LazyGateway } from '../gateway/lazy-gateway.ts';
import { LazyCallbackTransport, breachedPasswords, rateSource } from '../http/lazy-edges.ts';
import {
  feeAssets,
  footerOf,
  gatewaySettings,
  manageSettings,
  passkeyVerifier,
  poolSettings,
  saleSettings,
  systemClock,
} from './part-settings.ts';
import { displayName } from '../settings/settings.ts';
import type { TillConfig } from '../settings/settings.ts';
import type { OpenWallet } from '../wallet/wallet.ts';
import type { SnowflakeWorkerId } from '../workers/worker-id.ts';
import type { DisposeStack } from './dispose-stack.ts';
import type { BaseUrl } from './own-hosts.ts';
import { requirePort } from './port-methods.ts';
import { cacheStoreOf } from './cache-store.ts';
import { NO_PLUGINS } from './plugin-registry.ts';
import type { PluginRegistry } from './plugin-registry.ts';
import { Recipes } from './recipes.ts';

/** The values that must exist before the container. */
interface Infrastructure {
  readonly config: TillConfig;
  readonly masterKeys: MasterKeys;
  /** The time for which this instance's view of the gateway keys may be trusted, in milliseconds. */
  readonly feedLeaseMs: number;
  readonly disposables: DisposeStack;
  readonly storage: Ports['storage'];
  readonly logger: Ports['logger'];
  readonly metrics: Ports['metrics'];
  /** `null` when tracing is off. */
  readonly tracing: Tracing | null;
}

/** Values that are opened while the till starts. */
interface OpenedLater {
  readonly workerId: SnowflakeWorkerId;
  readonly wallet: OpenWallet;
  readonly plugins: PluginRegistry;
  readonly baseUrl: BaseUrl;
}

/** The Lightning node with the workers that follow its invoices and its payments. */
export interface LightningWork {
  readonly node: LightningNode;
  readonly follower: InvoiceFollower;
  readonly payer: InvoicePayer;
}

/** The till's own implementations of the ports, except storage, logger and metrics, which are opened earlier. */
const portRecipes = new Recipes<Infrastructure & OpenedLater>()
  .port('clock', ({ logger }) => systemClock(logger))
  .port('ids', ({ workerId }) => workerId)
  .port('random', () => new CryptoRandom())
  .port('digest', () => new CryptoDigest())
  .port('vault', ({ masterKeys }) => new AesGcmVault(masterKeys))
  .port('passwordHasher', () => new ScryptHasher())
  .port('breachedPasswords', ({ config, logger }) => breachedPasswords(config.auth.breachedPasswords, logger))
  .port('tokenIssuer', ({ masterKeys }) => new JoseTokenIssuer(masterKeys))
  .port('signer', ({ wallet }) => wallet.signer)
  .port('events', ({ logger }) => new Eventemitter3Bus(logger))
  .port('deadline', () => deadline)
  .port('rates', ({ config, clock, plugins }) => [
    ...config.rateSources.map((setting) => rateSource(setting, clock, { ...BUILT_IN_PRICE_IDS, ...plugins.priceIds })),
    ...plugins.rateSources,
  ])
  .port('callbackTransport', ({ config, clock, disposables }) => {
    const transport = new LazyCallbackTransport(clock, config.callbacks);
    disposables.add('callback transport', () => transport.close());
    return transport;
  })
  .port('chains', ({ plugins }) => plugins.chains)
  .port('lightning', ({ plugins }) => plugins.lightning)
  .port('changeFeed', ({ storage }) => storage.feed)
  // The ports that most use cases need, so that their recipes name only the others.
  .inner('common', ({ storage, clock, ids, events, deadline, logger, metrics }) => ({
    ...{ storage, clock, ids, events, deadline, logger, metrics },
  }));

/** Accounts, their credentials and authorization. */
const accountRecipes = portRecipes
  .part(
    'createAccount',
    ({ common, vault, random, passwordHasher: hasher, breachedPasswords }) =>
      new CreateAccount({ ...common, vault, random, hasher, breachedPasswords }),
  )
  .part('createCredential', ({ common, vault, random }) => new CreateCredential({ ...common, vault, random }))
  .part(
    'authenticate',
    ({ common, vault, digest, tokenIssuer: tokens, config }) =>
      new Authenticate({ ...common, vault, digest, tokens, clockSkewMs: config.auth.clockSkewMs }),
  )
  .part('refusedAttempts', ({ common }) => new RefusedAttempts(common))
  .part(
    'exchangeToken',
    ({ common, passwordHasher: hasher, tokenIssuer: tokens, refusedAttempts, config }) =>
      new ExchangeToken({ ...common, hasher, tokens, refusedAttempts, tokenTtlSeconds: config.auth.tokenTtlSeconds }),
  )
  .inner(
    'secondFactor',
    ({ common, vault, random, digest, refusedAttempts, config }) =>
      new SecondFactor({ ...common, vault, random, digest, refusedAttempts, issuer: displayName(config) }),
  );

/** Prices, orders, and the deposits that pay them. */
const orderRecipes = accountRecipes
  .part('assets', ({ chains, lightning, plugins }) => {
    const assets = [...chains.values()].flatMap((chain) => chain.assets);
    return new AssetCatalogue(lightning === null ? assets : [...assets, LIGHTNING_ASSET], plugins.chainNames);
  })
  .part(
    'rateBook',
    ({ common, rates: sources, assets, chains, config }) =>
      new RateBook({
        ...common,
        sources,
        symbols: rateSymbols(assets, feeAssets(chains)),
        spreadBps: config.orders.spreadBps,
      }),
  )
  .part(
    'addressPool',
    ({ common, chains, config }) => new AddressPool({ ...common, chains, settings: poolSettings(config) }),
  )
  .inner(
    'orderStateMachine',
    ({ common, assets, config }) => new OrderStateMachine({ ...common, assets, settings: config.orders }),
  )
  .inner(
    'latePayments',
    ({ rateBook: rates, assets, config }) => new LatePayments({ rates, assets, settings: config.orders }),
  )
  .inner('orderQuota', ({ common, config }) => new OrderQuota({ ...common, settings: config.orders }))
  .inner('invoices', ({ common, lightning: node }) => (node === null ? null : new Invoices({ ...common, node })))
  .part('chainReports', ({ common, chains, lightning }) => new ChainReports({ ...common, chains, lightning }))
  .part(
    'createOrder',
    (parts) =>
      new CreateOrder({
        ...parts.common,
        random: parts.random,
        assets: parts.assets,
        rates: parts.rateBook,
        addresses: parts.addressPool,
        invoices: parts.invoices,
        chainReports: parts.chainReports,
        quota: parts.orderQuota,
        settings: parts.config.orders,
      }),
  )
  .part(
    'choosePayment',
    (parts) =>
      new ChoosePayment({
        ...parts.common,
        assets: parts.assets,
        chains: parts.chains,
        rates: parts.rateBook,
        addresses: parts.addressPool,
        invoices: parts.invoices,
        chainReports: parts.chainReports,
        quota: parts.orderQuota,
      }),
  )
  .part(
    'orderQueries',
    ({ common, assets, chains, config, baseUrl }) =>
      new OrderQueries({
        ...common,
        assets,
        chains,
        settings: config.orders,
        refundHoldMs: refusedFor(config.withdrawals.refunds),
        // Read at each use: with port 0 the address is known only once the server listens.
        get baseUrl() {
          return baseUrl.url;
        },
      }),
  )
  .part(
    'orderAdminActions',
    ({ common, orderStateMachine: stateMachine }) => new OrderAdminActions({ ...common, stateMachine }),
  )
  .part('expireOrders', ({ common, orderStateMachine: stateMachine }) => new ExpireOrders({ ...common, stateMachine }))
  .part(
    'shopOrders',
    ({ common, assets, chains, createOrder, orderQueries: queries }) =>
      new ShopOrders({ ...common, assets, chains, createOrder, queries }),
  )
  .part(
    'linkSales',
    (parts) =>
      new LinkSales({
        ...parts.common,
        random: parts.random,
        digest: parts.digest,
        assets: parts.assets,
        createOrder: parts.createOrder,
        choosePayment: parts.choosePayment,
        orderAdminActions: parts.orderAdminActions,
        settings: parts.config.orders,
      }),
  )
  .inner(
    'rescanDeposits',
    ({ common, chains, latePayments }) => new RescanDeposits({ ...common, chains, latePayments }),
  )
  .part(
    'followers',
    ({ common, chains, orderStateMachine: stateMachine, latePayments }): ReadonlyMap<ChainCode, ChainFollower> => {
      const deps = { ...common, stateMachine, latePayments };
      return new Map([...chains].map(([code, chain]) => [code, new ChainFollower(chain, deps)]));
    },
  );

/** Withdrawals, refunds, sweeps, the payout runner of each chain that pays, and the check of the ledger. */
const payoutRecipes = orderRecipes
  .part('watchLedger', ({ common }) => new WatchLedger(common))
  .inner(
    'payoutFees',
    ({ common, rateBook: rates, config }) =>
      new PayoutFeeEstimator({ ...common, rates, feeBudget: config.sweeps.feeBudget }),
  )
  .inner(
    'withdrawalLimits',
    ({ assets, rateBook: rates, config }) => new WithdrawalLimits({ assets, rates, limits: config.withdrawals.limits }),
  )
  .inner(
    'lightningPayments',
    ({ common, lightning: node, secondFactor, withdrawalLimits: limits, config: { withdrawals: settings } }) =>
      node === null
        ? null
        : new RequestLightningPayment({
            ...common,
            node,
            secondFactor,
            limits,
            settings,
            fees: settings.lightningFees,
            longestInvoiceMs: settings.lightningLongestInvoiceMs,
          }),
  )
  .inner(
    'payoutRequests',
    ({
      common,
      assets,
      chains,
      secondFactor,
      payoutFees: fees,
      withdrawalLimits: limits,
      config: { withdrawals },
    }) => ({
      ...common,
      ...{ assets, chains, secondFactor, fees, limits, withdrawals },
    }),
  )
  .part(
    'requestWithdrawal',
    ({ payoutRequests: { withdrawals: settings, ...deps }, lightningPayments: lightning }) =>
      new RequestWithdrawal({ ...deps, lightning, settings }),
  )
  .part(
    'requestRefund',
    ({ payoutRequests: deps, rateBook: rates }) =>
      new RequestRefund({ ...deps, rates, settings: deps.withdrawals.refunds }),
  )
  .inner('claimTransfers', ({ payoutRequests: { withdrawals: settings, ...deps }, rateBook: rates }) => ({
    ...{ ...deps, settings, rates, approverHoldMs: settings.addressHoldMs },
    addresses: new WithdrawalAddresses({ ...deps, addressHoldMs: settings.addressHoldMs }),
  }))
  .part('claimPullPayment', ({ claimTransfers: deps }) => new ClaimPullPayment(deps))
  .part('expirePullPayments', ({ common }) => new ExpirePullPayments(common))
  .part('createPullPayment', ({ claimTransfers: deps, random }) => new CreatePullPayment({ ...deps, random }))
  .part('decideClaim', ({ claimTransfers: deps }) => new DecideClaim(deps))
  .part(
    'requestCharge',
    ({ common, assets, chains, rateBook, orderQueries }) =>
      new RequestCharge({ ...common, assets, chains, rateBook, orderQueries }),
  )
  .inner(
    'unassignedDeposits',
    ({ payoutRequests: deps, orderStateMachine: stateMachine }) => new UnassignedDeposits({ ...deps, stateMachine }),
  )
  .part('payouts', (parts): ReadonlyMap<ChainCode, PayoutRunner> => {
    const { common, assets, chains, rateBook: rates, orderStateMachine: stateMachine, config } = parts;
    const deps = { ...common, assets, rates, stateMachine };
    return new Map(
      [...chains.values()]
        .filter(canPay)
        .map((chain) => [chain.code, new PayoutRunner(chain, deps, config.sweeps, config.payouts)]),
    );
  })
  .part(
    'checkBatch',
    ({ payoutRequests: deps, rateBook: rates, lightning, config: { withdrawals } }) =>
      new CheckBatch({
        ...{ ...deps, rates, lightning, withdrawals },
        lightningFees: withdrawals.lightningFees,
        longestInvoiceMs: withdrawals.lightningLongestInvoiceMs,
      }),
  )
  .part(
    'payBatches',
    ({ payoutRequests: deps, lightning, config: { withdrawals } }) =>
      new PayBatches({ ...deps, lightning, longestInvoiceMs: withdrawals.lightningLongestInvoiceMs }),
  )
  .part('walletQueries', ({ common, assets, chains }) => new WalletQueries({ ...common, assets, chains }));

/** Lightning; its work is `null` without a node, as are its invoices and payments above. */
const lightningRecipes = payoutRecipes
  .part(
    'lightningService',
    ({ lightning: node, lightningPayments: payments, orderQueries }) =>
      new LightningService({ node, payments, payUrl: (order) => orderQueries.payUrl(order) }),
  )
  .part(
    'lightningWork',
    ({ common, lightning: node, orderStateMachine: stateMachine, latePayments }): LightningWork | null => {
      if (node === null) return null;
      const deps = { ...common, node, stateMachine, latePayments };
      return { node, follower: new InvoiceFollower(deps), payer: new InvoicePayer(deps) };
    },
  );

/** Callbacks to merchants, events for the application's own handlers, and notices to persons. */
const noticeRecipes = lightningRecipes
  .inner('webhookFormats', ({ assets }): readonly ReportFormat[] => [greenfieldFormat(assets)])
  .part(
    'deliverCallbacks',
    ({
      common,
      callbackTransport: transport,
      vault,
      digest,
      random,
      webhookFormats: formats,
      config: { callbacks: settings },
    }) => new DeliverCallbacks({ ...common, transport, vault, digest, random, formats, settings }),
  )
  .part(
    'handleEvents',
    ({ common, random, config: { callbacks: settings } }) =>
      new HandleEvents({ ...common, random, settings, scrub: scrubText }),
  )
  .inner('noticeSettings', ({ plugins, assets }): NoticeSettings => ({
    channels: () => plugins.noticeChannels,
    // A currency whose plugin was removed is written in base units.
    amount: (currency, units) => `${formatUnits(units, assets.find(currency)?.decimals ?? 0)} ${currency}`,
  }))
  .part(
    'deliverNotices',
    ({ common, random, plugins: { notifiers }, config, baseUrl }) =>
      new DeliverNotices({
        ...common,
        random,
        notifiers,
        // Read at each use: with port 0 the address is known only once the server listens.
        footer: () => footerOf(config, baseUrl.url),
      }),
  )
  .part('dailySummary', ({ common, noticeSettings }) => new DailySummary({ ...common, notices: noticeSettings }))
  .part('tidyNotices', ({ common }) => new TidyNotices(common))
  .part('storeAlerts', ({ common }) => new StoreAlerts(common));

/** The node gateway: its routes, keys, rate limits, and the proxy itself. */
const gatewayRecipes = noticeRecipes
  .part('configuredRoutes', ({ config }) => new ConfiguredRoutes(config.gateways))
  .inner(
    'routeCache',
    ({ storage, vault, logger, configuredRoutes: configured }) =>
      new RouteCache({ routes: storage.routes, configured, vault, logger }),
  )
  .inner('usageMeter', ({ clock }) => new UsageMeter(clock))
  .inner(
    'allowance',
    ({ clock, baseUrl }) =>
      new Allowance(new Quotas(clock), new PrepaidBalances((secret) => topUpPage(baseUrl.url, secret))),
  )
  .part(
    'keyCache',
    ({ common, vault, random, changeFeed: feed, feedLeaseMs: leaseMs, routeCache, allowance }) =>
      // A new id for each process: an earlier process that was cut off must not confirm changes for this one.
      new KeyCache({
        ...{ ...common, vault, random, feed, leaseMs },
        apps: common.storage.apps,
        instance: randomUUID(),
        alongside: [routeCache, allowance.prepaid],
      }),
  )
  .port('keyDirectory', ({ keyCache }) => keyCache)
  .inner('appLimits', () => new AppLimits())
  .inner('sharedCache', ({ config, storage, logger, disposables }) => {
    const store = cacheStoreOf(config.gateway.cache, storage, logger);
    if (store !== null) disposables.add('shared cache', () => store.close());
    return { store };
  })
  .part(
    'rateLimitSync',
    ({ appLimits: limits, storage, clock, routeCache }) =>
      new RateLimitSync({
        ...{ limits, uses: storage.uses, clock, instance: randomUUID() },
        hasRoutes: () => !routeCache.table().isEmpty,
      }),
  )
  .inner('shownBlocks', () => new ShownBlocks())
  .part(
    'shownBlockSync',
    ({ shownBlocks: blocks, storage: { shownBlocks: store } }) =>
      new ShownBlockSync({ blocks, store, instance: randomUUID(), now: () => performance.now() }),
  )
  .part(
    'topUps',
    ({ common, createOrder, orderQueries: queries, config: { orders, gateway }, baseUrl }) =>
      new TopUps({
        ...{ ...common, createOrder, queries, baseUrl },
        orderTimeoutMs: orders.timeoutMs,
        sales: gateway.sales,
      }),
  )
  .inner(
    'gateSales',
    (parts) =>
      new GateSales({
        ...parts.common,
        digest: parts.digest,
        vault: parts.vault,
        random: parts.random,
        assets: parts.assets,
        chains: parts.chains,
        rateBook: parts.rateBook,
        createOrder: parts.createOrder,
        charges: parts.requestCharge,
        orderTimeoutMs: parts.config.orders.timeoutMs,
        sales: parts.config.gateway.sales,
      }),
  )
  .part(
    'usageRecorder',
    ({ common, usageMeter: meter, allowance, storage: { usage, prepaid } }) =>
      new UsageRecorder({ ...common, meter, allowance, usage, prepaid, instance: randomUUID() }),
  )
  .part('gateway', (parts) => {
    const { config, routeCache, configuredRoutes } = parts;
    const gateway = new LazyGateway({
      ...gatewaySettings(config, configuredRoutes),
      sales: config.gateway.sales === null ? null : { sales: parts.gateSales, ...saleSettings(config) },
      clock: parts.clock,
      metrics: parts.metrics,
      logger: parts.logger,
      allowance: parts.allowance,
      routes: () => routeCache.table(),
      directory: parts.keyDirectory,
      sharedCache: parts.sharedCache.store,
      limiter: parts.appLimits,
      shownBlocks: parts.shownBlocks,
      meter: parts.usageMeter,
      traceId: randomTraceId,
    });
    // After the cache of routes, which was made before.
    configuredRoutes.onChange(() => gateway.routesChanged());
    return gateway;
  });

/** The recipes of all parts. The last one makes the management API's use cases, which commands use too. */
export const RECIPES = gatewayRecipes.part('manage', (parts) => {
  const { config, baseUrl, gateway } = parts;
  return createManage({
    ...parts.common,
    vault: parts.vault,
    random: parts.random,
    digest: parts.digest,
    hasher: parts.passwordHasher,
    breachedPasswords: parts.breachedPasswords,
    passkeyVerifier: passkeyVerifier(config, baseUrl),
    secondFactor: parts.secondFactor,
    refusedAttempts: parts.refusedAttempts,
    createAccount: parts.createAccount,
    createOrder: parts.createOrder,
    stateMachine: parts.orderStateMachine,
    queries: parts.orderQueries,
    chains: parts.chains,
    assets: parts.assets,
    lightning: parts.lightning,
    rates: parts.rateBook,
    walletQueries: parts.walletQueries,
    requestRefund: parts.requestRefund,
    requestWithdrawal: parts.requestWithdrawal,
    checkBatch: parts.checkBatch,
    createPullPayment: parts.createPullPayment,
    decideClaim: parts.decideClaim,
    unassignedDeposits: parts.unassignedDeposits,
    rescanDeposits: parts.rescanDeposits,
    topUps: parts.topUps,
    presenter: eventPresenter(parts.assets),
    formats: parts.webhookFormats,
    admissionTally: (app) => gateway.admissionTally(app),
    upstreamHealth: (route) => gateway.upstreamHealth(route),
    settings: manageSettings(config, baseUrl, parts.configuredRoutes),
  });
});

/** The given values and all parts, as recipes use them. */
export type Parts = Parameters<typeof RECIPES.hostPartsOf>[0];

/** The given values that the host uses too. */
const HOST_VALUES = ['storage', 'logger', 'metrics', 'tracing', 'workerId', 'wallet'] as const;

/** The parts of a till that the server, the workers and the commands use. */
export interface Till extends Pick<Parts, (typeof HOST_VALUES)[number]>, ReturnType<typeof RECIPES.hostPartsOf> {}

/** Ports that an embedder replaces, and wrappers around ports. */
export interface PortOverrides {
  readonly replace?: PortReplacements;
  readonly wrap?: PortWrappers;
}

/** Made by {@link createContainer}; only this file resolves parts from it. */
export type TillContainer = Container;

/**
 * Creates the container of one till, in which each part is a singleton. {@link provide} adds values opened later.
 *
 * @throws TillgateError `CONFIG_INVALID` for a replacement that names no port
 */
export function createContainer(
  infrastructure: Infrastructure,
  { replace = {}, wrap = {} }: PortOverrides = {},
): TillContainer {
  const container = new Container({ defaultScope: 'Singleton' });
  const parts = partsOf(container);
  for (const name of RECIPES.names)
    container.bind<unknown>(tokenOf(name)).toDynamicValue(() => RECIPES.make(name, parts));
  provide(container, infrastructure);
  for (const name of portNames(replace)) replacePort(container, name, replace[name]);
  // After the replacements, which remove the activations of a port; before the wrappers, so that a wrapper's own writes
  // are reported too.
  container.onActivation<Storage>(tokenOf('storage'), (_context, storage) => {
    storage.dispatchTo(tillEvents(container));
    return storage;
  });
  for (const name of portNames(wrap)) wrapPort(container, name, wrap[name]);
  return container;
}

/** What reports the changes of this till; its own parts are resolved at the first change that needs them. */
function tillEvents(container: Container): TillEvents {
  const parts = partsOf(container);
  return new TillEvents({
    get ids() {
      return parts.ids;
    },
    get clock() {
      return parts.clock;
    },
    get events() {
      return parts.events;
    },
    get assets() {
      return parts.assets;
    },
    get chains() {
      return parts.chains;
    },
    callbacks: callbackPresenter,
    presenter: eventPresenter({ find: (currency) => parts.assets.find(currency) }),
    formats: [greenfieldFormat({ find: (currency) => parts.assets.find(currency) })],
    notices: {
      // Before the plugins are set up, transactions cause no notices.
      channels: () => (container.isBound(tokenOf('plugins')) ? parts.noticeSettings.channels() : []),
      amount: (currency, units) => parts.noticeSettings.amount(currency, units),
    },
  });
}

function portNames(ports: object): readonly (keyof Ports)[] {
  return Object.keys(ports).map((name) => {
    if (Object.hasOwn(PORTS, name)) return name as keyof Ports;
    throw new TillgateError(
      'CONFIG_INVALID',
      `replace.${name} is not a port; the ports are ${Object.keys(PORTS).join(', ')}.`,
    );
  });
}

function replacePort<Name extends keyof Ports>(container: Container, name: Name, port: Ports[Name] | undefined): void {
  if (port === undefined) return;
  requirePort(name, port);
  container.rebind(tokenOf(name)).toConstantValue(port as Parts[Name]);
}

function wrapPort<Name extends keyof Ports>(container: Container, name: Name, wrapper: PortWrappers[Name]): void {
  if (wrapper !== undefined) container.onActivation<Ports[Name]>(tokenOf(name), (_context, port) => wrapper(port));
}

/** Adds values that were opened later, each once. */
export function provide(container: TillContainer, values: Partial<Infrastructure & OpenedLater>): void {
  for (const [name, value] of Object.entries(values))
    container.bind<unknown>(tokenOf(name as keyof Parts)).toConstantValue(value);
}

/** The ports that are needed to open the rest of a till. */
export type OpeningPorts = Pick<Ports, 'storage' | 'clock' | 'vault' | 'random' | 'events'>;

export function openingPorts(container: TillContainer): OpeningPorts {
  return take(container, ['storage', 'clock', 'vault', 'random', 'events']);
}

/** The ports that plugins receive; `workerId` and `wallet` must have been provided. */
export function pluginPorts(container: TillContainer): Pick<Ports, 'storage' | 'clock' | 'logger' | 'signer'> {
  return take(container, ['storage', 'clock', 'logger', 'signer']);
}

/**
 * The management use cases, for a command that needs no plugin.
 *
 * @param noticeChannels - the server's notifiers, which send the notices about what the command changes
 */
export function resolveManage(container: TillContainer, noticeChannels: readonly NoticeChannel[]): Manage {
  provide(container, { plugins: { ...NO_PLUGINS, noticeChannels }, baseUrl: { url: '' } });
  return resolve(container, 'manage');
}

/** Resolves a whole till; every value that is opened later must have been provided. */
export function resolveTill(container: TillContainer): Till {
  return { ...take(container, HOST_VALUES), ...RECIPES.hostPartsOf(partsOf(container)) };
}

function take<Name extends keyof Parts>(container: Container, names: readonly Name[]): Pick<Parts, Name> {
  return Object.fromEntries(names.map((name) => [name, resolve(container, name)])) as Pick<Parts, Name>;
}

/** The parts of a container; each is made when it is first read. */
function partsOf(container: Container): Parts {
  return new Proxy({} as Parts, {
    get: (_parts, name) => resolve(container, name as keyof Parts),
    ownKeys: () => {
      throw new TypeError('Parts are taken by name; they cannot be spread or listed.');
    },
  });
}

function resolve<Name extends keyof Parts>(container: Container, name: Name): Parts[Name] {
  assert(container.isBound(tokenOf(name)), `the part ${name} is needed before it was provided`);
  return container.get(tokenOf(name));
}

/** The token of a part; a port's token is the one that the core exports. */
export function tokenOf<Name extends keyof Parts>(name: Name): Token<Parts[Name]> {
  const ports: { readonly [Port in keyof Parts]?: unknown } = PORTS;
  return (ports[name] ?? token(`host.${name}`)) as Token<Parts[Name]>;
}
