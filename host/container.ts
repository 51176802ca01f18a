import 'reflect-metadata';
import { Container } from 'inversify';
import {
  AssetCatalogue,
  Authenticate,
  CALLBACK_TRANSPORT,
  CHAINS_TOKEN,
  CLOCK,
  ChainFollower,
  ChoosePayment,
  CreateAccount,
  CreateCredential,
  CreateOrder,
  DEADLINE,
  AddressPool,
  DEFAULT_POOL,
  DIGEST,
  DeliverCallbacks,
  EVENT_BUS,
  ExchangeToken,
  ExpireOrders,
  ID_GENERATOR,
  LIGHTNING_ASSET,
  LOGGER,
  METRICS,
  OperateOrder,
  OrderMover,
  OrderQueries,
  PASSWORD_HASHER,
  RANDOM,
  RATE_SOURCES,
  RateBook,
  SIGNER,
  STORAGE,
  TOKEN_ISSUER,
  VAULT,
  contractsOf,
  rateSymbols,
} from '../core/index.ts';
import type {
  AddressPoolSettings,
  Asset,
  ChainCode,
  ChainRegistry,
  Clock,
  Digest,
  EventBus,
  KeyCache,
  RateLimitSync,
  LightningDesk,
  Logger,
  Manage,
  PasswordHasher,
  PayoutRunner,
  Random,
  RequestRefund,
  RequestWithdrawal,
  Storage,
  Vault,
  WalletQueries,
} from '../core/index.ts';
import { JoseTokenIssuer, NodeDigest, ScryptHasher } from '../adapters/crypto/index.ts';
import { Eventemitter3Bus } from '../adapters/events/index.ts';
import { deadline } from '../adapters/system/index.ts';
import type { TillConfig } from './config.ts';
import { bindGateway } from './bind-gateway.ts';
import { bindLightning } from './bind-lightning.ts';
import { bindMoneyOut } from './bind-money-out.ts';
import type { GatewayDoor } from './gateway-door.ts';
import { LazyCallbackTransport, rateSource } from './lazy-edges.ts';
import type { NodeNumber } from './node-number.ts';
import type { PluginHarvest } from './plugins.ts';
import * as tokens from './tokens.ts';
import type { OpenWallet } from './wallet.ts';

/** What exists before the container: made with waiting, or by what the process is. */
export interface Foundations {
  readonly config: TillConfig;
  readonly masterKey: Uint8Array;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: tokens.ReadableMetrics;
  readonly random: Random;
  readonly vault: Vault;
  readonly storage: Storage;
  readonly nodeNumber: NodeNumber;
}

/** What {@link createContainer} makes; only this file and `plugins.ts` take things out of it. */
export type TillContainer = Container;

/** The container of one till: ports and accounts. {@link bindWallet} and {@link bindPlugins} add the rest. */
export function createContainer(foundations: Foundations): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  const { config, masterKey, nodeNumber } = foundations;
  container.bind(tokens.CONFIG).toConstantValue(config);
  container.bind(tokens.NODE_NUMBER).toConstantValue(nodeNumber);
  container.bind(CLOCK).toConstantValue(foundations.clock);
  container.bind(LOGGER).toConstantValue(foundations.logger);
  container.bind(RANDOM).toConstantValue(foundations.random);
  container.bind(VAULT).toConstantValue(foundations.vault);
  container.bind(STORAGE).toConstantValue(foundations.storage);
  container.bind(ID_GENERATOR).toConstantValue(nodeNumber);
  container.bind(DEADLINE).toConstantValue(deadline);
  container.bind(EVENT_BUS).toResolvedValue((logger) => new Eventemitter3Bus(logger), [LOGGER]);
  container.bind(tokens.READABLE_METRICS).toConstantValue(foundations.metrics);
  container.bind(METRICS).toConstantValue(foundations.metrics);
  container.bind(DIGEST).toResolvedValue(() => new NodeDigest());
  container.bind(PASSWORD_HASHER).toResolvedValue(() => new ScryptHasher());
  container.bind(TOKEN_ISSUER).toResolvedValue(() => new JoseTokenIssuer({ current: masterKey }));
  bindAccounts(container);
  return container;
}

