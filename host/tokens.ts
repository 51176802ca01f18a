import { token } from '../core/index.ts';
import type {
  AddressPool,
  AppLimits,
  AssetCatalogue,
  Authenticate,
  ChainCode,
  ChainFollower,
  ChoosePayment,
  CreateAccount,
  CreateCredential,
  CreateOrder,
  DeliverCallbacks,
  DeliverySettings,
  ExchangeToken,
  ExpireOrders,
  KeyCache,
  RouteCache,
  InvoiceFollower,
  InvoicePayer,
  Invoices,
  LightningDesk,
  LightningNode,
  Manage,
  Metrics,
  OperateOrder,
  OrderMover,
  OrderQueries,
  OrderSettings,
  FeeDesk,
  PayoutRunner,
  RateLimitSync,
  PublicWallet,
  RateBook,
  RequestLightningPayment,
  RequestRefund,
  RequestWithdrawal,
  SecondFactor,
  WalletQueries,
} from '../core/index.ts';
import type { TillConfig } from './config.ts';
import type { LazyCallbackTransport } from './lazy-edges.ts';
import type { GatewayDoor } from './gateway-door.ts';
import type { NodeNumber } from './node-number.ts';

/** Names of what the container holds besides the ports, whose tokens stand beside them in the core. */
export const CONFIG = token<TillConfig>('TillConfig');
export const BASE_URL = token<BaseUrl>('BaseUrl');
export const NODE_NUMBER = token<NodeNumber>('NodeNumber');
export const PUBLIC_WALLET = token<PublicWallet>('PublicWallet');
export const ORDER_SETTINGS = token<OrderSettings>('OrderSettings');
export const DELIVERY_SETTINGS = token<DeliverySettings>('DeliverySettings');
export const LAZY_TRANSPORT = token<LazyCallbackTransport>('LazyCallbackTransport');
export const READABLE_METRICS = token<ReadableMetrics>('ReadableMetrics');
export const ASSETS = token<AssetCatalogue>('AssetCatalogue');

export const RATE_BOOK = token<RateBook>('RateBook');
export const ADDRESS_POOL = token<AddressPool>('AddressPool');
export const ORDER_MOVER = token<OrderMover>('OrderMover');
export const CREATE_ORDER = token<CreateOrder>('CreateOrder');
export const CHOOSE_PAYMENT = token<ChoosePayment>('ChoosePayment');
export const ORDER_QUERIES = token<OrderQueries>('OrderQueries');
export const FEE_DESK = token<FeeDesk>('FeeDesk');
export const SECOND_FACTOR = token<SecondFactor>('SecondFactor');
export const REQUEST_WITHDRAWAL = token<RequestWithdrawal>('RequestWithdrawal');
export const REQUEST_REFUND = token<RequestRefund>('RequestRefund');
export const PAYOUTS = token<ReadonlyMap<ChainCode, PayoutRunner>>('PayoutRunners');
export const WALLET_QUERIES = token<WalletQueries>('WalletQueries');
export const INVOICES = token<Invoices | null>('Invoices');
export const LIGHTNING_PAYMENTS = token<RequestLightningPayment | null>('LightningPayments');
export const LIGHTNING_DESK = token<LightningDesk>('LightningDesk');
export const LIGHTNING_WORK = token<LightningWork | null>('LightningWork');
export const OPERATE_ORDER = token<OperateOrder>('OperateOrder');
export const EXPIRE_ORDERS = token<ExpireOrders>('ExpireOrders');
export const DELIVER_CALLBACKS = token<DeliverCallbacks>('DeliverCallbacks');
export const FOLLOWERS = token<ReadonlyMap<ChainCode, ChainFollower>>('ChainFollowers');
export const AUTHENTICATE = token<Authenticate>('Authenticate');
export const EXCHANGE_TOKEN = token<ExchangeToken>('ExchangeToken');
export const CREATE_ACCOUNT = token<CreateAccount>('CreateAccount');
export const CREATE_CREDENTIAL = token<CreateCredential>('CreateCredential');

/** The node with those who watch over its invoices and payments. */
export interface LightningWork {
  readonly node: LightningNode;
  readonly follower: InvoiceFollower;
  readonly payer: InvoicePayer;
}

/** Metrics that can be shown to Prometheus. */
export interface ReadableMetrics extends Metrics {
  /** Everything measured, in Prometheus' text format. */
  text(): Promise<string>;
  /** The content type of {@link ReadableMetrics.text}. */
  readonly contentType: string;
}

/** Where payers reach this till, without a slash at the end; `url` is set once the port is known. */
export interface BaseUrl {
  url: string;
}
export const KEY_CACHE = token<KeyCache>('KeyCache');
export const APP_LIMITS = token<AppLimits>('AppLimits');
export const RATE_LIMIT_SYNC = token<RateLimitSync>('RateLimitSync');
export const ROUTE_CACHE = token<RouteCache>('RouteCache');
export const GATEWAY = token<GatewayDoor>('GatewayDoor');
export const MANAGE = token<Manage>('Manage');
