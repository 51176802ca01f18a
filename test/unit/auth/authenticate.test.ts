import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Authenticate, isTillgateError, setDataSecurity, signRequest } from '../../../core/index.ts';
import type {
  Account,
  AuthRule,
  ErrorCode,
  NewCredential,
  Principal,
  SignedRequest,
  TillgateError,
} from '../../../core/index.ts';
import { FakeTokenIssuer, PlainDigest } from '../../support/fakes.ts';
import { Fixture } from '../accounts/fixture.ts';

const PLAIN: AuthRule = { places: ['api-key'], scope: 'read' };
const LIGHTNING: AuthRule = { places: ['api-key', 'x-token'], scope: 'read' };
const MONEY: AuthRule = { places: ['api-key'], scope: 'move' };
const SKEW = 300_000;

class Gate extends Fixture {
  readonly digest = new PlainDigest();
  readonly tokens = new FakeTokenIssuer();
  readonly clockSkewMs = SKEW;
  readonly authenticate = new Authenticate(this);

  async enter(
    headers: Readonly<Record<string, string | readonly string[]>>,
    rule: AuthRule = PLAIN,
  ): Promise<Principal> {
    return await this.authenticate.run(requestOf(headers), rule);
  }

  async token(account: Account, authVersion = account.authVersion): Promise<string> {
    const issuedAt = this.clock.now();
    return await this.tokens.issue({ accountId: account.id, authVersion, issuedAt, expiresAt: issuedAt + 3_600_000 });
  }

  signature(keys: Pick<NewCredential, 'apiToken' | 'signingSecret'>): Readonly<Record<string, string>> {
    const bare = { method: 'POST', target: '/api/withdraw', body: BODY };
    return signRequest(bare, { apiToken: keys.apiToken, secret: keys.signingSecret }, this.digest, this.clock.now());
  }
}

const BODY = new TextEncoder().encode('{"amount":1}');

function requestOf(headers: Readonly<Record<string, string | readonly string[]>>): SignedRequest {
  const lower = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), typeof value === 'string' ? [value] : value] as const,
  );
  return { method: 'POST', target: '/api/withdraw', body: BODY, headers: new Map(lower) };
}

const failsWith =
  (code: ErrorCode) =>
  (error: unknown): boolean => {
    assert.ok(isTillgateError(error), String(error));
    assert.equal(error.code, code);
    return true;
  };

describe('an API key', () => {
  test('tells the account and the credential', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    assert.deepEqual(await gate.enter({ 'API-Key': keys.apiKey }), {
      accountId: account.id,
      credentialId: keys.credentialId,
      via: 'api-key',
      granted: { scopes: ['read', 'create', 'move'], permissions: null },
    });
  });

  test('is wanted: no header, an empty one, Date alone and X-Token elsewhere are no credentials', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    for (const headers of [{}, { 'API-Key': '' }, { Date: '2026-03-01T12:00:00Z' }, { 'X-Token': keys.apiKey }]) {
      await assert.rejects(gate.enter(headers), failsWith('NO_CREDENTIALS'));
    }
  });

  test('is refused with one message when unknown, revoked, expired or of another kind', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    const revoked = await gate.createCredential.run(account.id);
    await gate.accounts.revokeCredential(revoked.credentialId, gate.clock.now());
    const expired = await gate.createCredential.run(account.id);
    const row = gate.accounts.credentials.get(expired.credentialId)!;
    gate.accounts.credentials.set(row.id, { ...row, expiresAt: gate.clock.now() });
    const messages = new Set<string>();
    for (const text of [
      `${keys.apiKey}x`,
      'tak_',
      revoked.apiKey,
      expired.apiKey,
      keys.apiToken,
      keys.callbackKey,
      'eyJ.x.x',
      'anything',
    ]) {
      await assert.rejects(
        gate.enter({ 'API-Key': text }),
        (error: TillgateError) => messages.add(error.message) && error.code === 'CREDENTIAL_INVALID',
      );
    }
    assert.equal(messages.size, 1);
  });

  test('is accepted until the millisecond at which it expires', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const row = gate.accounts.credentials.get(keys.credentialId)!;
    gate.accounts.credentials.set(row.id, { ...row, expiresAt: gate.clock.now() + 1000 });
    gate.clock.advance(999);
    await gate.enter({ 'API-Key': keys.apiKey });
    gate.clock.advance(1);
    await assert.rejects(gate.enter({ 'API-Key': keys.apiKey }), failsWith('CREDENTIAL_INVALID'));
  });

  test('fault 14: stops working with the request after its revocation', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    await gate.enter({ 'API-Key': keys.apiKey });
    await gate.accounts.revokeCredential(keys.credentialId, gate.clock.now());
    await assert.rejects(gate.enter({ 'API-Key': keys.apiKey }), failsWith('CREDENTIAL_INVALID'));
    await assert.rejects(gate.enter(gate.signature(keys)), failsWith('SIGNATURE_INVALID'));
  });

  test('fault 8: is refused when the header is repeated', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    await assert.rejects(gate.enter({ 'API-Key': [keys.apiKey, keys.apiKey] }), failsWith('MALFORMED_REQUEST'));
  });

  test('costs no token reading, and a token no key look-up', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    await gate.enter({ 'API-Key': keys.apiKey });
    assert.equal(gate.tokens.reads, 0);
    gate.accounts.lookups = 0;
    await gate.enter({ 'API-Key': await gate.token(account) });
    assert.equal(gate.accounts.lookups, 0);
  });
});

