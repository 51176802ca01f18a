import { TillgateError, invalidField, isTillgateError } from '../../core/index.ts';
import type { CommandCall } from '../cli/command.ts';
import { settingsSchema } from '../settings/settings.ts';
import type { SettingsInput } from '../settings/settings.ts';

/** Asks a person; `null` when there is no terminal. `tell` says why an answer cannot be used. */
export type Ask =
  (((question: string, fallback: string) => Promise<string>) & { readonly tell?: (words: string) => void }) | null;

interface Question {
  readonly option: 'mode' | 'base-url' | 'port' | 'database' | 'nodes' | 'rates';
  readonly text: string;
  readonly fallback: string;
  /** Without a terminal, the option is required. */
  readonly needed?: boolean;
  /** @throws TillgateError `INVALID_FIELDS` for an answer that cannot be used; a person is then asked again */
  readonly check?: (answer: string) => unknown;
}

const MODE: Question = {
  option: 'mode',
  text: 'Real coins (production) or simulated ones (sandbox)',
  fallback: 'production',
  check: modeOf,
};

const PORT: Question = { option: 'port', text: 'Port to listen on', fallback: '8080', check: portOf };

/** The default follows the port, so that the addresses that are shown are those that are served. */
const baseUrlOf = (port: number): Question => ({
  option: 'base-url',
  text: 'URL at which payers and merchants reach this server',
  fallback: `http://localhost:${port}`,
  check: (answer) => {
    if (!/^https?:\/\/[^/?#\s]+[^?#\s]*$/.test(answer))
      throw invalidField('--base-url', 'such as https://pay.example.com');
  },
});

const DATABASE: Question = {
  option: 'database',
  text: 'Database: "sqlite", or the address of a PostgreSQL such as postgres://user:password@host/tillgate',
  fallback: 'sqlite',
};

const OF_PRODUCTION: readonly Question[] = [
  {
    option: 'nodes',
    text: 'Your nodes, such as ethereum=https://node.example,bitcoin=http://user:password@127.0.0.1:8332',
    fallback: '',
    needed: true,
    check: (answer) => {
      if (pluginsOf(answer).length === 0) throw invalidField('--nodes', 'at least one node, as NAME=ADDRESS');
    },
  },
  { option: 'rates', text: 'Sources of exchange rates', fallback: 'coingecko,kraken' },
];

/** The plugin option of each chain that holds the node's URL. */
const NODE_OPTIONS: Readonly<Record<string, (url: string) => object>> = {
  ethereum: (url) => ({ rpcUrls: [url] }),
  bsc: (url) => ({ rpcUrls: [url] }),
  bitcoin: (url) => ({ rpcUrl: url }),
  litecoin: (url) => ({ rpcUrl: url }),
  tron: (url) => ({ apiUrls: [url] }),
};

/**
 * The settings of a new till, from options or answers.
 *
 * @throws TillgateError `CONFIG_INVALID` naming an option that is missing without a terminal, or that is invalid
 */
export async function readAnswers(values: CommandCall['values'], ask: Ask): Promise<SettingsInput> {
  const answer = (question: Question): Promise<string> => answerTo(question, values, ask);
  const mode = modeOf(await answer(MODE));
  const port = portOf(await answer(PORT));
  const ofBaseUrl = baseUrlOf(port);
  const [baseUrl, database] = [await answer(ofBaseUrl), await answer(DATABASE)];
  return {
    mode,
    // An https URL is served by a proxy in front, whose word about the client counts.
    listen: { host: '127.0.0.1', port, trustedHops: baseUrl.startsWith('https:') ? 1 : 0 },
    // The default is not written, so that it follows the port when that is changed later.
    ...(baseUrl === ofBaseUrl.fallback ? {} : { baseUrl }),
    dataDir: './data',
    database: database === 'sqlite' ? { client: 'sqlite' } : { client: 'pg', connection: database },
    ...(mode === 'production' ? await ofProduction(values, answer) : {}),
  };
}

async function ofProduction(
  values: CommandCall['values'],
  answer: (question: Question) => Promise<string>,
): Promise<Pick<SettingsInput, 'plugins' | 'rates'>> {
  const [nodes, rates] = OF_PRODUCTION as [Question, Question];
  const plugins = listOf(values['plugins'], '--plugins') ?? pluginsOf(await answer(nodes));
  const given = values['rates'];
  const sources = typeof given === 'string' && given.trim().startsWith('[') ? listOf(given, '--rates') : null;
  return {
    plugins: plugins as SettingsInput['plugins'],
    rates: { sources: (sources ?? sourcesOf(await answer(rates))) as NonNullable<SettingsInput['rates']>['sources'] },
  };
}

async function answerTo(
  { option, text, fallback, needed = false, check = () => undefined }: Question,
  values: CommandCall['values'],
  ask: Ask,
): Promise<string> {
  const given = values[option];
  if (typeof given === 'string') return given.trim();
  if (ask !== null)
    return askUntil(
      async () => (await ask(text, fallback)).trim(),
      check,
      (words) => ask.tell?.(words),
    );
  if (needed)
    throw new TillgateError('CONFIG_INVALID', `--${option} is missing, and there is no terminal to ask for it.`);
  return fallback;
}

function modeOf(text: string): 'production' | 'sandbox' {
  if (text === 'production' || text === 'sandbox') return text;
  throw invalidField('--mode', 'production or sandbox');
}

const MOST_TRIES = 20;

/** Asks again while the answer cannot be used, and says why. @throws TillgateError the last refusal */
export async function askUntil(
  ask: () => Promise<string>,
  check: (answer: string) => unknown,
  tell: (words: string) => void,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (!isTillgateError(error) || tries === MOST_TRIES) throw error;
      tell(error.message);
    }
  }
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw invalidField('--port', 'a port from 0 to 65535');
  return Number(text);
}

function pluginsOf(text: string): readonly object[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, use = '', url = ''] = /^(\w+)=(.+)$/.exec(part) ?? [];
      const options = NODE_OPTIONS[use];
      if (options === undefined)
        throw invalidField(
          '--nodes',
          `NAME=ADDRESS with a name of ${Object.keys(NODE_OPTIONS).join(', ')}; others by --plugins`,
        );
      return { use, options: options(url) };
    });
}

const sourcesOf = (text: string): readonly object[] => text.split(',').map((use) => ({ use: use.trim() }));

/** A JSON list, as in the settings file. */
function listOf(value: string | boolean | undefined, option: string): readonly unknown[] | null {
  if (typeof value !== 'string') return null;
  try {
    const list: unknown = JSON.parse(value);
    if (Array.isArray(list)) return list as readonly unknown[];
  } catch {
    // Reported below like a value that is not a list.
  }
  throw invalidField(option, 'a list in JSON, such as [{"use": "ethereum", "options": {"rpcUrls": ["…"]}}]');
}

/** The text of a settings file; invalid settings are refused before anything is written. */
export function settingsText(settings: SettingsInput): string {
  settingsSchema.parse(settings);
  return `${JSON.stringify(settings, null, 2)}\n`;
}
