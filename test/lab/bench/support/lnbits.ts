import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, closeSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../support/free-port.ts';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';
import { waitFor } from '../../../support/wait.ts';
import { lightningFiles } from './lightning-process.ts';
import type { BenchLightningNode } from './lightning-node.ts';
import { pinned } from './pinned.ts';

const run = promisify(execFile);

export const LNBITS_VERSION = '1.6.2';
const HOME = fileURLToPath(new URL('../../../../node_modules/.cache/tillgate-bench-lnbits', import.meta.url));
/** Its package of invoices does not work with the newer major version, which nothing there excludes. */
const BITSTRING = 'bitstring==4.3.1';
const INSTALL_MS = 900_000;

/** An LNbits that makes invoices for one wallet. */
export interface Lnbits {
  readonly pid: number;
  readonly url: string;
  /** The wallet's key that may make invoices. */
  readonly key: string;
  stop(): Promise<void>;
}

/**
 * Installs LNbits of PyPI into a virtual environment, once.
 *
 * @returns its program
 * @throws Error where there is no Python, or it cannot be installed
 */
export async function installLnbits(): Promise<string> {
  const folder = join(HOME, LNBITS_VERSION);
  const program = join(folder, 'bin/lnbits');
  if (existsSync(program)) return program;
  mkdirSync(HOME, { recursive: true });
  try {
    console.log(`Installing LNbits ${LNBITS_VERSION}, once: this takes some minutes.`);
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
    await run(join(folder, 'bin/pip'), ['install', '--quiet', `lnbits==${LNBITS_VERSION}`, BITSTRING], {
      timeout: INSTALL_MS,
    });
    return program;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function packagesOf(program: string): string {
  const library = join(dirname(program), '../lib');
  return join(library, readdirSync(library).find((name) => name.startsWith('python')) ?? '', 'site-packages');
}

/** How {@link startLnbits} starts it. */
export interface LnbitsOptions {
  readonly program: string;
  /** For its data and its log. */
  readonly folder: string;
  readonly node: BenchLightningNode;
  /** `null`: SQLite in its folder. */
  readonly databaseUrl: string | null;
  readonly core: string | undefined;
}

/** @throws Error with the end of its log when it does not come up */
export async function startLnbits({ program, folder, node, databaseUrl, core }: LnbitsOptions): Promise<Lnbits> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { macaroonFile, tlsCertFile } = lightningFiles(folder, node);
  const logFile = join(folder, 'lnbits.log');
  const log = openSync(logFile, 'a');
  const [first = '', ...words] = pinned(core, [program, '--host', '127.0.0.1', '--port', String(port)]);
  const child = spawn(first, words, {
    // It reads its static files from where it is started.
    cwd: packagesOf(program),
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      LNBITS_DATA_FOLDER: join(folder, 'lnbits'),
      LNBITS_EXTENSIONS_PATH: folder,
      LNBITS_ADMIN_UI: 'false',
      LNBITS_ALLOW_NEW_ACCOUNTS: 'true',
      LNBITS_EXTENSIONS_DEFAULT_INSTALL: '',
      LNBITS_RATE_LIMIT_NO: '1000000000',
      AUTH_ALLOWED_METHODS: 'user-id-only,username-password',
      AUTH_SECRET_KEY: 'a secret of the bench',
      LNBITS_BACKEND_WALLET_CLASS: 'LndRestWallet',
      LND_REST_ENDPOINT: node.plainUrl,
      LND_REST_CERT: tlsCertFile,
      LND_REST_MACAROON: readFileSync(macaroonFile).toString('hex'),
      // The bench reaches no exchange.
      LNBITS_EXCHANGE_RATE_PROVIDERS: '[]',
      DEBUG: 'false',
      ...(databaseUrl === null ? {} : { LNBITS_DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', log, log],
    // It serves from a process of its own, which does not end with it.
    detached: true,
  });
  closeSync(log);
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  endWithThisProcess(child, kill);
  const stop = (): Promise<void> => {
    const gone = stopProcess(child, 'SIGKILL');
    kill();
    return gone;
  };
  const describe = (): string => `LNbits; its log ends with:\n${readFileSync(logFile, 'utf8').slice(-4000)}`;
  const account = async (): Promise<string | null> => {
    if (child.exitCode !== null) throw new Error(describe());
    const reply = await fetch(`${url}/api/v1/account`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'bench' }),
    }).catch(() => null);
    return reply?.ok === true ? ((await reply.json()) as { inkey: string }).inkey : null;
  };
  try {
    const key = await waitFor(account, { timeoutMs: 60_000, intervalMs: 500, describe });
    return { pid: child.pid ?? 0, url, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
