import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { ERROR_TABLE, failureOf } from '../../adapters/http/index.ts';
import type { WireError } from '../../adapters/http/index.ts';
import type { HttpDeps } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { assertError, dataOf, envelope } from '../support/http.ts';
import { ACCOUNT, startFakeEdge } from './fake-edge.ts';
import type { FakeEdge, FakeEdgeOptions } from './fake-edge.ts';

const CODES = [
  40000, 40001, 40002, 40003, 40004, 40005, 40006, 40007, 40008, 40100, 40101, 40102, 40103, 40104, 40105, 40300, 40301,
  40302, 40400, 40500, 40900, 40901, 40902, 41300, 41500, 42200, 42900, 50000, 50200, 50300,
];

/** An edge whose order list fails with what a test says. */
async function failingEdge(
  settings: FakeEdgeOptions['settings'] = {},
): Promise<{ edge: FakeEdge; failWith(error: unknown): void }> {
  let error: unknown = null;
  const orderQueries = {
    list: async () => {
      throw error;
    },
  } as unknown as HttpDeps['orderQueries'];
  const edge = await startFakeEdge({ deps: { orderQueries }, settings });
  return { edge, failWith: (next) => (error = next) };
}

describe('the envelope', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge();
  });
  after(() => edge.close());

  test('a success is exactly code, message, data and result', async () => {
    const reply = await edge.client.get('/api/v2/order/');
    assert.equal(
      reply.text,
      '{"code":0,"message":"ok","data":{"page":1,"size":10,"total":0,"max_page":0,"data":[]},"result":true}',
    );
    assert.equal(reply.status, 200);
  });

  test('an error has its trace id in the body and in X-Trace-Id, and no data', async () => {
    const found = assertError(await edge.client.get('/api/nothing'), 40400);
    assert.deepEqual(Object.keys(found).sort(), ['code', 'message', 'result', 'trace_id']);
  });

  test('every reply has its own trace id, is kept out of caches and is not sniffed', async () => {
    const replies = [
      await edge.client.get('/livez'),
      await edge.client.get('/livez'),
      await edge.client.get('/metrics'),
    ];
    assert.equal(new Set(replies.map(({ headers }) => headers['x-trace-id'])).size, 3);
    for (const { headers } of replies) {
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-powered-by'], undefined);
      assert.equal(headers['etag'], undefined);
    }
  });

  test('a known path with another method is 40500 and says which are allowed', async () => {
    const reply = await edge.client.request('DELETE', '/api/v2/tx');
    assertError(reply, 40500);
    assert.equal(reply.headers['allow'], 'GET, HEAD');
    const posted = await edge.client.get('/api/order/pay-info');
    assertError(posted, 40500);
    assert.equal(posted.headers['allow'], 'POST');
    assertError(await edge.client.request('OPTIONS', '/api/v2/order/'), 40500);
  });

  test('HEAD answers as GET does, without the body', async () => {
    const head = await edge.client.request('HEAD', '/api/v2/order/');
    const get = await edge.client.get('/api/v2/order/');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], get.headers['content-length']);
  });

  test('pay-info writes its two amounts as JSON numbers of exactly their digits', async () => {
    const reply = await edge.client.post('/api/order/pay-info', {
      chain: 'ETH',
      currency: 'ETH',
      vs_currency: 'USD',
      vs_price: 25,
    });
    assert.match(reply.text, /"amount":0\.00000001,/);
    assert.match(reply.text, /"vs_price":25,/);
    assert.equal(dataOf<{ amount: number }>(reply).amount, 1e-8);
  });
});

