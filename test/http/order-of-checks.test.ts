import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { TillgateError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { assertError, dataOf } from '../support/http.ts';
import type { SentHeaders } from '../support/http.ts';
import { startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const BIG = ' '.repeat(65_537);
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TWICE = { 'API-Key': ['good', 'good'] };

/** Each row breaks all rules from one on; the first that is broken decides. */
const ROWS: readonly { code: number; method: string; target: string; headers: SentHeaders; body: string }[] = [
  { code: 40400, method: 'PATCH', target: '/api/order/nothing?|', headers: { ...FORM, ...TWICE }, body: BIG },
  { code: 40500, method: 'PATCH', target: '/api/order/pay-info?|', headers: { ...FORM, ...TWICE }, body: BIG },
  { code: 40000, method: 'POST', target: '/api/order/pay-info?|', headers: { ...FORM, 'API-Key': 'bad' }, body: BIG },
  { code: 40000, method: 'POST', target: '/api/order/pay-info', headers: { ...FORM, ...TWICE }, body: BIG },
  { code: 41300, method: 'POST', target: '/api/order/pay-info', headers: { ...FORM, 'API-Key': 'bad' }, body: BIG },
  {
    code: 41500,
    method: 'POST',
    target: '/api/order/pay-info',
    headers: { ...FORM, 'API-Key': 'bad' },
    body: 'not json',
  },
  {
    code: 40101,
    method: 'POST',
    target: '/api/order/pay-info',
    headers: { ...JSON_TYPE, 'API-Key': 'bad' },
    body: 'not json',
  },
  {
    code: 40301,
    method: 'POST',
    target: '/api/order/pay-info',
    headers: { ...JSON_TYPE, 'API-Key': 'disabled' },
    body: 'not json',
  },
  {
    code: 40300,
    method: 'POST',
    target: '/api/order/pay-info',
    headers: { ...JSON_TYPE, 'API-Key': 'secured' },
    body: 'not json',
  },
  { code: 40000, method: 'POST', target: '/api/order/pay-info', headers: JSON_TYPE, body: 'not json' },
  {
    code: 40001,
    method: 'POST',
    target: '/api/order/pay-info',
    headers: JSON_TYPE,
    body: '{"chain":"NO","vs_price":0}',
  },
];

describe('the order of checks', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge();
  });
  after(() => edge.close());

  for (const { code, method, target, headers, body } of ROWS) {
    test(`${code} comes before everything after it: ${method} ${target}`, async () => {
      assertError(await edge.client.request(method, target, { headers, body }), code);
    });
  }

  test('the rate limit comes after the account and before the JSON', async () => {
    const strict = await startFakeEdge({ settings: { requestsPerMinute: 1 } });
    try {
      const post = (key: string) =>
        strict.client.post('/api/order/pay-info', 'not json', { headers: { ...JSON_TYPE, 'API-Key': key } });
      assertError(await post('good'), 40000);
      assertError(await post('good'), 42900);
      assertError(await post('disabled'), 40301);
      assertError(await post('bad'), 40101);
      assertError(await post('other'), 40000);
    } finally {
      await strict.close();
    }
  });

  test('support, limits, state and the rest come as the core says, after the fields', async () => {
    const words: ErrorCode[] = ['UNSUPPORTED', 'AMOUNT_OUT_OF_RANGE', 'IDEMPOTENCY_MISMATCH', 'NOT_READY'];
    let word: ErrorCode = 'UNSUPPORTED';
    const refuse = async (): Promise<never> => Promise.reject(new TillgateError(word, 'refused'));
    const failing = await startFakeEdge({
      deps: { createOrder: { inCoin: refuse, hosted: refuse, lightning: refuse } },
    });
    try {
      for (const [at, code] of [40002, 40003, 40901, 50300].entries()) {
        word = words[at] as ErrorCode;
        assertError(await failing.client.post('/api/order/pay-url', { price: 1, currency: 'USD' }), code);
      }
    } finally {
      await failing.close();
    }
  });
});