describe('an access token', () => {
  test('is accepted in API-Key and names no credential', async () => {
    const gate = new Gate();
    const { account } = await gate.merchant();
    assert.deepEqual(await gate.enter({ 'API-Key': await gate.token(account) }), {
      accountId: account.id,
      credentialId: null,
      via: 'token',
    });
  });

  test('is refused when expired, of an older auth version or of an unknown account', async () => {
    const gate = new Gate();
    const { account } = await gate.merchant();
    const text = await gate.token(account);
    await gate.accounts.update(account.id, { authVersion: 2, modifiedAt: 0 });
    await assert.rejects(gate.enter({ 'API-Key': text }), failsWith('CREDENTIAL_INVALID'));
    const fresh = await gate.token(account, 2);
    await gate.enter({ 'API-Key': fresh });
    gate.clock.advance(3_600_000);
    await assert.rejects(gate.enter({ 'API-Key': fresh }), failsWith('CREDENTIAL_INVALID'));
    const stranger = await gate.token({ ...account, id: '1' as Account['id'] });
    await assert.rejects(gate.enter({ 'API-Key': stranger }), failsWith('CREDENTIAL_INVALID'));
  });
});

describe('X-Token', () => {
  test('carries a key or a token on the Lightning operations', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    assert.equal((await gate.enter({ 'X-Token': keys.apiKey }, LIGHTNING)).via, 'api-key');
    assert.equal((await gate.enter({ 'X-Token': await gate.token(account) }, LIGHTNING)).via, 'token');
    assert.equal(
      (await gate.enter({ 'X-Token': keys.apiKey, 'API-Key': keys.apiKey }, LIGHTNING)).credentialId,
      keys.credentialId,
    );
  });

  test('is refused beside the API key of another account', async () => {
    const gate = new Gate();
    const [a, b] = [await gate.merchant(), await gate.merchant()];
    await assert.rejects(
      gate.enter({ 'API-Key': a.keys.apiKey, 'X-Token': b.keys.apiKey }, LIGHTNING),
      failsWith('CREDENTIAL_INVALID'),
    );
  });
});

describe('a signature', () => {
  test('tells the account and the credential', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    assert.deepEqual(await gate.enter(gate.signature(keys)), {
      accountId: account.id,
      credentialId: keys.credentialId,
      via: 'signature',
      granted: { scopes: ['read', 'create', 'move'], permissions: null },
    });
  });

  test('opens the sealed secret once, and looks the credential up each time', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    gate.vault.opened = 0;
    gate.accounts.lookups = 0;
    await gate.enter(gate.signature(keys));
    await gate.enter(gate.signature(keys));
    assert.deepEqual([gate.vault.opened, gate.accounts.lookups], [1, 2]);
  });

  test('that fails shows what the server saw, never whether the token exists', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const answers: string[] = [];
    for (const pair of [
      { ...keys, signingSecret: 'tss_wrong' },
      { ...keys, apiToken: 'tat_unknown' },
    ]) {
      await assert.rejects(gate.enter(gate.signature(pair)), (error: TillgateError) => {
        assert.equal(error.code, 'SIGNATURE_INVALID');
        assert.deepEqual(Object.keys(error.details.signing ?? {}), [
          'algorithm',
          'date',
          'requestInfo',
          'bodyMd5',
          'signatureOrigin',
        ]);
        answers.push(JSON.stringify([error.message, error.details]));
        return true;
      });
    }
    assert.equal(answers[0], answers[1]);
    assert.ok(!answers[0]?.includes(keys.signingSecret));
  });

  test('wants all its headers as soon as one is there', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    for (const header of ['API-Token', 'Algorithm', 'Signature', 'Body-MD5'] as const) {
      const one = { 'API-Key': keys.apiKey, [header]: gate.signature(keys)[header] ?? '' };
      await assert.rejects(gate.enter(one), failsWith('SIGNATURE_INVALID'));
    }
  });

  test('outside the skew is a matter of the date', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const headers = gate.signature(keys);
    gate.clock.advance(SKEW + 1000);
    await assert.rejects(
      gate.enter(headers),
      (error: TillgateError) => error.code === 'DATE_INVALID' && error.details.signing !== undefined,
    );
  });

  test('of a callback is worth nothing as a request', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    await assert.rejects(
      gate.enter(gate.signature({ apiToken: keys.callbackToken, signingSecret: keys.callbackSecret })),
      failsWith('SIGNATURE_INVALID'),
    );
    await assert.rejects(
      gate.enter(gate.signature({ apiToken: keys.apiToken, signingSecret: keys.callbackSecret })),
      failsWith('SIGNATURE_INVALID'),
    );
  });

  test("fault 11: is refused beside another account's API key, and accepted beside one of its own", async () => {
    const gate = new Gate();
    const [a, b] = [await gate.merchant(), await gate.merchant()];
    await assert.rejects(
      gate.enter({ ...gate.signature(b.keys), 'API-Key': a.keys.apiKey }),
      failsWith('CREDENTIAL_INVALID'),
    );
    await assert.rejects(
      gate.enter({ ...gate.signature(b.keys), 'API-Key': 'tak_unknown' }),
      failsWith('CREDENTIAL_INVALID'),
    );
    const own = await gate.enter({ ...gate.signature(b.keys), 'API-Key': b.keys.apiKey });
    assert.equal(own.via, 'signature');
  });
});