describe('the table of errors', () => {
  test('has every documented code, and the status can be read off each', () => {
    const codes = new Set(
      Object.values<WireError>(ERROR_TABLE).flatMap(({ code, manageOnly }) => (manageOnly === true ? [] : [code])),
    );
    assert.deepEqual([...codes].sort(), CODES);
    for (const word of Object.keys(ERROR_TABLE) as ErrorCode[]) {
      const { code, status } = failureOf(new TillgateError(word, 'x'));
      assert.equal(status, Math.floor(code / 100));
    }
  });

  test('each word of the core arrives as its code', async () => {
    const { edge, failWith } = await failingEdge();
    try {
      for (const word of ['STATE_CONFLICT', 'SIGNATURE_REPLAYED', 'INSUFFICIENT_BALANCE', 'NODE_FAILED'] as const) {
        failWith(new TillgateError(word, 'why'));
        const response = await fetch(`${edge.url}api/v2/order/`, { headers: { 'API-Key': 'good' } });
        assert.equal(((await response.json()) as { code: number }).code, ERROR_TABLE[word].code);
      }
    } finally {
      await edge.close();
    }
  });

  test('an unknown error is 50000 with a trace id that the log has too, and nothing of its own words', async () => {
    const { edge, failWith } = await failingEdge();
    try {
      for (const error of [
        new Error('postgres://user:secret@db'),
        'a text',
        null,
        undefined,
        { code: 'NOT_FOUND' },
        new TillgateError('INTERNAL', 'secret'),
      ]) {
        failWith(error);
        const reply = await edge.client.get('/api/v2/order/');
        const found = assertError(reply, 50000);
        assert.doesNotMatch(reply.text, /secret|postgres|at .*\.ts/);
        assert(
          edge.logger.lines.some(({ level, fields }) => level === 'error' && fields['trace_id'] === found.trace_id),
        );
      }
    } finally {
      await edge.close();
    }
  });

  test('a word that this version does not know is 50000', () => {
    assert.equal(failureOf(new TillgateError('TOMORROW' as ErrorCode, 'x')).code, 50000);
    assert.equal(failureOf(new TillgateError('constructor' as ErrorCode, 'x')).code, 50000);
  });

  test('a database that is away is 50300', async () => {
    const { edge, failWith } = await failingEdge();
    try {
      failWith(new TillgateError('NOT_READY', 'The database does not answer.'));
      assertError(await edge.client.get('/api/v2/order/'), 50300);
    } finally {
      await edge.close();
    }
  });

  test('fault 12: a resource that is missing is answered in the same words, whatever the core said', async () => {
    const { edge, failWith } = await failingEdge();
    try {
      const texts = [];
      for (const words of ['There is no such order.', 'This order is of another account.']) {
        failWith(new TillgateError('NOT_FOUND', words));
        const response = await fetch(`${edge.url}api/v2/order/`, { headers: { 'API-Key': 'good' } });
        texts.push(((await response.json()) as { message: string }).message);
      }
      assert.equal(texts[0], texts[1]);
    } finally {
      await edge.close();
    }
  });

  test('a failed signature shows what the server saw, and is not cached', async () => {
    const signing = { algorithm: 'HMAC-SHA256', date: 'd', requestInfo: 'GET /', bodyMd5: '', signatureOrigin: 'o' };
    const authenticate = {
      withoutBody: async () => undefined,
      run: async () => Promise.reject(new TillgateError('SIGNATURE_INVALID', 'does not verify', { signing })),
    };
    const edge = await startFakeEdge({ deps: { authenticate } });
    try {
      const reply = await edge.client.get('/api/v2/order/');
      assert.deepEqual(assertError(reply, 40102).signing, {
        algorithm: 'HMAC-SHA256',
        date: 'd',
        request_info: 'GET /',
        body_md5: '',
        signature_origin: 'o',
      });
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert(reply.headers['www-authenticate'] !== undefined);
    } finally {
      await edge.close();
    }
  });
});

describe('probes and metrics', () => {
  test('/livez and /readyz answer, and /readyz is 50300 while the service cannot work', async () => {
    let away = false;
    const readiness = async (): Promise<void> => {
      if (away) throw new TillgateError('NOT_READY', 'The database does not answer.');
    };
    const edge = await startFakeEdge({ deps: { readiness } });
    try {
      assert.deepEqual(dataOf(await edge.client.get('/livez')), { status: 'ok' });
      assert.deepEqual(dataOf(await edge.client.get('/readyz')), { status: 'ok' });
      away = true;
      assertError(await edge.client.get('/readyz'), 50300);
      assert.deepEqual(dataOf(await edge.client.get('/livez')), { status: 'ok' });
    } finally {
      await edge.close();
    }
  });

  test('a refusal has its line in the log, with code, operation and account: wrong keys, wrong input, a missing right, too many requests', async () => {
    const { edge, failWith } = await failingEdge({ requestsPerMinute: 3 });
    try {
      failWith(new TillgateError('FORBIDDEN', 'This key may not read orders.'));
      assertError(await edge.client.with({ 'API-Key': 'unknown' }).get('/api/v2/order/'), 40101);
      assertError(await edge.client.get('/api/v2/order/?size=0'), 40001);
      for (let n = 0; n < 2; n++) assertError(await edge.client.get('/api/v2/order/'), 40302);
      assertError(await edge.client.get('/api/v2/order/'), 42900);
      assert.deepEqual(
        edge.logger.lines
          .filter(({ message, fields }) => message === 'request' && fields['operation'] === 'listOrders')
          .map(({ fields }) => [fields['operation'], fields['code'], fields['account_id']]),
        [
          ['listOrders', 40101, undefined],
          ...[40001, 40302, 40302, 42900].map((code) => ['listOrders', code, ACCOUNT]),
        ],
      );
    } finally {
      await edge.close();
    }
  });

  test('/metrics is text, and each request is counted by operation and status, never by its path', async () => {
    const edge = await startFakeEdge();
    try {
      const reply = await edge.client.get('/metrics');
      assert.match(reply.headers['content-type'] ?? '', /^text\/plain/);
      await edge.client.get('/checkout/secret-token/state');
      const names = [...edge.metrics.counts.keys()];
      assert.equal(
        edge.metrics.counted('tillgate_http_requests_total', { operation: 'getCheckoutState', status: '404' }),
        1,
      );
      assert(names.every((name) => !name.includes('secret')));
      assert.doesNotMatch(JSON.stringify(edge.logger.lines), /secret-token/);
      assert.equal(envelope(await edge.client.get('/x')).code, 40400);
    } finally {
      await edge.close();
    }
  });
});
