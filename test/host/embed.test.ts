import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import express from 'express';
import knex, { type Knex } from 'knex';
import { pino } from 'pino';
import { Registry, register } from 'prom-client';
import { request } from 'undici';
import { camelCase, fromWire } from '../../adapters/client/names.ts';
import type { Operation } from '../../adapters/http/index.ts';
import { isPaged } from '../../adapters/http/operation.ts';
import { isTillgateError, present } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { Order, TillDatabase, Tillgate, TillgateOptions } from '../../host/embed/index.ts';
import { sandbox } from '../../plugins/sandbox/index.ts';
import { NAMED } from '../support/api-types.ts';
import { createFetchServer, rawFacts } from '../support/fetch-server.ts';
import { freshDatabase } from '../support/postgres.ts';
import { ethereum } from '../support/one-chain.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory } from './till-process.ts';

const BASE_URL = 'https://shop.example.com/pay';

/** An application's database; its knex instance waits for its disk, as a till wants it. */
const DATABASES: Readonly<Record<'sqlite' | 'pg', (t: TestContext) => Promise<Knex>>> = {
  sqlite: async (t) => {
    const directory = freshDirectory();
    const db = knex({
      client: 'sqlite3',
      connection: { filename: join(directory.path, 'app.db') },
      useNullAsDefault: true,
    });
    t.after(() => db.destroy().then(() => directory.remove()));
    return db;
  },
  pg: async (t) => {
    const { url, drop } = await freshDatabase();
    const db = knex({
      client: 'pg',
      connection: { connectionString: url, options: '-c synchronous_commit=on' },
      pool: { min: 0, max: 8 },
    });
    t.after(() => db.destroy().then(drop));
    return db;
  },
};

const tills = new Set<Tillgate>();

async function open(
  t: TestContext,
  options: Partial<TillgateOptions> & Pick<TillgateOptions, 'database'>,
): Promise<Tillgate> {
  const till = await createTillgate({
    masterKey: randomBytes(32),
    baseUrl: BASE_URL,
    mode: 'sandbox',
    plugins: [ethereum({ confirmations: 1, pollIntervalMs: 50 })],
    ...options,
  });
  tills.add(till);
  return till;
}

/** Closes tills before their database goes: hooks of a test run in the order in which they were made. */
function closing(t: TestContext): void {
  t.after(() => Promise.all([...tills].map((till) => till.close())).then(() => tills.clear()));
}

async function merchant(till: Tillgate): Promise<string> {
  return (await till.accounts.create({ email: 'shop@example.com' })).id;
}

function newOrder(till: Tillgate, account: string): Promise<Order> {
  return till.orders.create({ account, chain: 'ETH', coin: 'USDT-ERC20', currency: 'EUR', price: '25' });
}

const statusOf = async (till: Tillgate, { id }: Order): Promise<string> => (await till.orders.get(id)).status;

