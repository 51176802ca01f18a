import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TillgateError } from '../../core/index.ts';
import type { FieldError } from '../../core/index.ts';
import type { SignerAddress } from '../../adapters/signer/index.ts';
import { ownHosts } from '../boot/own-hosts.ts';
import { processProblems } from '../processes/process-count.ts';
import type { ProcessPlace } from '../processes/process-count.ts';
import { signerAddressOf } from '../signer/signer-address.ts';
import { parseSettings, settingsSchema, withModeDefaults } from './settings.ts';
import type { PluginSetting, RateSourceSetting, Settings, TillConfig, TillSettings } from './settings.ts';

/** Secrets, which come only from the environment. */
export interface Secrets {
  /** 32 bytes; `null` when none was given, and the sandbox then makes and keeps its own. */
  readonly masterKey: Uint8Array | null;
  /** The previous master key, which opens secrets that are not yet sealed with {@link masterKey}. */
  readonly formerMasterKey: Uint8Array | null;
  /** The wallet's seed words; `null` when none were given, and the stored wallet is then used. */
  readonly mnemonic: string | null;
}

/** The database that keeps orders. */
export type DatabaseConfig =
  | { readonly client: 'sqlite'; readonly filename: string }
  | {
      readonly client: 'pg';
      readonly connection: string;
      readonly pool: { readonly min: number; readonly max: number };
      /** Allows a database on another machine without TLS. */
      readonly insecure: boolean;
    };

