import { join } from 'node:path';
import type { Logger } from '../core/index.ts';
import { PinoLogger } from '../adapters/logging/index.ts';
import { openTill } from './base.ts';
import { configError, resolveConfig } from './config.ts';
import type { ConfigSources, HostConfig } from './config.ts';
import type { Till } from './container.ts';
import { demoMerchant, refuseDemoMerchant, writeDemoFile } from './demo.ts';
import type { DemoMerchant } from './demo.ts';
import { openBase } from './open.ts';
import type { Base } from './open.ts';
import { importPlugins } from './plugins.ts';
import type { LoadedPlugin } from './plugins.ts';
import { createListener } from './server.ts';
import type { HttpListener } from './server.ts';
import type { SettingsInput } from './settings.ts';
import { TillWork } from './till-work.ts';

/** A till with its server and its workers, in this process. */
export interface Host {
  /** Opens the database, sets the plugins up, listens, and starts the workers. @throws TillgateError `CONFIG_INVALID` */
  start(): Promise<void>;
  /** Accepts nothing more, finishes what runs, gives leases back; at the latest after 8 seconds. */
  stop(): Promise<void>;
  /** Where payers and merchants reach it; known once it has started. */
  readonly url: string;
  /** The use cases, without HTTP. @throws Error before it has started */
  readonly till: Till;
  /** The sandbox's merchant; `null` in production. */
  readonly demo: DemoMerchant | null;
}

/** What {@link createHost} may be told besides the settings. */
export interface HostOptions extends ConfigSources {
  readonly logger?: Logger;
}

/**
 * Makes a host; nothing happens before its `start`.
 *
 * @param config - settings as in `tillgate.config.json`, or what `loadConfig` read
 * @throws TillgateError `CONFIG_INVALID` listing every problem of the settings
 */
export function createHost(config: HostConfig | SettingsInput, { logger, ...sources }: HostOptions = {}): Host {
  const resolved = 'secrets' in config ? config : resolveConfig(config, sources);
  return new RunningHost(resolved, logger ?? new PinoLogger({ level: 'warn' }));
}

class RunningHost implements Host {
  readonly #config: HostConfig;
  readonly #logger: Logger;
  readonly #base = { url: '' };
  #till: Till | null = null;
  #demo: DemoMerchant | null = null;
  #stop: (() => Promise<void>) | null = null;
  #stopped: Promise<void> | null = null;

  constructor(config: HostConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  get url(): string {
    return this.#base.url;
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
    const base = await openBase(this.#config, this.#logger, 'server');
    try {
      await this.#run(base, plugins);
    } catch (error) {
      await base.close();
      throw error;
    }
  }

  async #run(base: Base, plugins: readonly LoadedPlugin[]): Promise<void> {
    const till = await openTill(base, plugins, this.#base);
    this.#demo = await demoOf(base);
    const work = new TillWork(base, till);
    await work.prepare();
    const listener = createListener(till, this.#config);
    const port = await listener.listen();
    this.#base.url = this.#config.baseUrl ?? `http://localhost:${port}`;
    work.start();
    this.#till = till;
    this.#stop = () => shutDown(till.logger, listener, work);
    this.#logger.info('listening', { url: this.url, mode: this.#config.mode, chains: [...till.chains.keys()] });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop === null ? Promise.resolve() : this.#stop();
    return this.#stopped;
  }
}

/** Imports every plugin and lists the problems of all of them at once. */
async function requirePlugins({ plugins: settings, mode, directory }: HostConfig): Promise<readonly LoadedPlugin[]> {
  const { plugins, problems } = await importPlugins(settings, mode, directory);
  if (problems.length > 0) throw configError(problems);
  return plugins;
}

async function demoOf({ config, ...base }: Base): Promise<DemoMerchant | null> {
  if (config.mode === 'production') {
    await refuseDemoMerchant(base.storage);
    return null;
  }
  const demo = await demoMerchant({ ...base, ...base.accounts });
  writeDemoFile(join(config.dataDir, 'demo.json'), demo);
  return demo;
}

async function shutDown(logger: Logger, listener: HttpListener, work: TillWork): Promise<void> {
  logger.info('stopping');
  await work.drain(listener.drain());
  await work.leave();
  listener.cut();
  await work.close();
  logger.info('stopped');
}
