import { loadSettings } from './settings/config.ts';
import type { HostConfig } from './settings/config.ts';
import { createHost } from './host.ts';
import type { Host } from './host.ts';
import { isSameListener } from './boot/own-hosts.ts';
import { acceptReloads } from './boot/accept-reloads.ts';
import { openLog } from './boot/log.ts';
import { Reloading } from './boot/reloading.ts';
import { growYoungGenerationForGateway, unlimitMemory } from './boot/memory.ts';
import { endOnUncaughtError, stopOnSignal } from './boot/process-end.ts';
import { processCount } from './processes/process-count.ts';
import { placeOfThisProcess } from './processes/process-link.ts';
import type { RunTill, TillParts } from './processes/one-of-several.ts';
import type { RuntimeOptions } from './boot/runtime.ts';

/** The same exit code as a release that refuses its database at the start. */
const OUTDATED_EXIT = 1;

/**
 * `tillgate serve`: runs the till until a signal ends it, in this process or in several that it starts. Only this file
 * has process-wide effects.
 *
 * @param say - writes a line to standard output
 * @param options - replaced ports and lease times
 * @returns the exit code
 */
export async function serve(json: boolean, say: (line: string) => void, options: RuntimeOptions = {}): Promise<number> {
  const place = placeOfThisProcess();
  if (place !== null) {
    const { runOneOfSeveral } = await import('./processes/one-of-several.ts');
    // One process builds the dashboard; the others read what it kept.
    const run: RunTill = (parts) => runTill({ ...parts, json, buildsDashboard: place.number === 1 });
    return runOneOfSeveral(place, options, run, OUTDATED_EXIT);
  }
  const settings = await loadSettings();
  const { config } = settings;
  const { count, because } = processCount(config);
  const log = openLog(count === 1 ? {} : { process: 'primary' }, config.logLevel, config.logFormat);
  if (because !== null) log.logger.warn('processes is "auto", and there are fewer than cores', { count, because });
  try {
    if (count === 1) {
      const greet = (lines: readonly string[]): void => lines.forEach(say);
      let endReloads = (): void => undefined;
      const code = await runTill({
        ...{ settings, read: loadSettings, log, options, json, greet, secondSignal: 'end', buildsDashboard: true },
        onHost: async (_host, reload) => {
          endReloads = await acceptReloads(config.dataDir, reload, log.logger);
        },
      });
      endReloads();
      return code;
    }
    const { runPrimary } = await import('./processes/primary.ts');
    return await runPrimary({ count, config, log, say, outdatedExit: OUTDATED_EXIT });
  } finally {
    log.flush();
  }
}

/** Runs a till in this process until a signal ends it. @returns the exit code */
async function runTill(
  parts: TillParts & { readonly json: boolean; readonly buildsDashboard: boolean },
): Promise<number> {
  const { buildsDashboard, settings, read, log, options, json, greet, secondSignal, onHost } = parts;
  const { config } = settings;
  const host = createHost(config, { ...options, logger: log.logger });
  endOnUncaughtError(log);
  const stopped = stopOnSignal(host, log, secondSignal);
  await host.start();
  if (buildsDashboard) void host.loadDashboard();
  host.till.gateway.onOpen(growYoungGenerationForGateway);
  const calm = host.till.events.on('order.created', () => {
    unlimitMemory();
    calm();
  });
  const { logger } = log;
  const { till } = host;
  const reloading = new Reloading({
    ...{ started: settings, read, till, logger, metrics: till.metrics },
    setLogLevel: (level) => log.setLevel(level),
  });
  await onHost(host, () => reloading.run());
  greet(json ? [JSON.stringify(summary(host, config.mode))] : greeting(host, config));
  return Promise.race([stopped, host.outdated.then(() => OUTDATED_EXIT)]);
}

function summary(host: Host, mode: string): object {
  return {
    url: host.url,
    address: host.listensOn,
    mode,
    chains: [...host.till.chains.keys()],
    demo: host.demo,
  };
}

function greeting({ url, listensOn, demo, till }: Host, { mode, dashboard, apiDocs }: HostConfig): string[] {
  const chains = [...till.chains.keys()].join(', ') || 'none: name a plugin in the configuration';
  const lines = [
    `Tillgate (${mode}) listens on ${isSameListener(url, listensOn) ? url : listensOn}`,
    ...(isSameListener(url, listensOn) ? [] : [`Base URL: ${url} (its requests have to be passed on to the above)`]),
    `Chains: ${chains}`,
    ...(dashboard.enabled ? [`Dashboard: ${url}/dashboard`] : []),
    ...(apiDocs ? [`Documentation: ${url}/docs`] : []),
  ];
  if (demo === null) return lines;
  const { operator } = demo;
  return [
    ...lines,
    '',
    'Demo merchant, also in data/demo.json:',
    ...(dashboard.enabled ? [`E-mail: ${demo.email}`, `Password: ${demo.password}`] : []),
    `API-Key: ${demo.api_key}`,
    `API-Token: ${demo.api_token}`,
    `Signing-Secret: ${demo.signing_secret}`,
    ...(dashboard.enabled
      ? [
          '',
          'Operator, who sees all accounts:',
          `E-mail: ${operator.email}`,
          `Password: ${operator.password ?? 'the one of this account, with its second factor if it has one'}`,
        ]
      : []),
  ];
}
