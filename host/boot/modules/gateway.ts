import { randomUUID } from 'node:crypto';
import { randomTraceId } from '../../../adapters/http/trace-id.ts';
import {
  Allowance,
  AppLimits,
  GateSales,
  KeyCache,
  PrepaidBalances,
  Quotas,
  RateLimitSync,
  RouteCache,
  TopUps,
  topUpPage,
  UsageMeter,
  UsageRecorder,
} from '../../../core/index.ts';
import { LazyGateway } from '../../gateway/lazy-gateway.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** The node gateway: its routes, keys, rate limits, and the proxy itself. */
export const gatewayRecipes = {
  routeCache: recipe(
    ['config', 'storage', 'vault', 'logger'],
    ({ config, storage, ...ports }) =>
      new RouteCache({ ...ports, routes: storage.routes, configured: config.gateways }),
  ),
  keyCache: recipe(
    [
      'feedLeaseMs',
      'storage',
      'changeFeed',
      'routeCache',
      'allowance',
      'vault',
      'random',
      'clock',
      'deadline',
      'logger',
    ],
    ({ feedLeaseMs: leaseMs, storage, changeFeed: feed, routeCache, allowance, ...ports }) =>
      // A new id for each process: an earlier process that was cut off must not confirm changes for this one.
      new KeyCache({
        ...ports,
        apps: storage.apps,
        feed,
        leaseMs,
        instance: randomUUID(),
        alongside: [routeCache, allowance.prepaid],
      }),
  ),
  appLimits: recipe([], () => new AppLimits()),
  rateLimitSync: recipe(
    ['appLimits', 'storage', 'clock', 'routeCache'],
    ({ appLimits: limits, storage, clock, routeCache }) =>
      new RateLimitSync({
        ...{ limits, uses: storage.uses, clock, instance: randomUUID() },
        hasRoutes: () => !routeCache.table().isEmpty,
      }),
  ),
  usageMeter: recipe(['clock'], ({ clock }) => new UsageMeter(clock)),
  allowance: recipe(
    ['clock', 'baseUrl'],
    ({ clock, baseUrl }) =>
      new Allowance(new Quotas(clock), new PrepaidBalances((token) => topUpPage(baseUrl.url, token))),
  ),
  topUps: recipe(
    ['config', 'storage', 'createOrder', 'orderQueries', 'clock', 'baseUrl'],
    ({ config, orderQueries: queries, ...parts }) =>
      new TopUps({ ...parts, queries, orderTimeoutMs: config.orders.timeoutMs, sales: config.gateway.sales }),
  ),
  gateSales: recipe(
    [
      ...(['config', 'storage', 'createOrder', 'requestCharge', 'assets', 'chains', 'rateBook'] as const),
      ...(['digest', 'vault', 'random', 'ids', 'clock'] as const),
    ],
    ({ config, requestCharge: charges, ...parts }) =>
      new GateSales({ ...parts, charges, orderTimeoutMs: config.orders.timeoutMs, sales: config.gateway.sales }),
  ),
  usageRecorder: recipe(
    ['usageMeter', 'allowance', 'storage', 'clock', 'logger', 'metrics'],
    ({ usageMeter: meter, storage, ...parts }) =>
      new UsageRecorder({
        ...parts,
        meter,
        usage: storage.usage,
        prepaid: storage.prepaid,
        instance: randomUUID(),
      }),
  ),
  gateway: recipe(
    [
      ...(['config', 'routeCache', 'keyDirectory', 'clock', 'metrics', 'logger'] as const),
      ...(['appLimits', 'usageMeter', 'allowance', 'gateSales'] as const),
    ],
    ({ config, routeCache, keyDirectory: directory, appLimits: limiter, usageMeter: meter, gateSales, ...ports }) =>
      new LazyGateway({
        ...ports,
        ...config.gateway,
        sales:
          config.gateway.sales === null
            ? null
            : {
                sales: gateSales,
                orderTimeoutMs: config.orders.timeoutMs,
                payerWritesPerMinute: config.limits.payerWritesPerMinute,
              },
        limitPerAccount: config.limits.perAccount,
        // Gateways of the settings file may lead to private networks.
        allowsPrivate: (route) => config.gateway.allowPrivateUpstreams || config.gateways.includes(route),
        routes: () => routeCache.table(),
        directory,
        limiter,
        meter,
        traceId: randomTraceId,
      }),
  ),
} satisfies Recipes;
