import { randomUUID } from 'node:crypto';
import { randomTraceId } from '../../adapters/http/trace-id.ts';
import { AppLimits, KeyCache, RouteCache, RateLimitSync, Quotas, UsageMeter, UsageRecorder } from '../../core/index.ts';
import { LazyGateway } from '../lazy-gateway.ts';
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
    ['feedLeaseMs', 'storage', 'changeFeed', 'routeCache', 'vault', 'random', 'clock', 'deadline', 'logger'],
    ({ feedLeaseMs: leaseMs, storage, changeFeed: feed, routeCache, ...ports }) =>
      // A new id for each process: an earlier process that was cut off must not confirm changes for this one.
      new KeyCache({ ...ports, apps: storage.apps, feed, leaseMs, instance: randomUUID(), alongside: [routeCache] }),
  ),
  appLimits: recipe([], () => new AppLimits()),
  rateLimitSync: recipe(
    ['appLimits', 'storage', 'clock'],
    ({ appLimits: limits, storage, clock }) =>
      new RateLimitSync({ limits, uses: storage.uses, clock, instance: randomUUID() }),
  ),
  usageMeter: recipe(['clock'], ({ clock }) => new UsageMeter(clock)),
  quotas: recipe(['clock'], ({ clock }) => new Quotas(clock)),
  usageRecorder: recipe(
    ['usageMeter', 'quotas', 'storage', 'clock', 'logger', 'metrics'],
    ({ usageMeter: meter, storage, ...parts }) =>
      new UsageRecorder({ ...parts, meter, usage: storage.usage, instance: randomUUID() }),
  ),
  gateway: recipe(
    ['config', 'routeCache', 'keyDirectory', 'clock', 'metrics', 'logger', 'appLimits', 'usageMeter', 'quotas'],
    ({ config, routeCache, keyDirectory: directory, appLimits: limiter, usageMeter: meter, ...ports }) =>
      new LazyGateway({
        ...ports,
        ...config.gateway,
        limitPerAccount: config.limits.perAccount,
        routes: () => routeCache.table(),
        directory,
        limiter,
        meter,
        traceId: randomTraceId,
      }),
  ),
} satisfies Recipes;
