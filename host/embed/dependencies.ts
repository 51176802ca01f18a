import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import { present } from '../../core/index.ts';
import type { ConfiguredPlugin, FieldError, Logger, Metrics, Storage } from '../../core/index.ts';
import { BridgeLogger } from '../../adapters/logging/bridge-logger.ts';
import type { MasterKeys } from '../../adapters/crypto/index.ts';
import type { SqliteConfig, StorageDeps } from '../../adapters/storage/knex/index.ts';
import { completeTill, configError, masterKeyOf } from '../settings/config.ts';
import type { TillConfig } from '../settings/settings.ts';
import type { DisposeStack } from '../boot/dispose-stack.ts';
import { checkPlugin, problemsOf } from '../boot/plugins.ts';
import type { LoadedPlugin } from '../boot/plugins.ts';
import { embeddedSchema, parseSettings } from '../settings/settings.ts';
import { SHARED_TTL_MS } from '../boot/runtime.ts';
import type { RuntimeDeps } from '../boot/runtime.ts';
import type { WalletCreation } from '../wallet/wallet.ts';
import { ownKeyOf, placeOf, readOwnKey } from './database.ts';
import type { DatabasePlace, TillDatabase } from './database.ts';
import type { TillgateOptions, TillSettings } from './options.ts';

/** The validated options of an embedded till; nothing is opened yet. */
export interface Plan {
  readonly config: TillConfig;
  /** The database to open; `null` for a storage of the application. */
  readonly database: DatabasePlace | null;
  readonly masterKeys: MasterKeys;
  /** Whether a wallet is created when none is stored, and why; `null` for never. */
  readonly createWallet: WalletCreation | null;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly plugins: readonly LoadedPlugin[];
}

/** @throws TillgateError `CONFIG_INVALID` listing every problem of the options */
export function planOf(options: TillgateOptions): Plan {
  const { mode = 'production', masterKey, formerMasterKey, database, replace = {} } = options;
  const given = Object.entries({ baseUrl: DEFAULT_BASE_URL, ...options }).filter(
    ([name, value]) => Object.hasOwn(embeddedSchema.shape, name) && value !== undefined,
  );
  const { settings, problems } = parseSettings(embeddedSchema, Object.fromEntries(given));
  const found: FieldError[] = [...problems, ...unknownOptions(options)];
  if (database === undefined && replace.storage === undefined)
    found.push({ path: 'database', message: 'name one, such as sqlite:./till.db, or give replace.storage' });
  const place = database === undefined || isStorage(database) ? null : placeOf(database, found);
  const ownKey = masterKey === undefined ? ownKeyOf(place, found) : null;
  const givenKey = masterKey === undefined ? null : keyOf(masterKey, 'masterKey', found);
  const former = formerMasterKey === undefined ? null : keyOf(formerMasterKey, 'formerMasterKey', found);
  const plugins = (options.plugins ?? []).flatMap((plugin, index) =>
    readPlugin(plugin, mode, `plugins.${index}`, found),
  );
  // Nothing of the environment is read.
  const config =
    settings === null ? null : completeTill(settings, { directory: process.cwd(), environment: {} }, found);
  if (settings === null || config === null || found.length > 0) throw configError(found);
  const key = givenKey ?? readOwnKey(present(ownKey, 'a master key'));
  const masterKeys = { current: key, former: former === null ? [] : [former] };
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const creation = mode === 'sandbox' ? 'sandbox' : ownKey === null ? null : 'own-key';
  const createWallet = options.mnemonic === undefined ? creation : null;
  return { config, database: place, masterKeys, createWallet, baseUrl, plugins };
}

/** The options of an embedded till besides its settings. */
const OWN_OPTIONS = {
  database: true,
  masterKey: true,
  formerMasterKey: true,
  baseUrl: true,
  plugins: true,
  mode: true,
  mnemonic: true,
  logger: true,
  logLevel: true,
  metrics: true,
  replace: true,
  trustedHops: true,
  workers: true,
} as const satisfies Record<Exclude<keyof TillgateOptions, keyof TillSettings>, true>;

const WORKERS: readonly unknown[] = ['all', 'instance', 'none', undefined];

