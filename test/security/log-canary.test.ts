// @own-process: OpenTelemetry's SDK is registered for the whole process
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { generateMnemonic } from '../../adapters/wallet/index.ts';
import { present } from '../../core/index.ts';
import { createHost } from '../../host/index.ts';
import type { DemoMerchant, Host } from '../../host/index.ts';
import { HttpClient } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';

/** Stands in the URLs that hold a secret: the node's, the rate source's and the merchant's. */
const URL_KEY = 'Zq7CanaryKeyOfAUrlXw9';
const PASSWORD = 'Wrong-Canary-Password-1';
const masterKey = randomBytes(32);
const mnemonic = generateMnemonic(12);

let directory = '';
let host: Host;
let demo: DemoMerchant;
let log = '';
let requests: string[] = [];
const kept = new InMemorySpanExporter();
const replies: string[] = [];

/** A node, a rate source and a merchant that all answer with an error which repeats the URL that they were asked by. */
const broken = createServer((request, response) => {
  requests.push(request.url ?? '');
  response.writeHead(500, { 'content-type': 'text/plain' }).end(`no such thing: ${request.url}`);
});

before(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept)] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  directory = mkdtempSync(join(tmpdir(), 'tillgate-canary-'));
  broken.listen(0, '127.0.0.1');
  await once(broken, 'listening');
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  host = createHost(
    {
      mode: 'sandbox',
      listen: { port: 0 },
      dataDir: join(directory, 'data'),
      tracing: true,
      orders: { timeoutSeconds: 1 },
      callbacks: { schedule: [0] },
      rates: {
        sources: [
          { use: 'coingecko', url: `${url}/rates/${URL_KEY}` },
          { use: 'static', prices: { ETH: '2500', USDT: '1' } },
        ],
      },
      plugins: [
        { use: 'ethereum', options: { rpcUrls: [`${url}/v3/${URL_KEY}`], chainId: 31_337, pollIntervalMs: 100 } },
      ],
    },
    {
      directory,
      environment: { TILLGATE_MASTER_KEY: masterKey.toString('base64'), TILLGATE_MNEMONIC: mnemonic },
      logger: new PinoLogger({ level: 'debug', destination: { write: (line: string) => void (log += line) } }),
    },
  );
  await host.start();
  demo = present(host.demo, 'the demo merchant');
});

