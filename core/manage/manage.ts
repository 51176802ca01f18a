import { Passkeys } from '../auth/passkeys.ts';
import { Apps, DEFAULT_APPS_PER_ACCOUNT } from '../accounts/apps.ts';
import type { CreateAccount } from '../accounts/create-account.ts';
import { DEFAULT_TEMPORARY_PASSWORD_SECONDS } from '../accounts/temporary-password.ts';
import type { RescanDeposits } from '../deposits/rescan-deposits.ts';
import type { UnassignedDeposits } from '../deposits/unassigned-deposits.ts';
import type { CallbackPlaces } from '../callbacks/url.ts';
import type { AdmissionCount } from '../gateway/admission-tally.ts';
import type { GatewayRoute } from '../gateway/route.ts';
import { Routes } from '../gateway/routes.ts';
import type { TopUps } from '../gateway/top-ups.ts';
import { AppKeys } from '../keys/app-keys.ts';
import type { AssetCatalogue } from '../kernel/asset.ts';
import type { AppId } from '../kernel/ids.ts';
import type { CreateOrder } from '../orders/create-order.ts';
import type { OrderStateMachine } from '../orders/order-state-machine.ts';
import type { OrderQueries } from '../orders/order-queries.ts';
import type { ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { LightningNode } from '../ports/lightning.ts';
import type { PasskeyVerifier } from '../ports/passkey-verifier.ts';
import type { BreachedPasswords } from '../ports/breached-passwords.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Random } from '../ports/random.ts';
import type { RequestRefund } from '../refunds/request-refund.ts';
import type { Storage } from '../ports/storage.ts';
import type { Vault } from '../ports/vault.ts';
import type { WalletQueries } from '../wallets/wallet-queries.ts';
import { WatchAddresses } from '../wallets/watch-addresses.ts';
import type { RequestWithdrawal } from '../withdrawals/request-withdrawal.ts';
import { WithdrawalAddresses } from '../withdrawals/withdrawal-addresses.ts';
import { ActionGuard } from './action-guard.ts';
import type { SecondFactorDemand } from './action-guard.ts';
import { ReadAudit } from './audit.ts';
import { ManageAccounts } from './manage-accounts.ts';
import { ManageAlerts } from './manage-alerts.ts';
import { ManageAddresses } from './manage-addresses.ts';
import { ManageApps } from './manage-apps.ts';
import { ManageBranding } from './manage-branding.ts';
import { ManageCallbacks } from './manage-callbacks.ts';
import { ManageChains } from './manage-chains.ts';
import { ManageCredentials } from './manage-credentials.ts';
import { ManageDeposits } from './manage-deposits.ts';
import { ManageLedger } from './manage-ledger.ts';
import { ManageLinks } from './manage-links.ts';
import { ManageNotices } from './manage-notices.ts';
import { ManageOrders } from './manage-orders.ts';
import { ManageOverview } from './manage-overview.ts';
import { ManagePasskeys } from './manage-passkeys.ts';
import { ManageRoutes } from './manage-routes.ts';
import type { ManageRoutesDeps } from './manage-routes.ts';
import { ManageSecurity } from './manage-security.ts';
import { ManageTransactions } from './manage-transactions.ts';
import { ManageWallets } from './manage-wallets.ts';
import { ManageWebhooks } from './manage-webhooks.ts';
import { ManageWithdrawals } from './manage-withdrawals.ts';
import { Passwords } from './passwords.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import type { SecondFactor } from '../auth/second-factor.ts';
import { DEFAULT_SESSION_IDLE_SECONDS, DEFAULT_SESSIONS_PER_ACCOUNT } from './session-life.ts';
import type { SessionLife } from './session-life.ts';
import { Sessions } from './sessions.ts';
import { DEFAULT_STEP_UP_SECONDS, StepUp } from './step-up.ts';

/** What the management use cases are configured with. */
export interface ManageSettings {
  readonly sessionTtlSeconds: number;
  /** How long a session lasts without a request; {@link DEFAULT_SESSION_IDLE_SECONDS} by default. */
  readonly sessionIdleSeconds?: number;
  /** How many sessions an account has at once; {@link DEFAULT_SESSIONS_PER_ACCOUNT} by default. */
  readonly sessionsPerAccount?: number;
  /** How long a password that somebody else set can be used; {@link DEFAULT_TEMPORARY_PASSWORD_SECONDS} by default. */
  readonly temporaryPasswordSeconds?: number;
  /** How long a step-up raises a session; {@link DEFAULT_STEP_UP_SECONDS} by default. */
  readonly stepUpSeconds?: number;
  /** Who can only enrol a second factor while the account has none. */
  readonly secondFactorOf: SecondFactorDemand;
  /** The grace of a rotated App key. */
  readonly graceSeconds: number;
  /** The largest `size` of a list. */
  readonly pageMax: number;
  /** Whether new Apps are prepaid; `null` where no plans are sold. */
  readonly newAppsPrepaid: boolean | null;
  /** How many Apps an account may have; {@link DEFAULT_APPS_PER_ACCOUNT} by default. */
  readonly appsPerAccount?: number;
  /** How long a changed withdrawal address waits, and what loosens a protection. */
  readonly addressHoldMs: number;
  /** How many persons have to approve a held payment; {@link DEFAULT_APPROVALS} by default. */
  readonly approvals?: number;
  /** The gateways of the configuration. */
  readonly routes: readonly GatewayRoute[];
  /** Where webhook endpoints may be. */
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
  readonly secondFactor: SecondFactor;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly refusedAttempts: RefusedAttempts;
  readonly createAccount: CreateAccount;
  readonly createOrder: CreateOrder;
  readonly stateMachine: OrderStateMachine;
  readonly queries: OrderQueries;
  readonly admissionTally: (app: AppId) => readonly AdmissionCount[];
  /** The upstreams of a route as this instance sees them; none is known by default. */
  readonly upstreamHealth?: ManageRoutesDeps['upstreamHealth'];
  readonly topUps: TopUps;
  readonly chains: ChainRegistry;
  readonly assets: AssetCatalogue;
  readonly lightning: LightningNode | null;
  readonly walletQueries: WalletQueries;
  readonly requestRefund: RequestRefund;
  readonly requestWithdrawal: RequestWithdrawal;
  readonly unassignedDeposits: UnassignedDeposits;
  readonly rescanDeposits: RescanDeposits;
  readonly settings: ManageSettings;
}

/** Everything that the management API and the commands do. */
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
  readonly links: ManageLinks;
  readonly addresses: ManageAddresses;
  readonly overview: ManageOverview;
  readonly transactions: ManageTransactions;
  readonly wallets: ManageWallets;
  readonly withdrawals: ManageWithdrawals;
  readonly deposits: ManageDeposits;
  readonly chains: ManageChains;
  readonly alerts: ManageAlerts;
  readonly notices: ManageNotices;
  readonly branding: ManageBranding;
  readonly audit: ReadAudit;
}

