import { PromMetrics } from '../../adapters/metrics/index.ts';
import type { Logger } from '../../core/index.ts';
import { loadSettings } from '../settings/config.ts';
import type { LoadedSettings } from '../settings/config.ts';
import { openLog } from '../boot/log.ts';
import type { ProcessLog } from '../boot/log.ts';
import type { Host } from '../host.ts';
import type { Reloaded } from '../boot/reloading.ts';
import type { RuntimeOptions } from '../boot/runtime.ts';
import { shareOf } from './process-share.ts';
import type { ProcessPlace } from './process-count.ts';
import { ProcessLink } from './process-link.ts';

/** The inputs of running a till in one process. */
export interface TillParts {
  readonly settings: LoadedSettings;
  /** Reads the settings again, as this process uses them. */
  readonly read: () => Promise<LoadedSettings>;
  readonly log: ProcessLog;
  readonly options: RuntimeOptions;
  readonly greet: (lines: readonly string[]) => void;
  readonly secondSignal: 'end' | 'nothing';
  /**
   * Called with the host once it serves, before it prints its greeting.
   *
   * @param reload - reads the settings again and follows them
   */
  readonly onHost: (host: Host, reload: () => Promise<Reloaded>) => void | Promise<void>;
}

/** Runs a till in this process until a signal ends it. @returns the exit code */
export type RunTill = (parts: TillParts) => Promise<number>;

/**
 * Runs one of the processes of a server: an instance of the till with its share of the database connections. It reports
 * to the primary that it serves, or why it does not.
 *
 * @returns the exit code
 */
export async function runOneOfSeveral(
  place: ProcessPlace,
  options: RuntimeOptions,
  run: RunTill,
  outdatedExit: number,
): Promise<number> {
  const log = openLog({ process: place.number });
  const link = new ProcessLink(log.logger);
  try {
    const read = async (): Promise<LoadedSettings> => {
      const { config, input } = await loadSettings();
      return { config: shareOf(config, place), input };
    };
    const settings = await read();
    log.setLevel(settings.config.logLevel);
    log.setFormat(settings.config.logFormat);
    // The primary hears of it and asks all processes.
    process.on('SIGHUP', () => undefined);
    const metrics = new MetricsOfServer(log.logger, link);
    const code = await run({
      settings,
      read,
      log,
      options: { ...options, replace: { metrics, ...options.replace } },
      secondSignal: 'nothing',
      onHost: ({ till }, reload) => {
        link.reloads(reload);
        link.measures(() => {
          till.gateway.flush();
          return metrics.collect();
        });
      },
      greet: (greeting) => void link.send({ kind: 'serving', greeting }),
    });
    if (code === outdatedExit) await link.send({ kind: 'outdated' });
    return code;
  } catch (error) {
    await link.failed(error);
    return 1;
  } finally {
    log.flush();
  }
}

/** Measures this process, and answers a scrape with the metrics of all processes. */
class MetricsOfServer extends PromMetrics {
  readonly #link: ProcessLink;

  constructor(logger: Logger, link: ProcessLink) {
    super(logger);
    this.#link = link;
  }

  override text(): Promise<string> {
    return this.#link.scrape();
  }
}
