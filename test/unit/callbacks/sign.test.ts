import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { callbackHeaders, chooseApiKey, newCallbackSecrets, verifySignature } from '../../../core/index.ts';
import type { Callback, CallbackSecrets, Credential } from '../../../core/index.ts';
import { FakeClock, PlainDigest, SeededRandom, START } from '../../support/fakes.ts';
import { Fixture } from '../accounts/fixture.ts';
import { sample } from './sample.ts';

const digest = new PlainDigest();
const secrets = newCallbackSecrets(new SeededRandom('new'));
const former = newCallbackSecrets(new SeededRandom('former'));

const headersOf = (callback: Callback, old: CallbackSecrets | null = null, apiKey: string | null = null, now = START) =>
  callbackHeaders(callback, { secrets, former: old, apiKey }, digest, now);

/** The receiver's side of the native signature. */
function nativeVerdict(callback: Callback, headers: Readonly<Record<string, string>>, secret: string): boolean {
  const url = new URL(callback.url);
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
  const request = {
    method: callback.method,
    target: url.pathname + url.search,
    headers: lower,
    body: new TextEncoder().encode(callback.body ?? ''),
  };
  return verifySignature(request, { secret, tokenHash: '' }, digest, START, 300_000).ok;
}

describe("the service's own signature on a callback", () => {
  for (const post of [false, true]) {
    test(`verifies as a request's does, with the text of the callback secret (${post ? 'POST' : 'GET'})`, () => {
      const callback = sample({ post, url: 'https://shop.example/paid?a=|b&c=%20' });
      const headers = headersOf(callback);
      assert.equal(nativeVerdict(callback, headers, secrets.callbackSecret), true);
      assert.equal(nativeVerdict(callback, headers, former.callbackSecret), false);
      assert.equal(headers['API-Token'], secrets.callbackToken);
      assert.equal(headers['Algorithm'], 'HMAC-SHA256');
      assert.equal(headers['Date'], '2026-03-01T12:00:00Z');
    });
  }

  test('is made with the new secret during a rotation', () => {
    const callback = sample();
    assert.equal(nativeVerdict(callback, headersOf(callback, former), secrets.callbackSecret), true);
  });

  test('goes with a content type and Body-MD5 only where there is a body', () => {
    const [get, post] = [headersOf(sample()), headersOf(sample({ post: true }))];
    assert.deepEqual([get['Content-Type'], get['Body-MD5']], [undefined, undefined]);
    assert.deepEqual([post['Content-Type'], post['Body-MD5']?.length], ['application/json', 32]);
  });
});

describe('Standard Webhooks', () => {
  // The library compares with the machine's clock, so these callbacks are from its present.
  const now = Date.now();

  for (const post of [false, true]) {
    test(`verify with the library of the standard (${post ? 'POST: the body' : 'GET: the full URL'})`, () => {
      const callback = sample({ post });
      const headers = headersOf(callback, null, null, now);
      assert.equal(headers['webhook-id'], callback.id);
      assert.equal(headers['webhook-timestamp'], String(Math.floor(now / 1000)));
      const payload = callback.body ?? JSON.stringify(callback.url);
      const verify = (): unknown => new Webhook(secrets.callbackSecret).verify(payload, { ...headers });
      if (post) assert.deepEqual(verify(), JSON.parse(callback.body ?? ''));
      else {
        const signed = new Webhook(secrets.callbackSecret).sign(callback.id, new Date(now), callback.url);
        assert.equal(headers['webhook-signature'], signed);
      }
      assert.throws(() => new Webhook(former.callbackSecret).verify(payload, { ...headers }));
    });
  }

  test('carry two signatures during a rotation, and each receiver finds its own', () => {
    const callback = sample({ post: true });
    const headers = headersOf(callback, former, null, now);
    assert.match(headers['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    for (const { callbackSecret } of [secrets, former])
      new Webhook(callbackSecret).verify(callback.body ?? '', { ...headers });
  });

  test('need a secret of the right form', () => {
    const broken = { secrets: { ...secrets, callbackSecret: 'whsec_short' }, former: null, apiKey: null };
    assert.throws(() => callbackHeaders(sample(), broken, digest, START), /callback secret/);
  });
});

describe('fault 33: the API key on a callback', () => {
  const clock = new FakeClock();
  const fixture = new Fixture();
  const strict = { allowPrivateNetworks: false, now: clock.now() };
  const open = (): string => 'tak_of_the_order';

  async function credential(changes: Partial<Credential> = {}): Promise<Credential> {
    const { keys } = await fixture.merchant();
    return { ...fixture.accounts.credentials.get(keys.credentialId)!, ...changes };
  }

  const choose = (url: string, row: Credential | null, policy = strict, chosen: 'order' | 'callback' = 'order') =>
    chooseApiKey(url, { callbackApiKey: chosen }, row, secrets, policy, open);

  test('is that of the credential that made the order, over https', async () => {
    assert.equal(choose('https://shop.example/', await credential()), 'tak_of_the_order');
  });

  test('is absent over plain http, whichever key it would be', async () => {
    assert.equal(choose('http://shop.example/', await credential()), null);
    assert.equal(choose('http://shop.example/', null, strict, 'callback'), null);
  });

  test('goes anywhere where private networks are allowed', async () => {
    assert.equal(
      choose('http://10.0.0.1/', await credential(), { ...strict, allowPrivateNetworks: true }),
      'tak_of_the_order',
    );
  });

  test('is the callback key when the account chose it, when no credential made the order, and when that one is no longer active', async () => {
    const url = 'https://shop.example/';
    assert.equal(choose(url, await credential(), strict, 'callback'), secrets.callbackKey);
    assert.equal(choose(url, null), secrets.callbackKey);
    assert.equal(choose(url, await credential({ status: 'revoked' })), secrets.callbackKey);
    assert.equal(choose(url, await credential({ expiresAt: clock.now() })), secrets.callbackKey);
    assert.equal(choose(url, await credential({ expiresAt: clock.now() + 1 })), 'tak_of_the_order');
  });

  test('is a header only when there is one', () => {
    assert.equal(headersOf(sample(), null, 'tak_x')['API-Key'], 'tak_x');
    assert.ok(!('API-Key' in headersOf(sample())));
  });
});
