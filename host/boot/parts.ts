import { PORTS, token } from '../../core/index.ts';
import type {
  AddressPool,
  Allowance,
  AppLimits,
  AssetCatalogue,
  Authenticate,
  ChainCode,
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
  ExpireOrders,
  GateSales,
  PayoutFeeEstimator,
  InvoiceFollower,
  InvoicePayer,
  Invoices,
  KeyCache,
  RouteCache,
  LatePayments,
  LightningService,
  LightningNode,
  LinkSales,
  Manage,
  OrderAdminActions,
  OrderStateMachine,
  OrderQueries,
  NoticeSettings,
  OrderQuota,
  PayoutRunner,
  Ports,
  RateBook,
  RefusedAttempts,
  RescanDeposits,
  RequestLightningPayment,
  RequestCharge,
  RequestRefund,
  RequestWithdrawal,
  WithdrawalLimits,
  SecondFactor,
  StoreAlerts,
  RateLimitSync,
  TidyNotices,
  Token,
  TopUps,
  UnassignedDeposits,
  UsageMeter,
  UsageRecorder,
  WalletQueries,
  WatchLedger,
} from '../../core/index.ts';
import type { MasterKeys } from '../../adapters/crypto/index.ts';
import type { Tracing } from '../../adapters/tracing/index.ts';
import type { TillConfig } from '../settings/settings.ts';
import type { DisposeStack } from './dispose-stack.ts';
import type { LazyGateway } from '../gateway/lazy-gateway.ts';
import type { PluginRegistry } from './plugin-registry.ts';
import type { OpenWallet } from '../wallet/wallet.ts';
import type { SnowflakeWorkerId } from '../workers/worker-id.ts';

/** Values that exist before the container, and those that are opened while the till starts. */
export interface GivenParts {
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
  readonly workerId: SnowflakeWorkerId;
  readonly wallet: OpenWallet;
  readonly plugins: PluginRegistry;
  readonly baseUrl: BaseUrl;
}

/** All parts of the container by name: ports, given values and use cases. */
export interface Parts extends Ports, GivenParts {
  readonly assets: AssetCatalogue;
  readonly authenticate: Authenticate;
  readonly exchangeToken: ExchangeToken;
  readonly secondFactor: SecondFactor;
  readonly refusedAttempts: RefusedAttempts;
  readonly createAccount: CreateAccount;
  readonly createCredential: CreateCredential;
  readonly rateBook: RateBook;
  readonly addressPool: AddressPool;
  readonly orderStateMachine: OrderStateMachine;
  readonly latePayments: LatePayments;
  readonly createOrder: CreateOrder;
  readonly orderQuota: OrderQuota;
  readonly choosePayment: ChoosePayment;
  readonly orderQueries: OrderQueries;
  readonly orderAdminActions: OrderAdminActions;
  readonly expireOrders: ExpireOrders;
  readonly chainReports: ChainReports;
  readonly rescanDeposits: RescanDeposits;
  readonly followers: ReadonlyMap<ChainCode, ChainFollower>;
  readonly payoutFees: PayoutFeeEstimator;
  readonly withdrawalLimits: WithdrawalLimits;
  readonly requestWithdrawal: RequestWithdrawal;
  readonly requestCharge: RequestCharge;
  readonly requestRefund: RequestRefund;
  readonly unassignedDeposits: UnassignedDeposits;
  readonly payouts: ReadonlyMap<ChainCode, PayoutRunner>;
  readonly walletQueries: WalletQueries;
  /** The parts of Lightning are `null` in a till without a Lightning node. */
  readonly invoices: Invoices | null;
  readonly lightningPayments: RequestLightningPayment | null;
  readonly lightningService: LightningService;
  readonly lightningWork: LightningWork | null;
  readonly deliverCallbacks: DeliverCallbacks;
  readonly noticeSettings: NoticeSettings;
  readonly deliverNotices: DeliverNotices;
  readonly dailySummary: DailySummary;
  readonly tidyNotices: TidyNotices;
  readonly watchLedger: WatchLedger;
  readonly routeCache: RouteCache;
  readonly keyCache: KeyCache;
  readonly appLimits: AppLimits;
  readonly rateLimitSync: RateLimitSync;
  readonly usageMeter: UsageMeter;
  readonly allowance: Allowance;
  readonly topUps: TopUps;
  readonly gateSales: GateSales;
  readonly linkSales: LinkSales;
  readonly usageRecorder: UsageRecorder;
  readonly gateway: LazyGateway;
  readonly manage: Manage;
  readonly storeAlerts: StoreAlerts;
}

/** The Lightning node with the workers that follow its invoices and its payments. */
export interface LightningWork {
  readonly node: LightningNode;
  readonly follower: InvoiceFollower;
  readonly payer: InvoicePayer;
}

/** The base URL for payers, without a slash at the end; `url` is set once the port is known. */
export interface BaseUrl {
  url: string;
  /** The address that the server listens on; absent when an application embeds the till. */
  readonly listens?: string;
}

/** Makes one part from the parts that it needs. */
export interface Recipe<Part> {
  readonly needs: readonly (keyof Parts)[];
  readonly make: (parts: Parts) => Part;
}

/** The recipes of an area, by the name of the part. */
export type Recipes = { readonly [Name in keyof Parts]?: Recipe<Parts[Name]> };

/** Defines a recipe. `make` receives only the parts that it names. */
export function recipe<Part, Need extends keyof Parts = never>(
  needs: readonly Need[],
  make: (parts: Pick<Parts, Need>) => Part,
): Recipe<Part> {
  return { needs, make };
}

/** The token of a part; a port's token is the one that the core exports. */
export function tokenOf<Name extends keyof Parts>(name: Name): Token<Parts[Name]> {
  const ports: { readonly [Port in keyof Parts]?: unknown } = PORTS;
  return (ports[name] ?? token(`host.${name}`)) as Token<Parts[Name]>;
}
