import { DEFAULT_POOL, PAGE_MAX } from '../../core/index.ts';
import type {
  AddressPoolSettings,
  Asset,
  ChainRegistry,
  Clock,
  ConfiguredRoutes,
  Logger,
  ManageSettings,
  PasskeyVerifier,
} from '../../core/index.ts';
import { leadsToRefused } from '../../adapters/callbacks/checked-lookup.ts';
import { WebauthnVerifier } from '../../adapters/passkeys/index.ts';
import { AnchoredClock, SystemClock } from '../../adapters/system/index.ts';
import type { LazyGatewayDeps } from '../gateway/lazy-gateway.ts';
import { displayName } from '../settings/settings.ts';
import type { TillConfig } from '../settings/settings.ts';
import { ownHosts } from './own-hosts.ts';
import type { BaseUrl } from './own-hosts.ts';

/** The clock of this machine; it does not follow jumps of the wall clock. */
export function systemClock(logger: Logger): Clock {
  const machine = new SystemClock({
    onJump: ({ differenceMs }) =>
      logger.warn('the wall clock jumped and is not followed; restart to accept its time', { differenceMs }),
  });
  return new AnchoredClock(machine);
}

/** A sandbox needs no large pool. */
export function poolSettings({ mode }: TillConfig): AddressPoolSettings {
  return mode === 'sandbox' ? { ...DEFAULT_POOL, lowWater: 200 } : DEFAULT_POOL;
}

/** Network fees are paid in these assets, so they need prices too. */
export function feeAssets(chains: ChainRegistry): readonly Asset[] {
  return [...chains.values()].flatMap(({ payments }) => (payments === null ? [] : [payments.feeAsset]));
}

/** Names the sender and the address of the dashboard. It contains no link that performs an action. */
export function footerOf(
  config: { readonly serviceName: string; readonly dashboard?: { readonly enabled: boolean } },
  url: string,
): readonly string[] {
  const name = `Sent by ${displayName(config)}.`;
  if (url === '') return [name];
  return [name, config.dashboard?.enabled === true ? `Dashboard: ${url}/dashboard` : `Service: ${url}`];
}

/** The settings of the node gateway, except those of its sales. */
export function gatewaySettings(
  { gateway: { cache: _cache, ...gateway }, limits }: TillConfig,
  configured: ConfiguredRoutes,
): Omit<TillConfig['gateway'], 'sales' | 'cache'> & Pick<LazyGatewayDeps, 'limitPerAccount' | 'allowsPrivate'> {
  return {
    ...gateway,
    limitPerAccount: () => limits.perAccount,
    // Gateways of the settings file may lead to private networks.
    allowsPrivate: (route) => gateway.allowPrivateUpstreams || configured.all().includes(route),
  };
}

/** The settings of the plans that the node gateway sells. */
export function saleSettings({ orders, limits }: TillConfig): Omit<NonNullable<LazyGatewayDeps['sales']>, 'sales'> {
  return { orderTimeoutMs: orders.timeoutMs, payerWritesPerMinute: () => limits.payerWritesPerMinute };
}

/** Accepts the passkeys of the till's own address. */
export function passkeyVerifier({ mode, ...config }: TillConfig, baseUrl: BaseUrl): PasskeyVerifier {
  return new WebauthnVerifier({
    // Read at each use: with port 0 the address is known only once the server listens.
    address: () => baseUrl.url,
    name: displayName(config),
    onlyHttps: mode === 'production',
  });
}

/** The settings of the management use cases. */
export function manageSettings(
  { auth, keys, limits, gateway: { sales, allowPrivateUpstreams }, withdrawals, callbacks }: TillConfig,
  baseUrl: BaseUrl,
  configured: ConfiguredRoutes,
): ManageSettings {
  return {
    sessionTtlSeconds: auth.tokenTtlSeconds,
    sessionIdleSeconds: auth.sessionIdleSeconds,
    sessionsPerAccount: auth.sessionsPerAccount,
    temporaryPasswordSeconds: auth.temporaryPasswordSeconds,
    stepUpSeconds: auth.stepUpSeconds,
    secondFactorOf: auth.secondFactor,
    graceSeconds: keys.graceSeconds,
    pageMax: PAGE_MAX,
    appsPerAccount: () => limits.appsPerAccount,
    newAppsPrepaid: sales?.newAppsPrepaid ?? null,
    addressHoldMs: withdrawals.addressHoldMs,
    approvals: withdrawals.approvals,
    routes: configured,
    callbackPlaces: { allowPrivateNetworks: callbacks.allowPrivateNetworks, hosts: callbacks.hosts },
    routePlaces: {
      ...{ ownHosts: () => ownHosts(baseUrl), allowPrivateUpstreams },
      leadsToRefused: (hostname) => leadsToRefused(hostname, allowPrivateUpstreams),
    },
  };
}