/** Every setting with its final value; paths are absolute. */
export interface HostConfig
  extends TillConfig, Pick<Settings, 'apiDocs' | 'dashboard' | 'dataDir' | 'logFormat' | 'logLevel' | 'processes'> {
  readonly listen: { readonly host: string; readonly port: number; readonly trustedHops: number };
  /** `null` means `http://localhost:<port>` with the port that the server is given. */
  readonly baseUrl: string | null;
  readonly database: DatabaseConfig;
  /** The address of the process that holds the seed; `null` when this process does. */
  readonly signer: SignerAddress | null;
  readonly plugins: readonly PluginSetting[];
  /** The folder that relative paths and plugin modules are resolved against. */
  readonly directory: string;
  readonly secrets: Secrets;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Inputs of {@link resolveConfig} besides the settings. */
export interface ConfigSources {
  /** The folder that relative paths are resolved against; the working directory by default. */
  readonly directory?: string;
  /** Empty by default: an embedder's environment is not read. */
  readonly environment?: Environment;
  /** The settings file: paths in it are relative to its folder, and it must name its mode explicitly. */
  readonly file?: string | null;
}

/** The sources without the settings file. */
type Surrounding = Required<Omit<ConfigSources, 'file'>>;

const FIRST_NAME = 'tillgate.config.json';
const FILE_NAMES = [FIRST_NAME, 'tillgate.config.ts', 'tillgate.config.js'];

/**
 * Reads the settings file that `TILLGATE_CONFIG` names, else `tillgate.config.json` or `.ts` in the working directory,
 * else no file (the sandbox), and the secrets of the environment.
 *
 * @throws TillgateError `CONFIG_INVALID` listing every problem
 */
export async function loadConfig(
  environment: Environment = process.env,
  directory = process.cwd(),
): Promise<HostConfig> {
  return (await loadSettings(environment, directory)).config;
}

/** Settings with their final values, and as they are written. */
export interface LoadedSettings {
  readonly config: HostConfig;
  readonly input: unknown;
}

/**
 * As {@link loadConfig}; reads the file again each time, also one that is a module (what it imports is not read again).
 *
 * @throws TillgateError `CONFIG_INVALID` listing every problem
 */
export async function loadSettings(
  environment: Environment = process.env,
  directory = process.cwd(),
): Promise<LoadedSettings> {
  const path = settingsPath(environment['TILLGATE_CONFIG'], directory);
  if (path === null) return { config: resolveConfig({}, { environment, directory }), input: {} };
  const input = await readSettingsFile(path);
  return { config: resolveConfig(input, { environment, directory, file: path }), input };
}

/** Every environment variable that a till reads. */
export const VARIABLES: readonly string[] = [
  'TILLGATE_CONFIG',
  'TILLGATE_PORT',
  'TILLGATE_DATABASE_URL',
  ...['TILLGATE_MASTER_KEY', 'TILLGATE_MASTER_KEY_FORMER', 'TILLGATE_MNEMONIC', 'TILLGATE_COINGECKO_API_KEY'].flatMap(
    (name) => [name, `${name}_FILE`],
  ),
];

/** Settings as they are written, without validation. */
export interface WrittenSettings {
  readonly form: 'json' | 'module' | 'none';
  readonly input: unknown;
  /** The names of the {@link VARIABLES} that are set. */
  readonly variables: readonly string[];
}

/**
 * Reads the same as {@link loadConfig} except the secrets.
 *
 * @throws TillgateError `CONFIG_INVALID` for an unreadable file
 */
export async function writtenSettings(
  environment: Environment = process.env,
  directory = process.cwd(),
): Promise<WrittenSettings> {
  const path = settingsPath(environment['TILLGATE_CONFIG'], directory);
  const variables = VARIABLES.filter((name) => Boolean(environment[name]));
  if (path === null) return { form: 'none', input: {}, variables };
  return { form: path.endsWith('.json') ? 'json' : 'module', input: await readSettingsFile(path), variables };
}

/**
 * Settings with their defaults, validated as a whole.
 *
 * @throws TillgateError `CONFIG_INVALID` listing every problem
 */
export function resolveConfig(
  input: unknown,
  { directory = process.cwd(), environment = {}, file = null }: ConfigSources = {},
): HostConfig {
  const { settings, problems } = parseSettings(settingsSchema, input);
  const found: FieldError[] = [...problems, ...(file === null ? [] : modeProblems(input))];
  const keyIn = (name: string): Uint8Array | null => {
    // What is wrong with the content of a file is said of the variable that names the file.
    const variable = environment[name]?.trim() ? name : `${name}_FILE`;
    return masterKeyOf(secretText(environment, name, directory, found), found, variable);
  };
  const named = keyOfSettings(settings?.masterKeyFile, { environment, directory: homeOf(file, directory) }, found);
  const secrets: Secrets = {
    masterKey: named ?? keyIn('TILLGATE_MASTER_KEY'),
    formerMasterKey: keyIn('TILLGATE_MASTER_KEY_FORMER'),
    mnemonic: secretText(environment, 'TILLGATE_MNEMONIC', directory, found),
  };
  const port = portOf(environment['TILLGATE_PORT'], found);
  const databaseUrl = environment['TILLGATE_DATABASE_URL'] || null;
  found.push(...productionProblems(input, environment), ...databaseProblems(settings, databaseUrl));
  if (settings !== null)
    found.push(
      ...processProblems(settings.processes, databaseOf(settings.database, databaseUrl, directory, directory)),
      ...gatewayProblems(settings),
      ...cacheProblems(settings),
    );
  const till = settings === null ? null : completeTill(settings, { directory, environment }, found);
  const home = homeOf(file, directory);
  const signer = signerAddressOf(settings?.signer, home, found);
  if (signer !== null && secrets.mnemonic !== null)
    found.push({ path: 'TILLGATE_MNEMONIC', message: 'is set beside signer, which alone has the seed: remove it' });
  if (settings === null || till === null || found.length > 0) throw configError(found);
  return complete(settings, till, { secrets, port, databaseUrl, directory: home, signer });
}

/** The settings of a till with their final values; problems with secrets are added to `problems`. */
export function completeTill(settings: TillSettings, sources: Surrounding, problems: FieldError[]): TillConfig {
  const till = withModeDefaults(settings);
  return {
    ...till,
    rateSources: till.rateSources.map((source, index) =>
      withApiKey(source, `rates.sources.${index}`, sources, problems),
    ),
  };
}

/** Reads CoinGecko's API key from the settings, from a file that they name, or from the environment. */
function withApiKey(
  source: RateSourceSetting,
  path: string,
  { directory, environment }: Surrounding,
  problems: FieldError[],
): RateSourceSetting {
  if (source.use !== 'coingecko') return source;
  const { apiKey, apiKeyFile, ...rest } = source;
  const given = valueOrFile(
    { name: `${path}.apiKey`, fileName: `${path}.apiKeyFile`, value: apiKey, file: apiKeyFile },
    directory,
    problems,
  );
  const key = given ?? secretText(environment, 'TILLGATE_COINGECKO_API_KEY', directory, problems);
  return key === null ? rest : { ...rest, apiKey: key };
}

/** One error for all configuration problems, one line each. */
export function configError(problems: readonly FieldError[]): TillgateError {
  const lines = problems.map(({ path, message }) => `  ${path}: ${message}`);
  return new TillgateError('CONFIG_INVALID', `The configuration is not usable:\n${lines.join('\n')}`, {
    fields: problems,
  });
}

/** @throws Error without any text of the file, which may be a secret */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, position] = /at position (\d+)/.exec((error as Error).message) ?? [];
    if (position === undefined) throw new Error('it is not valid JSON');
    const before = text.slice(0, Number(position)).split('\n');
    throw new Error(`it is not valid JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`);
  }
}

