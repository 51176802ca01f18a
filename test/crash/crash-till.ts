import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AesGcmVault, CryptoRandom } from '../../adapters/crypto/index.ts';
import { checkLedger, newWebhookSecret, webhookContext } from '../../core/index.ts';
import type { AccountId, OrderId, TransferId, WebhookEndpoint, WebhookId } from '../../core/index.ts';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import type { SqlStorage } from '../../adapters/storage/knex/index.ts';
import type { Answer, startReceiver } from '../host/merchant.ts';
import { freshDirectory } from '../host/till-process.ts';
import type { Anvil } from '../support/anvil.ts';
import type { DeployedContract } from '../support/contracts.ts';
import type { FakeLightningNode } from '../support/lightning/fake-node.ts';
import { freshDatabase } from '../support/postgres.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { call } from '../e2e/paid-gate-fixture.ts';
import type { GateCall, GateReply } from '../e2e/paid-gate-fixture.ts';
import { silentLogger } from '../support/storage.ts';
import type { EngineName } from '../support/storage.ts';
import { subscribe } from '../support/subscribe.ts';
import { waitFor } from '../support/wait.ts';
import { OPERATE } from './operator.ts';
import type { OperatorAct } from './operator.ts';
import type { CrashPointName } from './points.ts';

/** A test vector of BIP-39, not anvil's mnemonic: the hot wallet begins without a coin. */
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PASSWORD = 'correct horse battery';
const EMAIL = 'shop@example.com';
/** The host name under which the till forwards requests to its node. */
const GATE = 'eth.gate.example';
/** The host name for clients that pay with the request. */
const PAID_GATE = 'paid.gate.example';
/** The plan that it sells. */
export const PLAN = { units: 50, price: '250.00', currency: 'USD' };
const LONGEST_WAIT_MS = 60_000;
const SETTINGS_FILE = 'tillgate.config.json';

export const CONFIRMATIONS = 1;
export const SPENDABLE = 3;
export const FINALITY = 12;

/** The resources that the tills of one file share. */
export interface CrashFixture {
  readonly anvil: Anvil;
  readonly token: DeployedContract;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** The till's Lightning node, its customer, and the till's options for the node. */
  readonly lightning: {
    readonly node: FakeLightningNode;
    readonly customer: FakeLightningNode;
    readonly options: Readonly<Record<string, unknown>>;
  };
  /** The debug build. */
  readonly program: string;
}

/** A till of the debug build in its own process, on a real node and database, that is killed and started again. */
export class CrashTill {
  readonly fixture: CrashFixture;
  /** The till's database, opened from outside. */
  readonly storage: SqlStorage;
  readonly accountId: AccountId;
  /** The merchant's webhook endpoint, for every event. */
  readonly endpoint: WebhookEndpoint;
  readonly hot: string;
  kills = 0;
  readonly #settings: TillSettings;
  readonly #directory: ReturnType<typeof freshDirectory>;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #apiKey: string;
  readonly #cleanUp: () => Promise<void>;
  /** The port calls of all processes. */
  readonly portCalls = new Set<string>();
  #child: ChildProcess | null = null;
  #running = false;
  #actPoint: CrashPointName | '' = '';
  #log = '';
  #url = '';

  private constructor(fixture: CrashFixture, parts: Parts) {
    this.fixture = fixture;
    this.storage = parts.storage;
    this.accountId = parts.accountId;
    this.endpoint = parts.endpoint;
    this.hot = parts.hot;
    this.#settings = parts.settings;
    this.#directory = parts.directory;
    this.#environment = parts.environment;
    this.#apiKey = parts.apiKey;
    this.#cleanUp = parts.cleanUp;
  }