function bindAccounts(container: Container): void {
  container
    .bind(tokens.CREATE_ACCOUNT)
    .toResolvedValue(
      (storage, vault, random, clock, hasher, ids) => new CreateAccount({ storage, vault, random, clock, hasher, ids }),
      [STORAGE, VAULT, RANDOM, CLOCK, PASSWORD_HASHER, ID_GENERATOR],
    );
  container
    .bind(tokens.CREATE_CREDENTIAL)
    .toResolvedValue(
      (storage, vault, random, clock, ids) => new CreateCredential({ storage, vault, random, clock, ids }),
      [STORAGE, VAULT, RANDOM, CLOCK, ID_GENERATOR],
    );
}

/** Binds what plugins are given besides the ports. */
export function bindWallet(container: Container, { wallet, signer }: OpenWallet): void {
  container.bind(tokens.PUBLIC_WALLET).toConstantValue(wallet);
  container.bind(SIGNER).toConstantValue(signer);
}

/** Binds what plugins brought, and the use cases. */
export function bindPlugins(container: Container, { chains, chainNames, lightning, rateSources }: PluginHarvest, base: tokens.BaseUrl): void {
  container.bind(tokens.BASE_URL).toConstantValue(base);
  const assets = [...[...chains.values()].flatMap((chain) => chain.assets), ...(lightning === null ? [] : [LIGHTNING_ASSET])];
  container.bind(CHAINS_TOKEN).toConstantValue(chains);
  container.bind(tokens.ASSETS).toConstantValue(new AssetCatalogue(assets, chainNames));
  container
    .bind(RATE_SOURCES)
    .toResolvedValue((config, clock) => [...config.rateSources.map((setting) => rateSource(setting, clock)), ...rateSources], [tokens.CONFIG, CLOCK]);
  bindEdges(container);
  bindOrders(container);
  bindWork(container);
  bindMoneyOut(container);
  bindLightning(container, lightning);
  bindGateway(container);
}

/** Deriving keeps the process from everything else, so it is done in small pieces; a sandbox needs no large store. */
function poolSettings({ mode }: TillConfig): AddressPoolSettings {
  return { ...DEFAULT_POOL, refill: 20, lowWater: mode === 'sandbox' ? 200 : DEFAULT_POOL.lowWater };
}

function bindEdges(container: Container): void {
  container.bind(CALLBACK_TRANSPORT).toResolvedValue((transport) => transport, [tokens.LAZY_TRANSPORT]);
  container
    .bind(tokens.LAZY_TRANSPORT)
    .toResolvedValue(
      ({ callbacks }, clock) =>
        new LazyCallbackTransport(clock, { timeoutMs: callbacks.timeoutSeconds * 1000, allowPrivateNetworks: callbacks.allowPrivateNetworks }),
      [tokens.CONFIG, CLOCK],
    );
  container
    .bind(tokens.AUTHENTICATE)
    .toResolvedValue(
      ({ auth }, storage, vault, digest, issuer, clock) =>
        new Authenticate({ storage, vault, digest, tokens: issuer, clock, clockSkewMs: auth.clockSkewSeconds * 1000 }),
      [tokens.CONFIG, STORAGE, VAULT, DIGEST, TOKEN_ISSUER, CLOCK],
    );
  container
    .bind(tokens.EXCHANGE_TOKEN)
    .toResolvedValue(
      ({ auth }, storage, hasher, issuer, clock) =>
        new ExchangeToken({ storage, hasher, tokens: issuer, clock, tokenTtlSeconds: auth.tokenTtlSeconds }),
      [tokens.CONFIG, STORAGE, PASSWORD_HASHER, TOKEN_ISSUER, CLOCK],
    );
}

/** What fees are paid in has to be priced too. */
function feeAssets(chains: ChainRegistry): readonly Asset[] {
  return [...chains.values()].flatMap(({ payments }) => (payments === null ? [] : [payments.feeAsset]));
}