describe('replay (fault 1)', () => {
  test('a signature is accepted once where money moves', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const headers = gate.signature(keys);
    await gate.enter(headers, MONEY);
    await assert.rejects(gate.enter(headers, MONEY), failsWith('SIGNATURE_REPLAYED'));
    assert.deepEqual([...gate.accounts.signatures.values()], [gate.clock.now() + 2 * SKEW]);
  });

  test('another instance and a restart know it too: the memory is in the storage', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const headers = gate.signature(keys);
    await gate.enter(headers, MONEY);
    const restarted = new Authenticate(gate);
    await assert.rejects(restarted.run(requestOf(headers), MONEY), failsWith('SIGNATURE_REPLAYED'));
  });

  test('elsewhere it may come again: two honest requests of one second share a signature', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const headers = gate.signature(keys);
    await gate.enter(headers);
    await gate.enter(headers);
    assert.equal(gate.accounts.signatures.size, 0);
  });

  test('a request that is refused uses nothing up', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    const headers = gate.signature(keys);
    await gate.accounts.update(account.id, { status: 'disabled', modifiedAt: 0 });
    await assert.rejects(gate.enter(headers, MONEY), failsWith('ACCOUNT_INACTIVE'));
    await gate.accounts.update(account.id, { status: 'active', modifiedAt: 0 });
    await gate.enter(headers, MONEY);
  });

  test('of two copies at once one is accepted', async () => {
    const gate = new Gate();
    const { keys } = await gate.merchant();
    const headers = gate.signature(keys);
    const both = await Promise.allSettled([gate.enter(headers, MONEY), gate.enter(headers, MONEY)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });
});

describe('the account behind a credential', () => {
  for (const status of ['disabled', 'archived'] as const) {
    test(`fault 17: is refused while ${status}, whatever the credential`, async () => {
      const gate = new Gate();
      const { account, keys } = await gate.merchant();
      await gate.accounts.update(account.id, { status, modifiedAt: 0 });
      for (const headers of [
        { 'API-Key': keys.apiKey },
        { 'API-Key': await gate.token(account) },
        gate.signature(keys),
      ]) {
        await assert.rejects(gate.enter(headers), failsWith('ACCOUNT_INACTIVE'));
      }
    });
  }

  test('fault 10: with Data Security only a signature passes, everywhere', async () => {
    const gate = new Gate();
    const { account, keys } = await gate.merchant();
    await setDataSecurity(gate, account.id, true);
    const token = await gate.token(account);
    for (const rule of [PLAIN, LIGHTNING, MONEY]) {
      await assert.rejects(gate.enter({ 'API-Key': keys.apiKey }, rule), failsWith('SIGNATURE_REQUIRED'));
      await assert.rejects(gate.enter({ 'API-Key': token }, rule), failsWith('SIGNATURE_REQUIRED'));
    }
    await assert.rejects(gate.enter({ 'X-Token': keys.apiKey }, LIGHTNING), failsWith('SIGNATURE_REQUIRED'));
    await assert.rejects(gate.enter({ 'X-Token': token }, LIGHTNING), failsWith('SIGNATURE_REQUIRED'));
    assert.equal((await gate.enter(gate.signature(keys))).via, 'signature');
    assert.equal((await gate.enter({ ...gate.signature(keys), 'API-Key': keys.apiKey })).via, 'signature');
  });
});

describe('fault 19: credentials of odd lengths', () => {
  for (const text of ['', 'a', 'tak_', 'tak_' + 'x'.repeat(10_000), '\0', 'é', 'eyJ', 'eyJ.eyJ.', '....']) {
    test(`${JSON.stringify(text.slice(0, 12))} is refused, not thrown at`, async () => {
      const gate = new Gate();
      const { keys } = await gate.merchant();
      await assert.rejects(
        gate.enter({ 'API-Key': text }),
        failsWith(text === '' ? 'NO_CREDENTIALS' : 'CREDENTIAL_INVALID'),
      );
      await assert.rejects(gate.enter({ ...gate.signature(keys), Signature: text }), failsWith('SIGNATURE_INVALID'));
      await assert.rejects(gate.enter({ ...gate.signature(keys), 'API-Token': text }), failsWith('SIGNATURE_INVALID'));
    });
  }
});