function unknownOptions(options: TillgateOptions): FieldError[] {
  const unknown = Object.keys(options)
    .filter((name) => !Object.hasOwn(OWN_OPTIONS, name) && !Object.hasOwn(embeddedSchema.shape, name))
    .map((path) => ({ path, message: 'is not a known option' }));
  if (WORKERS.includes(options.workers)) return unknown;
  return [...unknown, { path: 'workers', message: 'must be all, instance or none' }];
}

const DEFAULT_BASE_URL = 'http://localhost:3000';

function isStorage(database: TillDatabase): database is Storage {
  return typeof database === 'object' && 'transaction' in database;
}

function keyOf(key: Uint8Array | string | undefined, path: string, problems: FieldError[]): Uint8Array | null {
  if (typeof key === 'string') return masterKeyOf(key, problems, path);
  if (key instanceof Uint8Array && key.length === 32) return key;
  problems.push({
    path,
    message: 'give 32 random bytes, or their base64 or hex (openssl rand -base64 32)',
  });
  return null;
}

function readPlugin(
  given: ConfiguredPlugin,
  mode: TillConfig['mode'],
  path: string,
  problems: FieldError[],
): LoadedPlugin[] {
  try {
    const plugin = checkPlugin(given.plugin, mode);
    return [{ plugin, options: plugin.options(given.options) }];
  } catch (error) {
    problems.push(...problemsOf(error, path, given.plugin?.name ?? path));
    return [];
  }
}

/** Opens the database and the metrics of an embedded till. The application closes what it supplied itself. */
export async function openDependencies(
  { config, masterKeys, database, createWallet }: Plan,
  options: TillgateOptions,
  disposables: DisposeStack,
  logger: Logger,
): Promise<RuntimeDeps> {
  const { replace = {}, mnemonic = null } = options;
  const metrics = replace.metrics ?? (await metricsOf(options.metrics, logger));
  const storage =
    replace.storage ??
    (database === null
      ? (options.database as Storage)
      : await openDatabase(database, config.mode, { logger, metrics }, disposables));
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const leaseTtlMs = SHARED_TTL_MS;
  return { config, masterKeys, mnemonic, createWallet, logger, metrics, storage, owner, leaseTtlMs, replace };
}

/** The till's logger: an embedder's port unchanged; the application's own logger behind redaction. */
export function loggerOf({ logger, logLevel, replace }: TillgateOptions): Logger {
  if (replace?.logger !== undefined) return replace.logger;
  return new BridgeLogger(logger ?? console, logLevel ?? (logger === undefined ? 'warn' : 'info'));
}

const NO_METRICS: Metrics = { count: () => undefined, gauge: () => undefined, observe: () => undefined };

async function metricsOf(given: TillgateOptions['metrics'], logger: Logger): Promise<Metrics> {
  if (given === undefined) return NO_METRICS;
  if (isMetrics(given)) return given;
  const { PromMetrics } = await import('../../adapters/metrics/index.ts');
  return new PromMetrics(logger, { registry: given as Registry, processMetrics: false });
}

function isMetrics(given: object): given is Metrics {
  return 'count' in given && 'gauge' in given && 'observe' in given;
}

async function openDatabase(
  { config, tablePrefix, schema, insecure }: DatabasePlace,
  mode: TillConfig['mode'],
  deps: Pick<StorageDeps, 'logger' | 'metrics'>,
  disposables: DisposeStack,
): Promise<Storage> {
  const { openStorage, acquireServerLock, driverNotice, requireSecureConnection } =
    await import('../../adapters/storage/knex/index.ts');
  if (mode === 'production' && 'connection' in config && !insecure)
    await requireSecureConnection(config.connection, 'database');
  if ('filename' in config) {
    const lock = await acquireServerLock(lockedFile(config, tablePrefix));
    disposables.add('server lock', () => lock.release());
    const notice = driverNotice(config.client);
    if (notice !== null) deps.logger.warn(notice);
  }
  const storage = await openStorage(config, {
    ...deps,
    ...(tablePrefix === undefined ? {} : { tablePrefix }),
    ...(schema === undefined ? {} : { schema }),
  });
  disposables.add('storage', () => storage.close());
  return storage;
}

/** A file may hold several tills, each with its own prefix and a single server. */
function lockedFile(config: SqliteConfig, tablePrefix = ''): SqliteConfig {
  return tablePrefix === '' || config.filename === ':memory:'
    ? config
    : { ...config, filename: `${config.filename}.${tablePrefix}` };
}
