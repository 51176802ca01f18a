import { isTillgateError } from '../../core/index.ts';
import type { FieldError, Logger, Metrics } from '../../core/index.ts';
import { changedSettings } from '../settings/changed-settings.ts';
import type { ChangedSettings } from '../settings/changed-settings.ts';
import type { HostConfig, LoadedSettings } from '../settings/config.ts';
import type { Till } from './container.ts';

/** What reading the settings again led to. Neither has a value of a setting, which may be a secret. */
export type Reloaded =
  | ({ readonly outcome: 'applied' } & ChangedSettings)
  | { readonly outcome: 'refused'; readonly problems: readonly FieldError[] };

/** What a reload changes. */
export interface ReloadingDeps {
  readonly started: LoadedSettings;
  /** Reads the settings as at the start. @throws TillgateError `CONFIG_INVALID` */
  readonly read: () => Promise<LoadedSettings>;
  readonly till: Pick<Till, 'configuredRoutes'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly setLogLevel: (level: HostConfig['logLevel']) => void;
}

/** Lets a running server follow its settings file. Invalid settings change nothing. */
export class Reloading {
  readonly #deps: ReloadingDeps;
  #current: HostConfig;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: ReloadingDeps) {
    this.#deps = deps;
    // The limits are copied, because the till reads those of the settings that it was started with.
    const { config } = deps.started;
    this.#current = { ...config, limits: { ...config.limits } };
  }

  /** Reads the settings again and follows them; one call after another. */
  run(): Promise<Reloaded> {
    const next = this.#last.then(() => this.#run());
    this.#last = next;
    return next;
  }

  async #run(): Promise<Reloaded> {
    const { started, read, logger, metrics } = this.#deps;
    try {
      const next = await read();
      const changed = changedSettings(started, this.#current, next);
      this.#follow(next.config, changed);
      metrics.count('tillgate_settings_reloads_total', { outcome: 'applied' });
      logger.info('the settings were read again', { changed: changed.followed });
      if (changed.waiting.length > 0)
        logger.warn('changed settings take effect with the next start', { settings: changed.waiting });
      return { outcome: 'applied', ...changed };
    } catch (error) {
      metrics.count('tillgate_settings_reloads_total', { outcome: 'refused' });
      logger.error('the settings were read again and are not usable; nothing was changed', { error });
      return { outcome: 'refused', problems: problemsOf(error) };
    }
  }

  #follow({ gateways, limits, logLevel }: HostConfig, { followed }: ChangedSettings): void {
    const { started, till, setLogLevel } = this.#deps;
    // The till reads each limit of this object whenever it needs it.
    Object.assign(started.config.limits, limits);
    if (followed.includes('logLevel')) setLogLevel(logLevel);
    // Gateways take the limit of accounts when their routes are read.
    if (followed.includes('gateways') || followed.includes('limits')) till.configuredRoutes.replace(gateways);
    this.#current = { ...this.#current, gateways, logLevel, limits: { ...limits } };
  }
}

function problemsOf(error: unknown): readonly FieldError[] {
  const fields = isTillgateError(error, 'CONFIG_INVALID') ? error.details.fields : undefined;
  return fields ?? [{ path: 'settings', message: 'cannot be read; the log of the server says why' }];
}
