import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SettingsInput } from '../../../../host/index.ts';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';
import { waitFor } from '../../../support/wait.ts';
import { pinned } from './pinned.ts';

/** A till in a process of its own, as `npm start` runs it. */
export interface TillProcess {
  readonly pid: number;
  readonly url: string;
  readonly apiKey: string;
  readonly apiToken: string;
  readonly signingSecret: string;
  /** Runs `tillgate WORDS --json` beside the server, with its settings: what it prints. */
  command(words: readonly string[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** How {@link startTill} starts it. */
export interface TillOptions {
  /** For the settings file, the data and the log. */
  readonly folder: string;
  /** None: as `npm start` without any configuration, on a free port. */
  readonly settings?: SettingsInput;
  /** Further options of node, such as `--cpu-prof`. */
  readonly node?: readonly string[];
  /** The program as it is built and shipped; without it the sources, as `npm start` runs them. */
  readonly program?: string;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The only core that it may use; by default any. */
  readonly core?: string;
}

interface Summary {
  readonly url: string;
  readonly demo: { readonly api_key: string; readonly api_token: string; readonly signing_secret: string };
}

const PROGRAM = fileURLToPath(new URL('../../../../host/bin.ts', import.meta.url));

/**
 * Starts the server in sandbox mode: the demo merchant's credentials are what the load is signed with. Its log goes to
 * a file.
 *
 * @throws Error with the end of the log when it does not come up
 */
export async function startTill({
  folder,
  settings,
  node = [],
  program,
  environment: own = {},
  core,
}: TillOptions): Promise<TillProcess> {
  const logFile = join(folder, 'till.log');
  const log = openSync(logFile, 'a');
  const file = program === undefined ? ['--import', import.meta.resolve('tsx'), PROGRAM] : [program];
  const surroundings = {
    cwd: folder,
    env: {
      ...environment(),
      ...own,
      TILLGATE_PORT: '0',
      ...(settings === undefined ? {} : { TILLGATE_CONFIG: settingsFile(folder, settings) }),
    },
  };
  const [first = '', ...words] = pinned(core, [process.execPath, ...node, ...file, 'serve', '--json']);
  const child = spawn(first, words, { ...surroundings, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  endWithThisProcess(child);
  const { url, demo } = await summaryOf(child, logFile);
  return {
    pid: child.pid ?? 0,
    url,
    apiKey: demo.api_key,
    apiToken: demo.api_token,
    signingSecret: demo.signing_secret,
    command: async (words) => {
      const { stdout } = await promisify(execFile)(process.execPath, [...file, ...words, '--json'], surroundings);
      return JSON.parse(stdout) as unknown;
    },
    stop: () => stopProcess(child),
  };
}

function settingsFile(folder: string, settings: SettingsInput): string {
  const path = join(folder, 'tillgate.config.json');
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 });
  return path;
}

/** Whoever runs the bench may have a till of their own configured. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TILLGATE_')));
}

async function summaryOf(child: ChildProcess, logFile: string): Promise<Summary> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const over = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const describe = (): string => `the till; its log ends with:\n${readFileSync(logFile, 'utf8').slice(-4000)}`;
  await waitFor(() => over() || text.includes('\n'), { timeoutMs: 60_000, intervalMs: 20, describe });
  if (over()) throw new Error(`ended at once: ${describe()}`);
  return JSON.parse(text.slice(0, text.indexOf('\n'))) as Summary;
}
