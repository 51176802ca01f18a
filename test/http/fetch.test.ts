import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createTillgateClient, TillgateReplyError } from '../../adapters/client/index.ts';
import { fetchBinding, toFetch } from '../../adapters/http/fetch/index.ts';
import type { RequestFacts } from '../../adapters/http/fetch/index.ts';
import { BODY_LIMIT, createOperations, HttpApi } from '../../adapters/http/index.ts';
import type { HttpDeps } from '../../adapters/http/index.ts';
import { verifySignature } from '../../core/index.ts';
import type { SignedRequest } from '../../core/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import { sandbox } from '../../plugins/sandbox/index.ts';
import { PlainDigest, START } from '../support/fakes.ts';
import { signatureHeaders } from '../support/http.ts';
import { ACCOUNT, startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const SITE = 'https://till.example';
const KEY = { 'API-Key': 'good' };
const PAY_URL = '/api/order/pay-url';
const BODY = JSON.stringify({ price: 1, currency: 'USD' });
const KEYS = { apiToken: 'token', signingSecret: 'secret' };

interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly signing?: { readonly request_info: string };
}
const codeOf = async (response: Response): Promise<number> => ((await response.json()) as Envelope).code;

describe('the fetch binding', () => {
  // Only for its use cases: nothing here listens.
  let edge: FakeEdge;
  let till: (request: Request, facts?: Partial<RequestFacts>) => Promise<Response>;
  before(async () => {
    edge = await startFakeEdge();
    till = toFetch(edge.deps, {
      facts: (_request: Request, facts: Partial<RequestFacts> = {}) => ({ peer: '192.0.2.7', ...facts }),
    });
  });
  after(() => edge.close());

  const post = (body: BodyInit | null, headers: Record<string, string> = {}, path = PAY_URL): Request =>
    new Request(SITE + path, {
      method: 'POST',
      headers: { ...KEY, 'Content-Type': 'application/json', ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });

  test('answers with the envelope, its headers and its length', async () => {
    const response = await till(new Request(`${SITE}/api/order/pay/crypto-currency`, { headers: KEY }));
    assert.equal(response.status, 200);
    assert.match(response.headers.get('x-trace-id') ?? '', /\w/);
    const text = await response.text();
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)));
    assert.equal((JSON.parse(text) as Envelope).code, 0);
  });

  test('a HEAD has the headers of the GET and no body, an unknown path is 40400, another method 40500 with Allow', async () => {
    const get = await till(new Request(`${SITE}/livez`));
    const head = await till(new Request(`${SITE}/livez`, { method: 'HEAD' }));
    assert.deepEqual(
      [head.status, head.body, head.headers.get('content-length')],
      [200, null, get.headers.get('content-length')],
    );
    assert.equal(await codeOf(await till(new Request(`${SITE}/elsewhere`))), 40400);
    const wrong = await till(new Request(SITE + PAY_URL, { method: 'DELETE' }));
    assert.deepEqual([wrong.headers.get('allow'), await codeOf(wrong)], ['POST', 40500]);
  });

  test('under a mount path routes drop it, signatures keep it, and nothing outside of it is answered', async () => {
    const mounted = fetchBinding(new HttpApi(createOperations(edge.deps.settings), edge.deps), {
      mount: '/shop/till',
      facts: () => ({ peer: '' }),
    });
    const asked = edge.asked.authenticated.length;
    assert.equal(
      await codeOf(await mounted(new Request(`${SITE}/shop/till/api/v2/order/?page=1`, { headers: KEY }))),
      0,
    );
    assert.equal(edge.asked.authenticated[asked]?.target, '/shop/till/api/v2/order/?page=1');
    for (const path of ['/api/v2/order/', '/shop/tillapi/v2/order/', '/shop/till'])
      assert.equal(await codeOf(await mounted(new Request(SITE + path, { headers: KEY }))), 40400, path);
  });

  test('fault 8: a credential that was sent twice is 40000, whether or not the server tells its raw headers', async () => {
    const twice = new Headers({ ...KEY, 'Content-Type': 'application/json' });
    twice.append('API-Key', 'good');
    assert.equal(
      await codeOf(await till(new Request(SITE + PAY_URL, { method: 'POST', headers: twice, body: BODY }))),
      40000,
    );
    const rawHeaders = ['API-Key', 'good', 'api-key', 'other', 'Content-Type', 'application/json'];
    assert.equal(await codeOf(await till(post(BODY), { rawHeaders })), 40000);
    assert.equal(
      await codeOf(await till(post(BODY), { rawHeaders: rawHeaders.slice(0, 2).concat(rawHeaders.slice(4)) })),
      0,
    );
    // Without raw headers a key with a comma cannot be told from two keys.
    const key = { 'Idempotency-Key': 'order 7, second try' };
    assert.equal(await codeOf(await till(post(BODY, key))), 40000);
    assert.equal(
      await codeOf(
        await till(post(BODY, key), {
          rawHeaders: ['API-Key', 'good', 'Content-Type', 'application/json', 'Idempotency-Key', 'order 7, second try'],
        }),
      ),
      0,
    );
  });

  test('fault 4: a fragment and an absolute target are 40000; fault 3: so is a raw |', async () => {
    assert.equal(await codeOf(await till(new Request(`${SITE}/api/v2/order/#x`, { headers: KEY }))), 40000);
    const get = () => new Request(`${SITE}/api/v2/order/`, { headers: KEY });
    for (const target of ['/api/v2/order/#x', 'http://evil.example/api/v2/order/', '/api/v2/order/?x=|'])
      assert.equal(await codeOf(await till(get(), { target })), 40000, target);
    assert.equal(await codeOf(await till(new Request(`${SITE}/api/v2/order/?x=|`, { headers: KEY }))), 40000);
  });

  test('fault 6: a GET that announces a body is 40000', async () => {
    for (const headers of [{ 'Content-Length': '3' }, { 'Transfer-Encoding': 'chunked' }]) {
      const rawHeaders = ['API-Key', 'good', ...Object.entries(headers).flat()];
      assert.equal(
        await codeOf(await till(new Request(`${SITE}/api/v2/order/`, { headers: KEY }), { rawHeaders })),
        40000,
      );
    }
  });

  test('fault 69: a stream is read up to the limit and no further', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 8192;
        controller.enqueue(new Uint8Array(8192).fill(32));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    assert.equal(await codeOf(await till(post(endless))), 41300);
    assert(pulled <= BODY_LIMIT + 3 * 8192, `${pulled} bytes were pulled`);
    assert.equal(cancelled, true);
    assert.equal(await codeOf(await till(post(BODY.padEnd(BODY_LIMIT)))), 0);
    assert.equal(await codeOf(await till(post(BODY.padEnd(BODY_LIMIT + 1)))), 41300);
    assert.equal(await codeOf(await till(post(BODY, { 'Content-Length': '100000' }))), 41300);
  });

  test('a body in pieces is put together; an empty one is empty', async () => {
    const bytes = new TextEncoder().encode(BODY);
    const pieces = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    assert.equal(await codeOf(await till(post(pieces))), 0);
    assert.equal(edge.asked.authenticated.at(-1)?.body, BODY);
    assert.equal(await codeOf(await till(post(null))), 40000);
  });

  test('a client that leaves in the middle is no error of ours, and the handler still answers', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('reset')) });
    assert.equal(await codeOf(await till(post(broken))), 40000);
    assert(edge.logger.lines.every(({ level }) => level !== 'error'));
  });

  test('a body that another handler has read is named in the log', async () => {
    const request = post(BODY);
    await request.text();
    assert.equal(await codeOf(await till(request)), 50000);
    assert.match(JSON.stringify(edge.logger.lines), /as it came in/);
  });

  test('facts that cannot be had are 50000, and nothing is thrown at the server', async () => {
    const careless = toFetch(edge.deps, {
      facts: () => {
        throw new Error('secret');
      },
    });
    const response = await careless(new Request(`${SITE}/livez`));
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /secret/);
  });

  test('fault 13: logins are counted by the address that the embedder gives', async () => {
    const strict = await startFakeEdge({ settings: { loginsPerMinute: 2 } });
    try {
      const handler = toFetch(strict.deps, { facts: (_request: Request, peer: string) => ({ peer }) });
      const login = (peer: string, username: string) =>
        handler(
          new Request(`${SITE}/api/plugin/key/service`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ username, password: 'wrong' }),
          }),
          peer,
        );
      assert.deepEqual(
        await Promise.all(['a', 'b'].map(async (name) => codeOf(await login('192.0.2.1', name)))),
        [40105, 40105],
      );
      const refused = await login('192.0.2.1', 'c');
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal(await codeOf(refused), 42900);
      assert.equal(await codeOf(await login('192.0.2.2', 'd')), 40105);
    } finally {
      await strict.close();
    }
  });

  describe('and signatures', () => {
    const digest = new PlainDigest();
    /** The till with the core's own verification behind it. */
    const verifying = (mount = ''): ((request: Request, facts?: Partial<RequestFacts>) => Promise<Response>) => {
      const authenticate: HttpDeps['authenticate'] = {
        withoutBody: async () => undefined,
        async run(request: SignedRequest) {
          const verdict = verifySignature(
            request,
            { secret: KEYS.signingSecret, tokenHash: '' },
            digest,
            START,
            300_000,
          );
          if (verdict.ok) return { accountId: ACCOUNT, credentialId: null, via: 'signature' };
          throw Object.assign(new Error(verdict.message), { verdict });
        },
      };
      return toFetch(
        { ...edge.deps, authenticate },
        { mount, facts: (_request: Request, facts: Partial<RequestFacts> = {}) => ({ peer: '', ...facts }) },
      );
    };
    const signed = (target: string): Headers => new Headers(signatureHeaders(KEYS, 'GET', target, '', { at: START }));

    test('one over a target that the URL parser leaves as it is verifies', async () => {
      const handler = verifying();
      for (const target of ['/api/v2/order/', '/api/v2/order/?page=1&size=5&x=%7C%20%2e', '/api/v2/tx?']) {
        assert.equal(await codeOf(await handler(new Request(SITE + target, { headers: signed(target) }))), 0, target);
      }
    });

    test('one over any other target verifies with the raw target, and is refused without it', async () => {
      const handler = verifying();
      for (const target of ["/api/v2/order/?x='", '/api/v2/order/?x="a"', '/api/v2/order/?x=é']) {
        const request = () => new Request(SITE + target, { headers: signed(target) });
        assert.notEqual(await codeOf(await handler(request())), 0, target);
        assert.equal(await codeOf(await handler(request(), { target })), 0, target);
      }
      // A path of dots leads to another operation once it is brought to its normal form: its signature does not.
      const dots = '/api/v2/tx/../order/';
      assert.notEqual(await codeOf(await handler(new Request(SITE + dots, { headers: signed(dots) }))), 0);
      assert.equal(
        await codeOf(await handler(new Request(SITE + dots, { headers: signed(dots) }), { target: dots })),
        40400,
      );
    });

    for (const mount of ['', '/shop/till'])
      test(`the merchant’s client speaks to it without a network, ${mount === '' ? 'at the root' : `below ${mount}`}`, async (t) => {
        const embedded = await createTillgate({
          database: 'sqlite::memory:',
          mode: 'sandbox',
          baseUrl: SITE + mount,
          plugins: [sandbox()],
          workers: 'instance',
        });
        t.after(() => embedded.close());
        const { id: account } = await embedded.accounts.create({ email: 'shop@example.com' });
        const { apiToken, signingSecret = '' } = await embedded.credentials.create({ account });
        const client = createTillgateClient({
          baseUrl: `${SITE}${mount}/`,
          credentials: { apiToken, signingSecret },
          retry: { tries: 1 },
          fetch: (url, init) => embedded.fetch(new Request(url, init)),
        });
        assert.deepEqual((await client.orders.list({ limit: 3 })).items, []);
        const { id, payUrl } = await client.orders.create({ price: '1', currency: 'USD' });
        assert.ok(payUrl.startsWith(`${SITE}${mount}/checkout/`), payUrl);
        assert.deepEqual(
          (await client.orders.list({ q: id, from: new Date(0) })).items.map((order) => order.id),
          [id],
        );
        const page = await embedded.fetch(new Request(payUrl));
        assert.equal(page.status, 200);
        await page.text();
      });

    test('the merchant’s client takes what is no till for none', async () => {
      const options = { baseUrl: SITE, credentials: KEYS, now: () => START, retry: { tries: 1 } };
      for (const [status, reply] of [
        [200, '<h1>Welcome</h1>'],
        [200, 'null'],
        [200, '[]'],
        [200, '1'],
        [502, '<h1>Bad gateway</h1>'],
        [404, '{"message":"Not Found"}'],
        [404, '{"error":"Not Found"}'],
        [500, '{"error":{"message":"no code"}}'],
      ] as const) {
        const elsewhere = createTillgateClient({ ...options, fetch: async () => new Response(reply, { status }) });
        await assert.rejects(elsewhere.orders.list(), TillgateReplyError, reply);
      }
    });
  });
});
