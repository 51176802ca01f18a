import { isTillgateError } from '../../core/index.ts';
import { classOf, inspectDatabase } from '../../adapters/storage/knex/index.ts';
import type { DatabaseFacts, Fact } from '../../adapters/storage/knex/index.ts';
import { CollectingLogger } from '../cli/node-error-hints.ts';
import { VARIABLES, loadConfig, writtenSettings } from '../settings/config.ts';
import type { HostConfig, WrittenSettings } from '../settings/config.ts';
import { settingsSchema } from '../settings/settings.ts';
import { requireSecureDatabase } from '../boot/secure-database.ts';
import { knownFindings, signerFinding } from './known-findings.ts';
import { machineFacts } from './machine-facts.ts';
import { metricsFacts } from './metrics-facts.ts';
import { describePlugins } from './plugin-facts.ts';
import { describeSettings, settingNames } from './settings-facts.ts';

/** The document's format version; it changes when a reader would misunderstand an older one. */
const FORMAT = 1;

/** A bundle, with notes for its maker about what could not be read. */
export interface SupportBundle {
  readonly document: object;
  readonly notes: readonly string[];
}

/**
 * Collects what a person who helps the operator needs, without secrets, addresses or customer data. It may run beside a
 * running till, changes nothing, and notes what could not be read.
 */
export async function makeSupportBundle(now: number): Promise<SupportBundle> {
  const [written, { config, problems }] = [await readWritten(), await readConfig()];
  const [database, metrics, signer] = await Promise.all([
    databaseFacts(config),
    config === null ? { unknown: 'the settings cannot be used' } : metricsFacts(config.listen),
    signerFinding(config?.signer),
  ]);
  const { plugins, ...settings } = recordOf(written?.input);
  const document = {
    format: FORMAT,
    made_at: new Date(now).toISOString(),
    ...inSnakeCase({ machine: machineFacts(config?.dataDir ?? null) }),
    findings: knownFindings({ config, database, signer, now }),
    settings_file: written === null ? 'unreadable' : written.form,
    settings: describeSettings(settingsSchema.omit({ plugins: true }), settings),
    setting_problems: problems,
    plugins: describePlugins(plugins),
    environment: written?.variables ?? [],
    ...inSnakeCase({ database }),
    metrics,
  };
  return { document, notes: notesOf(config, database, metrics) };
}

async function readWritten(): Promise<WrittenSettings | null> {
  try {
    return await writtenSettings();
  } catch {
    // The reason is among the problems of the settings.
    return null;
  }
}

/** The settings, or their problems: only names from the schema are shown, because a misspelt one may be anything. */
async function readConfig(): Promise<{ readonly config: HostConfig | null; readonly problems: readonly string[] }> {
  try {
    return { config: await loadConfig(), problems: [] };
  } catch (error) {
    const fields = isTillgateError(error) ? (error.details.fields ?? []) : [];
    const names = settingNames(settingsSchema);
    const known = (part: string): boolean => names.has(part) || VARIABLES.includes(part) || /^\d{1,4}$/.test(part);
    const paths = fields.map(({ path }) => path.split('.').map((part) => (known(part) ? part : '*')));
    return { config: null, problems: paths.map((parts) => parts.join('.')) };
  }
}

async function databaseFacts(config: HostConfig | null): Promise<Fact<DatabaseFacts>> {
  if (config === null) return { unknown: 'the settings cannot be used' };
  try {
    await requireSecureDatabase(config);
    return await inspectDatabase(config.database, new CollectingLogger());
  } catch (error) {
    return { unknown: classOf(error) };
  }
}

function notesOf(config: HostConfig | null, database: object, metrics: object): readonly string[] {
  const notes: readonly (readonly [boolean, string])[] = [
    [
      config === null,
      'The settings cannot be used; `tillgate doctor` says why. Neither the database nor the metrics were read.',
    ],
    [config !== null && 'unknown' in database, 'The database could not be read; the bundle says so.'],
    [config !== null && 'unknown' in metrics, 'No till answers on this machine, so the bundle has no metrics.'],
  ];
  return notes.flatMap(([is, words]) => (is ? [words] : []));
}

function recordOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

const snake = (name: string): string => name.replace(/[a-z0-9](?=[A-Z])/g, '$&_').toLowerCase();

/** The same object with its field names in snake case. */
function inSnakeCase(value: object): object;
function inSnakeCase(value: unknown): unknown;
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [snake(name), inSnakeCase(each)]),
  );
}