describe('targets and headers', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge();
  });
  after(() => edge.close());

  test('fault 3: a raw | in the target is 40000, its escape is not', async () => {
    assertError(await edge.client.get('/api/v2/order/?x=|abc'), 40000);
    assertError(await edge.client.get('/api/v2/order/?x=a|b&page=1'), 40000);
    dataOf(await edge.client.get('/api/v2/order/?x=%7Cabc'));
  });

  test('fault 8: every credential header may stand only once', async () => {
    for (const name of [
      'API-Key',
      'X-Token',
      'API-Token',
      'Algorithm',
      'Date',
      'Body-MD5',
      'Signature',
      'Authorization',
    ]) {
      assertError(await edge.client.request('GET', '/api/v2/order/', { headers: { [name]: ['a', 'a'] } }), 40000);
    }
  });

  test('fault 6: a GET with a body is 40000', async () => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await edge.client.request(method, '/api/v2/order/', {
        headers: { 'Content-Length': '2' },
        body: '{}',
      });
      assert.equal(reply.status, 400);
    }
    assertError(
      await edge.client.request('GET', '/api/v2/order/', { headers: { 'Transfer-Encoding': 'chunked' }, body: '{}' }),
      40000,
    );
  });

  test('fault 5: the credentials see the raw target, every header and the raw bytes', async () => {
    const target = '/api/v2/order/?page=%31&size=2&&x=%zz';
    await edge.client.get(target);
    assert.equal(edge.asked.authenticated.at(-1)?.target, target);
    const body = '{ "price": 1.0,\t"currency":"USD" }';
    await edge.client.post('/api/order/pay-url', body, { headers: { 'x-Custom': 'v' } });
    const seen = edge.asked.authenticated.at(-1);
    assert.equal(seen?.body, body);
    assert.equal(seen.method, 'POST');
    assert.deepEqual(seen.headers.get('x-custom'), ['v']);
    assert.deepEqual(seen.headers.get('api-key'), ['good']);
  });

  test('fault 70: page and size out of range or unreadable are 40001, both at once', async () => {
    for (const bad of [
      '-1',
      '0',
      'NaN',
      '1e9',
      '1.5',
      '',
      '+1',
      '01',
      '0x1',
      '1 ',
      '99999999999999999999',
      'null',
      '１',
    ]) {
      const { errors } = assertError(
        await edge.client.get(`/api/v2/order/?page=${encodeURIComponent(bad)}&size=${encodeURIComponent(bad)}`),
        40001,
      );
      assert.deepEqual(
        errors?.map(({ path }) => path),
        ['page', 'size'],
        bad,
      );
    }
    assertError(await edge.client.get('/api/v2/tx?size=101'), 40001);
    assertError(await edge.client.get('/api/v2/tx?size=1000000000'), 40001);
    assertError(await edge.client.get('/api/v2/tx?page=1&page=2'), 40001);
    assertError(await edge.client.get('/api/v2/tx?page[]=1&page=x'), 40001);
    dataOf(await edge.client.get('/api/v2/tx?size=100&page=9007199254740&unknown=1&unknown=2'));
  });

  test('one resource has one spelling: nothing is decoded, folded or trimmed', async () => {
    for (const path of [
      '/api/order/pay%2Durl',
      '/API/order/pay-url',
      '/api/order/pay-url/',
      '//api/order/pay-url',
      '/api/./order/pay-url',
      '/api/v2/order//',
      '/api/v2/tx/',
    ]) {
      assertError(await edge.client.get(path), 40400);
    }
    dataOf(await edge.client.get('/api/v2/order'));
    dataOf(await edge.client.get('/api/v2/order/'));
    assertError(await edge.client.get('/api/v2/order/detail/'), 40400);
    assertError(await edge.client.get('/api/v2/order/detail/..%2f..%2fetc'), 40400);
  });
});
