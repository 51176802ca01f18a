import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertError, dataOf } from '../support/http.ts';
import { LIGHTNING_ORDER, LIGHTNING_WITHDRAWAL, startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const INVOICE = 'lnbcrt123450n1fake';

describe('lightning, at the edge', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge();
  });
  after(() => edge.close());

  test('an order answers with its payment request; only the fields of the body reach the core', async () => {
    const body = {
      price: '12.34',
      currency: 'USD',
      callback_url: 'https://shop.example/paid',
      enable_post_callback: true,
      merchant_reference: 'invoice 7',
      metadata: { cart: '7c1f' },
      expires_in: 90,
    };
    assert.deepEqual(dataOf(await edge.client.post('/api/bln/order', body)), LIGHTNING_ORDER);
    assert.deepEqual(edge.asked.lightning.at(-1)?.input, {
      vsCurrency: 'USD',
      vsPrice: { digits: 1234n, scale: 2 },
      links: {
        succeedUrl: undefined,
        timeoutUrl: undefined,
        callbackUrl: 'https://shop.example/paid',
        timeoutCallback: undefined,
      },
      merchantReference: 'invoice 7',
      metadata: { cart: '7c1f' },
      expiresInMs: 90_000,
    });
    assertError(await edge.client.post('/api/bln/order', { price: 0, currency: 'USD' }), 40001);
    assertError(await edge.client.post('/api/bln/order', { price: 1.234, currency: 'USD' }), 40001);
  });

  test('a withdrawal says what the invoice gets, what routing cost and what is left', async () => {
    const reply = await edge.client.post('/api/bln/withdraw', { ln_invoices: INVOICE });
    assert.deepEqual(dataOf(reply), LIGHTNING_WITHDRAWAL);
    assert.deepEqual(edge.asked.invoices.at(-1)?.input, { lnInvoices: INVOICE, amount: null, verifyCode: null });
  });

  test('fault 60: an amount is read exactly, to the millisatoshi', async () => {
    for (const amount of ['"0.00000000001"', '1e-11']) {
      dataOf(
        await edge.client.post(
          '/api/bln/withdraw',
          `{"ln_invoices":"${INVOICE}","amount":${amount},"verify_code":123456}`,
          { headers: { 'Content-Type': 'application/json' } },
        ),
      );
      const { amount: read, verifyCode } = edge.asked.invoices.at(-1)?.input ?? assert.fail('not asked');
      assert.deepEqual([read, verifyCode], [{ digits: 1n, scale: 11 }, '123456']);
    }
    for (const amount of ['0', '-1', '"1e3"', '1e400', 'true']) {
      assertError(
        await edge.client.post('/api/bln/withdraw', `{"ln_invoices":"${INVOICE}","amount":${amount}}`, {
          headers: { 'Content-Type': 'application/json' },
        }),
        40001,
      );
    }
    assertError(await edge.client.post('/api/bln/withdraw', { ln_invoices: 'x'.repeat(8193) }), 40001);
    assertError(await edge.client.post('/api/bln/withdraw', {}), 40001);
  });

  test('the balance is there without any node', async () => {
    assert.deepEqual(dataOf(await edge.client.get('/api/bln/balance')), {
      chain: 'BLN',
      currency: 'BTC-LN',
      available: '0.00000000001',
      pending: '0',
      locked: '0',
      total: '0.00000000001',
    });
  });
});