function bindOrders(container: Container): void {
  container.bind(tokens.ORDER_SETTINGS).toResolvedValue(
    ({ orders }) => ({
      timeoutMs: orders.timeoutSeconds * 1000,
      watchMs: orders.watchSeconds * 1000,
      toleranceBps: orders.toleranceBps,
      min: orders.min,
      max: orders.max,
      pageMax: 100,
    }),
    [tokens.CONFIG],
  );
  container
    .bind(tokens.RATE_BOOK)
    .toResolvedValue(
      (sources, assets, chains, clock, deadline, logger, metrics) => new RateBook({ sources, symbols: rateSymbols(assets, feeAssets(chains)), clock, deadline, logger, metrics }),
      [RATE_SOURCES, tokens.ASSETS, CHAINS_TOKEN, CLOCK, DEADLINE, LOGGER, METRICS],
    );
  container
    .bind(tokens.ADDRESS_POOL)
    .toResolvedValue((config, chains, storage) => new AddressPool({ chains, storage, settings: poolSettings(config) }), [tokens.CONFIG, CHAINS_TOKEN, STORAGE]);
  container
    .bind(tokens.ORDER_MOVER)
    .toResolvedValue(
      (assets, chains, ids, events, metrics) => new OrderMover({ assets, contractOf: contractsOf(chains), ids, events, metrics }),
      [tokens.ASSETS, CHAINS_TOKEN, ID_GENERATOR, EVENT_BUS, METRICS],
    );
  container
    .bind(tokens.CREATE_ORDER)
    .toResolvedValue(
      (storage, assets, rates, addresses, invoices, clock, ids, random, events, metrics, settings) =>
        new CreateOrder({ storage, assets, rates, addresses, invoices, clock, ids, random, events, metrics, settings }),
      [STORAGE, tokens.ASSETS, tokens.RATE_BOOK, tokens.ADDRESS_POOL, tokens.INVOICES, CLOCK, ID_GENERATOR, RANDOM, EVENT_BUS, METRICS, tokens.ORDER_SETTINGS],
    );
  container
    .bind(tokens.CHOOSE_PAYMENT)
    .toResolvedValue(
      (storage, assets, chains, rates, addresses, invoices, clock) => new ChoosePayment({ storage, assets, chains, rates, addresses, invoices, clock }),
      [STORAGE, tokens.ASSETS, CHAINS_TOKEN, tokens.RATE_BOOK, tokens.ADDRESS_POOL, tokens.INVOICES, CLOCK],
    );
  container
    .bind(tokens.ORDER_QUERIES)
    .toResolvedValue(
      (storage, assets, chains, settings, base) =>
        new OrderQueries({
          storage,
          assets,
          chains,
          settings,
          // Read at each use: with port 0 the address is known only once the server listens.
          get baseUrl() {
            return base.url;
          },
        }),
      [STORAGE, tokens.ASSETS, CHAINS_TOKEN, tokens.ORDER_SETTINGS, tokens.BASE_URL],
    );
}

function bindWork(container: Container): void {
  container
    .bind(tokens.OPERATE_ORDER)
    .toResolvedValue((storage, mover, clock) => new OperateOrder({ storage, mover, clock }), [STORAGE, tokens.ORDER_MOVER, CLOCK]);
  container
    .bind(tokens.EXPIRE_ORDERS)
    .toResolvedValue(
      (storage, mover, clock, logger) => new ExpireOrders({ storage, mover, clock, logger }),
      [STORAGE, tokens.ORDER_MOVER, CLOCK, LOGGER],
    );
  container.bind(tokens.FOLLOWERS).toResolvedValue(
    (chains, storage, mover, clock, ids, events, logger, metrics) => {
      const deps = { storage, mover, clock, ids, events, logger, metrics };
      return new Map([...chains].map(([code, chain]) => [code, new ChainFollower(chain, deps)]));
    },
    [CHAINS_TOKEN, STORAGE, tokens.ORDER_MOVER, CLOCK, ID_GENERATOR, EVENT_BUS, LOGGER, METRICS],
  );
  container.bind(tokens.DELIVERY_SETTINGS).toResolvedValue(
    ({ callbacks }) => ({
      scheduleMs: callbacks.schedule.map((seconds) => seconds * 1000),
      timeoutMs: callbacks.timeoutSeconds * 1000,
      allowPrivateNetworks: callbacks.allowPrivateNetworks,
    }),
    [tokens.CONFIG],
  );
  container
    .bind(tokens.DELIVER_CALLBACKS)
    .toResolvedValue(
      (storage, transport, vault, digest, random, clock, deadline, logger, metrics, settings) =>
        new DeliverCallbacks({ storage, transport, vault, digest, random, clock, deadline, logger, metrics, settings }),
      [STORAGE, CALLBACK_TRANSPORT, VAULT, DIGEST, RANDOM, CLOCK, DEADLINE, LOGGER, METRICS, tokens.DELIVERY_SETTINGS],
    );
}