let readings = 0;

async function readSettingsFile(path: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return parsedJson(readFileSync(path, 'utf8'));
    const url = pathToFileURL(path);
    // A module is loaded once for each URL.
    if (readings++ > 0) url.searchParams.set('reading', String(readings));
    const module = (await import(url.href)) as { default?: unknown };
    return module.default;
  } catch (error) {
    throw configError([{ path, message: `cannot be read: ${(error as Error).message}` }]);
  }
}

/** The path of the settings file, existing or not: the one in `TILLGATE_CONFIG`, else one in the working directory. */
export function settingsTarget(
  environment: Environment = process.env,
  directory = process.cwd(),
): { readonly path: string; readonly exists: boolean } {
  const named = environment['TILLGATE_CONFIG'];
  const path = named
    ? resolve(directory, named)
    : (settingsPath(undefined, directory) ?? resolve(directory, FIRST_NAME));
  return { path, exists: existsSync(path) };
}

/** The place of this process among those of its server, such as `2/4`. */
export const PLACE_VARIABLE = 'TILLGATE_PROCESS';

/** Those of these variables that the environment does not set: an operator's own values stay. */
export function unlessSet(
  variables: Readonly<Record<string, string>>,
  environment: Environment = process.env,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => environment[name] === undefined));
}

/** Reads {@link PLACE_VARIABLE}; `null` when this is the only process. */
export function placeInEnvironment(environment: Environment = process.env): ProcessPlace | null {
  const [, number, count] = /^(\d+)\/(\d+)$/.exec(environment[PLACE_VARIABLE] ?? '') ?? [];
  return number === undefined ? null : { number: Number(number), count: Number(count) };
}

/** How a person starts the program again: by its name, or as npm runs it, which leaves its name outside of the PATH. */
export function programName(environment: Environment = process.env): string {
  const { npm_command: command, npm_lifecycle_event: script } = environment;
  if (command === 'exec') return 'npx @tillgate/server';
  return command === 'run-script' && script === 'tillgate' ? 'npm run tillgate --' : 'tillgate';
}

/** The environment of a program that is not the till's: without the till's own variables, some of which are secret. */
export function environmentOfPrograms(environment: Environment = process.env): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('TILLGATE_')));
}

/** Whether the environment gives the master key. */
export function environmentHasKey(environment: Environment = process.env): boolean {
  return Boolean(environment['TILLGATE_MASTER_KEY'] || environment['TILLGATE_MASTER_KEY_FILE']);
}

function settingsPath(named: string | undefined, directory: string): string | null {
  if (named !== undefined && named !== '') {
    const path = resolve(directory, named);
    if (existsSync(path)) return path;
    throw configError([{ path: 'TILLGATE_CONFIG', message: `names ${named}, which does not exist` }]);
  }
  const [first, second] = FILE_NAMES.map((name) => resolve(directory, name)).filter((path) => existsSync(path));
  if (second !== undefined)
    throw configError([{ path: second, message: `exists beside ${first ?? ''}: keep one of them` }]);
  return first ?? null;
}

