import {
  AccountApps,
  AppKeys,
  Apps,
  DEFAULT_APPS_PER_ACCOUNT,
  ManageApps,
  ManageRoutes,
  Routes,
} from '../gateway/index.ts';
import {
  ActionGuard,
  AdminReads,
  DEFAULT_SESSION_IDLE_SECONDS,
  DEFAULT_SESSIONS_PER_ACCOUNT,
  DEFAULT_STEP_UP_SECONDS,
  DEFAULT_TEMPORARY_PASSWORD_SECONDS,
  ManageAccounts,
  ManageCredentials,
  ManagePasskeys,
  ManageSecurity,
  Passkeys,
  Passwords,
  ReadAudit,
  Sessions,
  StepUp,
} from '../access/index.ts';
import type {
  CreateAccount,
  PasskeyVerifier,
  RefusedAttempts,
  SecondFactor,
  SecondFactorDemand,
  SessionLife,
} from '../access/index.ts';
import type { RescanDeposits, UnassignedDeposits } from '../deposits/index.ts';
import type { CallbackPlaces, TestEventPresenter, WebhookFormats } from '../notify/index.ts';
import type { AdmissionCount, ConfiguredRoutes, ManageRoutesDeps, RoutePlaces, TopUps } from '../gateway/index.ts';
import type {
  AppId,
  AssetCatalogue,
  BreachedPasswords,
  Clock,
  Digest,
  EventBus,
  IdGenerator,
  PasswordHasher,
  Random,
  Storage,
  Vault,
} from '../kernel/index.ts';
import type { CreateOrder, OrderQueries, OrderStateMachine } from '../orders/index.ts';
import type { ChainRegistry, LightningNode } from '../chain/index.ts';
import type {
  CheckBatch,
  CreatePullPayment,
  DecideClaim,
  RequestRefund,
  RequestWithdrawal,
  WalletQueries,
} from '../payouts/index.ts';
import {
  ManageAddresses,
  ManageBatches,
  ManageChains,
  ManageOrders,
  ManageOverview,
  ManagePayees,
  ManagePullPayments,
  ManageSearch,
  ManageWaiting,
  ManageWallets,
  ManageWithdrawals,
  WatchAddresses,
  WithdrawalAddresses,
} from '../payouts/index.ts';
import { ManageAlerts, ManageCallbacks, ManageNotices, ManageWebhooks } from '../notify/index.ts';
import { ManageBranding, ManageLinks, ManageTransactions } from '../orders/index.ts';
import { ManageDeposits } from '../deposits/index.ts';
import { ListRates, ManageLedger } from '../ledger/index.ts';
import type { RateBook } from '../ledger/index.ts';

/** The configuration of the management use cases. */
export interface ManageSettings {
  readonly sessionTtlSeconds: number;
  /** How long a session lasts without a request, in seconds; {@link DEFAULT_SESSION_IDLE_SECONDS} by default. */
  readonly sessionIdleSeconds?: number;
  /** The most open sessions of an account; {@link DEFAULT_SESSIONS_PER_ACCOUNT} by default. */
  readonly sessionsPerAccount?: number;
  /** How long a temporary password can be used, in seconds; {@link DEFAULT_TEMPORARY_PASSWORD_SECONDS} by default. */
  readonly temporaryPasswordSeconds?: number;
  /** How long a step-up lasts, in seconds; {@link DEFAULT_STEP_UP_SECONDS} by default. */
  readonly stepUpSeconds?: number;
  /** The accounts that can only enrol a second factor while they have none. */
  readonly secondFactorOf: SecondFactorDemand;
  /** The grace period of a rotated App key, in seconds. */
  readonly graceSeconds: number;
  /** The largest `limit` of a list. */
  readonly pageMax: number;
  /** Whether new Apps are prepaid; `null` where no plans are sold. */
  readonly newAppsPrepaid: boolean | null;
  /** The most Apps of an account at present; {@link DEFAULT_APPS_PER_ACCOUNT} by default. */
  readonly appsPerAccount?: () => number;
  /** How long changed withdrawal addresses, and switching off a protection, are delayed, in milliseconds. */
  readonly addressHoldMs: number;
  /** The number of persons who must approve a held payment; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  /** The gateways of the configuration. */
  readonly routes: Pick<ConfiguredRoutes, 'all'>;
  /** Limits on the hosts and upstreams of routes that are created by the management API. */
  readonly routePlaces: RoutePlaces;
  /** Limits on the URLs of webhook endpoints. */
  readonly callbackPlaces: CallbackPlaces;
}

