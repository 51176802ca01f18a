import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTillgateClient, isApiError } from '../../adapters/client/index.ts';
import { waitFor } from '../support/wait.ts';
import { startExample } from './example-process.ts';

async function json<T>(url: string, init: RequestInit = {}): Promise<T> {
  const reply = await fetch(url, { headers: { 'Content-Type': 'application/json' }, ...init });
  assert.ok(reply.ok, `${url}: ${reply.status} ${await reply.clone().text()}`);
  return (await reply.json()) as T;
}

test('examples/embed-express: a purchase is paid on the payer’s page’s coin, inside the application, which ends in order', async (t) => {
  const { url, out, terminate } = await startExample(t, 'embed-express');
  const { id, pay } = await json<{ id: string; pay: string }>(`${url}/buy`, { method: 'POST' });
  const page = new URL(pay);
  assert.equal((await fetch(url + page.pathname)).status, 200);
  await json(`${url}${page.pathname}/choice`, {
    method: 'POST',
    body: JSON.stringify({ chain: 'ETH', currency: 'USDT-ERC20' }),
  });
  await json(`${url}/pay/sandbox/v1/pay`, { method: 'POST', body: JSON.stringify({ order_id: id }) });
  const order = (): Promise<{ status: string; coin: string }> => json(`${url}/orders/${id}`);
  await waitFor(async () => (await order()).status === 'SUCCESS', { timeoutMs: 30_000, describe: out });
  assert.equal((await order()).coin, 'USDT-ERC20');
  assert.match(out(), new RegExp(`order ${id} is SUCCESS`));
  assert.equal(await terminate(), 0, out());
});

test('examples/embed-fetch: Hono serves the payment API to the client, and its own pages beside it', async (t) => {
  const { url, out, terminate } = await startExample(t, 'embed-fetch');
  const apiKey = /API key: (\S+)/.exec(await waitFor(() => /API key: \S+/.exec(out())?.[0]))?.[1] ?? '';
  const client = createTillgateClient({ baseUrl: `${url}/pay`, credentials: { apiKey } });
  const { id, payUrl } = await client.orders.create({
    price: '12.50',
    currency: 'EUR',
    chain: 'ETH',
    coin: 'USDT-ERC20',
  });
  assert.equal((await fetch(url + new URL(payUrl).pathname)).status, 200);
  await json(`${url}/pay/sandbox/v1/pay`, { method: 'POST', body: JSON.stringify({ order_id: id }) });
  await waitFor(async () => (await client.orders.get(id)).status === 'SUCCESS', { timeoutMs: 30_000, describe: out });
  await assert.rejects(client.orders.get('1'), (error) => isApiError(error, 'order_not_found'));
  assert.equal(await (await fetch(url)).text(), 'the application');
  assert.equal((await fetch(`${url}/payments`)).status, 404);
  assert.equal(await terminate(), 0, out());
});
