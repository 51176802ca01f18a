import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { CallbackRejectedError, signTestCallback, verifyCallback } from '../../../adapters/client/index.ts';
import type {
  CallbackOrder,
  PlainRequest,
  TestCallback,
  TestCallbackInput,
  VerifyOptions,
} from '../../../adapters/client/index.ts';
import { callbackContent } from '../../../adapters/http/operations/order-record.ts';
import { buildCallback, callbackHeaders } from '../../../core/index.ts';
import type { AccountId, CallbackId, OrderId } from '../../../core/index.ts';
import { PlainDigest } from '../../support/fakes.ts';

const AT = Date.UTC(2026, 2, 1, 12);
const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const NEW = { callbackToken: 'cbt_new', callbackSecret: secretOf(1) };
const OLD = { callbackToken: 'cbt_old', callbackSecret: secretOf(2) };
const OTHER = { callbackToken: 'cbt_other', callbackSecret: secretOf(3) };
const URLS = {
  POST: 'https://shop.example/paid?shop=1',
  GET: 'https://shop.example/paid?shop=1&event=mine&n%61me=%7Cx',
};

const sign = (input: Partial<TestCallbackInput> = {}): Promise<TestCallback> =>
  signTestCallback({ url: URLS[input.method ?? 'POST'], ...NEW, at: AT, id: 'msg_1', ...input });
const verify = (callback: PlainRequest, options: Partial<VerifyOptions> = {}) =>
  verifyCallback(callback, { ...NEW, now: AT, ...options });
const refused = (reason: string) => (error: unknown) =>
  error instanceof CallbackRejectedError && error.reason === reason;

