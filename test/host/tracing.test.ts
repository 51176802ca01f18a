import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { present } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { Merchant, readDemo, startReceiver } from './merchant.ts';
import { freshDirectory, killAll, serve } from './till-process.ts';
import type { TillProcess } from './till-process.ts';

const PRELOAD = new URL('spans-to-file.mjs', import.meta.url).href;
const ORDER_ID = 'tillgate.order.id';
/** A caller's trace, sampled. */
const FOREIGN_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

interface KeptSpan {
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  readonly parent: string | null;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

describe('a till whose application traces with OpenTelemetry', () => {
  let directory: ReturnType<typeof freshDirectory>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let file: string;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());
  afterEach(async () => {
    await killAll();
    directory.remove();
  });

  function start(settings: object, environment: Readonly<Record<string, string>> = {}): TillProcess {
    directory = freshDirectory();
    file = join(directory.path, 'spans.jsonl');
    directory.write('tillgate.config.json', { mode: 'sandbox', ...settings });
    return serve(directory.path, { NODE_OPTIONS: `--import ${PRELOAD}`, SPANS_FILE: file, ...environment });
  }
  const text = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const spans = (): readonly KeptSpan[] =>
    text()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as KeptSpan);
  const named = (name: string, orderId: string): KeptSpan | undefined =>
    spans().find((span) => span.name === name && span.attributes[ORDER_ID] === orderId);

  /** An order that is made, paid and called back. */
  async function sell(url: string): Promise<string> {
    const merchant = new Merchant(url, readDemo(directory.path));
    const order = await merchant.payInfo(`${receiver.url}/a-secret-of-the-shop`);
    assert.equal(order.code, 0, order.message);
    const id = String(order.data['order_id']);
    assert.equal((await merchant.pay(id)).code, 0);
    await waitFor(() => receiver.received.some(({ body }) => body.includes(id)), {
      timeoutMs: 60_000,
      describe: 'the callback',
    });
    assert.equal(await merchant.status(id), 'SUCCESS');
    return id;
  }

  test('has the order in spans of the request, the storage, the node and the callback, and no secret in any', async () => {
    const url = await start({ tracing: true }).url();
    const id = await sell(url);
    await waitFor(() => named('callback send', id) !== undefined, { describe: 'the span of the callback' });

    const request = present(named('createPayInfo', id), 'the span of the request');
    assert.deepEqual(
      [request.parent, request.failed, request.attributes['http.response.status_code']],
      [null, false, 200],
    );
    const stored = present(named('storage orders create', id), 'the span of the storage');
    assert.deepEqual([stored.traceId, stored.parent], [request.traceId, request.id]);
    assert.equal(named('storage transaction', id)?.failed, false, 'the credit, in no request');
    assert.ok(
      spans().some(({ name, attributes }) => name === 'chain scan' && attributes['tillgate.chain'] === 'ETH'),
      'the scan that found the payment',
    );
    const { 'server.address': host, ...callback } = present(named('callback send', id), 'the callback').attributes;
    assert.equal(host, '127.0.0.1');
    assert.deepEqual(callback, {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'tillgate.callback.attempt': 1,
      'tillgate.callback.outcome': 'answered',
      [ORDER_ID]: id,
    });

    const { api_key, api_token, signing_secret, callback_secret, password, email } = readDemo(directory.path);
    const secrets = [api_key, api_token, signing_secret, callback_secret, password, email, 'a-secret-of-the-shop'];
    for (const secret of secrets) assert.ok(!text().includes(secret), `${secret} is in a span`);
  });

  test('fault 299: a caller’s traceparent is a link: it decides neither the trace nor what is sampled', async () => {
    const url = await start({ tracing: true }).url();
    const reply = await fetch(`${url}/livez`, {
      headers: { traceparent: `00-${FOREIGN_TRACE}-00f067aa0ba902b7-01` },
    });
    assert.equal(reply.status, 200);
    await waitFor(() => spans().some(({ links }) => links.includes(FOREIGN_TRACE)), { describe: 'the link' });
    assert.ok(spans().every(({ traceId }) => traceId !== FOREIGN_TRACE));
    assert.equal((await fetch(`${url}/livez`, { headers: { traceparent: 'nonsense' } })).status, 200);
  });

  for (const when of ['begins', 'ends', 'context is asked for'])
    test(`fault 300: a tracer that fails (${when}) costs its spans and no payment`, async () => {
      const url = await start({ tracing: true }, { SPANS_BROKEN: when }).url();
      await sell(url);
      assert.ok(
        spans().some(({ name }) => name === when),
        'it was asked',
      );
    });

  test('without the setting nothing is recorded', async () => {
    const url = await start({}).url();
    await sell(url);
    assert.equal(text(), '');
  });
});
