import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.ts';
import { endWithThisProcess } from './processes.ts';
import { repository } from './source-tree.ts';
import { waitFor } from './wait.ts';

/** Only what a user of the machine has: none of the settings of this process, and of the run of tests that it belongs to. */
export const usersEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:NODE_(?!EXTRA_CA_CERTS$)|TILLGATE_|TEST_|npm_)/.test(name)),
);

/** The addon of this very version, which the tests use: compiling it again takes minutes where no binary of it can be had. */
const ADDON = 'node_modules/sqlite3/build/Release/node_sqlite3.node';

/** Gives an installed sqlite3, whose scripts did not run, its addon. */
export function addSqlite(folder: string): void {
  mkdirSync(dirname(join(folder, ADDON)), { recursive: true });
  copyFileSync(join(repository, ADDON), join(folder, ADDON));
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A server that serves. */
export interface Serving {
  said(): string;
  /** Ends it as a service manager does. @returns its exit code */
  terminate(): Promise<number | null>;
}

export interface InitOptions {
  readonly plugins: readonly object[];
  readonly rates: readonly object[];
}

/** A folder in which `@tillgate/server` is installed. */
export interface InstalledServer {
  /** Where it serves. */
  readonly url: string;
  /** Runs a command as a user does. */
  tillgate(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs a command, which has to succeed. @returns the record that it prints */
  record(args: readonly string[], input?: string): Promise<Readonly<Record<string, string>>>;
  init(options: InitOptions): Promise<void>;
  /** @returns the API key of a new merchant */
  merchant(): Promise<string>;
  /** @param node arguments of Node before the program's */
  serve(node?: readonly string[]): Promise<Serving>;
}

/** @param environment of every command; its PATH chooses the Node release */
export async function installedServer(path: string, environment = usersEnvironment): Promise<InstalledServer> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const tillgate: InstalledServer['tillgate'] = (args, input = '') =>
    new Promise((resolve) => {
      const child = spawn('npx', ['tillgate', ...args], {
        cwd: path,
        env: environment,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      endWithThisProcess(child);
      const texts = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
      child.stdin.end(input);
      child.once('close', (code) => resolve({ code, ...texts }));
    });
  const record: InstalledServer['record'] = async (args, input) => {
    const { code, out, err } = await tillgate([...args, '--json'], input);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, string>;
  };
  return {
    url,
    tillgate,
    record,
    init: async ({ plugins, rates }) => {
      const chosen = ['--plugins', JSON.stringify(plugins), '--rates', JSON.stringify(rates)];
      const flags = ['--base-url', url, '--port', port, '--email', 'boss@example.com', '--password-stdin'];
      const { code, out, err } = await tillgate(['init', ...chosen, ...flags], 'a good long password\n');
      assert.equal(code, 0, out + err);
    },
    merchant: async () => {
      const flags = ['--email', 'shop@example.com', '--verified', '*', '--password-stdin'];
      const { id = '' } = await record(['account', 'create', ...flags], 'another good password\n');
      const { api_key: apiKey = '' } = await record(['credential', 'create', '--account', id]);
      return apiKey;
    },
    serve: async (node = []) => {
      const program = [...node, join(path, 'node_modules/.bin/tillgate'), 'serve'];
      const child = spawn('node', program, { cwd: path, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
      endWithThisProcess(child);
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      await waitFor(() => said.includes(`listens on ${url}`) || child.exitCode !== null, {
        timeoutMs: 120_000,
        describe: () => said,
      });
      assert.equal(child.exitCode, null, said);
      return {
        said: () => said,
        terminate: () => {
          child.kill('SIGTERM');
          return ended;
        },
      };
    },
  };
}
