import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildCallback } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';
import { contentOf, inputOf, RECORD, sample } from './sample.ts';

const OURS =
  'event=order.succeeded&order_id=312345678901234567&status=SUCCESS&chain=ETH&currency=USDT-ERC20&amount=10.8&vs_price=10&vs_currency=EUR&tx_hash=0xabc';

describe('a GET callback', () => {
  const urls: Readonly<Record<string, string>> = {
    'https://shop.example/paid': `https://shop.example/paid?${OURS}`,
    'https://shop.example': `https://shop.example/?${OURS}`,
    'https://shop.example/paid?': `https://shop.example/paid?${OURS}`,
    'https://shop.example/paid?shop=7': `https://shop.example/paid?shop=7&${OURS}`,
    'https://shop.example/paid?a=%20b+c&a=%C3%A4': `https://shop.example/paid?a=%20b+c&a=%C3%A4&${OURS}`,
    'https://shop.example/paid?flag&=x&&end=': `https://shop.example/paid?flag&=x&&end=&${OURS}`,
    'https://shop.example/paid?status=FORGED&x=1&status': `https://shop.example/paid?x=1&${OURS}`,
    'https://shop.example/paid?%73tatus=FORGED&order%5Fid=1&x=1': `https://shop.example/paid?x=1&${OURS}`,
    'https://shop.example/paid?statuses=1&Status=2': `https://shop.example/paid?statuses=1&Status=2&${OURS}`,
    'https://shop.example/a|b?c|d=e|f': `https://shop.example/a%7Cb?c%7Cd=e%7Cf&${OURS}`,
    'https://shop.example/paid?x=1#part': `https://shop.example/paid?x=1&${OURS}`,
    'http://shop.example:8080/': `http://shop.example:8080/?${OURS}`,
  };
  for (const [given, sent] of Object.entries(urls)) {
    test(`to ${given} keeps the query and adds ours`, () => assert.equal(sample({ url: given }).url, sent));
  }

  test('has no body, and is due at once', () => {
    assert.deepEqual(sample(), {
      id: '412345678901234567',
      accountId: '112345678901234567',
      orderId: '312345678901234567',
      endpointId: null,
      subjectId: null,
      event: 'order.succeeded',
      credentialId: null,
      method: 'GET',
      url: `https://shop.example/paid?${OURS}`,
      body: null,
      status: 'PENDING',
      attempts: 0,
      nextAt: START,
      createdAt: START,
      deliveredAt: null,
    });
  });

  test('encodes values, and sends an empty one', () => {
    const url = new URL(
      sample({ content: contentOf('order.succeeded', { ...RECORD, status: 'a&b=c|d e', tx_hash: '' }) }).url,
    );
    assert.equal(url.searchParams.get('status'), 'a&b=c|d e');
    assert.equal(url.searchParams.get('tx_hash'), '');
    assert.ok(!url.search.includes('|'));
  });
});

describe('a POST callback', () => {
  test("has the order's record as its body and leaves the URL's query alone", () => {
    const callback = sample({ url: 'https://shop.example/paid?status=mine&x=|', post: true });
    assert.equal(callback.method, 'POST');
    assert.equal(callback.url, 'https://shop.example/paid?status=mine&x=%7C');
    assert.deepEqual(JSON.parse(callback.body ?? ''), RECORD);
    assert.deepEqual(Object.keys(JSON.parse(callback.body ?? '') as object), Object.keys(RECORD));
  });

  test('is not made for Lightning orders', () => {
    assert.equal(sample({ post: true, type: 'INVOICE' }).method, 'GET');
  });
});

describe('the event', () => {
  test('chooses the URL', () => {
    assert.ok(sample({ event: 'order.timeout' }).url.startsWith('https://shop.example/paid/late?event=order.timeout&'));
  });

  test('makes no callback where the merchant gave no URL for it', () => {
    for (const event of ['order.succeeded', 'order.timeout'] as const) {
      const input = inputOf({ event });
      const links = { ...input.order.links, callbackUrl: null, timeoutCallback: null };
      assert.equal(buildCallback({ ...input, order: { ...input.order, links } }), null);
    }
  });
});
