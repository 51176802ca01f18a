import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { present } from '../../core/index.ts';
import type { FieldError, Logger, Metrics, Plugin, Storage } from '../../core/index.ts';
import { BridgeLogger } from '../../adapters/logging/bridge-logger.ts';
import type { ConsoleLike, PinoLike } from '../../adapters/logging/bridge-logger.ts';
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
import type { PluginWithOptions, TillStorage, TillgateOptions } from './options.ts';

/** The validated options of an embedded till; nothing is opened yet. */
export interface Plan {
  readonly config: TillConfig;
  readonly masterKeys: MasterKeys;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly plugins: readonly LoadedPlugin[];
}

/** @throws TillgateError `CONFIG_INVALID` listing every problem of the options */
export function planOf(options: TillgateOptions): Plan {
  const { mode = 'production', masterKey, formerMasterKey } = options;
  const given = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(embeddedSchema.shape, name) && value !== undefined,
  );
  const { settings, problems } = parseSettings(embeddedSchema, Object.fromEntries(given));
  const found: FieldError[] = [...problems];
  if (options.storage === undefined && options.replace?.storage === undefined)
    found.push({ path: 'storage', message: 'name a database, or give replace.storage' });
  const key = keyOf(masterKey, 'masterKey', found);
  const former = formerMasterKey === undefined ? null : keyOf(formerMasterKey, 'formerMasterKey', found);
  const plugins = (options.plugins ?? []).flatMap((plugin, index) =>
    readPlugin(plugin, mode, `plugins.${index}`, found),
  );
  // Nothing of the environment is read.
  const config =
    settings === null ? null : completeTill(settings, { directory: process.cwd(), environment: {} }, found);
  if (settings === null || config === null || key === null || found.length > 0) throw configError(found);
  const masterKeys = { current: key, former: former === null ? [] : [former] };
  return { config, masterKeys, baseUrl: settings.baseUrl.replace(/\/+$/, ''), plugins };
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
  given: Plugin | PluginWithOptions,
  mode: TillConfig['mode'],
  path: string,
  problems: FieldError[],
): LoadedPlugin[] {
  const { plugin: found, options = {} } = 'plugin' in given ? given : { plugin: given };
  try {
    const plugin = checkPlugin(found, mode);
    return [{ plugin, options: plugin.options(options) }];
  } catch (error) {
    problems.push(...problemsOf(error, path, found.name));
    return [];
  }
}

/** Opens the database and the metrics of an embedded till. The application closes what it supplied itself. */
export async function openDependencies(
  { config, masterKeys }: Plan,
  options: TillgateOptions,
  disposables: DisposeStack,
  logger: Logger,
): Promise<RuntimeDeps> {
  const { replace = {}, mnemonic = null } = options;
  const metrics = replace.metrics ?? (await metricsOf(options.metrics, logger));
  const storage =
    replace.storage ??
    (await storageOf(present(options.storage, 'the storage'), config.mode, { logger, metrics }, disposables));
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  return { config, masterKeys, mnemonic, logger, metrics, storage, owner, leaseTtlMs: SHARED_TTL_MS, replace };
}

/** The till's logger: an embedder's port unchanged; the application's own logger behind redaction. */
export function loggerOf({ logger, logLevel, replace }: TillgateOptions): Logger {
  if (replace?.logger !== undefined) return replace.logger;
  const target: PinoLike | ConsoleLike = logger ?? console;
  return new BridgeLogger(target, logger === undefined ? 'silent' : logLevel);
}

const NO_METRICS: Metrics = { count: () => undefined, gauge: () => undefined, observe: () => undefined };

async function metricsOf(given: TillgateOptions['metrics'], logger: Logger): Promise<Metrics> {
  if (given === undefined) return NO_METRICS;
  if (isMetrics(given)) return given;
  const { PromMetrics } = await import('../../adapters/metrics/index.ts');
  return new PromMetrics(logger, { registry: given, processMetrics: false });
}

function isMetrics(given: object): given is Metrics {
  return 'count' in given && 'gauge' in given && 'observe' in given;
}

async function storageOf(
  given: TillStorage,
  mode: TillConfig['mode'],
  deps: Pick<StorageDeps, 'logger' | 'metrics'>,
  disposables: DisposeStack,
): Promise<Storage> {
  if ('transaction' in given) return given;
  const { openStorage, acquireServerLock, requireSecureConnection } =
    await import('../../adapters/storage/knex/index.ts');
  const { tablePrefix, schema, insecure, ...config } = { schema: undefined, insecure: false, ...given };
  if (mode === 'production' && 'connection' in config && !insecure)
    await requireSecureConnection(config.connection, 'storage');
  if ('filename' in config) {
    const lock = await acquireServerLock(lockedFile(config, tablePrefix));
    disposables.add('server lock', () => lock.release());
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
