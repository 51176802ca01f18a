import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { AccountId, CallbackCredential, CredentialId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { account, credential, NOW, storedAccount } from './fixtures.ts';

eachStorage((_name, open) => {
  test('an account comes back as it was stored, and is found by its email in any case', async (t) => {
    const { storage } = await open(t);
    const made = await storedAccount(storage, {
      dataSecurity: true,
      name: 'Café',
      verifiedCurrencies: ['*', 'BTC-LN'],
    });
    assert.deepEqual(await storage.accounts.find(made.id), made);
    assert.deepEqual(await storage.accounts.findByEmail(made.email.toUpperCase()), made);
    assert.equal(await storage.accounts.findByEmail('nobody@example.org'), null);
    assert.equal(await storage.accounts.findByEmail('a\0'), null);
    assert.equal(await storage.accounts.find('404' as AccountId), null);
  });

  test('an email is taken once, whatever its case, also in a race', async (t) => {
    const { storage } = await open(t);
    const attempts = ['a@Example.org', 'A@example.ORG', 'a@example.org'].map((email) =>
      storage.accounts.create(account({ email })),
    );
    const refused = (await Promise.allSettled(attempts)).flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    assert.equal(refused.length, 2);
    assert.ok(refused.every((error) => isTillgateError(error, 'STATE_CONFLICT')));
  });

  test('each field of an account that may change changes alone', async (t) => {
    const { storage } = await open(t);
    const made = await storedAccount(storage, { name: 'before' });
    const steps = [
      { name: null },
      { status: 'disabled' },
      { passwordHash: 'new' },
      { passwordExpiresAt: NOW + 5 },
      { passwordExpiresAt: null },
      { authVersion: 2 },
      { dataSecurity: true },
      { callbackApiKey: 'callback' },
      { verifiedCurrencies: ['ETH'] },
    ] as const;
    let expected = made;
    for (const [n, step] of steps.entries()) {
      expected = { ...expected, ...step, modifiedAt: NOW + n };
      assert.equal(await storage.accounts.update(made.id, { ...step, modifiedAt: NOW + n }), true);
      assert.deepEqual(await storage.accounts.find(made.id), expected);
    }
    assert.equal(await storage.accounts.update('404' as AccountId, { modifiedAt: NOW }), false);
  });

  test('look-ups that wait together each find their own credential and account', async (t) => {
    const { storage } = await open(t);
    const owners = await Promise.all([1, 2, 3].map(() => storedAccount(storage)));
    const credentials = owners.map(({ id }) => credential(id));
    for (const each of credentials) await storage.accounts.createCredential(each);
    const found = await Promise.all([
      ...credentials.flatMap((each) => [
        storage.accounts.findByApiKeyHash(each.apiKeyHash),
        storage.accounts.findByApiTokenHash(each.apiTokenHash),
      ]),
      storage.accounts.findByApiKeyHash('unknown'),
      storage.accounts.findByApiKeyHash('\0'),
      storage.accounts.findByApiTokenHash('\0'),
      storage.accounts.findByApiTokenHash(credentials[0]!.apiKeyHash),
    ]);
    const expected = credentials.flatMap((each, n) => [
      { credential: each, account: owners[n], hasWebhooks: false },
      { credential: each, account: owners[n], hasWebhooks: false },
    ]);
    assert.deepEqual(found, [...expected, null, null, null, null]);
    const many = await Promise.all(
      Array.from({ length: 1200 }, (_, n) => storage.accounts.findByApiKeyHash(`none-${n}`)),
    );
    assert.ok(many.every((each) => each === null));
  });

  test('fault 14: a revoke that was answered is seen by every look-up that begins after it, on another instance too', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id } = await storedAccount(storage);
    for (let round = 0; round < 10; round++) {
      const some = credential(id);
      await storage.accounts.createCredential(some);
      const busy = Array.from({ length: 20 }, () => second.accounts.findByApiKeyHash(some.apiKeyHash));
      assert.equal(await storage.accounts.revokeCredential(some.id, NOW), true);
      const [here, there] = await Promise.all(
        [storage, second].map((each) => each.accounts.findByApiKeyHash(some.apiKeyHash)),
      );
      assert.deepEqual([here?.credential.status, there?.credential.status], ['revoked', 'revoked']);
      await Promise.all(busy);
      assert.equal(await storage.accounts.revokeCredential(some.id, NOW), false);
      assert.equal((await storage.accounts.findCredential(some.id))?.revokedAt, NOW);
    }
    assert.equal(await storage.accounts.findCredential('404' as CredentialId), null);
    assert.equal(await storage.accounts.findCredential('\0' as CredentialId), null);
  });

  test('a credential belongs to an account that exists, and its hashes are its own', async (t) => {
    const { storage } = await open(t);
    const { id } = await storedAccount(storage);
    await assert.rejects(storage.accounts.createCredential(credential('404' as AccountId)));
    const some = credential(id, { expiresAt: NOW, revokedAt: NOW, status: 'revoked' });
    await storage.accounts.createCredential(some);
    assert.deepEqual(await storage.accounts.findCredential(some.id), some);
    await assert.rejects(storage.accounts.createCredential(credential(id, { apiKeyHash: some.apiKeyHash })));
    await assert.rejects(storage.accounts.createCredential(credential(id, { apiTokenHash: some.apiTokenHash })));
  });

  test('an account has one callback credential, rotated by compare-and-set', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const fresh = (sealed: string): CallbackCredential => ({
      accountId,
      sealed,
      previousSealed: null,
      previousUntil: null,
      createdAt: NOW,
    });
    assert.equal(await storage.accounts.findCallbackCredential(accountId), null);
    const got = await Promise.all(
      ['a', 'b', 'c'].map((sealed) => storage.accounts.ensureCallbackCredential(fresh(sealed))),
    );
    const present = got[0]!;
    assert.deepEqual(got, [present, present, present]);
    const next = { ...fresh('next'), previousSealed: present.sealed, previousUntil: NOW + 5 };
    const rotations = [next, { ...next, sealed: 'other' }].map((each) =>
      storage.accounts.rotateCallbackCredential(present.sealed, each),
    );
    assert.equal((await Promise.all(rotations)).filter(Boolean).length, 1);
    const rotated = await storage.accounts.findCallbackCredential(accountId);
    assert.deepEqual([rotated?.previousSealed, rotated?.previousUntil], [present.sealed, NOW + 5]);
  });

  test('fault 1: a signature is used once, after a restart and on a second instance too', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const uses = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? storage : second).accounts.useSignature('s', NOW + 600)),
    );
    assert.equal(uses.filter(Boolean).length, 1);
    assert.equal(await (await another()).accounts.useSignature('s', NOW + 600), false);
    assert.equal(await storage.accounts.useSignature('t', NOW + 500), true);
    assert.equal(await storage.accounts.pruneSignatures(NOW + 500, 10), 1);
    assert.deepEqual(
      [await storage.accounts.useSignature('s', NOW), await storage.accounts.useSignature('t', NOW)],
      [false, true],
    );
  });
});
