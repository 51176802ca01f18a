import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Merchant, isGenuine, startReceiver } from '../host/merchant.ts';
import type { Answer, Demo, ReceivedCallback } from '../host/merchant.ts';
import { freshDirectory, run, serve } from '../host/till-process.ts';
import type { Ended, TillProcess } from '../host/till-process.ts';
import { backUpFile } from '../support/file-backup.ts';
import { freshDatabase } from '../support/postgres.ts';
import { nextSecond, waitFor } from '../support/wait.ts';
import type { ChainFixture } from './chain-fixture.ts';

/** Not any node's own: the hot wallet begins without a coin. A vector of BIP-39. */
export const OWN_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

/** A transaction of the merchant's list. */
export type Row = Readonly<Record<string, string | null>>;
type Answered = Readonly<Record<string, unknown>>;

/** An order that waits to be paid. */
export interface PlacedOrder {
  readonly id: string;
  readonly address: string;
  readonly amount: string;
  readonly contract: string;
  /** The path of its page. */
  readonly page: string;
}

/** A till as its own process, production mode, with one chain, and a merchant of it. */
export class PairTill {
  readonly fixture: ChainFixture;
  readonly #directory = freshDirectory();
  readonly #environment: Readonly<Record<string, string>>;
  readonly #receiver: Awaited<ReturnType<typeof startReceiver>>;
  readonly #database: Awaited<ReturnType<typeof freshDatabase>> | null;
  #process: TillProcess | null = null;
  #url = '';
  #demo: Demo | null = null;
  /** The address that money goes out from. */
  hot = '';

  private constructor(
    fixture: ChainFixture,
    receiver: Awaited<ReturnType<typeof startReceiver>>,
    database: Awaited<ReturnType<typeof freshDatabase>> | null,
    signer: object | null,
  ) {
    const masterKey = randomBytes(32).toString('base64');
    const seed = signer === null ? { TILLGATE_MNEMONIC: OWN_MNEMONIC } : {};
    this.#environment = { TILLGATE_MASTER_KEY: masterKey, ...seed };
    this.fixture = fixture;
    this.#receiver = receiver;
    this.#database = database;
  }