export interface CreateManageDeps {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly digest: Digest;
  readonly hasher: PasswordHasher;
  readonly breachedPasswords: BreachedPasswords;
  readonly events: EventBus;
  readonly presenter: TestEventPresenter;
  /** Formats of webhook endpoints besides the till's own; none by default. */
  readonly formats?: WebhookFormats;
  readonly secondFactor: SecondFactor;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly refusedAttempts: RefusedAttempts;
  readonly createAccount: CreateAccount;
  readonly createOrder: CreateOrder;
  readonly stateMachine: OrderStateMachine;
  readonly queries: OrderQueries;
  readonly admissionTally: (app: AppId) => readonly AdmissionCount[];
  /** The upstreams of a route as seen by this instance; none is known by default. */
  readonly upstreamHealth?: ManageRoutesDeps['upstreamHealth'];
  readonly topUps: TopUps;
  readonly chains: ChainRegistry;
  readonly assets: AssetCatalogue;
  readonly lightning: LightningNode | null;
  readonly rates: Pick<RateBook, 'prepare' | 'usd' | 'payoutRate'>;
  readonly walletQueries: WalletQueries;
  readonly requestRefund: RequestRefund;
  readonly requestWithdrawal: RequestWithdrawal;
  readonly checkBatch: CheckBatch;
  readonly createPullPayment: CreatePullPayment;
  readonly decideClaim: DecideClaim;
  readonly unassignedDeposits: UnassignedDeposits;
  readonly rescanDeposits: RescanDeposits;
  readonly settings: ManageSettings;
}

/** All use cases of the management API and the commands. */
export interface Manage {
  readonly sessions: Sessions;
  readonly stepUp: StepUp;
  readonly passwords: Passwords;
  readonly guard: ActionGuard;
  readonly secondFactor: SecondFactor;
  readonly accounts: ManageAccounts;
  readonly credentials: ManageCredentials;
  readonly security: ManageSecurity;
  readonly passkeys: ManagePasskeys;
  readonly apps: ManageApps;
  readonly routes: ManageRoutes;
  readonly callbacks: ManageCallbacks;
  readonly webhooks: ManageWebhooks;
  readonly orders: ManageOrders;
  readonly ledger: ManageLedger;
  readonly rates: ListRates;
  readonly links: ManageLinks;
  readonly addresses: ManageAddresses;
  readonly overview: ManageOverview;
  readonly transactions: ManageTransactions;
  readonly search: ManageSearch;
  readonly waiting: ManageWaiting;
  readonly wallets: ManageWallets;
  readonly withdrawals: ManageWithdrawals;
  readonly batches: ManageBatches;
  readonly payees: ManagePayees;
  readonly pullPayments: ManagePullPayments;
  readonly deposits: ManageDeposits;
  readonly chains: ManageChains;
  readonly alerts: ManageAlerts;
  readonly notices: ManageNotices;
  readonly branding: ManageBranding;
  readonly audit: ReadAudit;
  readonly adminReads: AdminReads;
}

function sessionLife({ sessionTtlSeconds, sessionIdleSeconds, sessionsPerAccount }: ManageSettings): SessionLife {
  return {
    ttlMs: sessionTtlSeconds * 1000,
    idleMs: (sessionIdleSeconds ?? DEFAULT_SESSION_IDLE_SECONDS) * 1000,
    most: sessionsPerAccount ?? DEFAULT_SESSIONS_PER_ACCOUNT,
  };
}

