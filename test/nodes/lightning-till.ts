import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readUnits } from './lightning-units.ts';
import { Merchant, startReceiver } from '../host/merchant.ts';
import type { Answer, Demo, ReceivedCallback } from '../host/merchant.ts';
import { freshDirectory, run, serve } from '../host/till-process.ts';
import type { Ended, TillProcess } from '../host/till-process.ts';
import { backUpFile } from '../support/file-backup.ts';
import { freshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { openDoor } from './lightning-door.ts';
import type { LightningDoor } from './lightning-door.ts';
import { LightningFixture } from './lightning-fixture.ts';

type Answered = Readonly<Record<string, unknown>>;

/** A Lightning order as its merchant sees it. */
export interface PlacedLightningOrder {
  readonly id: string;
  readonly paymentRequest: string;
  readonly msat: bigint;
}

/** A balance in millisatoshi. */
export type LightningWallet = Readonly<Record<'available' | 'pending' | 'locked' | 'total', bigint>>;

/** A till as its own process, production mode, with nothing but Lightning, on a real lnd; and a merchant of it. */
export class LightningTill {
  readonly fixture: LightningFixture;
  readonly door: LightningDoor;
  readonly #directory = freshDirectory();
  readonly #environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64') };
  readonly #receiver: Awaited<ReturnType<typeof startReceiver>>;
  readonly #database: Awaited<ReturnType<typeof freshDatabase>> | null;
  #process: TillProcess | null = null;
  #url = '';
  #demo: Demo | null = null;

  private constructor(
    fixture: LightningFixture,
    door: LightningDoor,
    receiver: Awaited<ReturnType<typeof startReceiver>>,
    database: Awaited<ReturnType<typeof freshDatabase>> | null,
  ) {
    this.#database = database;
    this.fixture = fixture;
    this.door = door;
    this.#receiver = receiver;
  }

  static async start({
    timeoutSeconds = 1_200,
    engine = 'sqlite',
  }: { timeoutSeconds?: number; engine?: 'sqlite' | 'pg' } = {}): Promise<LightningTill> {
    const fixture = await LightningFixture.start();
    const database = engine === 'pg' ? await freshDatabase() : null;
    const till = new LightningTill(fixture, await openDoor(fixture.till), await startReceiver(), database);
    till.#directory.write('door.cert', till.door.certificate);
    till.#directory.write('tillgate.config.json', till.#settings(timeoutSeconds));
    const account = (await till.command(
      'account',
      'create',
      '--email',
      'shop@example.com',
      '--password',
      'correct horse battery',
      '--verified',
      '*',
    )) as { id: string };
    till.#demo = {
      ...((await till.command('credential', 'create', '--account', account.id)) as Demo),
      account_id: account.id,
    };
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
    await this.door.close();
    await this.#database?.drop();
    this.#directory.remove();
    await this.fixture.stop();
  }

  /** The merchant's account. */
  get account(): string {
    return this.#demo?.account_id ?? '';
  }

  get log(): string {
    return this.#process?.err ?? '';
  }

  /** Runs a command beside the server. */
  run(...args: readonly string[]): Promise<Ended> {
    return run(this.#directory.path, [...args, '--json'], this.#environment);
  }

  /** The same; it must succeed. */
  async command(...args: readonly string[]): Promise<unknown> {
    const { code, out, err } = await this.run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return JSON.parse(out) as unknown;
  }

  /**
   * Calls as the merchant. Two equal requests of one second share a signature: the second one is signed anew in the next.
   *
   * @throws Error at once when the connection breaks: what was killed does not answer later
   */
  async ask(method: 'GET' | 'POST', target: string, body?: unknown): Promise<Answer> {
    assert(this.#demo !== null);
    const merchant = new Merchant(this.#url, this.#demo);
    const { answer, error } = await waitFor(
      () =>
        merchant.call(method, target, body).then(
          (given) => (given.code === 40_104 ? null : { answer: given, error: null }),
          (broken: unknown) => ({ answer: null, error: broken }),
        ),
      { timeoutMs: 20_000, intervalMs: 100, describe: () => this.#words(`an answer to ${method} ${target}`) },
    );
    if (answer === null) throw error;
    return answer;
  }

  /** The answer must be a success. */
  async call(method: 'GET' | 'POST', target: string, body?: unknown): Promise<Answered> {
    const { data, code, message } = await this.ask(method, target, body);
    assert.equal(code, 0, `${method} ${target}: ${message}`);
    return data;
  }

  async order(price = '25'): Promise<PlacedLightningOrder> {
    const links = { callback_url: `${this.#receiver.url}/paid?shop=7`, timeout_callback: `${this.#receiver.url}/late` };
    const data = await this.call('POST', '/api/bln/order', { price, currency: 'USD', ...links });
    assert.equal(data['currency'], 'BTC-LN');
    return {
      id: String(data['order_id']),
      paymentRequest: String(data['payment_request']),
      msat: readUnits(data['amount']),
    };
  }

  /** A merchant with so much to withdraw, by orders of its customer's. */
  async earn(price: string): Promise<void> {
    const order = await this.order(price);
    await this.fixture.pay(order.paymentRequest);
    await this.becomes(order.id, 'SUCCESS');
  }

  detail(id: string): Promise<Answered> {
    return this.call('GET', `/api/v2/order/detail/${id}`);
  }

  async becomes(id: string, status: string): Promise<void> {
    await this.until(async () => (await this.detail(id))['status'] === status, `order ${id} to be ${status}`);
  }

  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    await waitFor(condition, { timeoutMs: 60_000, intervalMs: 50, describe: () => this.#words(what) });
  }

  callbacksOf(id: string): readonly ReceivedCallback[] {
    return this.#receiver.received.filter(({ target, body }) => target.includes(id) || body.includes(id));
  }

  async calledBack(id: string): Promise<ReceivedCallback> {
    return waitFor(() => this.callbacksOf(id)[0], {
      timeoutMs: 20_000,
      describe: () => this.#words(`the callback of ${id}`),
    });
  }

  /** A withdrawal that must be accepted. */
  withdraw(paymentRequest: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answered> {
    return this.call('POST', '/api/bln/withdraw', { ln_invoices: paymentRequest, ...more });
  }

  async row(id: unknown): Promise<Readonly<Record<string, string | null>>> {
    const { data } = (await this.call('GET', '/api/v2/tx?page=1&size=100')) as {
      data: Readonly<Record<string, string | null>>[];
    };
    const found = data.find(({ tx_id }) => tx_id === id);
    assert.ok(found !== undefined, `transaction ${String(id)}`);
    return found;
  }

  async ends(id: unknown, status: 'SUCCESS' | 'FAILED'): Promise<Readonly<Record<string, string | null>>> {
    await this.until(async () => (await this.row(id))['status'] === status, `withdrawal ${String(id)} to be ${status}`);
    return this.row(id);
  }

  async wallet(): Promise<LightningWallet> {
    const data = await this.call('GET', '/api/bln/balance');
    const [available, pending, locked, total] = [data['available'], data['pending'], data['locked'], data['total']].map(
      readUnits,
    ) as [bigint, bigint, bigint, bigint];
    return { available, pending, locked, total };
  }

  async booksHold(): Promise<void> {
    await this.command('ledger', 'check', '--full');
  }

  #words(what: string): string {
    const lines = this.log.split('\n').filter((line) => !line.includes('"msg":"request"'));
    return `${what}; the log:\n${lines.join('\n').slice(-4_000)}`;
  }

  #settings(timeoutSeconds: number): unknown {
    const { macaroonFile } = this.fixture.till;
    return {
      mode: 'production',
      auth: { breachedPasswords: null },
      listen: { host: '127.0.0.1' },
      database: this.#database === null ? { client: 'sqlite' } : { client: 'pg', connection: this.#database.url },
      orders: { timeoutSeconds },
      callbacks: { allowPrivateNetworks: true, schedule: [1, 1, 1, 1, 1] },
      limits: { requestsPerMinute: 100_000 },
      rates: { sources: [{ use: 'static', prices: { BTC: '50000', EUR: '1.1' } }] },
      plugins: [
        {
          use: 'lightning',
          options: {
            lnd: { restUrl: this.door.url, macaroonFile, tlsCertFile: join(this.#directory.path, 'door.cert') },
            network: 'regtest',
          },
        },
      ],
    };
  }
}
