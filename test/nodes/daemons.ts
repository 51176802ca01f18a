import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'lossless-json';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess, stopProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

/** A node of one test's own, on a chain of its own, with a purse full of ripe coins. */
export interface Daemon {
  readonly kind: DaemonKind;
  /** With user and password in it. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** One call; whole numbers come as numbers, amounts as the node's text. @throws Error with the node's message */
  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>;
  /** Mines so many blocks and returns their hashes. */
  mine(blocks?: number): Promise<readonly string[]>;
  /** Pays from the purse; the transaction waits to be mined. @param amount - in coins, as decimal text */
  pay(address: string, amount: string): Promise<string>;
  height(): Promise<number>;
  /** Stops it in order and starts it anew, with its purse closed until {@link Daemon.openPurse}. */
  restart(): Promise<void>;
  /** After a restart. */
  openPurse(): Promise<void>;
  stop(): Promise<void>;
}

export type DaemonKind = 'bitcoind' | 'litecoind';

/** What one kind of daemon wants beside what all want. */
const KINDS: Readonly<Record<DaemonKind, { readonly variable: string; readonly settings: readonly string[] }>> = {
  // Debian packages Bitcoin Knots, which expires after some time, and which does not relay transactions with a lock time
  // of 21: its own wallet makes one now and then in a chain as short as these. Bitcoin Core ignores both settings.
  bitcoind: { variable: 'BITCOIND', settings: ['softwareexpiry=0', 'rejectparasites=0'] },
  // Off unless told, on Litecoin's whole network: replacement is tried out here all the same.
  litecoind: { variable: 'LITECOIND', settings: ['mempoolreplacement=1'] },
};
/** Without it a chain that nobody has moved coins into the extension of cannot be mined past its start. */
const NO_EXTENSION = 'vbparams=mweb:0:0';
/** Blocks until newly made coins can be spent, and a few more of them. */
const FIRST_BLOCKS = 110;

/** What {@link startDaemon} may be told. */
export interface DaemonOptions {
  /** Litecoin with its extension blocks. */
  readonly extension?: boolean;
  /** Further lines of its configuration. */
  readonly settings?: readonly string[];
  /** Blocks mined at first; 110, so that ten coinbases can be spent. */
  readonly firstBlocks?: number;
}

export const startBitcoind = (options: DaemonOptions = {}): Promise<Daemon> => startDaemon('bitcoind', options);
export const startLitecoind = (options: DaemonOptions = {}): Promise<Daemon> => startDaemon('litecoind', options);

/**
 * Starts a daemon on free ports of loopback with an empty chain, and fills its purse.
 *
 * @throws Error when the program is missing: a test against a daemon must never pass without one
 */
export async function startDaemon(
  kind: DaemonKind,
  { extension = false, settings = [], firstBlocks = FIRST_BLOCKS }: DaemonOptions = {},
): Promise<Daemon> {
  const program = programOf(kind, KINDS[kind].variable);
  const folder = mkdtempSync(join(tmpdir(), `tillgate-${kind}-`));
  const [user, password, port] = ['till', randomBytes(16).toString('hex'), await freePort()];
  const own = [...KINDS[kind].settings, ...(kind === 'litecoind' && !extension ? [NO_EXTENSION] : []), ...settings];
  writeFileSync(join(folder, 'node.conf'), configuration(user, password, port, own));
  const launch = (): ChildProcess =>
    spawn(program, [`-datadir=${folder}`, `-conf=${join(folder, 'node.conf')}`], {
      // Debian's starter of litecoind writes to the home folder.
      env: { ...process.env, HOME: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const clear = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  const rpc = caller(`http://127.0.0.1:${port}`, user, password);
  const start = async (): Promise<ChildProcess> => {
    const started = launch();
    endWithThisProcess(started, () => {
      started.kill('SIGKILL');
      clear();
    });
    await answers(started, rpc, kind);
    started.unref();
    return started;
  };
  let child = await start();
  const restart = async (): Promise<void> => {
    await stopProcess(child, 'SIGTERM');
    child = await start();
  };
  const daemon = {
    kind,
    url: `http://${user}:${password}@127.0.0.1:${port}`,
    user,
    password,
    rpc,
    restart,
    stop: () => stopProcess(child, 'SIGKILL').then(clear),
  };
  return fillPurse(daemon, firstBlocks);
}

async function fillPurse(
  daemon: Omit<Daemon, 'mine' | 'pay' | 'height' | 'openPurse'>,
  firstBlocks: number,
): Promise<Daemon> {
  const { rpc } = daemon;
  await rpc('createwallet', 'purse');
  const purse = await rpc<string>('getnewaddress', '', 'bech32');
  const mine: Daemon['mine'] = async (blocks = 1) => {
    const hashes = await rpc<readonly string[]>('generatetoaddress', blocks, purse);
    // A wallet that is made now would otherwise hear of these blocks' transactions as of ones that wait to be mined.
    await rpc('syncwithvalidationinterfacequeue');
    return hashes;
  };
  await mine(firstBlocks);
  return {
    ...daemon,
    mine,
    pay: (address, amount) => rpc('sendtoaddress', address, amount),
    height: () => rpc('getblockcount'),
    openPurse: async () => {
      await rpc('loadwallet', 'purse');
    },
  };
}

function configuration(user: string, password: string, port: number, own: readonly string[]): string {
  const all = [
    'regtest=1',
    `rpcuser=${user}`,
    `rpcpassword=${password}`,
    'server=1',
    'printtoconsole=0',
    '[regtest]',
    `rpcport=${port}`,
    'listen=0',
  ];
  // What the main network would not carry is not carried here either.
  return [...all, 'dnsseed=0', 'discover=0', 'acceptnonstdtxn=0', 'fallbackfee=0.0001', 'dbcache=16', ...own, ''].join(
    '\n',
  );
}

async function answers(child: ChildProcess, rpc: Daemon['rpc'], kind: DaemonKind): Promise<void> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-2_000)));
  let failure: Error | null = null;
  child.once('error', (error) => (failure = error));
  child.once('exit', (code) => (failure ??= new Error(`${kind} ended with ${code ?? 'a signal'}: ${words}`)));
  await waitFor(async () => failure !== null || (await rpc<number>('getblockcount')) >= 0, {
    timeoutMs: 60_000,
    intervalMs: 50,
    describe: `${kind} to answer`,
  });
  if (failure !== null) throw failure as Error;
}

/** The program that its variable names, or the machine's, or the one that install.sh brought. */
export function programOf(kind: string, variable: string): string {
  const folder = process.env['TEST_NODES_DIR'] ?? join(dirname(fileURLToPath(import.meta.url)), '.bin');
  const given = process.env[variable];
  const candidates = given === undefined || given === '' ? [kind, join(folder, 'bin', kind)] : [given];
  const found = candidates.find((program) =>
    program.includes('/') ? existsSync(program) : spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  );
  if (found !== undefined) return found;
  throw new Error(`${kind} is missing: run test/nodes/install.sh, or name the program by ${variable}`);
}

function caller(url: string, user: string, password: string): Daemon['rpc'] {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const text = await response.text();
    if (text === '') throw new Error(`${method}: HTTP ${response.status}`);
    const answer = parse(text, null, (digits) => (/^-?\d{1,15}$/.test(digits) ? Number(digits) : digits)) as {
      result: T;
      error: { code: number; message: string } | null;
    };
    if (answer.error) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
    return answer.result;
  };
}