/** Creates the management use cases. */
export function createManage({ settings, ...deps }: CreateManageDeps): Manage {
  const { graceSeconds, pageMax, addressHoldMs, routes: configured, newAppsPrepaid } = settings;
  const { stepUpSeconds = DEFAULT_STEP_UP_SECONDS, secondFactorOf, approvals } = settings;
  const { appsPerAccount = () => DEFAULT_APPS_PER_ACCOUNT } = settings;
  const { temporaryPasswordSeconds = DEFAULT_TEMPORARY_PASSWORD_SECONDS } = settings;
  const temporaryPasswordMs = temporaryPasswordSeconds * 1000;
  const shared = { ...deps, pageMax, appsPerAccount };
  const { secondFactor } = deps;
  const passkeys = new Passkeys(deps);
  const stepUp = new StepUp({ ...deps, passkeys, stepUpSeconds });
  const apps = new Apps(shared);
  const appKeys = new AppKeys({ ...deps, graceSeconds });
  const routes = new Routes({ ...deps, configured, places: settings.routePlaces });
  const chains = new ManageChains(deps);
  const withdrawalAddresses = new WithdrawalAddresses({ ...deps, addressHoldMs });
  const orders = new ManageOrders(shared);
  const transactions = new ManageTransactions(shared);
  const links = new ManageLinks({ ...shared, places: settings.callbackPlaces });
  const callbacks = new ManageCallbacks(shared);
  const byPersons = { approverHoldMs: addressHoldMs, ...(approvals === undefined ? {} : { approvals }) };
  const withdrawals = new ManageWithdrawals({ ...shared, ...byPersons });
  const batches = new ManageBatches({ ...shared, ...byPersons, checks: deps.checkBatch });
  const pullPayments = new ManagePullPayments({ ...shared, urls: deps.queries });
  return {
    sessions: new Sessions({ ...deps, passkeys, life: sessionLife(settings) }),
    stepUp,
    passwords: new Passwords({ ...deps, stepUp, temporaryPasswordMs }),
    guard: new ActionGuard({ ...deps, secondFactorOf }),
    secondFactor,
    accounts: new ManageAccounts({
      ...shared,
      apps: new AccountApps({ apps, routes }),
      temporaryPasswordMs,
    }),
    credentials: new ManageCredentials(shared),
    security: new ManageSecurity({ ...deps, holdMs: addressHoldMs }),
    passkeys: new ManagePasskeys({ ...deps, passkeys }),
    apps: new ManageApps({ ...shared, apps, appKeys, newAppsPrepaid }),
    routes: new ManageRoutes({ ...shared, routes }),
    callbacks,
    webhooks: new ManageWebhooks({ ...shared, places: settings.callbackPlaces }),
    orders,
    ledger: new ManageLedger(shared),
    rates: new ListRates(shared),
    links,
    addresses: new ManageAddresses({
      ...shared,
      withdrawalAddresses,
      watchAddresses: new WatchAddresses(deps),
    }),
    overview: new ManageOverview({ ...deps, chains }),
    transactions,
    search: new ManageSearch({ orders, transactions, withdrawals, pullPayments, batches, links, callbacks }),
    waiting: new ManageWaiting(deps),
    wallets: new ManageWallets(deps),
    withdrawals,
    batches,
    payees: new ManagePayees({ ...shared, withdrawalAddresses, addressHoldMs }),
    pullPayments,
    deposits: new ManageDeposits(shared),
    chains,
    alerts: new ManageAlerts(shared),
    notices: new ManageNotices(shared),
    branding: new ManageBranding(shared),
    audit: new ReadAudit(shared),
    adminReads: new AdminReads(deps),
  };
}
