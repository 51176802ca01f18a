import { isDeepStrictEqual } from 'node:util';
import type { HostConfig, LoadedSettings, Secrets } from './config.ts';

/** The settings that a running server follows; a change of any other one needs a restart. */
const FOLLOWED = ['gateways', 'limits', 'logLevel'] as const satisfies readonly (keyof HostConfig)[];

/** Settings whose final values have another name than the setting. */
const RESOLVED: Readonly<Record<string, keyof HostConfig>> = { rates: 'rateSources', masterKeyFile: 'secrets' };

const SECRETS: Readonly<Record<keyof Secrets, string>> = {
  masterKey: 'TILLGATE_MASTER_KEY',
  formerMasterKey: 'TILLGATE_MASTER_KEY_FORMER',
  mnemonic: 'TILLGATE_MNEMONIC',
};

/** The names of changed settings, as they are written in the file; no values. */
export interface ChangedSettings {
  /** Those that a running server follows. */
  readonly followed: readonly string[];
  /** Those that take effect with the next start. */
  readonly waiting: readonly string[];
}

/**
 * Compares settings.
 *
 * @param started - those that the server was started with
 * @param current - those of them that it follows at present
 */
export function changedSettings(started: LoadedSettings, current: HostConfig, next: LoadedSettings): ChangedSettings {
  const followed = FOLLOWED.filter((name) => !isDeepStrictEqual(current[name], next.config[name]));
  const names = Object.keys({ ...members(started.input), ...members(next.input) });
  const waiting = names
    .filter((name) => !FOLLOWED.some((each) => each === name) && isOther(name, started.config, next.config))
    .flatMap((name) => pathsOf(name, members(started.input)[name], members(next.input)[name]));
  const secrets = (Object.keys(SECRETS) as (keyof Secrets)[])
    .filter((name) => !isDeepStrictEqual(started.config.secrets[name], next.config.secrets[name]))
    .map((name) => SECRETS[name]);
  return { followed, waiting: [...new Set([...waiting, ...secrets])].toSorted() };
}

/** Whether the final value differs: what is written may be a default. */
function isOther(name: string, former: HostConfig, next: HostConfig): boolean {
  const resolved = RESOLVED[name] ?? name;
  if (!(resolved in former) && !(resolved in next)) return true;
  const key = resolved as keyof HostConfig;
  return !isDeepStrictEqual(former[key], next[key]);
}

/** The paths at which two written values differ, each as `orders.timeoutSeconds`. */
function pathsOf(path: string, former: unknown, next: unknown): readonly string[] {
  if (isDeepStrictEqual(former, next)) return [];
  if (!isPlain(former) || !isPlain(next)) return [path];
  return Object.keys({ ...former, ...next }).flatMap((name) => pathsOf(`${path}.${name}`, former[name], next[name]));
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const members = (value: unknown): Readonly<Record<string, unknown>> => (isPlain(value) ? value : {});