/** What works without any chain. */
export interface Accounts {
  readonly hasher: PasswordHasher;
  readonly createAccount: CreateAccount;
  readonly createCredential: CreateCredential;
}

/** Takes out what works before plugins are bound. */
export function resolveAccounts(container: Container): Accounts {
  return {
    hasher: container.get(PASSWORD_HASHER),
    createAccount: container.get(tokens.CREATE_ACCOUNT),
    createCredential: container.get(tokens.CREATE_CREDENTIAL),
  };
}

/** A till's parts, for whoever drives them: the server, the workers, the commands, an embedder. */
export interface Till {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventBus;
  readonly metrics: tokens.ReadableMetrics;
  readonly digest: Digest;
  readonly chains: ChainRegistry;
  readonly assets: AssetCatalogue;
  readonly rateBook: RateBook;
  readonly addressPool: AddressPool;
  readonly createOrder: CreateOrder;
  readonly choosePayment: ChoosePayment;
  readonly orderQueries: OrderQueries;
  readonly requestWithdrawal: RequestWithdrawal;
  readonly requestRefund: RequestRefund;
  readonly lightningDesk: LightningDesk;
  readonly lightningWork: tokens.LightningWork | null;
  readonly payouts: ReadonlyMap<ChainCode, PayoutRunner>;
  readonly walletQueries: WalletQueries;
  readonly operateOrder: OperateOrder;
  readonly expireOrders: ExpireOrders;
  readonly deliverCallbacks: DeliverCallbacks;
  readonly callbackTransport: LazyCallbackTransport;
  readonly followers: ReadonlyMap<ChainCode, ChainFollower>;
  readonly authenticate: Authenticate;
  readonly exchangeToken: ExchangeToken;
  readonly nodeNumber: NodeNumber;
  readonly knownKeys: KeyCache;
  readonly shareLimits: RateLimitSync;
  readonly gateway: GatewayDoor;
  readonly manage: Manage;
}

/** Takes the parts of a till out of its container, plugins bound. */
export function resolveTill(container: Container): Till {
  return {
    storage: container.get(STORAGE),
    clock: container.get(CLOCK),
    logger: container.get(LOGGER),
    events: container.get(EVENT_BUS),
    metrics: container.get(tokens.READABLE_METRICS),
    digest: container.get(DIGEST),
    chains: container.get(CHAINS_TOKEN),
    assets: container.get(tokens.ASSETS),
    rateBook: container.get(tokens.RATE_BOOK),
    addressPool: container.get(tokens.ADDRESS_POOL),
    createOrder: container.get(tokens.CREATE_ORDER),
    choosePayment: container.get(tokens.CHOOSE_PAYMENT),
    orderQueries: container.get(tokens.ORDER_QUERIES),
    requestWithdrawal: container.get(tokens.REQUEST_WITHDRAWAL),
    requestRefund: container.get(tokens.REQUEST_REFUND),
    lightningDesk: container.get(tokens.LIGHTNING_DESK),
    lightningWork: container.get(tokens.LIGHTNING_WORK),
    payouts: container.get(tokens.PAYOUTS),
    walletQueries: container.get(tokens.WALLET_QUERIES),
    operateOrder: container.get(tokens.OPERATE_ORDER),
    expireOrders: container.get(tokens.EXPIRE_ORDERS),
    deliverCallbacks: container.get(tokens.DELIVER_CALLBACKS),
    callbackTransport: container.get(tokens.LAZY_TRANSPORT),
    followers: container.get(tokens.FOLLOWERS),
    authenticate: container.get(tokens.AUTHENTICATE),
    exchangeToken: container.get(tokens.EXCHANGE_TOKEN),
    nodeNumber: container.get(tokens.NODE_NUMBER),
    knownKeys: container.get(tokens.KEY_CACHE),
    shareLimits: container.get(tokens.RATE_LIMIT_SYNC),
    gateway: container.get(tokens.GATEWAY),
    manage: container.get(tokens.MANAGE),
  };
}
