import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { request } from 'undici';
import { createTillgateClient, isApiError, TillgateConnectionError } from '../../../adapters/client/index.ts';
import type { TillgateClient } from '../../../adapters/client/index.ts';
import { freshDirectory } from '../../host/till-process.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait.ts';
import { buildNext, compileApplications, prepareApplications, startApplication } from './application.ts';
import type { Application, Framework } from './application.ts';

const TEA = { price: '12.50', currency: 'EUR', chain: 'ETH', coin: 'USDT-ERC20' } as const;
/** Those whose server hands its sockets to the gateway. */
const WITH_GATEWAY: readonly Framework[] = ['fastify', 'hono', 'nest'];

interface Shop extends Application {
  readonly client: TillgateClient;
  /** Starts it again on the same database. */
  again(): Promise<Shop>;
}

async function openShop(t: TestContext, framework: Framework, node: string): Promise<Shop> {
  const directory = freshDirectory();
  const settings = {
    PORT: String(await freePort()),
    DATABASE: join(directory.path, 'till.db'),
    TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'),
    NODE_URL: node,
  };
  const running: Application[] = [];
  t.after(async () => {
    for (const each of running) await each.kill();
    directory.remove();
  });
  const open = async (): Promise<Shop> => {
    const application = await startApplication(framework, settings);
    running.push(application);
    const apiKey = await application.printed('API key');
    const client = createTillgateClient({ baseUrl: `${application.url}/pay`, credentials: { apiKey } });
    return { ...application, client, again: open };
  };
  return await open();
}

async function post(url: string, body: object): Promise<Record<string, string>> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(reply.ok, `${url}: ${reply.status} ${await reply.clone().text()}`);
  return (await reply.json()) as Record<string, string>;
}

const makeOrder = async ({ client }: Shop): Promise<string> => (await client.orders.create(TEA)).id;

const pay = ({ url }: Shop, id: string): Promise<object> => post(`${url}/pay/sandbox/v1/pay`, { order_id: id });

/** Until the application itself was told of a paid order. */
async function told({ said, client }: Shop, id: string, before = ''): Promise<void> {
  const line = new RegExp(`^event \\S+: order ${id} is SUCCESS$`, 'm');
  await waitFor(() => line.test(before + said()), { timeoutMs: 60_000, describe: () => `an event in:\n${said()}` });
  assert.equal((await client.orders.get(id)).status, 'SUCCESS');
}

/** The payer's page, with what it loads. @returns its path */
async function openPage(shop: Shop): Promise<{ id: string; path: string }> {
  const { id = '', pay: link = '' } = await post(`${shop.url}/buy`, {});
  const path = new URL(link).pathname;
  const page = await fetch(shop.url + path);
  assert.equal(page.status, 200);
  const files = [...(await page.text()).matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, file = '']) => file);
  assert.ok(files.length > 0);
  for (const file of files) assert.equal((await fetch(new URL(file, shop.url + path))).status, 200, file);
  return { id, path };
}

/** Makes orders until the server is gone. @returns those that it has answered for */
async function makeOrders(shop: Shop, made: string[]): Promise<void> {
  try {
    for (;;) made.push(await makeOrder(shop));
  } catch (error) {
    assert.ok(error instanceof TillgateConnectionError || isApiError(error, 'not_ready'), String(error));
  }
}

/** A call of the gateway. @returns its status and the chain id that the node behind it names */
async function chainIdOf({ url }: Shop, headers: Readonly<Record<string, string>>): Promise<unknown[]> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { host: 'gate.localhost', 'content-type': 'application/json', ...headers },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  });
  return [statusCode, ((await body.json()) as { result?: unknown }).result];
}

describe('the applications of examples/embed-frameworks', () => {
  let anvil: Anvil;
  before(async () => {
    await prepareApplications();
    anvil = await startAnvil();
  });
  after(() => anvil.stop());

  it('compile against the types of the package', compileApplications);
  it('Next builds, without a till being opened', buildNext);

  for (const framework of ['fastify', 'hono', 'nest', 'next'] as const) {
    it(`${framework}: orders are made and paid, the application is told of each, and a stop under load loses none`, async (t) => {
      const shop = await openShop(t, framework, anvil.url);
      const id = await makeOrder(shop);
      await pay(shop, id);
      await told(shop, id);
      const { id: bought, path } = await openPage(shop);
      await post(`${shop.url}${path}/choice`, { chain: TEA.chain, currency: TEA.coin });
      await pay(shop, bought);
      await told(shop, bought);
      const listed: string[] = [];
      for await (const order of shop.client.orders.all({ limit: 1 })) listed.push(order.id);
      assert.deepEqual(listed, [bought, id]);

      const page = await openPage(shop);
      const live = await fetch(`${shop.url}${page.path}/events`);
      assert.equal(live.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      const made: string[] = [];
      const makers = Promise.all([makeOrders(shop, made), makeOrders(shop, made), makeOrders(shop, made)]);
      await waitFor(() => made.length >= 5, { timeoutMs: 60_000 });
      const last = await makeOrder(shop);
      await pay(shop, last);
      assert.equal(await shop.terminate(), 0, shop.said());
      await makers;
      await live.text().catch(() => '');

      const restarted = await shop.again();
      for (const each of made) assert.equal((await restarted.client.orders.get(each)).id, each);
      await told(restarted, last, shop.said());
      assert.equal(await restarted.terminate(), 0, restarted.said());
    });
  }

  for (const framework of WITH_GATEWAY) {
    it(`${framework}: its gateway answers for its host, with a key and not without`, async (t) => {
      const shop = await openShop(t, framework, anvil.url);
      assert.deepEqual(await chainIdOf(shop, {}), [401, undefined]);
      const authorization = `Bearer ${await shop.printed('gateway key')}`;
      assert.deepEqual(await chainIdOf(shop, { authorization }), [200, `0x${anvil.chainId.toString(16)}`]);
    });
  }
});
