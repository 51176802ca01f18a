import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CallbackRejectedError, verifyWebhook } from '../../../adapters/client/index.ts';
import type { PlainRequest, VerifyWebhookOptions } from '../../../adapters/client/index.ts';
import { standardHeaders } from '../../../core/notify/sign.ts';
import type { CallbackId } from '../../../core/index.ts';
import { PlainDigest } from '../../support/fakes.ts';

const AT = Date.UTC(2026, 2, 1, 12);
const URL = 'https://shop.example/events';
const BODY =
  '{"type":"order.succeeded","timestamp":"2026-03-01T11:59:58.000Z","data":{"id":"7","merchant_reference":"cart 1","metadata":{"some_name":"x"}}}';
const DATA = { id: '7', merchantReference: 'cart 1', metadata: { some_name: 'x' } };
const [OWN, FORMER, OTHER] = [1, 2, 3].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
  string,
  string,
  string,
];

/** An event as the till signs it. */
function sent(secrets: readonly string[] = [OWN], body = BODY): Required<PlainRequest> {
  const headers = standardHeaders({ id: 'msg_1' as CallbackId, url: URL, body }, secrets, new PlainDigest(), AT);
  return { method: 'POST', url: '/events', headers, body };
}
const verify = (request: Request | PlainRequest, options: Partial<VerifyWebhookOptions> = {}) =>
  verifyWebhook(request, { secrets: [OWN], now: AT, ...options });
const refused = (reason: string) => (error: unknown) =>
  error instanceof CallbackRejectedError && error.reason === reason;

describe('an event of a webhook endpoint', () => {
  test('is verified as a plain request and as a fetch Request, without a signature of the service’s own', async () => {
    const { method, headers, body } = sent();
    const request = new Request(URL, { method: 'POST', headers: headers as Record<string, string>, body: BODY });
    for (const each of [{ method, headers, body }, request]) {
      const event = await verify(each);
      assert.deepEqual(event, { ...(JSON.parse(BODY) as object), data: DATA, id: 'msg_1', sentAt: AT });
    }
  });

  test('fault 266: is refused under another secret, with another body, id or time, and without its headers', async () => {
    const event = sent();
    await assert.rejects(verify(event, { secrets: [OTHER] }), refused('SIGNATURE'));
    await assert.rejects(verify({ ...event, body: BODY.replace('"7"', '"8"') }), refused('SIGNATURE'));
    const headers = event.headers as Readonly<Record<string, string>>;
    await assert.rejects(verify({ ...event, headers: { ...headers, 'webhook-id': 'msg_2' } }), refused('SIGNATURE'));
    const later = { ...headers, 'webhook-timestamp': String(AT / 1000 + 1) };
    await assert.rejects(verify({ ...event, headers: later }), refused('SIGNATURE'));
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      await assert.rejects(verify({ ...event, headers: { ...headers, [name]: '' } }), refused('HEADER_MISSING'));
    await assert.rejects(verify({ ...event, method: 'GET' }), refused('METHOD'));
  });

  test('fault 266: is refused when it was kept for later, or comes before its time', async () => {
    assert.equal((await verify(sent(), { now: AT + 300_000 })).id, 'msg_1');
    await assert.rejects(verify(sent(), { now: AT + 300_001 }), refused('EXPIRED'));
    await assert.rejects(verify(sent(), { now: AT - 300_001 }), refused('EXPIRED'));
    const event = sent();
    const headers = event.headers as Readonly<Record<string, string>>;
    const timeless = { ...event, headers: { ...headers, 'webhook-timestamp': 'now' } };
    await assert.rejects(verify(timeless), refused('EXPIRED'));
  });

  test('is verified with either secret during a rotation, by both sides', async () => {
    assert.equal((await verify(sent([OTHER, OWN]))).id, 'msg_1');
    assert.equal((await verify(sent([FORMER]), { secrets: [OWN, FORMER] })).id, 'msg_1');
  });

  test('has to come raw, as JSON, and with a secret to verify it with', async () => {
    const parsed = { ...sent(), body: JSON.parse(BODY) as string };
    await assert.rejects(verify(parsed), TypeError);
    await assert.rejects(verify(sent(), { secrets: [] }), TypeError);
    await assert.rejects(verify(sent([OWN], 'no json')), refused('CONTENT'));
  });
});
