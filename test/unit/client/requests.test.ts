import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { pauseBefore, DEFAULT_RETRY, pause, retryAfter } from '../../../adapters/client/retry.ts';
import { TillgateApiError, TillgateConnectionError, TillgateReplyError } from '../../../adapters/client/index.ts';
import { signRequest } from '../../../adapters/client/index.ts';
import { signRequest as coreSignRequest, verifySignature } from '../../../core/index.ts';
import { SigningTimes } from '../../../adapters/client/signing-times.ts';
import { PlainDigest } from '../../support/fakes.ts';

const FACTS = { operation: 'payouts.create', tries: 1, idempotencyKey: 'k' };
const AT = Date.UTC(2026, 2, 1, 12);

describe('when a request that is taken once is signed', () => {
  test('equal requests get a second each, others share the present one', () => {
    const times = new SigningTimes();
    assert.deepEqual(
      [0, 1, 2].map(() => times.take('a', AT + 500)),
      [AT, AT + 1000, AT + 2000],
    );
    assert.equal(times.take('b', AT + 500), AT);
    assert.equal(times.take('a', AT + 60_000), AT + 60_000);
  });

  test('a clock that is put back hands out no second again', () => {
    const times = new SigningTimes();
    const first = times.take('a', AT);
    assert(times.take('a', AT - 60_000) > first);
  });

  test('what is over is forgotten, what is not is kept', () => {
    const times = new SigningTimes();
    for (let at = 0; at < 1000; at++) times.take(`old ${at}`, AT);
    times.take('new', AT + 10_000);
    for (let at = 0; at < 1000; at++) times.take(`more ${at}`, AT + 10_000);
    assert.equal(times.take('new', AT + 10_000), AT + 11_000);
  });
});

describe('a signed request', () => {
  const digest = new PlainDigest();
  const pair = { apiToken: 'token', signingSecret: 'secret' };
  const requests = [
    { method: 'GET', target: '/v1/orders?limit=1', body: new Uint8Array(0) },
    { method: 'POST', target: '/v1/payouts', body: new TextEncoder().encode('{"amount":"1.5"}') },
  ];

  test('has the headers that the core makes, and the core verifies them', async () => {
    for (const request of requests) {
      for (const algorithm of ['HMAC-SHA256', 'HMAC-SHA3_256'] as const) {
        const headers = await signRequest(request, { ...pair, algorithm }, AT);
        assert.deepEqual(
          headers,
          coreSignRequest(request, { apiToken: 'token', secret: 'secret' }, digest, AT, algorithm),
        );
        const seen = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
        assert.equal(
          verifySignature({ ...request, headers: seen }, { secret: 'secret', tokenHash: '' }, digest, AT, 0).ok,
          true,
        );
      }
    }
  });

  test('fault 3: a target with a bare | cannot be signed', async () => {
    for (const target of ['/v1/payouts?x=|', 'https://x.example/', '/a b', '/a#b']) {
      await assert.rejects(signRequest({ method: 'GET', target, body: new Uint8Array(0) }, pair, AT), RangeError);
    }
  });
});

describe('the pause before another try', () => {
  const api = (status: number, code: string, retryAfterMs: number | null = null) =>
    new TillgateApiError({ code, message: 'x' }, status, retryAfterMs, FACTS);

  test('doubles up to its bound, half of it left to chance', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((tried) =>
      pauseBefore(api(503, 'not_ready'), tried, { ...DEFAULT_RETRY, tries: 9 }, 1),
    );
    assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 8000, 8000]);
    assert.equal(pauseBefore(api(503, 'not_ready'), 1, DEFAULT_RETRY, 0), 125);
    assert.equal(pauseBefore(api(503, 'not_ready'), 4, DEFAULT_RETRY, 0), null);
  });

  test('is at least what Retry-After asks for; what is asked beyond the bound fails at once', () => {
    assert.equal(pauseBefore(api(429, 'rate_limited', 7000), 1, DEFAULT_RETRY, 0.5), 7000);
    assert.equal(pauseBefore(api(429, 'rate_limited', 60_001), 1, DEFAULT_RETRY, 0.5), null);
    assert.equal(pauseBefore(new TillgateReplyError('x', 503, 3000, FACTS), 1, DEFAULT_RETRY, 0), 3000);
  });

  test('is made after what passes, and after nothing else', () => {
    for (const [status, code] of [
      [429, 'rate_limited'],
      [500, 'internal'],
      [502, 'node_failed'],
      [503, 'not_ready'],
      [409, 'idempotency_running'],
      [401, 'signature_replayed'],
    ] as const)
      assert.notEqual(pauseBefore(api(status, code), 1, DEFAULT_RETRY, 0), null, code);
    for (const [status, code] of [
      [400, 'malformed_request'],
      [400, 'invalid_fields'],
      [401, 'signature_invalid'],
      [401, 'date_invalid'],
      [403, 'signature_required'],
      [404, 'order_not_found'],
      [409, 'state_conflict'],
      [409, 'idempotency_mismatch'],
      [422, 'insufficient_balance'],
    ] as const)
      assert.equal(pauseBefore(api(status, code), 1, DEFAULT_RETRY, 0), null, code);
    assert.notEqual(pauseBefore(new TillgateConnectionError('x', false, FACTS), 1, DEFAULT_RETRY, 0), null);
    assert.equal(pauseBefore(new TillgateConnectionError('x', true, FACTS), 1, DEFAULT_RETRY, 0), null);
    assert.equal(pauseBefore(new TillgateReplyError('x', 302, null, FACTS), 1, DEFAULT_RETRY, 0), null);
    assert.equal(pauseBefore(new TypeError('x'), 1, DEFAULT_RETRY, 0), null);
  });

  test('Retry-After is seconds or a date', () => {
    assert.equal(retryAfter('7', AT), 7000);
    assert.equal(retryAfter(new Date(AT + 9000).toUTCString(), AT), 9000);
    assert.equal(retryAfter(new Date(AT - 9000).toUTCString(), AT), 0);
    assert.deepEqual([retryAfter(null, AT), retryAfter('soon', AT)], [null, null]);
  });

  test('ends with the signal of the caller', async () => {
    await pause(600_000, AbortSignal.abort());
    const controller = new AbortController();
    const waiting = pause(600_000, controller.signal);
    controller.abort();
    await waiting;
    await pause(1, null);
  });
});
