import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import type { PasskeyCreationOptions, PasskeyRequestOptions } from '../../core/index.ts';
import { OPERATOR } from '../../core/index.ts';
import type { PasskeyId } from '../../core/index.ts';
import { SoftwareAuthenticator } from '../support/authenticator.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { HttpClient } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, assertStepUp, managed, PASSKEY_SITE, startFixture, STEP_UP, stepUp } from './fixture.ts';
import type { Fixture, List } from './fixture.ts';

const PASSKEYS = '/manage/v1/security/passkeys';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { secondFactorOf: 'admins', sessionTtlSeconds: 100_000, stepUpSeconds: 300 });
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const add = async (client: HttpClient, authenticator: SoftwareAuthenticator, name: string): Promise<string> => {
    const options = managed<PasskeyCreationOptions>(await client.request('POST', `${PASSKEYS}/options`));
    const reply = await client.post(PASSKEYS, { name, passkey: authenticator.create(options) });
    return managed<{ id: string }>(reply, 201).id;
  };
  const raise = async (client: HttpClient, authenticator: SoftwareAuthenticator): Promise<void> => {
    const options = managed<PasskeyRequestOptions>(await client.request('POST', `${STEP_UP}/passkey`));
    await stepUp(client, { passkey: authenticator.get(options) });
  };

  describe('passkeys of an account', () => {
    test('are added, named, used and removed', async () => {
      const { email, password, client } = await fixture.newMember();
      const [laptop, phone] = [new SoftwareAuthenticator(PASSKEY_SITE), new SoftwareAuthenticator(PASSKEY_SITE)];
      const first = await add(client, laptop, 'Laptop');
      const second = await add(client, phone, 'Key');
      fixture.till.clock.advance(300_000);
      assertStepUp(await client.post('/manage/v1/credentials', {}));
      await raise(client, phone);
      managed(await client.post('/manage/v1/credentials', {}), 201);
      managed(await client.request('PATCH', `${PASSKEYS}/${second}`, { body: { name: 'Phone' } }));
      const { items } = managed<List>(await client.get(PASSKEYS));
      assert.deepEqual(
        items.map(({ id, name, last_used_at: used }) => [id, name, used !== null]),
        [
          [first, 'Laptop', false],
          [second, 'Phone', true],
        ],
      );
      const asked = await fixture.client.post('/manage/v1/session/passkey', { email, password });
      const passkey = laptop.get(managed<PasskeyRequestOptions>(asked));
      managed(await fixture.login(email, password, { passkey }));
      assert.deepEqual(managed(await client.request('DELETE', `${PASSKEYS}/${first}`)), { id: first, removed: true });
      assertRefused(await client.request('DELETE', `${PASSKEYS}/${first}`), 404);
      assertRefused(await client.request('DELETE', `${PASSKEYS}/${second}`), 409);
    });

    test('what a browser is asked for: this address, its user verified, none of those that are there', async () => {
      const { account, client, email } = await fixture.newMember();
      const authenticator = new SoftwareAuthenticator(PASSKEY_SITE);
      await add(client, authenticator, 'Key');
      const made = managed<PasskeyCreationOptions>(await client.request('POST', `${PASSKEYS}/options`));
      assert.deepEqual(made.rp, { id: 'pay.example.com', name: 'Tillgate' });
      const handle = Buffer.from(account.id).toString('base64url');
      assert.deepEqual(made.user, { id: handle, name: email, displayName: email });
      assert.deepEqual([made.attestation, made.authenticatorSelection.userVerification], ['none', 'required']);
      const known = [{ id: authenticator.id, type: 'public-key', transports: ['internal'] }];
      assert.deepEqual(made.excludeCredentials, known);
      const used = managed<PasskeyRequestOptions>(await client.request('POST', `${STEP_UP}/passkey`));
      assert.deepEqual(used, {
        challenge: used.challenge,
        rpId: 'pay.example.com',
        timeout: 300_000,
        userVerification: 'required',
        allowCredentials: known,
      });
      assert.equal(Buffer.from(used.challenge, 'base64url').length, 32);
      assert.notEqual(used.challenge, made.challenge);
    });

    test("another account's are nobody's to a user; an admin lists and removes them, and names none", async () => {
      const [owner, stranger] = [await fixture.newMember(), await fixture.newMember()];
      const [first, second] = [new SoftwareAuthenticator(PASSKEY_SITE), new SoftwareAuthenticator(PASSKEY_SITE)];
      const id = await add(owner.client, first, 'One');
      await add(owner.client, second, 'Two');
      assertRefused(await stranger.client.get(`${PASSKEYS}?account=${owner.id}`), 404);
      assertRefused(await stranger.client.request('DELETE', `${PASSKEYS}/${id}`), 404);
      assertRefused(await stranger.client.request('PATCH', `${PASSKEYS}/${id}`, { body: { name: 'Mine' } }), 404);
      const admin = await fixture.newMember('admin');
      await add(admin.client, new SoftwareAuthenticator(PASSKEY_SITE), 'Admin');
      assert.equal(managed<List>(await admin.client.get(`${PASSKEYS}?account=${owner.id}`)).items.length, 2);
      assertRefused(await admin.client.request('PATCH', `${PASSKEYS}/${id}`, { body: { name: 'Mine' } }), 404);
      managed(await admin.client.request('DELETE', `${PASSKEYS}/${id}`));
      assertRefused(await owner.client.request('DELETE', `${PASSKEYS}/1530217733410816001`), 404);
    });

    test('are a second factor for an admin, who needs one before anything else', async () => {
      const { client } = await fixture.newMember('admin');
      assert.equal(assertRefused(await client.get('/manage/v1/accounts'), 403).reason, 'second_factor_required');
      await add(client, new SoftwareAuthenticator(PASSKEY_SITE), 'Key');
      managed(await client.get('/manage/v1/accounts'));
    });

    test('the last one is removed by the operator, and the password alone logs in again', async () => {
      const { email, password, client } = await fixture.newMember();
      const id = await add(client, new SoftwareAuthenticator(PASSKEY_SITE), 'Key');
      assertRefused(await fixture.login(email, password), 400, 'passkey');
      await fixture.manage.passkeys.remove(OPERATOR, id as PasskeyId, true);
      managed(await fixture.login(email, password));
      assertRefused(await client.request('POST', `${STEP_UP}/passkey`), 409);
    });
  });
});