  /**
   * Writes the settings, makes a merchant by the command line, provides for the hot wallet and starts the server.
   *
   * @param signer - the setting of that name; without one the till has the seed itself
   */
  static async start(fixture: ChainFixture, engine: 'sqlite' | 'pg', signer: object | null = null): Promise<PairTill> {
    const till = new PairTill(fixture, await startReceiver(), engine === 'pg' ? await freshDatabase() : null, signer);
    const common = settings(fixture, till.#database?.url ?? null);
    till.#directory.write('tillgate.config.json', { ...common, ...(signer === null ? {} : { signer }) });
    await till.#createMerchant();
    const { addresses } = (await till.command('wallet', 'show')) as { addresses: { chain: string; address: string }[] };
    till.hot = addresses.find(({ chain }) => chain === fixture.chain)?.address ?? '';
    assert.notEqual(till.hot, '', `the hot address of ${fixture.chain}`);
    await fixture.provide(till.hot);
    await till.startServer();
    return till;
  }

  async startServer(): Promise<void> {
    this.#process = serve(this.#directory.path, this.#environment);
    this.#url = await this.#process.url();
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#process?.signal('SIGKILL');
  }

  /** `SIGTERM`. @returns the exit code */
  async terminate(): Promise<number | null> {
    return (await this.#process?.signal('SIGTERM'))?.code ?? null;
  }

  /** A backup as the guide makes it, while the server is stopped; answers with what restores it. */
  backup(): Promise<() => Promise<void>> {
    return this.#database === null ? backUpFile(this.#directory.path) : this.#database.backup();
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#receiver.close();
    await this.#database?.drop();
    this.#directory.remove();
    await this.fixture.stop();
  }

  get merchant(): Merchant {
    return new Merchant(this.#url, this.#known);
  }

  get #known(): Demo {
    assert(this.#demo !== null, 'no merchant was made');
    return this.#demo;
  }

  get accountId(): string {
    return this.#known.account_id;
  }

  get log(): string {
    return this.#process?.err ?? '';
  }

  /** Runs a command beside the server. */
  run(...args: readonly string[]): Promise<Ended> {
    return run(this.#directory.path, [...args, '--json'], this.#environment);
  }

  /** The same; it must succeed. Returns what it printed. */
  async command(...args: readonly string[]): Promise<unknown> {
    const { code, out, err } = await this.run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return JSON.parse(out) as unknown;
  }

  /** Calls as the merchant. Two equal requests of one second share a signature: the second one is signed anew in the next. */
  ask(method: 'GET' | 'POST', target: string, body?: unknown): Promise<Answer> {
    return waitFor(
      async () => {
        const answer = await this.merchant.call(method, target, body);
        return answer.code === 40_104 ? null : answer;
      },
      { timeoutMs: 5_000, intervalMs: 100, describe: 'a signature of another second' },
    );
  }

  /** The answer must be a success. */
  async call(method: 'GET' | 'POST', target: string, body?: unknown): Promise<Answered> {
    const { data, code, message } = await this.ask(method, target, body);
    assert.equal(code, 0, `${method} ${target}: ${message}`);
    return data;
  }

  /** Calls `/v1` with the merchant's key. @param body - sent as CSV where it is a text */
  async v1(method: 'GET' | 'POST', path: string, body?: string): Promise<Readonly<Record<string, unknown>>> {
    const reply = await fetch(`${this.#url}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#known.api_key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'text/csv' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${text}`);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  }

  async order(currency: string, price: string): Promise<PlacedOrder> {
    const { data, code, message } = await this.merchant.payInfo(`${this.#receiver.url}/paid`, {
      chain: this.fixture.chain,
      currency,
      vs_price: price,
    });
    assert.equal(code, 0, message);
    const { order_id: id, address, amount, contract_addr: contract, pay_url: url } = data;
    return {
      id: String(id),
      address: String(address),
      amount: String(amount),
      contract: String(contract),
      page: new URL(String(url)).pathname,
    };
  }

  /** Leaves the payer's address for a refund on the order's page, before a payment in any block from now on. */
  async leaveRefundAddress({ page }: PlacedOrder, address: string): Promise<void> {
    const reply = await fetch(`${this.#url}${page}/refund-address`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ address }),
    });
    assert.equal(reply.status, 200, await reply.text());
    await nextSecond();
  }

  detail(id: string): Promise<Answered> {
    return this.call('GET', `/api/v2/order/detail/${id}`);
  }

  /** Waits, without mining, until an order has a status. */
  async becomes(id: string, status: string): Promise<void> {
    await this.until(async () => (await this.detail(id))['status'] === status, `order ${id} to be ${status}`);
  }

  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    await waitFor(condition, { timeoutMs: 40_000, intervalMs: 50, describe: () => this.#words(what) });
  }

  /** Mines now and then until the condition holds: what waits for blocks gets them. */
  async mineUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
    const mining = async (): Promise<boolean> => {
      if (await condition()) return true;
      await this.fixture.mine(1);
      await this.caughtUp();
      return false;
    };
    try {
      await waitFor(mining, { timeoutMs: 90_000, intervalMs: 150, describe: () => this.#words(what) });
    } catch (error) {
      // Why each payment waits is stored with it.
      throw new Error(JSON.stringify(await this.command('withdrawal', 'list')), { cause: error });
    }
  }

  /** The log's end, without the requests of this test. */
  #words(what: string): string {
    const lines = this.log.split('\n').filter((line) => !line.includes('"msg":"request"'));
    return `${what}; the log:\n${lines.join('\n').slice(-4_000)}`;
  }

  /** Waits until the till has read the node's last block. */
  async caughtUp(): Promise<void> {
    const head = await this.fixture.height();
    await this.until(
      async () => (await this.metric('tillgate_chain_height', this.fixture.chain)) >= head,
      `the till to reach block ${head}`,
    );
  }

  async readiness(): Promise<Answered> {
    const { data } = (await (await fetch(`${this.#url}/readyz`)).json()) as { data: Answered };
    return data;
  }

  /** A gauge of a chain, or of a currency on it; -1 while there is none. */
  async metric(name: string, chain: string, currency?: string): Promise<number> {
    const text = await (await fetch(`${this.#url}/metrics`)).text();
    const labels = `chain="${chain}"${currency === undefined ? '' : `,currency="${currency}"`}`;
    return Number(new RegExp(`^${name}\\{${labels}\\} (\\d+)`, 'm').exec(text)?.[1] ?? -1);
  }

  /** The one callback of an order, which must be signed with the account's secret. */
  async calledBack(id: string): Promise<Answered> {
    const find = (): ReceivedCallback | undefined => this.#receiver.received.find(({ body }) => body.includes(id));
    const callback = await waitFor(find, { timeoutMs: 20_000, describe: () => this.#words(`the callback of ${id}`) });
    assert.ok(isGenuine(callback, this.#known.callback_secret), 'the callback is signed');
    return JSON.parse(callback.body) as Answered;
  }

  callbacksOf(id: string): number {
    return this.#receiver.received.filter(({ body }) => body.includes(id)).length;
  }

  async registers(address: string): Promise<void> {
    await this.command(
      'withdrawal-address',
      'set',
      '--account',
      this.#known.account_id,
      '--chain',
      this.fixture.chain,
      '--address',
      address,
      '--now',
    );
  }

  withdraw(currency: string, amount: string): Promise<Answered> {
    return this.call('POST', '/api/withdraw', { amount, chain: this.fixture.chain, currency });
  }

  /** The newest transactions of the merchant, oldest first. */
  async rows(size = 100): Promise<readonly Row[]> {
    const { data } = (await this.call('GET', `/api/v2/tx?page=1&size=${size}`)) as { data: Row[] };
    return data.toReversed();
  }

  async row(id: string): Promise<Row> {
    const found = (await this.rows()).find(({ tx_id }) => tx_id === id);
    assert.ok(found !== undefined, `transaction ${id}`);
    return found;
  }

  async wallet(currency: string): Promise<Readonly<Record<'available' | 'pending' | 'locked' | 'total', string>>> {
    const all = (await this.call('GET', '/api/wallets')) as unknown as readonly Record<
      'currency' | 'available' | 'pending' | 'locked' | 'total',
      string
    >[];
    const found = all.find((row) => row.currency === currency);
    assert.ok(found !== undefined, `the wallet of ${currency}`);
    return found;
  }

  async booksHold(): Promise<void> {
    await this.command('ledger', 'check', '--full');
  }

  async #createMerchant(): Promise<void> {
    const account = await this.command(
      'account',
      'create',
      '--email',
      'shop@example.com',
      '--password',
      'correct horse battery',
      '--verified',
      '*',
    );
    const { id } = account as { id: string };
    this.#demo = { ...((await this.command('credential', 'create', '--account', id)) as Demo), account_id: id };
  }
}

function settings({ plugin, prices, isBehind = false }: ChainFixture, databaseUrl: string | null): object {
  return {
    mode: 'production',
    auth: { breachedPasswords: null },
    listen: { host: '127.0.0.1' },
    database: databaseUrl === null ? { client: 'sqlite' } : { client: 'pg', connection: databaseUrl },
    orders: { timeoutSeconds: 1_200 },
    callbacks: { allowPrivateNetworks: true, schedule: [1, 1, 1, 1, 1] },
    limits: { requestsPerMinute: 100_000 },
    rates: { sources: [{ use: 'static', prices }] },
    ...(isBehind ? { withdrawals: { refunds: { addressHoldSeconds: 0 } } } : {}),
    plugins: [plugin],
  };
}
