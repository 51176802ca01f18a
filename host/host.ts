import { join } from 'node:path';
import type { Logger } from '../core/index.ts';
import { PinoLogger } from '../adapters/logging/index.ts';
import { configError, resolveConfig } from './settings/config.ts';
import type { ConfigSources, HostConfig } from './settings/config.ts';
import type { Till } from './boot/container.ts';
import { demoMerchant, refuseDemoAccounts, writeDemoFile } from './boot/demo.ts';
import type { DemoMerchant } from './boot/demo.ts';
import { openHostRuntime } from './boot/open.ts';
import type { HostRuntime } from './boot/open.ts';
import { importPlugins } from './boot/plugins.ts';
import type { LoadedPlugin } from './boot/plugins.ts';
import { openTill } from './boot/runtime.ts';
import { listenerUrl } from './boot/own-hosts.ts';
import type { BaseUrl } from './boot/own-hosts.ts';
import type { RuntimeOptions } from './boot/runtime.ts';
import { createListener } from './http/server.ts';
import type { HttpListener } from './http/server.ts';
import type { SettingsInput } from './settings/settings.ts';
import { TillLifecycle } from './boot/till-lifecycle.ts';

/** A till with its server and its workers, in this process. */
export interface Host {
  /** Opens the database, sets up the plugins, listens and starts the workers. @throws TillgateError `CONFIG_INVALID` */
  start(): Promise<void>;
  /** Loads the dashboard's files before anybody asks for them, if it is enabled. Never rejects. */
  loadDashboard(): Promise<void>;
  /** Stops accepting requests, finishes running work and releases leases, within 8 seconds. */
  stop(): Promise<void>;
  /** Resolves once the host has stopped because a newer release migrated its database. */
  readonly outdated: Promise<void>;
  /** The URL for payers and merchants; known after the start. */
  readonly url: string;
  /** The URL of the listener itself, as this machine reaches it; known after the start. */
  readonly listensOn: string;
  /** The use cases, without HTTP. @throws Error before the start */
  readonly till: Till;
  /** The sandbox's merchant; `null` in production. */
  readonly demo: DemoMerchant | null;
}

/** Options of {@link createHost} besides the settings. `replace` replaces the till's ports with an embedder's. */
export interface HostOptions extends ConfigSources, RuntimeOptions {
  readonly logger?: Logger;
}

/**
 * Creates a host; it does nothing before `start`.
 *
 * @param config - settings as in `tillgate.config.json`, or the result of `loadConfig`
 * @throws TillgateError `CONFIG_INVALID` listing every problem of the settings
 */
export function createHost(
  config: HostConfig | SettingsInput,
  { logger, directory, environment, ...options }: HostOptions = {},
): Host {
  const sources = {
    ...(directory === undefined ? {} : { directory }),
    ...(environment === undefined ? {} : { environment }),
  };
  const resolved = 'secrets' in config ? config : resolveConfig(config, sources);
  return new RunningHost(resolved, logger ?? new PinoLogger({ level: 'warn' }), options);
}

class RunningHost implements Host {
  readonly #config: HostConfig;
  readonly #logger: Logger;
  readonly #options: RuntimeOptions;
  readonly #baseUrl: BaseUrl;
  #listensOn = '';
  #till: Till | null = null;
  #demo: DemoMerchant | null = null;
  #stop: (() => Promise<void>) | null = null;
  #loadDashboard: () => Promise<void> = () => Promise.resolve();
  #stopped: Promise<void> | null = null;
  #onOutdated: () => void = () => undefined;
  readonly outdated = new Promise<void>((resolve) => (this.#onOutdated = resolve));

  constructor(config: HostConfig, logger: Logger, options: RuntimeOptions) {
    this.#config = config;
    this.#baseUrl = { url: '', listens: config.listen.host };
    this.#logger = logger;
    this.#options = options;
  }

  get url(): string {
    return this.#baseUrl.url;
  }

  get listensOn(): string {
    return this.#listensOn;
  }

  get till(): Till {
    if (this.#till === null) throw new Error('The host has not started yet.');
    return this.#till;
  }

  get demo(): DemoMerchant | null {
    return this.#demo;
  }

  async start(): Promise<void> {
    const plugins = await requirePlugins(this.#config);
    const runtime = await openHostRuntime(this.#config, this.#logger, 'server', this.#options);
    try {
      await this.#run(runtime, plugins);
    } catch (error) {
      await runtime.close();
      throw error;
    }
  }

  async #run(runtime: HostRuntime, plugins: readonly LoadedPlugin[]): Promise<void> {
    const till = await openTill(runtime, plugins, this.#baseUrl);
    this.#demo = await demoOf(runtime, till);
    const lifecycle = new TillLifecycle(runtime, till, () => void this.stop().then(this.#onOutdated));
    await lifecycle.prepare();
    const listener = createListener(till, this.#config);
    const port = await listener.listen();
    this.#listensOn = listenerUrl(this.#config.listen.host, port);
    this.#baseUrl.url = this.#config.baseUrl ?? `http://localhost:${port}`;
    lifecycle.start();
    this.#till = till;
    this.#loadDashboard = () => listener.loadDashboard();
    this.#stop = () => shutDown(till.logger, listener, lifecycle);
    this.#logger.info('listening', {
      url: this.url,
      address: this.listensOn,
      mode: this.#config.mode,
      chains: [...till.chains.keys()],
    });
  }

  loadDashboard(): Promise<void> {
    return this.#loadDashboard();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop === null ? Promise.resolve() : this.#stop();
    return this.#stopped;
  }
}

/** Imports every plugin and reports the problems of all of them in one error. */
async function requirePlugins({ plugins: settings, mode, directory }: HostConfig): Promise<readonly LoadedPlugin[]> {
  const { plugins, problems } = await importPlugins(settings, mode, directory);
  if (problems.length > 0) throw configError(problems);
  return plugins;
}

async function demoOf({ config, vault, owner }: HostRuntime, till: Till): Promise<DemoMerchant | null> {
  if (config.mode === 'production') {
    await refuseDemoAccounts(till.storage);
    return null;
  }
  const demo = await demoMerchant({ ...till, hasher: till.passwordHasher, vault, owner });
  writeDemoFile(join(config.dataDir, 'demo.json'), demo);
  return demo;
}

async function shutDown(logger: Logger, listener: HttpListener, lifecycle: TillLifecycle): Promise<void> {
  logger.info('shutting down');
  await lifecycle.drain(listener.drain());
  await lifecycle.leave();
  listener.cut();
  await lifecycle.close();
  logger.info('stopped');
}