function sessionLife({ sessionTtlSeconds, sessionIdleSeconds, sessionsPerAccount }: ManageSettings): SessionLife {
  return {
    ttlMs: sessionTtlSeconds * 1000,
    idleMs: (sessionIdleSeconds ?? DEFAULT_SESSION_IDLE_SECONDS) * 1000,
    most: sessionsPerAccount ?? DEFAULT_SESSIONS_PER_ACCOUNT,
  };
}

/** Puts the management use cases together. */
export function createManage({ settings, ...deps }: CreateManageDeps): Manage {
  const { graceSeconds, pageMax, addressHoldMs, routes: configured, newAppsPrepaid } = settings;
  const { stepUpSeconds = DEFAULT_STEP_UP_SECONDS, secondFactorOf, approvals } = settings;
  const { appsPerAccount = DEFAULT_APPS_PER_ACCOUNT } = settings;
  const { temporaryPasswordSeconds = DEFAULT_TEMPORARY_PASSWORD_SECONDS } = settings;
  const temporaryPasswordMs = temporaryPasswordSeconds * 1000;
  const shared = { ...deps, pageMax, appsPerAccount };
  const { secondFactor } = deps;
  const passkeys = new Passkeys(deps);
  const stepUp = new StepUp({ ...deps, passkeys, stepUpSeconds });
  const apps = new Apps(shared);
  const appKeys = new AppKeys({ ...deps, graceSeconds });
  const routes = new Routes({ ...deps, configured });
  const chains = new ManageChains(deps);
  return {
    sessions: new Sessions({ ...deps, passkeys, life: sessionLife(settings) }),
    stepUp,
    passwords: new Passwords({ ...deps, stepUp, temporaryPasswordMs }),
    guard: new ActionGuard({ ...deps, secondFactorOf }),
    secondFactor,
    accounts: new ManageAccounts({ ...shared, apps, routes, temporaryPasswordMs }),
    credentials: new ManageCredentials(shared),
    security: new ManageSecurity({ ...deps, holdMs: addressHoldMs }),
    passkeys: new ManagePasskeys({ ...deps, passkeys }),
    apps: new ManageApps({ ...deps, apps, appKeys, newAppsPrepaid }),
    routes: new ManageRoutes({ ...shared, routes }),
    callbacks: new ManageCallbacks(shared),
    webhooks: new ManageWebhooks({ ...shared, places: settings.callbackPlaces }),
    orders: new ManageOrders(shared),
    ledger: new ManageLedger(shared),
    links: new ManageLinks({ ...shared, places: settings.callbackPlaces }),
    addresses: new ManageAddresses({
      ...shared,
      withdrawalAddresses: new WithdrawalAddresses({ ...deps, addressHoldMs }),
      watchAddresses: new WatchAddresses(deps),
    }),
    overview: new ManageOverview({ ...deps, chains }),
    transactions: new ManageTransactions(shared),
    wallets: new ManageWallets(deps),
    withdrawals: new ManageWithdrawals({ ...shared, ...(approvals === undefined ? {} : { approvals }) }),
    deposits: new ManageDeposits(shared),
    chains,
    alerts: new ManageAlerts(shared),
    notices: new ManageNotices(shared),
    branding: new ManageBranding(shared),
    audit: new ReadAudit(deps.storage, pageMax),
  };
}
