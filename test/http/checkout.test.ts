import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { textOperation } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import { assertError, dataOf } from '../support/http.ts';
import { ADDRESS, startFakeEdge, TOKEN } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const PAGE = { ...FORM, Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const STATE = {
  status: 'PENDING',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25',
  received: '0',
  address: ADDRESS,
  contract_addr: '0xdac1',
  payment_uri: 'ethereum:0xdac1',
  confirmations: 0,
  confirmations_required: 12,
  expires_at: '2026-03-01T12:30:00',
  refund_address: null,
};

describe('the checkout', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge();
  });
  after(() => edge.close());

  test('its state has exactly its documented fields, without credentials', async () => {
    const reply = await edge.client.with({ 'API-Key': 'nobody' }).get(`/checkout/${TOKEN}/state`);
    assert.deepEqual(dataOf(reply), STATE);
  });

  test('a coin is chosen by JSON or by a form, and the answer is the new state', async () => {
    assert.deepEqual(
      dataOf(await edge.client.post(`/checkout/${TOKEN}/choice`, { chain: 'ETH', currency: 'ETH' })),
      STATE,
    );
    assert.deepEqual(
      dataOf(await edge.client.post(`/checkout/${TOKEN}/choice`, 'chain=TRX&currency=USDT-TRC20', { headers: FORM })),
      STATE,
    );
    assert.deepEqual(edge.asked.chosen, ['ETH/ETH', 'TRX/USDT-TRC20']);
  });

  test('a form of the page is sent back to the page, refused or not', async () => {
    const done = await edge.client.post(`/checkout/${TOKEN}/choice`, 'chain=ETH&currency=ETH', { headers: PAGE });
    assert.equal(done.status, 303);
    const page = `${edge.url}checkout/${TOKEN}`;
    assert.equal(new URL(done.headers['location'] ?? '', `${page}/choice`).href, page);
    const refused = await edge.client.post(`/checkout/${TOKEN}/choice`, 'chain=ETH', { headers: PAGE });
    assert.equal(refused.status, 303);
    assert.equal(new URL(refused.headers['location'] ?? '', `${page}/choice`).href, `${page}?error=40001`);
    const left = await edge.client.post(`/checkout/${TOKEN}/refund-address`, `address=${ADDRESS}`, { headers: PAGE });
    assert.equal(new URL(left.headers['location'] ?? '', `${page}/refund-address`).href, page);
  });

  test('a script that asks for JSON gets JSON', async () => {
    dataOf(
      await edge.client.post(
        `/checkout/${TOKEN}/refund-address`,
        { address: ADDRESS },
        { headers: { Accept: 'application/json, text/html' } },
      ),
    );
    assertError(await edge.client.post(`/checkout/${TOKEN}/refund-address`, {}), 40001);
  });

  test('bad forms: repeated fields and bytes that are no UTF-8 are 40000, other types 41500', async () => {
    const choose = (body: string | Uint8Array, type: string) =>
      edge.client.post(`/checkout/${TOKEN}/choice`, body, { headers: { 'Content-Type': type } });
    assertError(await choose('chain=ETH&chain=BTC&currency=ETH', FORM['Content-Type']), 40000);
    assertError(await choose(Buffer.from([0x63, 0x3d, 0xff]), FORM['Content-Type']), 40000);
    assertError(await choose('__proto__=x&chain=%00&currency=ETH', FORM['Content-Type']), 40001);
    assertError(await choose('chain=ETH&currency=ETH', 'application/x-www-form-urlencoded; charset=latin1'), 41500);
    assertError(await choose('chain=ETH&currency=ETH', 'text/plain'), 41500);
  });

  test('tokens that no order can have are 40400', async () => {
    for (const token of ['unknown', '%00', 'a%2fb', '..', 'a'.repeat(129), "x'--"]) {
      assertError(await edge.client.get(`/checkout/${token}/state`), 40400);
    }
  });

  test('the slot of the page: a row of the host’s own, with its own headers and a trace id', async () => {
    const page = textOperation({
      id: 'checkoutPage',
      method: 'GET',
      path: '/checkout/{token}',
      tag: 'Checkout',
      summary: "The payer's page",
      description: '',
      auth: { kind: 'none' },
      hidden: true,
      type: 'text/html',
      handler: async ({ params }) => {
        if (params['token'] === 'broken') throw new Error('secret');
        return {
          status: 200,
          headers: { 'Content-Type': 'text/html; charset=utf-8' },
          body: `<p>${params['token'] ?? ''}</p>`,
        };
      },
    });
    const host = await startFakeEdge({ extra: [page] });
    try {
      const reply = await host.client.get(`/checkout/${TOKEN}`);
      assert.equal(reply.text, `<p>${TOKEN}</p>`);
      assert.match(reply.headers['x-trace-id'] ?? '', /^[0-9a-f]{32}$/);
      assertError(await host.client.request('DELETE', `/checkout/${TOKEN}`), 40500);
      assertError(await host.client.get('/checkout/broken'), 50000);
      assert.doesNotMatch((await host.client.get('/openapi.json')).text, /checkoutPage/);
    } finally {
      await host.close();
    }
  });

  test('what the core refuses arrives as its code', async () => {
    const refuse = (code: 'STATE_CONFLICT' | 'UNSUPPORTED') => async (): Promise<never> =>
      Promise.reject(new TillgateError(code, 'refused'));
    const host = await startFakeEdge({
      deps: { choosePayment: { choose: refuse('UNSUPPORTED'), setRefundAddress: refuse('STATE_CONFLICT') } },
    });
    try {
      assertError(await host.client.post(`/checkout/${TOKEN}/choice`, { chain: 'ETH', currency: 'ETH' }), 40002);
      assertError(await host.client.post(`/checkout/${TOKEN}/refund-address`, { address: ADDRESS }), 40900);
    } finally {
      await host.close();
    }
  });
});
