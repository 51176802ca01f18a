import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { DEFAULT_FEED_LEASE_MS } from '../../core/index.ts';
import type { Logger, Storage } from '../../core/index.ts';
import { PromMetrics } from '../../adapters/metrics/index.ts';
import { acquireServerLock, driverNotice, openStorage } from '../../adapters/storage/knex/index.ts';
import type { StorageDeps } from '../../adapters/storage/knex/index.ts';
import type { HostConfig } from '../settings/config.ts';
import { withPlace } from './database-place.ts';
import { EpochMarkerFile, markerPath } from './epoch-marker.ts';
import { DisposeStack } from './dispose-stack.ts';
import { obtainMasterKeys } from '../wallet/master-key.ts';
import { makePrivate } from './private-files.ts';
import { SHARED_TTL_MS, openRuntime } from './runtime.ts';
import type { Runtime, RuntimeOptions } from './runtime.ts';
import { requireSecureDatabase } from './secure-database.ts';

/** A till is opened by the one server of a database file, or by a command that runs beside it. */
export type Role = 'server' | 'command';

/** The runtime of a server or a command of this machine. */
export type HostRuntime = Runtime<HostConfig>;

/** Leases may be long because the single SQLite server takes over its own leases at once after a restart. */
const SINGLE_SERVER_TTL_MS = 600_000;

/**
 * Opens the configured database and brings its schema up to date.
 *
 * @throws TillgateError `CONFIG_INVALID` for a wrong master key, a database of another server, a version too old
 */
export async function openHostRuntime(
  config: HostConfig,
  logger: Logger,
  role: Role,
  options: RuntimeOptions = {},
): Promise<HostRuntime> {
  const disposables = new DisposeStack(logger);
  try {
    return await open(config, logger, role, disposables, options);
  } catch (error) {
    await disposables.close();
    throw error;
  }
}

async function open(
  config: HostConfig,
  logger: Logger,
  role: Role,
  disposables: DisposeStack,
  options: RuntimeOptions,
): Promise<HostRuntime> {
  const { leaseTtlMs = SHARED_TTL_MS, ...overrides } = options;
  const { replace = {} } = overrides;
  const masterKeys = obtainMasterKeys(config);
  const singleServer = config.database.client === 'sqlite' && role === 'server' && replace.storage === undefined;
  const metrics = replace.metrics ?? new PromMetrics(logger);
  const storage = replace.storage ?? (await openDatabase(config, { logger, metrics }, singleServer, disposables));
  return openRuntime(
    {
      marker: new EpochMarkerFile(markerPath(config), logger),
      ...overrides,
      config,
      masterKeys,
      mnemonic: config.secrets.mnemonic,
      signer: config.signer,
      logger: replace.logger ?? logger,
      metrics,
      storage,
      owner: singleServer ? 'server' : `${hostname()}:${process.pid}:${randomUUID()}`,
      leaseTtlMs: singleServer || role === 'command' ? SINGLE_SERVER_TTL_MS : leaseTtlMs,
      feedLeaseMs: Math.min(leaseTtlMs, DEFAULT_FEED_LEASE_MS),
    },
    disposables,
  );
}

async function openDatabase(
  config: HostConfig,
  deps: StorageDeps,
  singleServer: boolean,
  disposables: DisposeStack,
): Promise<Storage> {
  const { database } = config;
  if (database.client === 'sqlite') makePrivate(database.filename);
  await requireSecureDatabase(config);
  if (singleServer && database.client === 'sqlite') {
    const lock = await acquireServerLock(database);
    disposables.add('server lock', () => lock.release());
    const notice = driverNotice(database.client);
    if (notice !== null) deps.logger.warn(notice);
  }
  const storage = await openStorage(database, deps).catch((error: unknown) => {
    throw database.client === 'pg' ? withPlace(error, database.connection) : error;
  });
  disposables.add('storage', () => storage.close());
  return storage;
}