/** A secret from the environment variable, or from the file that the variable with the suffix `_FILE` names. */
function secretText(environment: Environment, name: string, directory: string, problems: FieldError[]): string | null {
  const fileName = `${name}_FILE`;
  return valueOrFile({ name, fileName, value: environment[name], file: environment[fileName] }, directory, problems);
}

/** The folder that paths in the settings are relative to. */
function homeOf(file: string | null, directory: string): string {
  return file === null ? directory : dirname(file);
}

/** Reads the master key from the file in the settings; a file that other users can read is reported as a problem. */
function keyOfSettings(file: string | undefined, sources: Surrounding, problems: FieldError[]): Uint8Array | null {
  if (file === undefined) return null;
  const path = 'masterKeyFile';
  const { environment, directory } = sources;
  if (environmentHasKey(environment)) {
    problems.push({ path, message: 'is set beside TILLGATE_MASTER_KEY of the environment: keep one of them' });
    return null;
  }
  const text = valueOrFile(
    { name: 'TILLGATE_MASTER_KEY', fileName: path, value: undefined, file },
    directory,
    problems,
  );
  if (text === null) return null;
  if ((statSync(resolve(directory, file)).mode & 0o077) !== 0)
    problems.push({ path, message: 'can be read by other users of this machine: chmod 600, and its folder 700' });
  return masterKeyOf(text, problems, path);
}

interface SecretSetting {
  readonly name: string;
  readonly fileName: string;
  readonly value: string | undefined;
  readonly file: string | undefined;
}

function valueOrFile(
  { name, fileName, value = '', file = '' }: SecretSetting,
  directory: string,
  problems: FieldError[],
): string | null {
  const text = value.trim();
  if (text !== '' && file !== '')
    problems.push({ path: fileName, message: `is set together with ${name}: keep one of them` });
  if (text !== '' || file === '') return text === '' ? null : text;
  try {
    return readFileSync(resolve(directory, file), 'utf8').trim();
  } catch (error) {
    problems.push({
      path: fileName,
      message: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    });
    return null;
  }
}

/** Decodes 32 bytes from base64 or hex; any other text is reported as a problem at `path`. */
export function masterKeyOf(text: string | null, problems: FieldError[], path: string): Uint8Array | null {
  if (text === null) return null;
  const hex = /^[0-9a-fA-F]{64}$/.test(text);
  const base64 = /^[A-Za-z0-9+/]{43}=?$/.test(text);
  const key = hex ? Buffer.from(text, 'hex') : base64 ? Buffer.from(text, 'base64') : null;
  if (key === null || key.length !== 32) {
    problems.push({ path, message: 'write 32 random bytes as base64 or hex (openssl rand -base64 32)' });
    return null;
  }
  if (new Set(key).size < 8) {
    problems.push({ path, message: 'is not random: make one with openssl rand -base64 32' });
    return null;
  }
  return key;
}

function portOf(text: string | undefined, problems: FieldError[]): number | null {
  if (text === undefined || text === '') return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65535) return port;
  problems.push({ path: 'TILLGATE_PORT', message: 'write a port from 0 to 65535' });
  return null;
}

/** Requires an explicit mode: without it a file meant for real coins would start a sandbox. */
function modeProblems(input: unknown): FieldError[] {
  if (typeof input !== 'object' || input === null || 'mode' in input) return [];
  return [{ path: 'mode', message: 'write "sandbox" or "production"' }];
}

/** Checks the raw input, so that these problems are reported together with all others. */
function productionProblems(input: unknown, environment: Environment): FieldError[] {
  const { mode, rates, masterKeyFile } = (input ?? {}) as {
    mode?: unknown;
    rates?: { sources?: unknown };
    masterKeyFile?: unknown;
  };
  if (mode !== 'production') return [];
  const problems: FieldError[] = [];
  if (masterKeyFile === undefined && !environmentHasKey(environment)) {
    const message =
      'production needs it, or TILLGATE_MASTER_KEY_FILE, or the setting masterKeyFile: 32 random bytes (openssl rand -base64 32)';
    problems.push({ path: 'TILLGATE_MASTER_KEY', message });
  }
  const sources: unknown[] = Array.isArray(rates?.sources) ? rates.sources : [];
  for (const [index, source] of sources.entries()) {
    const { use, prices } = (source ?? {}) as { use?: unknown; prices?: unknown };
    if (use !== 'static' || prices !== undefined) continue;
    problems.push({
      path: `rates.sources.${index}.prices`,
      message: 'write the prices: the sandbox table is not for real money',
    });
  }
  return problems;
}