after(async () => {
  await host.stop();
  broken.closeAllConnections();
  broken.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Every secret of this till that something might let slip, by name. */
function secrets(checkoutToken: string): Readonly<Record<string, string>> {
  return {
    'API key': demo.api_key.slice(4),
    'API token': demo.api_token.slice(4),
    'signing secret': demo.signing_secret.slice(4),
    'callback secret': demo.callback_secret.slice(6),
    password: demo.password,
    'wrong password': PASSWORD,
    'key in a URL': URL_KEY,
    'checkout token': checkoutToken,
    'master key in base64': masterKey.toString('base64').slice(0, 40),
    'master key in hexadecimal': masterKey.toString('hex'),
    mnemonic,
    'words of the mnemonic': mnemonic.split(' ').slice(0, 3).join(' '),
  };
}

/** Everything that an exporter gets of the spans: of a request, of the storage, of the failing node and of the callback. */
function spansText(): string {
  const spans = kept.getFinishedSpans();
  for (const part of ['createPayUrl', 'storage orders create', 'chain ', 'callback send'])
    assert.ok(
      spans.some(({ name }) => name.startsWith(part)),
      part,
    );
  return JSON.stringify(
    spans.map(({ name, attributes, events, status, links, resource, instrumentationScope }) => [
      [name, attributes, events, status],
      [links, resource.attributes, instrumentationScope],
    ]),
  );
}

function assertNoSecret(where: string, text: string, checkoutToken: string): void {
  for (const [name, secret] of Object.entries(secrets(checkoutToken))) {
    const at = text.indexOf(secret);
    assert.ok(at < 0, `${where} holds the ${name}: …${text.slice(Math.max(0, at - 200), at)}[here]`);
  }
  assert.doesNotMatch(text, /(?:tak|tat|tss|tck|tct|tgk|whsec)_[A-Za-z0-9]/, where);
  assert.doesNotMatch(text, /eyJ[A-Za-z0-9_-]{10}/, where);
}

describe('fault 73: a canary in every secret', () => {
  test('no byte of logs, metrics, spans and refusals holds one, whatever goes wrong', async () => {
    const client = new HttpClient(host.url);
    const keyed = client.with({ 'API-Key': demo.api_key });
    const refused = async (reply: Promise<{ status: number; text: string }>): Promise<void> => {
      const { status, text } = await reply;
      assert.ok(status >= 400, text);
      replies.push(text);
    };
    const sign = { keys: { apiToken: demo.api_token, signingSecret: demo.signing_secret }, at: Date.now() };
    const login = '/api/plugin/key/service';
    const order = {
      price: 10,
      currency: 'USD',
      timeout_callback: `http://127.0.0.1:${(broken.address() as AddressInfo).port}/cb?key=${URL_KEY}`,
    };

    // A hosted order that nobody pays: its time-out is called back, and the merchant's server fails.
    const created = await keyed.post('/api/order/pay-url', order);
    assert.equal(created.status, 200, created.text);
    const { pay_url } = (JSON.parse(created.text) as { data: { pay_url: string } }).data;
    const checkoutToken = pay_url.split('/').at(-1) ?? '';
    assert.equal((await client.get(`/checkout/${checkoutToken}/state`)).status, 200);

    // A token that works, and refusals of every kind.
    const token = (
      JSON.parse((await client.post(login, { username: demo.email, password: demo.password })).text) as {
        data: { access_token: string };
      }
    ).data;
    assert.equal((await client.get('/api/v2/tx', { headers: { 'API-Key': token.access_token } })).status, 200);
    await refused(client.get('/api/v2/tx', { headers: { 'API-Key': `${token.access_token}x` } }));
    await refused(client.get('/api/v2/tx', { headers: { 'API-Key': `${demo.api_key}x` } }));
    await refused(client.get('/api/v2/tx', { headers: { 'API-Key': [demo.api_key, demo.api_token] } }));
    await refused(client.get('/api/v2/tx', { sign: { ...sign, at: 0 } }));
    await refused(
      client.get('/api/v2/tx', { sign: { ...sign, keys: { ...sign.keys, signingSecret: demo.api_token } } }),
    );
    await refused(client.post(login, { username: demo.email, password: PASSWORD }));
    await refused(client.post(login, `{"username":"${demo.email}","password":"${PASSWORD}"`));
    await refused(keyed.post('/api/order/pay-url', { ...order, price: -1, succeed_url: `javascript:${URL_KEY}` }));
    await refused(
      keyed.post('/api/order/pay-info', { ...order, chain: 'ETH', currency: 'NOPE', vs_currency: 'USD', vs_price: 1 }),
    );
    await refused(
      keyed.post('/api/order/pay-info', { chain: 'ETH', currency: 'ETH', vs_currency: 'EUR', vs_price: 1 }),
    );
    // The answer repeats to the sender what it sent; the log must not.
    await client.post(`/checkout/${checkoutToken}/choice`, { chain: 'ETH', currency: demo.api_key });

    // The node, the rate source and the merchant have all been asked, and have all failed.
    for (const path of ['/v3/', '/rates/', '/cb?'])
      await waitFor(() => requests.some((url) => url.startsWith(path)), { describe: `a request of ${path}` });
    await waitFor(() => log.includes('"level":"warn"') || log.includes('"level":"error"'));
    const metrics = await fetch(`${host.url}/metrics`).then((reply) => reply.text());
    assert.match(metrics, /tillgate_http_requests_total\{/);
    requests = [];

    assertNoSecret('the log', log, checkoutToken);
    assertNoSecret('the metrics', metrics, checkoutToken);
    assertNoSecret('a span', spansText(), checkoutToken);
    for (const text of replies) assertNoSecret('a refusal', text, checkoutToken);
    client.close();
    keyed.close();
  });
});
