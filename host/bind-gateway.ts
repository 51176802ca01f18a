import { randomUUID } from 'node:crypto';
import type { ContainerModuleLoadOptions } from 'inversify';
import {
  AppLimits,
  CHAINS_TOKEN,
  CHANGE_FEED,
  CLOCK,
  DEADLINE,
  DIGEST,
  EVENT_BUS,
  ID_GENERATOR,
  KEY_DIRECTORY,
  KeyCache,
  RouteCache,
  LOGGER,
  METRICS,
  PASSWORD_HASHER,
  RANDOM,
  STORAGE,
  RateLimitSync,
  VAULT,
  createManage,
} from '../core/index.ts';
import { randomTraceId } from '../adapters/http/trace-id.ts';
import { GatewayDoor } from './gateway-door.ts';
import * as tokens from './tokens.ts';

/** Binds the gateway's keys, routes and door, and the management API. */
export function bindGateway(container: Pick<ContainerModuleLoadOptions, 'bind'>): void {
  container.bind(CHANGE_FEED).toResolvedValue((storage) => storage.feed, [STORAGE]);
  container
    .bind(tokens.ROUTE_CACHE)
    .toResolvedValue(
      (config, storage, vault, logger) => new RouteCache({ routes: storage.routes, vault, logger, configured: config.gateways }),
      [tokens.CONFIG, STORAGE, VAULT, LOGGER],
    );
  container.bind(KEY_DIRECTORY).toResolvedValue((keys) => keys, [tokens.KEY_CACHE]);
  container
    .bind(tokens.KEY_CACHE)
    .toResolvedValue(
      (storage, feed, routes, vault, random, clock, deadline, logger) =>
        // One that was never before: a former self that was cut off must not speak for this one.
        new KeyCache({ apps: storage.apps, feed, vault, random, clock, deadline, logger, instance: randomUUID(), alongside: [routes] }),
      [STORAGE, CHANGE_FEED, tokens.ROUTE_CACHE, VAULT, RANDOM, CLOCK, DEADLINE, LOGGER],
    );
  container
    .bind(tokens.GATEWAY)
    .toResolvedValue(
      (routes, directory, clock, metrics, logger, limiter) =>
        new GatewayDoor({ routes: () => routes.table(), directory, clock, metrics, logger, limiter, traceId: randomTraceId }),
      [tokens.ROUTE_CACHE, KEY_DIRECTORY, CLOCK, METRICS, LOGGER, tokens.APP_LIMITS],
    );
  container.bind(tokens.APP_LIMITS).toResolvedValue(() => new AppLimits());
  container
    .bind(tokens.RATE_LIMIT_SYNC)
    .toResolvedValue(
      (limits, { uses }, clock) => new RateLimitSync({ limits, uses, clock, instance: randomUUID() }),
      [tokens.APP_LIMITS, STORAGE, CLOCK],
    );
  bindManage(container);
}

function bindManage(container: Pick<ContainerModuleLoadOptions, 'bind'>): void {
  container
    .bind(tokens.MANAGE)
    .toResolvedValue(
      ({ serviceName, auth, keys, gateways, withdrawals }, storage, vault, random, ids, clock, digest, hasher, events, createAccount, mover, queries, gateway, chains) =>
        createManage({
          storage,
          vault,
          random,
          ids,
          clock,
          digest,
          hasher,
          events,
          createAccount,
          mover,
          queries,
          chains,
          admissionTally: (app) => gateway.admissionTally(app),
          settings: {
            issuer: serviceName,
            sessionTtlSeconds: auth.tokenTtlSeconds,
            graceSeconds: keys.graceSeconds,
            pageMax: 100,
            addressHoldMs: withdrawals.addressHoldSeconds * 1000,
            routes: gateways,
          },
        }),
      [
        tokens.CONFIG,
        STORAGE,
        VAULT,
        RANDOM,
        ID_GENERATOR,
        CLOCK,
        DIGEST,
        PASSWORD_HASHER,
        EVENT_BUS,
        tokens.CREATE_ACCOUNT,
        tokens.ORDER_MOVER,
        tokens.ORDER_QUERIES,
        tokens.GATEWAY,
        CHAINS_TOKEN,
      ],
    );
}