/**
 * Refuses a gateway with one of the till's own host names: it would receive the requests of the till's API and pages.
 */
function gatewayProblems({ gateways, baseUrl, listen }: Settings): FieldError[] {
  const own = ownHosts({ url: baseUrl ?? '', ...(listen.host === undefined ? {} : { listens: listen.host }) });
  return gateways.flatMap(({ host }, index) =>
    own.includes(host)
      ? [
          {
            path: `gateways.${index}.host`,
            message: 'is a name of the till itself (baseUrl, listen.host): write another',
          },
        ]
      : [],
  );
}

/** The cache of several servers. In production it is reached as safely as the database: its answers are passed on. */
function cacheProblems({ mode, database, gateway: { cache } }: Settings): FieldError[] {
  if (cache.store === 'database' && database?.client !== 'pg')
    return [
      { path: 'gateway.cache.store', message: 'needs PostgreSQL: SQLite has one server, whose memory is enough' },
    ];
  if (mode !== 'production' || cache.url === undefined) return [];
  const { protocol, hostname } = new URL(cache.url);
  return protocol === 'rediss:' || LOOPBACK.test(hostname)
    ? []
    : [{ path: 'gateway.cache.url', message: 'write rediss:// for a server on another machine' }];
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function databaseProblems(settings: Settings | null, databaseUrl: string | null): FieldError[] {
  const database = settings?.database;
  const given = databaseUrl ?? (database?.client === 'pg' ? database.connection : undefined);
  const isUsed = settings !== null && (database === undefined || database.client === 'pg');
  if (isUsed && given !== undefined && !/^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(given)) {
    const path = databaseUrl === null ? 'database.connection' : 'TILLGATE_DATABASE_URL';
    return [{ path, message: 'write an address such as postgres://user:password@localhost:5432/tillgate' }];
  }
  if (database?.client !== 'pg' || given !== undefined) return [];
  return [{ path: 'database.connection', message: 'write the connection string here or in TILLGATE_DATABASE_URL' }];
}

interface Surroundings {
  readonly secrets: Secrets;
  readonly port: number | null;
  readonly databaseUrl: string | null;
  readonly directory: string;
  readonly signer: SignerAddress | null;
}

function complete(
  settings: Settings,
  till: TillConfig,
  { secrets, port, databaseUrl, directory, signer }: Surroundings,
): HostConfig {
  const sandbox = settings.mode === 'sandbox';
  const dataDir = resolve(directory, settings.dataDir);
  const { apiDocs, dashboard, logFormat, logLevel, processes, baseUrl, listen, plugins, database } = settings;
  return {
    ...till,
    apiDocs,
    dashboard,
    logFormat,
    logLevel,
    processes,
    dataDir,
    directory,
    secrets,
    signer,
    baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
    listen: { ...listen, host: listen.host ?? (sandbox ? '127.0.0.1' : '0.0.0.0'), port: port ?? listen.port },
    database: databaseOf(database, databaseUrl, directory, dataDir),
    plugins: plugins ?? (sandbox ? [{ use: 'sandbox' }] : []),
  };
}

function databaseOf(
  setting: Settings['database'],
  url: string | null,
  directory: string,
  dataDir: string,
): DatabaseConfig {
  if (setting?.client === 'pg' || (setting === undefined && url !== null)) {
    const { connection = '', pool = { min: 0, max: 10 }, insecure = false } = setting ?? {};
    return { client: 'pg', connection: url ?? connection, pool, insecure };
  }
  return {
    client: 'sqlite',
    filename: setting?.filename === undefined ? resolve(dataDir, 'tillgate.db') : resolve(directory, setting.filename),
  };
}
