import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import express from 'express';
import { fetch, request } from 'undici';
import type { Storage } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { Tillgate } from '../../host/embed/index.ts';
import { beforeCall } from '../support/before-call.ts';
import { createFetchServer, rawFacts } from '../support/fetch-server.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { ethereum } from '../support/one-chain.ts';
import { waitFor } from '../support/wait.ts';

const GATE_HOST = 'eth.gate.example';
const SHUT = { code: 50300, message: 'The service is shutting down.' };

/** Something that is held until it is let go. */
class Held {
  reached = false;
  free: () => void = () => undefined;
  readonly wait = async (): Promise<void> => {
    this.reached = true;
    await new Promise<void>((resolve) => (this.free = resolve));
  };
}

interface OpenTill {
  readonly till: Tillgate;
  readonly storage: Storage;
  readonly headers: Record<string, string>;
}

async function openHeld(t: TestContext, held: Held, upstream?: string): Promise<OpenTill> {
  const storage = await openStorageAlone({ client: 'sqlite', filename: ':memory:' }, { logger: silentLogger });
  await storage.migrate();
  const gateways =
    upstream === undefined
      ? []
      : [{ host: GATE_HOST, chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc' as const, upstreams: [upstream] }];
  const till = await createTillgate({
    masterKey: randomBytes(32),
    baseUrl: 'https://shop.example.com/pay',
    mode: 'sandbox',
    plugins: [ethereum({ confirmations: 1, pollIntervalMs: 50 })],
    gateways,
    replace: { storage: beforeCall(storage, 'orders', 'create', held.wait) },
  });
  t.after(async () => {
    held.free();
    await till.close();
    await storage.close();
  });
  const { id } = await till.accounts.create({ email: 'shop@example.com' });
  const { apiKey } = await till.credentials.create({ account: id });
  return { till, storage, headers: { 'API-Key': apiKey, 'Content-Type': 'application/json' } };
}

const byExpress = (till: Tillgate): Server => createServer(express().use('/pay', till.express()) as RequestListener);

const BINDINGS: Readonly<Record<string, (till: Tillgate) => Server>> = {
  Express: byExpress,
  fetch: (till) => createFetchServer(till.fetch.with({ facts: rawFacts })),
};

async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks for an order. @returns the envelope */
async function sell(url: string, headers: Record<string, string>): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ currency: 'USD', price: 25 });
  const reply = await fetch(`${url}/pay/api/order/pay-url`, { method: 'POST', headers, body });
  return (await reply.json()) as Record<string, unknown>;
}

/** A closing till waits seven seconds for its requests; this leaves time for the rest of a test. */
const REFUSED_MS = 1_500;

/** So many that a till which waited for nothing would be closed after them; fewer on a slow machine. */
async function refusals(base: string): Promise<void> {
  const until = performance.now() + REFUSED_MS;
  for (let count = 0; count === 0 || (count < 150 && performance.now() < until); count += 1) {
    const reply = await fetch(`${base}/readyz`);
    assert.deepEqual([reply.status, ((await reply.json()) as { code: number }).code], [503, SHUT.code]);
  }
}

describe('an embedded till is closed while requests are in progress', () => {
  for (const [binding, serve] of Object.entries(BINDINGS))
    test(`fault 316: ${binding}: an order that is being made is stored and answered, new requests are refused, and only then does the storage go`, async (t) => {
      const held = new Held();
      const { till, storage, headers } = await openHeld(t, held);
      const server = serve(till);
      const url = await listen(t, server);
      const events: string[] = [];
      // At the server: the client may read the answer after the till has closed.
      server.once('request', (_request, response) => response.once('finish', () => events.push('answered')));
      const selling = sell(url, headers);
      await waitFor(() => held.reached, { describe: 'the order to be under way' });
      const closing = till.close().then(() => events.push('closed'));
      const refused = await sell(url, headers);
      assert.deepEqual({ code: refused['code'], message: refused['message'] }, SHUT);
      await refusals(`${url}/pay`);
      assert.deepEqual(events, [], 'the till waits for the order');
      held.free();
      const sold = await selling;
      assert.equal(sold['code'], 0, JSON.stringify(sold));
      await closing;
      assert.deepEqual(events, ['answered', 'closed']);
      const { pay_url: payUrl } = sold['data'] as { pay_url: string };
      const kept = await storage.orders.findByCheckoutToken(payUrl.split('/').at(-1) as string);
      assert.equal(kept?.status, 'PENDING');
    });

  test('fault 316: a request that never ends does not keep it open', { timeout: 30_000 }, async (t) => {
    const held = new Held();
    const { till, headers } = await openHeld(t, held);
    const url = await listen(t, byExpress(till));
    const selling = sell(url, headers);
    await waitFor(() => held.reached, { describe: 'the order to be under way' });
    const began = performance.now();
    await till.close();
    assert.ok(performance.now() - began < 10_500, 'at the latest after 10 seconds');
    held.free();
    await selling;
  });

  test('a call of a node through its gateway is answered before the gateway closes', async (t) => {
    const held = new Held();
    const node = await listen(
      t,
      createServer((req, res) => {
        void text(req).then(async (body) => {
          // Health checks are answered at once.
          if (body.includes('eth_sendRawTransaction')) await held.wait();
          res.setHeader('Content-Type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":"0x10"}');
        });
      }),
    );
    const { till } = await openHeld(t, held, node);
    const url = await listen(t, createServer(express().use(till.express({ gateway: true })) as RequestListener));
    const { id } = await till.accounts.create({ email: 'gate@example.com' });
    const { key } = await till.apps.create({ account: id, name: 'wallet', chains: ['ETH'] });
    const calling = request(url, {
      method: 'POST',
      headers: { host: GATE_HOST, 'content-type': 'application/json', authorization: `Bearer ${key.apiKey}` },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x"]}',
    });
    await waitFor(() => held.reached, { describe: 'the node to be asked' });
    const closing = till.close();
    await refusals(url);
    held.free();
    const reply = await calling;
    assert.deepEqual([reply.statusCode, await reply.body.json()], [200, { jsonrpc: '2.0', id: 1, result: '0x10' }]);
    await closing;
  });
});
