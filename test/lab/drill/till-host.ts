import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { freshDirectory } from '../../host/till-process.ts';
import { waitFor } from '../../support/wait.ts';
import { DATABASE_URL } from './database.ts';
import { DATABASE, MACHINES, on } from './network.ts';
import type { Machine } from './network.ts';

const CLOCK = fileURLToPath(new URL('shift-clock.ts', import.meta.url));
const RELAY = fileURLToPath(new URL('relay.ts', import.meta.url));
const LOADER = import.meta.resolve('tsx');
const RELAY_PORT = 6432;
const PORT = 8080;
const READY_MS = 90_000;
/** A supervisor that starts a till again and again would hide one that cannot go on. */
const MOST_RESTARTS = 20;
const CALL_MS = 20_000;

/** The host name under which each till passes requests on to the chain's node. */
export const GATE = 'eth.gate.example';

/** A till on a machine of its own, started again by its supervisor whenever it ends by itself. */
export class TillHost {
  readonly machine: Machine;
  readonly url: string;
  readonly #program: string;
  readonly #directory = freshDirectory();
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #relay: ChildProcess | null = null;
  #stopped = true;
  #clockMs = 0;
  #ends: number[] = [];
  log = '';

  constructor(
    machine: Machine,
    program: string,
    settings: object,
    environment: Readonly<Record<string, string>>,
    way: 'direct' | 'relay',
  ) {
    this.machine = machine;
    this.url = `http://${MACHINES[machine]}:${PORT}`;
    this.#program = program;
    const to = way === 'relay' ? DATABASE_URL.replace(`${DATABASE}:5432`, `127.0.0.1:${RELAY_PORT}`) : DATABASE_URL;
    this.#environment = { ...environment, TILLGATE_DATABASE_URL: to, TILLGATE_PORT: String(PORT) };
    this.#directory.write('tillgate.config.json', { ...settings, listen: { host: MACHINES[machine] } });
  }

  /** The exit codes of the ends that nobody asked for. */
  get ends(): readonly number[] {
    return this.#ends;
  }

  async start(clockMs = 0): Promise<void> {
    this.#clockMs = clockMs;
    this.#stopped = false;
    if (this.#environment['TILLGATE_DATABASE_URL']?.includes('127.0.0.1')) await this.#startRelay();
    this.#spawn();
    await this.ready();
  }

  /** Waits until it takes requests. */
  async ready(): Promise<void> {
    await waitFor(async () => (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok, {
      timeoutMs: READY_MS,
      intervalMs: 100,
      describe: () => `${this.machine} to answer; its log:\n${this.log.slice(-4000)}`,
    });
  }

  /** `kill -9`, and nobody starts it again. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#stopped = true;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** So long takes each direction of its way to the database from now on. */
  slow(ms: number): void {
    this.#relay?.send(ms);
  }

  /** A command of the operator's on this machine. @throws Error with what it said when it fails */
  async command(...words: readonly string[]): Promise<Record<string, unknown>> {
    const [program, ...args] = [...on(this.machine), process.execPath, this.#program, ...words, '--json'];
    const options = { cwd: this.#directory.path, env: this.#env() };
    const text = await new Promise<string>((resolve, reject) =>
      execFile(program, args, options, (error, out, err) => {
        if (error === null) resolve(out);
        else reject(new Error(`${words.join(' ')}: ${out}${err}`));
      }),
    );
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** The status of a JSON-RPC call to the gateway with this key; 0 when nobody answered. */
  async gate(key: string): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const headers = { Host: GATE, 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
    return new Promise((resolve) => {
      const sent = request(this.url, { method: 'POST', headers, timeout: 5_000 }, (reply) => {
        reply.resume().once('end', () => resolve(reply.statusCode ?? 0));
        reply.once('error', () => resolve(0));
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => resolve(0));
      sent.end(body);
    });
  }

  /** A request to the management API in a session of its own. @throws Error when there is no good answer */
  async manage(target: string, body: unknown, login: object): Promise<Record<string, unknown>> {
    const session = await this.#post('/manage/v1/session', login, {});
    return this.#post(`/manage/v1${target}`, body, { Authorization: `Bearer ${String(session['access_token'])}` });
  }

  async #post(target: string, body: unknown, headers: object): Promise<Record<string, unknown>> {
    const reply = await fetch(`${this.url}${target}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_MS),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${this.machine}${target}: ${reply.status} ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  }

  async close(): Promise<void> {
    await this.kill();
    this.#directory.remove();
  }

  #env(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: process.env['HOME'], ...this.#environment };
  }

  async #startRelay(): Promise<void> {
    if (this.#relay !== null) return;
    const words = [...on(this.machine), process.execPath, '--import', LOADER, RELAY, String(RELAY_PORT), DATABASE];
    const relay = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#relay = relay;
    await new Promise((resolve) => relay.once('message', resolve));
  }

  #spawn(): void {
    const clock = this.#clockMs === 0 ? [] : ['--import', LOADER, '--import', CLOCK];
    const [program, ...args] = [...on(this.machine), process.execPath, ...clock, this.#program, 'serve'];
    const env = { ...this.#env(), DRILL_CLOCK_MS: String(this.#clockMs) };
    const child = spawn(program, args, { cwd: this.#directory.path, env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.log = (this.log + text).slice(-200_000)));
    child.once('close', (code) => {
      if (this.#stopped || this.#child !== child) return;
      this.#ends.push(code ?? -1);
      if (this.#ends.length <= MOST_RESTARTS) this.#spawn();
    });
    this.#child = child;
  }
}