async function listen(t: TestContext, handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a till inside an application', () => {
  for (const engine of ['sqlite', 'pg'] as const) {
    test(`${engine}: an order is made, paid and settled in process, on the application's own knex, and told by typed events`, async (t) => {
      closing(t);
      const db = await DATABASES[engine](t);
      const till = await open(t, { database: { knex: db, tablePrefix: 'till_' } });
      const told: string[] = [];
      till.on('order.created', ({ accountId }) => told.push(`created for ${accountId}`), { live: true });
      const end = till.on('order.status', ({ from, to }) => told.push(`${from} → ${to}`), { live: true });
      const account = await merchant(till);
      const order = await newOrder(till, account);
      await till.sandbox.pay(order.id);
      await waitFor(async () => (await statusOf(till, order)) === 'SUCCESS', { describe: 'the order to be paid' });
      assert.deepEqual(told, [`created for ${account}`, 'PENDING → SUCCESS']);
      end();
      const { items } = await till.wallets.list({ account });
      assert.deepEqual(
        items.filter(({ total }) => total !== '0').map(({ coin, total }) => [coin, total]),
        [['USDT-ERC20', order.payment?.amount]],
      );
      await till.close();
      await till.close();
      assert.deepEqual(
        await db<{ status: string }>('till_orders').select('status'),
        [{ status: 'SUCCESS' }],
        'the application’s knex is still open',
      );
    });
  }

  test('a call whose operation has a query and a body sends each field where it belongs', async (t) => {
    closing(t);
    const till = await open(t, { database: 'sqlite::memory:' });
    const account = await merchant(till);
    const branding = await till.branding.update({ account, name: 'Corner Bakery', version: 1 });
    assert.deepEqual([branding.account, branding.name, branding.version], [account, 'Corner Bakery', 2]);
    await assert.rejects(
      till.branding.update({ account, nmae: 'Corner Bakery', version: 2 } as never),
      (error) => isTillgateError(error, 'INVALID_FIELDS') && error.details.fields?.[0]?.path === 'nmae',
    );
  });

  test('whatever names an account that is not there is refused with the field, in the words of the caller', async (t) => {
    closing(t);
    const till = await open(t, { database: 'sqlite::memory:' });
    const calls = till as unknown as Readonly<
      Record<string, Readonly<Record<string, (fields: object) => Promise<unknown>>>>
    >;
    // A list of an unknown account is empty.
    const takesAccount = ({ schemas: { query, body } }: Operation): boolean =>
      [query, body].some((schema) => schema !== null && 'account' in schema.shape);
    const about = NAMED.map(({ row }) => row).filter((row) => takesAccount(row) && !isPaged(row));
    assert.ok(about.length >= 9, `only ${about.length} operations take an account`);
    for (const { id, versioned, examples } of about)
      for (const account of ['nope', '1530217733410816001']) {
        const [resource = '', verb = ''] = id.split('.').map(camelCase);
        const call = calls[resource]?.[verb] ?? assert.fail(id);
        const fields = { ...(fromWire(examples.body ?? {}) as object), account };
        await assert.rejects(
          async () => call(versioned ? { ...fields, version: 1 } : fields),
          (error) => {
            assert.ok(isTillgateError(error, 'NOT_FOUND'), `${id}: ${String(error)}`);
            assert.deepEqual(
              error.details.fields?.map(({ path }) => path),
              ['account'],
              id,
            );
            assert.equal(error.message, 'account: there is no such record');
            return true;
          },
        );
      }
    await assert.rejects(till.refunds.create({ order: 'nope' }), (error) => {
      assert.ok(isTillgateError(error, 'NOT_FOUND'));
      assert.deepEqual(
        error.details.fields?.map(({ path }) => path),
        ['order'],
      );
      return true;
    });
  });

  test('without its workers a paid order stays as it is, and they can be stopped and started again', async (t) => {
    closing(t);
    const till = await open(t, { database: { knex: await DATABASES.sqlite(t) }, workers: 'none' });
    const account = await merchant(till);
    await assert.rejects(newOrder(till, account), /follow|reached|yet|ready/i, 'nobody follows the chain yet');
    await till.workers.start();
    const order = await newOrder(till, account);
    await till.workers.stop();
    await till.sandbox.pay(order.id);
    assert.equal(await statusOf(till, order), 'PENDING');
    await Promise.all([till.workers.start(), till.workers.start()]);
    await waitFor(async () => (await statusOf(till, order)) === 'SUCCESS');
  });

  test('in Express under a path: payment API, payer’s page, its own OpenAPI; other paths and the metrics stay the application’s', async (t) => {
    closing(t);
    const till = await open(t, { database: { knex: await DATABASES.sqlite(t) } });
    const account = await merchant(till);
    const { apiKey } = await till.credentials.create({ account });
    const app = express();
    app.use('/pay', till.express());
    app.use(express.json());
    app.post('/pay/own', (req, res) => void res.json({ got: (req.body as { x: number }).x }));
    app.use((_req, res) => void res.status(418).send('the application'));
    const url = await listen(t, app);
    const json = async (
      path: string,
      init: RequestInit = {},
    ): Promise<{ status: number; body: { data?: Record<string, unknown> } }> => {
      const reply = await fetch(url + path, init);
      return { status: reply.status, body: (await reply.json()) as { data?: Record<string, unknown> } };
    };
    const headers = { 'API-Key': apiKey, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 });
    const made = await json('/pay/api/order/pay-info', { method: 'POST', headers, body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const payUrl = String(made.body.data?.['pay_url']);
    assert.ok(payUrl.startsWith(`${BASE_URL}/checkout/`), payUrl);
    const page = await fetch(url + new URL(payUrl).pathname);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /USDT/);
    assert.equal((await json('/pay/readyz')).status, 200);
    const { body: openapi } = (await json('/pay/openapi.json')) as unknown as {
      body: { servers: unknown; paths: Record<string, unknown> };
    };
    assert.deepEqual(openapi.servers, [{ url: BASE_URL }]);
    assert.ok('/api/order/pay-info' in openapi.paths && !('/metrics' in openapi.paths));
    for (const path of ['/pay/metrics', '/pay/manage/v1/session', '/pay/nothing', '/api/order/pay-info', '/elsewhere'])
      assert.equal((await fetch(url + path)).status, 418, path);
    const own = await fetch(`${url}/pay/own`, { method: 'POST', headers, body: '{"x":1}' });
    assert.deepEqual(await own.json(), { got: 1 });
    // Asked for, the management API is there too, under another path if need be.
    const fixture = express().use('/pay', till.express({ manage: true }));
    const login = await fetch(`${await listen(t, fixture)}/pay/manage/v1/session`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    assert.equal(login.status, 400);
    await till.close();
    assert.equal((await fetch(`${url}/pay/readyz`)).status, 503, 'a closed till says so');
  });

  test('as a function from Request to Response', async (t) => {
    closing(t);
    const till = await open(t, { database: 'sqlite::memory:' });
    const account = await merchant(till);
    const { apiKey } = await till.credentials.create({ account });
    const server = createFetchServer(till.fetch.with({ facts: rawFacts }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay`;
    assert.equal((await fetch(`${url}/livez`)).status, 200);
    const list = await fetch(`${url}/api/v2/order/`, { headers: { 'API-Key': apiKey } });
    assert.equal(((await list.json()) as { data: { total: number } }).data.total, 0);
    assert.equal((await fetch(`${url.slice(0, -4)}/livez`)).status, 404);
  });

  test('its gateway serves the hosts of its routes before the application, with keys that were made in process', async (t) => {
    closing(t);
    const node = await listen(
      t,
      (_req, res) =>
        void res.setHeader('Content-Type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":"0x10"}'),
    );
    const gateways = [
      { host: 'eth.gate.example', chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc' as const, upstreams: [node] },
    ];
    const till = await open(t, { database: { knex: await DATABASES.sqlite(t) }, gateways, workers: 'instance' });
    const app = express();
    app.use(till.express({ gateway: true }));
    app.use((_req, res) => void res.status(418).end());
    const url = await listen(t, app);
    assert.equal((await fetch(url)).status, 418);
    const { key } = await till.apps.create({ account: await merchant(till), name: 'wallet', chains: ['ETH'] });
    const call = async (authorization: Record<string, string>): Promise<[number, unknown]> => {
      const headers = { host: 'eth.gate.example', 'content-type': 'application/json', ...authorization };
      const { statusCode, body } = await request(url, {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
        headers,
      });
      return [statusCode, ((await body.json()) as { result?: unknown }).result];
    };
    assert.deepEqual(await call({}), [401, undefined]);
    assert.deepEqual(await call({ authorization: `Bearer ${key.apiKey}` }), [200, '0x10']);
  });

  test('two tills in one process and one database, by prefix on SQLite and by schema on PostgreSQL, one process each for the workers', async (t) => {
    closing(t);
    const [lite, pg] = [await DATABASES.sqlite(t), await DATABASES.pg(t)];
    const places: TillDatabase[] = [
      { knex: lite, tablePrefix: 'a_' },
      { knex: lite, tablePrefix: 'b_' },
      { knex: pg, schema: 'a' },
      { knex: pg, schema: 'b' },
    ];
    const shops = await Promise.all(
      places.map(async (database) => {
        const till = await open(t, { database });
        const order = await newOrder(till, await merchant(till));
        await till.sandbox.pay(order.id);
        return { till, order };
      }),
    );
    await Promise.all(
      shops.map(async ({ till, order }) => {
        await waitFor(async () => (await statusOf(till, order)) === 'SUCCESS');
        assert.equal((await till.orders.list()).items.length, 1);
        for (const other of shops)
          if (other.till !== till)
            await assert.rejects(till.orders.get(other.order.id), (error) => isTillgateError(error, 'NOT_FOUND'));
      }),
    );
  });

  test('a SQLite file that it opens itself has one till for each prefix', async (t) => {
    closing(t);
    const directory = freshDirectory();
    t.after(() => directory.remove());
    const filename = join(directory.path, 'tills.db');
    const first = await open(t, { database: { url: `sqlite:${filename}`, tablePrefix: 'a_' } });
    await open(t, { database: { url: `sqlite:${filename}`, tablePrefix: 'b_' } });
    await assert.rejects(open(t, { database: { url: `sqlite:${filename}`, tablePrefix: 'a_' } }), /Another server/);
    await first.close();
    await assert.rejects(
      open(t, { database: { url: `sqlite:${filename}`, tablePrefix: 'a_' }, masterKey: randomBytes(32) }),
      /another master key/,
    );
  });

  test('every problem of the options is told at once, with the names of the options', async () => {
    const wrong = createTillgate({
      database: 'sqlite::memory:',
      masterKey: 'short',
      baseUrl: 'ftp://x',
      plugins: [sandbox(), {} as never],
      orders: { timeoutSeconds: 0 },
      ...({ callbacks: { retries: 3 }, databse: 'sqlite:x', workers: 'some' } as object),
    });
    const { message } = await wrong.then(
      () => assert.fail('accepted'),
      (error: unknown) => error as Error,
    );
    const paths = ['masterKey', 'baseUrl', 'plugins.0', 'plugins.1', 'orders.timeoutSeconds', 'callbacks.retries'];
    for (const path of [...paths, 'databse', 'workers']) assert.ok(message.includes(path), `${path} in ${message}`);
    assert.match(message, /sandbox only/);
  });

  test('logs by the application’s pino or console and measures in its registry, and in no other', async (t) => {
    closing(t);
    const lines: Record<string, unknown>[] = [];
    const logger = pino(
      { level: 'debug' },
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    const registry = new Registry();
    const till = await open(t, { database: 'sqlite::memory:', logger, metrics: registry });
    await newOrder(till, await merchant(till));
    assert.match(await registry.metrics(), /^tillgate_orders_total\{status="PENDING"\} 1$/m);
    assert.doesNotMatch(await registry.metrics(), /^process_/m);
    assert.equal(register.getMetricsAsArray().length, 0, 'the library’s global registry is not touched');
    await till.close();
    assert.ok(lines.length > 0 && lines.every(({ msg }) => typeof msg === 'string'));
    const said: unknown[][] = [];
    const say = (...words: unknown[]): void => void said.push(words);
    const other = await open(t, {
      database: 'sqlite::memory:',
      logger: { debug: say, info: say, warn: say, error: say },
      logLevel: 'info',
    });
    const url = await listen(t, express().use('/pay', other.express()));
    await fetch(`${url}/pay/livez`, { headers: { 'API-Key': 'tak_canary0000000000' } });
    const [words, fields] = present(
      said.find(([message]) => message === 'request'),
      'the request’s line',
    ) as [string, Record<string, unknown>];
    assert.deepEqual([words, fields['operation'], fields['status']], ['request', 'livez', 200]);
    assert.doesNotMatch(JSON.stringify([lines, said]), /canary/);
    // A till that is opened anew goes on with the metrics that it finds.
    await open(t, { database: 'sqlite::memory:', metrics: registry });
  });
});