describe('a callback', () => {
  test('for tests is the one that the till sends, of either method and event', async () => {
    for (const method of ['POST', 'GET'] as const) {
      for (const event of ['order.succeeded', 'order.timeout'] as const) {
        const made = await sign({ method, event, formerSecret: OLD.callbackSecret });
        const record = JSON.parse((await sign({ method: 'POST', event })).body ?? '') as CallbackOrder;
        const order = {
          id: record.order_id as OrderId,
          accountId: record.user_id as AccountId,
          credentialId: null,
          type: 'ORDER' as const,
          links: { succeedUrl: null, timeoutUrl: null, callbackUrl: URLS[method], timeoutCallback: URLS[method] },
          enablePostCallback: method === 'POST',
        };
        const callback = buildCallback({
          id: 'msg_1' as CallbackId,
          order,
          event,
          content: callbackContent(event, record),
          now: AT,
        });
        assert(callback !== null);
        assert.deepEqual([made.method, made.url, made.body], [callback.method, callback.url, callback.body]);
        const secrets = { callbackKey: 'k', ...NEW };
        assert.deepEqual(
          made.headers,
          callbackHeaders(
            callback,
            { secrets, former: { callbackKey: 'k', ...OLD }, apiKey: null },
            new PlainDigest(),
            AT,
          ),
        );
      }
    }
  });

  test('is verified as a fetch Request and as a plain one, and told in full', async () => {
    const post = await sign();
    const verified = await verifyCallback(
      new Request(post.url, { method: post.method, headers: post.headers, body: post.body }),
      { ...NEW, now: AT },
    );
    assert.deepEqual(
      [verified.id, verified.event, verified.method, verified.sentAt, verified.native],
      ['msg_1', 'order.succeeded', 'POST', AT, true],
    );
    assert.deepEqual(verified.order, JSON.parse(post.body ?? ''));
    const bytes = new TextEncoder().encode(post.body ?? '');
    assert.deepEqual(
      await verify({ method: 'POST', url: '/paid?shop=1', headers: post.headers, body: bytes }),
      verified,
    );
  });

  test('by GET tells a part of the order; its URL may be the whole one, or a path and the origin', async () => {
    const get = await sign({ method: 'GET', event: 'order.timeout' });
    const { method, event, order } = await verifyCallback(new Request(get.url, { headers: get.headers }), {
      ...NEW,
      now: AT,
    });
    assert.deepEqual([method, event], ['GET', 'order.timeout']);
    assert.deepEqual(order, {
      order_id: '1530217733414232064',
      status: 'OVERDUE',
      chain: 'ETH',
      currency: 'USDT-ERC20',
      amount: '25',
      vs_price: '25',
      vs_currency: 'USD',
      tx_hash: null,
      merchant_reference: 'invoice 2026-0042',
      metadata: { cart: '7c1f' },
    });
    const bare = await verify(await sign({ method: 'GET', order: { merchant_reference: null, metadata: {} } }));
    assert.deepEqual([bare.order.merchant_reference, bare.order.metadata], [null, {}]);
    const path = get.url.slice('https://shop.example'.length);
    assert.deepEqual(
      (await verify({ method: 'GET', url: path, headers: get.headers }, { origin: 'https://shop.example' })).order,
      order,
    );
    await assert.rejects(verify({ method: 'GET', url: path, headers: get.headers }), /pass the origin/);
    await assert.rejects(
      verify({ method: 'GET', url: `http://10.0.0.7:3000${path}`, headers: get.headers }),
      refused('SIGNATURE'),
    );
    assert.equal(
      (
        await verify(
          { method: 'GET', url: `http://10.0.0.7:3000${path}`, headers: get.headers },
          { origin: 'https://shop.example' },
        )
      ).event,
      'order.timeout',
    );
  });

  test('is refused when any part of it was changed', async () => {
    for (const method of ['POST', 'GET'] as const) {
      const good = await sign({ method });
      const changed: [name: string, request: PlainRequest][] = [
        ['path', { ...good, url: good.url.replace('/paid', '/pald') }],
        ['query', { ...good, url: good.url.replace('shop=1', 'shop=2') }],
        ['body', { ...good, body: (good.body ?? ' ').replace('"25"', '"26"') }],
        ['method', { ...good, method: method === 'POST' ? 'GET' : 'POST' }],
        ['method', { ...good, method: 'PUT' }],
      ];
      for (const [name, value] of Object.entries(good.headers)) {
        if (name === 'Content-Type' || name === 'API-Token') continue;
        const later =
          name === 'webhook-timestamp'
            ? String(Number(value) + 1)
            : name === 'Date'
              ? value.replace('00Z', '01Z')
              : `${value.slice(0, -2)}x${value.slice(-1)}`;
        changed.push([name, { ...good, headers: { ...good.headers, [name]: later } }]);
        changed.push([`${name} left out`, { ...good, headers: { ...good.headers, [name]: undefined } }]);
        changed.push([`${name} sent twice`, { ...good, headers: { ...good.headers, [name]: [value, value] } }]);
      }
      changed.push(['API-Token left out', { ...good, headers: { ...good.headers, 'API-Token': undefined } }]);
      for (const [name, request] of changed) {
        // Two equal signatures in one header are one signature.
        if (name === 'webhook-signature sent twice') continue;
        await assert.rejects(verify(request), CallbackRejectedError, `${method}: ${name}`);
      }
    }
  });

  test('with another API-Token is told as one that Standard Webhooks alone vouch for', async () => {
    const good = await sign();
    const { native } = await verify({ ...good, headers: { ...good.headers, 'API-Token': 'cbt_x' } });
    assert.equal(native, false);
    await assert.rejects(
      verify({
        ...good,
        body: good.body?.replace('"25"', '"26"') ?? '',
        headers: { ...good.headers, 'API-Token': 'cbt_x' },
      }),
      refused('BODY'),
    );
  });

  test('of another account, or signed with a request’s own secret, is refused', async () => {
    await assert.rejects(verify(await sign(OTHER)), refused('SIGNATURE'));
    await assert.rejects(verify(await sign({ callbackSecret: OTHER.callbackSecret })), refused('SIGNATURE'));
    await assert.rejects(
      verifyCallback(await sign(OTHER), { callbackSecret: NEW.callbackSecret, now: AT }),
      refused('SIGNATURE'),
    );
  });

  test('fault 1: is taken up to its tolerance and not a second later, early ones alike', async () => {
    const good = await sign();
    for (const seconds of [-300, 0, 300]) assert.equal((await verify(good, { now: AT + seconds * 1000 })).native, true);
    for (const seconds of [-301, 301, 86_400])
      await assert.rejects(verify(good, { now: AT + seconds * 1000 }), refused('EXPIRED'));
    await assert.rejects(verify(good, { now: AT + 11_000, toleranceSeconds: 10 }), refused('EXPIRED'));
    const odd = { ...good, headers: { ...good.headers, 'webhook-timestamp': 'NaN' } };
    await assert.rejects(verify(odd), refused('EXPIRED'));
    await assert.rejects(verify(good, { toleranceSeconds: Number.NaN }), refused('EXPIRED'));
  });

  test('during a rotation is verified with the new secret, with both, and with the former alone', async () => {
    for (const method of ['POST', 'GET'] as const) {
      const rotating = await sign({ method, formerSecret: OLD.callbackSecret });
      assert.equal((await verify(rotating)).native, true);
      assert.equal((await verifyCallback(rotating, { secrets: [OLD, NEW], now: AT })).native, true);
      assert.equal(
        (
          await verifyCallback(rotating, {
            secrets: [{ callbackSecret: OLD.callbackSecret }, { callbackSecret: NEW.callbackSecret }],
            now: AT,
          })
        ).native,
        true,
      );
      const former = await verifyCallback(rotating, { ...OLD, now: AT });
      assert.deepEqual([former.native, former.order.order_id], [false, '1530217733414232064']);
      // The overlap is over: the former secret signs no more.
      await assert.rejects(verifyCallback(await sign({ method }), { ...OLD, now: AT }), refused('SIGNATURE'));
      assert.equal(
        (await verifyCallback(await sign({ method, ...OLD }), { secrets: [OLD, NEW], now: AT })).native,
        true,
      );
    }
  });

  test('whose body was parsed, read or is too long is named as such', async () => {
    const good = await sign();
    const parsed = { ...good, body: JSON.parse(good.body ?? '') as unknown } as unknown as PlainRequest;
    await assert.rejects(verify(parsed), /raw body/);
    const request = new Request(good.url, { method: 'POST', headers: good.headers, body: good.body });
    await request.text();
    await assert.rejects(verifyCallback(request, { ...NEW, now: AT }), /already read/);
    await assert.rejects(verify({ ...good, body: 'x'.repeat(300_000) }), refused('BODY'));
    const long = new Request(good.url, { method: 'POST', headers: good.headers, body: 'x'.repeat(300_000) });
    await assert.rejects(verifyCallback(long, { ...NEW, now: AT }), refused('BODY'));
  });

  test('of a state that ends no order, or with an event that does not go with it, is refused though it is signed', async () => {
    await assert.rejects(verify(await sign({ order: { status: 'PENDING' } })), refused('CONTENT'));
    await assert.rejects(
      verify(await sign({ method: 'GET', event: 'order.timeout', order: { status: 'SUCCESS' } })),
      refused('CONTENT'),
    );
    assert.equal((await verify(await sign({ order: { status: 'RESOLVED' } }))).event, 'order.succeeded');
    assert.equal(
      (await verify(await sign({ event: 'order.timeout', order: { status: 'PARTIAL' } }))).event,
      'order.timeout',
    );
  });

  test('cannot be verified without a secret, or with what is none', async () => {
    const good = await sign();
    await assert.rejects(verifyCallback(good, { secrets: [] }), TypeError);
    await assert.rejects(verify(good, { callbackToken: 'cbt_x', callbackSecret: 'no base64' }), TypeError);
    await assert.rejects(sign({ callbackSecret: 'no base64' }), TypeError);
  });
});
