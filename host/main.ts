import { loadConfig } from './config.ts';
import type { HostConfig } from './config.ts';
import { createHost } from './host.ts';
import type { Host } from './host.ts';
import { openLog } from './log.ts';
import type { ProcessLog } from './log.ts';
import { growYoungGenerationForGateway, unlimitYoungGeneration } from './memory.ts';
import type { RuntimeOptions } from './runtime.ts';

/** As of a release that refuses its database at the start. */
const OUTDATED_EXIT = 1;
/** After this the process exits whatever still runs: it must be gone 10 seconds after SIGTERM. */
const LONGEST_STOP_MS = 9500;

/**
 * `tillgate serve`: runs the till until a signal ends it. The only place with process-wide effects.
 *
 * @param say - writes a line to standard output
 * @param options - ports and leases that differ from the ordinary
 * @returns the exit code
 */
export async function serve(json: boolean, say: (line: string) => void, options: RuntimeOptions = {}): Promise<number> {
  const config = await loadConfig();
  const log = openLog();
  const host = createHost(config, { ...options, logger: log.logger });
  exitOnUncaughtError(log);
  const stopped = stopOnSignal(host, log);
  try {
    await host.start();
    host.till.gateway.onOpen(growYoungGenerationForGateway);
    const calm = host.till.events.on('order.created', () => {
      unlimitYoungGeneration();
      calm();
    });
    for (const line of json ? [JSON.stringify(summary(host, config.mode))] : greeting(host, config)) say(line);
    return await Promise.race([stopped, host.outdated.then(() => OUTDATED_EXIT)]);
  } finally {
    log.flush();
  }
}

function summary(host: Host, mode: string): object {
  return { url: host.url, mode, chains: [...host.till.chains.keys()], demo: host.demo };
}

function greeting({ url, demo, till }: Host, { mode, dashboard: { enabled: dashboard } }: HostConfig): string[] {
  const chains = [...till.chains.keys()].join(', ') || 'none: name a plugin in the configuration';
  const lines = [`Tillgate (${mode}) listens on ${url}`, `Chains: ${chains}`];
  if (demo === null) return lines;
  return [
    ...lines,
    'Demo merchant:',
    `API-Key: ${demo.api_key}`,
    `API-Token: ${demo.api_token}`,
    `Signing-Secret: ${demo.signing_secret}`,
    ...(dashboard ? [`Dashboard: ${url}/dashboard`, `E-mail: ${demo.email}`, `Password: ${demo.password}`] : []),
  ];
}

/** The first signal starts the shutdown, which resolves with 0; a second signal exits at once. */
function stopOnSignal(host: Host, log: ProcessLog): Promise<number> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const end = (code: number): void => {
      log.flush();
      process.exit(code);
    };
    const onSignal = (): void => {
      if (asked) end(1);
      asked = true;
      setTimeout(() => end(0), LONGEST_STOP_MS).unref();
      host.stop().then(() => resolve(0), reject);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** An uncaught error is a defect: a restart is safe, continuing is not. */
function exitOnUncaughtError(log: ProcessLog): void {
  const exit = (error: unknown): void => {
    log.logger.error('uncaught error: the process exits and can be restarted safely', { error });
    log.flush();
    process.exit(70);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}