  /** Writes the settings, creates a merchant by the command line and starts the server. */
  static async start(engine: EngineName, fixture: CrashFixture): Promise<CrashTill> {
    const directory = freshDirectory();
    const database = engine === 'pg' ? await freshDatabase() : null;
    const unsold = settings(fixture, database?.url ?? null);
    directory.write(SETTINGS_FILE, unsold);
    const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'), TILLGATE_MNEMONIC: MNEMONIC };
    const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await runCommand(fixture.program, directory.path, environment, args);
      assert.equal(code, 0, `${args.join(' ')}: ${err}`);
      return JSON.parse(out) as Record<string, unknown>;
    };
    const account = await command('account', 'create', '--email', EMAIL, '--password', PASSWORD, '--verified', '*');
    const written = { ...unsold, ...sales(fixture, String(account['id'])) };
    directory.write(SETTINGS_FILE, written);
    const credential = await command('credential', 'create', '--account', String(account['id']));
    const shown = (await command('wallet', 'show')) as { addresses: { chain: string; address: string }[] };
    const config =
      database === null
        ? ({ client: 'sqlite', filename: join(directory.path, 'data', 'tillgate.db') } as const)
        : ({ client: 'pg', connection: database.url } as const);
    const storage = await openStorage(config, { logger: silentLogger });
    const accountId = String(account['id']) as AccountId;
    const endpoint = await addEndpoint(
      storage,
      accountId,
      environment.TILLGATE_MASTER_KEY,
      `${fixture.receiver.url}/events`,
    );
    const till = new CrashTill(fixture, {
      storage,
      accountId,
      endpoint,
      hot: shown.addresses.find(({ chain }) => chain === 'ETH')?.address ?? '',
      settings: written,
      directory,
      environment,
      apiKey: String(credential['api_key']),
      cleanUp: async () => {
        await storage.close();
        await database?.drop();
        directory.remove();
      },
    });
    await till.startServer();
    return till;
  }

  get alive(): boolean {
    return this.#running;
  }

  /** Everything that the present process has logged. */
  get log(): string {
    return this.#log;
  }

  /** Starts the server, with a point armed; returns when it listens, or when it died while starting. */
  async startServer(point: CrashPointName | '' = ''): Promise<void> {
    this.#log = '';
    this.#url = '';
    const environment = { ...this.#environment, TILLGATE_PORT: '0', CRASH_POINT: point };
    this.#child = start(this.fixture.program, this.#directory.path, environment, ['serve']);
    let out = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    this.#running = true;
    const child = this.#child;
    createInterface({ input: child.stderr! }).on('line', (line) => this.#read(line));
    // `close` comes after `exit`, once all output of the process was read.
    child.once('close', () => (this.#running = false));
    await waitFor(() => !this.alive || /listens on (\S+)/.test(out), {
      timeoutMs: LONGEST_WAIT_MS,
      intervalMs: 10,
      describe: () => `the server to listen; its log:\n${this.#log}`,
    });
    if (child.signalCode === null && child.exitCode !== null)
      throw new Error(`the server ended with ${child.exitCode}:\n${this.#log}`);
    this.#url = /listens on (\S+)/.exec(out)?.[1]?.replace('localhost', '127.0.0.1') ?? '';
  }

  #read(line: string): void {
    const call = /^port call (.+)/.exec(line)?.[1];
    if (call === undefined) this.#log += `${line}\n`;
    else this.portCalls.add(call);
  }

  /** Arms a point in the running process. */
  async arm(point: CrashPointName): Promise<void> {
    const child = this.#child;
    assert(child !== null && this.alive, 'nothing runs that could be armed');
    await new Promise<void>((resolve) => {
      child.once('message', () => resolve());
      child.send({ arm: point });
    });
  }

  /** Restarts the server with other order settings; without any, with the usual ones. */
  async restart(orders = this.#settings.orders): Promise<void> {
    await this.kill();
    this.#directory.write(SETTINGS_FILE, { ...this.#settings, orders });
    await this.startServer();
  }

  /** Arms a point for the operator's next act. */
  armAct(point: CrashPointName): void {
    this.#actPoint = point;
  }

  /** True until an act was killed at the armed point. */
  get isActArmed(): boolean {
    return this.#actPoint !== '';
  }

  /** Runs an operator's act in a process beside the server. It may be killed, with or without an effect. */
  async operate(act: OperatorAct, ...words: readonly string[]): Promise<void> {
    const environment = { ...this.#environment, CRASH_POINT: this.#actPoint };
    const args = [OPERATE, act, ...words];
    const { code, out, err } = await runCommand(this.fixture.program, this.#directory.path, environment, args);
    for (const line of err.split('\n')) this.#read(line);
    if (code === 0) return;
    assert.ok(this.isActArmed && err.includes(`killed at ${this.#actPoint}`), `${act}: ${out}${err}`);
    this.#actPoint = '';
    this.kills += 1;
  }

  /** `kill -9` from outside. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || !this.alive) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /**
   * A request with the merchant's key; `null` without a usable answer: the till was killed before it answered, or it
   * reported that it is not ready, as after losing its database for longer than these short leases last.
   */
  async ask(method: 'GET' | 'POST', target: string, body?: unknown, idempotencyKey?: string): Promise<Answer | null> {
    const reply = await this.#call(
      method,
      target,
      { 'API-Key': this.#apiKey, ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }) },
      body,
    );
    return reply?.status === 503 ? null : reply;
  }

  /** The status of a request to `/v1` with the merchant's key; `null` as for {@link ask}. */
  async v1(target: string, body: unknown, idempotencyKey: string): Promise<number | null> {
    const headers = {
      ...bearer(this.#apiKey),
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
    };
    const reply = await this.#fetch(`/v1${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return reply === null || reply.status === 503 ? null : reply.status;
  }

  /** A request to the management API in its own session, with a step-up for every write. `null` as for {@link ask}. */
  async manage(
    method: 'GET' | 'POST',
    target: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<Answer | null> {
    const opened = await this.#session('/session', { email: EMAIL, password: PASSWORD });
    const token =
      opened === null || method === 'GET'
        ? opened
        : await this.#session('/session/step-up', { password: PASSWORD }, opened);
    if (token === null) return null;
    const repeated = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const reply = await this.#call(method, `/manage/v1${target}`, { ...bearer(token), ...repeated }, body);
    return reply?.status === 503 ? null : reply;
  }

  /** The access token of a new session; `null` as for {@link ask}. */
  async #session(target: string, proof: unknown, token?: string): Promise<string | null> {
    const reply = await this.#call('POST', `/manage/v1${target}`, token === undefined ? {} : bearer(token), proof);
    if (reply === null || reply.status === 503) return null;
    assert.equal(reply.status, 200, JSON.stringify(reply));
    return String(reply.data['access_token']);
  }

  /** Requests an order's payment by x402, with the payer's signature or for the demand. `null` as for {@link ask}. */
  async x402(order: string, signature = ''): Promise<{ readonly status: number; readonly demand: string } | null> {
    const token = (await this.order(order))?.checkoutToken ?? '';
    const headers: Record<string, string> = signature === '' ? {} : { 'PAYMENT-SIGNATURE': signature };
    const reply = await this.#fetch(`/checkout/${token}/x402`, { headers });
    if (reply === null || reply.status === 503) return null;
    return { status: reply.status, demand: reply.headers.get('payment-required') ?? '' };
  }

  /** The status of a JSON-RPC call to the gateway with this key. */
  async gate(key: string): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url,
        { method: 'POST', headers: { Host: GATE, 'Content-Type': 'application/json', Authorization: `Bearer ${key}` } },
        (reply) => {
          reply.resume().once('end', () => resolve(reply.statusCode ?? 0));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** A request to the gateway that sells; by default one without a key. `null` as for {@link ask}. */
  async paidGate(options: Omit<GateCall, 'host'> = {}): Promise<GateReply | null> {
    if (this.#url === '' || !this.alive) return null;
    try {
      const reply = await call(this.#url, { ...options, host: PAID_GATE });
      return reply.status === 503 ? null : reply;
    } catch (error) {
      return this.#gone(error);
    }
  }

  async #call(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<Answer | null> {
    const typed = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const reply = await this.#fetch(target, {
      method,
      headers: { ...headers, ...typed },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return reply === null ? null : { status: reply.status, ...(JSON.parse(reply.text) as Omit<Answer, 'status'>) };
  }

  /** A reply with its complete body; `null` when the process was killed before. */
  async #fetch(
    target: string,
    init: RequestInit,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string } | null> {
    if (this.#url === '' || !this.alive) return null;
    try {
      const reply = await fetch(`${this.#url}${target}`, init);
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    } catch (error) {
      return this.#gone(error);
    }
  }

  /** The connection of a killed process breaks a moment before its end is reported. */
  async #gone(error: unknown): Promise<null> {
    await waitFor(() => !this.alive, {
      timeoutMs: 5_000,
      describe: () => `the process to be gone after ${String(error)}`,
    });
    return null;
  }

  /** Fails when an invariant of the ledger is broken. */
  async checkBooks(when: string): Promise<void> {
    assert.deepEqual(await checkLedger(this.storage), [], when);
  }

  /** The same by the command, and a comparison of the chain with the ledger. */
  async checkByCommand(): Promise<void> {
    await this.command('ledger', 'check', '--full');
    await this.command('wallet', 'reconcile');
  }

  /** Runs an operator's command beside the running server. */
  async command(...words: readonly string[]): Promise<void> {
    const { code, out, err } = await runCommand(this.fixture.program, this.#directory.path, this.#environment, words);
    assert.equal(code, 0, `${words.join(' ')}: ${out}${err}`);
  }

  /** Sets the merchant's withdrawal address. */
  async registerPayee(address: string): Promise<void> {
    const at = Date.now() - 1_000;
    const record = {
      accountId: this.accountId,
      chain: 'ETH',
      formerAddress: null,
      address,
      activeFrom: at,
      updatedAt: at,
    };
    await this.storage.transaction((tx) => tx.wallets.saveWithdrawalAddress(record));
  }

  order(id: string): Promise<Awaited<ReturnType<SqlStorage['orders']['find']>>> {
    return this.storage.orders.find(id as OrderId);
  }

  transfer(id: string): Promise<Awaited<ReturnType<SqlStorage['transfers']['find']>>> {
    return this.storage.transfers.find(id as TransferId);
  }

  /** Some of the payments that are pending. */
  async unquiet(): Promise<readonly string[]> {
    const { transfers } = this.storage;
    const [live, waiting, sweeps] = await Promise.all([
      transfers.livePayouts('ETH', null, 3),
      transfers.waiting('ETH', Number.MAX_SAFE_INTEGER, null, 3),
      transfers.sweepCandidates('ETH', 3),
    ]);
    return [
      ...live.map(({ payout, attempts }) => `payout ${payout.id} of ${attempts.length} attempts`),
      ...waiting.map(({ id, kind }) => `waiting ${kind} ${id}`),
      ...sweeps.map(({ address, currency, units }) => `${units} ${currency} to sweep at ${address}`),
    ];
  }

  /** True when no payment is pending. */
  async quiet(): Promise<boolean> {
    return (await this.unquiet()).length === 0;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#cleanUp();
  }
}

const bearer = (token: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${token}` });

type TillSettings = ReturnType<typeof settings> & ReturnType<typeof sales>;

interface Parts {
  readonly settings: TillSettings;
  readonly storage: SqlStorage;
  readonly accountId: AccountId;
  readonly endpoint: WebhookEndpoint;
  readonly hot: string;
  readonly directory: ReturnType<typeof freshDirectory>;
  readonly environment: Readonly<Record<string, string>>;
  readonly apiKey: string;
  readonly cleanUp: () => Promise<void>;
}

async function addEndpoint(
  storage: SqlStorage,
  accountId: AccountId,
  masterKey: string,
  url: string,
): Promise<WebhookEndpoint> {
  const id = '1000000000000000001' as WebhookId;
  const vault = new AesGcmVault({ current: Buffer.from(masterKey, 'base64') });
  const sealed = vault.seal(JSON.stringify(newWebhookSecret(new CryptoRandom())), webhookContext(id));
  return subscribe(storage, accountId, { id, url, sealed });
}

function start(
  program: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): ChildProcess {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TILLGATE_') && name !== 'NODE_OPTIONS' && name !== 'NODE_V8_COVERAGE',
  );
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  endWithThisProcess(child);
  return child;
}

async function runCommand(
  program: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const child = start(program, directory, environment, [...args, '--json']);
  const texts = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
}

function settings({ anvil, token, lightning }: CrashFixture, databaseUrl: string | null) {
  return {
    mode: 'production',
    auth: { breachedPasswords: null },
    listen: { host: '127.0.0.1' },
    database:
      databaseUrl === null
        ? { client: 'sqlite', filename: 'data/tillgate.db' }
        : { client: 'pg', connection: databaseUrl },
    orders: { timeoutSeconds: 3600, watchSeconds: 86_400 },
    withdrawals: { addressHoldSeconds: 0 },
    // A claim of a callback lapses after three times the timeout.
    callbacks: { allowPrivateNetworks: true, timeoutSeconds: 1, schedule: [1, 1, 1, 1, 1] },
    limits: { requestsPerMinute: 100_000, loginsPerMinute: 10_000 },
    rates: { sources: [{ use: 'static', prices: { USDT: '1', ETH: '2500', BTC: '50000' } }] },
    plugins: [
      {
        use: 'ethereum',
        options: {
          rpcUrls: [anvil.url],
          chainId: anvil.chainId,
          confirmations: CONFIRMATIONS,
          spendableConfirmations: SPENDABLE,
          finalityBlocks: FINALITY,
          pollIntervalMs: 100,
          tokens: { 'USDT-ERC20': { address: token.address, decimals: 6 } },
        },
      },
      { use: 'lightning', options: { ...lightning.options, network: 'regtest' } },
    ],
  };
}

/** The gateways: one only for keys, and one that also sells. Only Apps made by a sale need paid units. */
function sales({ anvil }: CrashFixture, account: string) {
  const node = { chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams: [anvil.url] };
  return {
    gateway: { sales: { account, plans: { small: PLAN }, newAppsPrepaid: false } },
    gateways: [
      { ...node, host: GATE },
      { ...node, host: PAID_GATE, plans: ['small'] },
    ],
  };
}
