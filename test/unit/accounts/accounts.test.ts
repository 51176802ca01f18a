import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callbackContext, credentialContext, isTillgateError, LOOKUP, setDataSecurity } from '../../../core/index.ts';
import type {
  AccountId,
  CallbackSecrets,
  CreateAccountInput,
  CredentialSecrets,
  TillgateError,
} from '../../../core/index.ts';
import { Fixture } from './fixture.ts';

const SOUND = { email: 'Ann@Shop.example', password: 'correct horse' } as const satisfies CreateAccountInput;

describe('creating an account', () => {
  test('stores a hash, the email in lower case and the defaults', async () => {
    const fixture = new Fixture();
    const account = await fixture.createAccount.run(SOUND);
    assert.deepEqual(await fixture.accounts.find(account.id), account);
    assert.equal(account.email, 'ann@shop.example');
    assert.equal(account.role, 'user');
    assert.equal(account.status, 'active');
    assert.equal(account.dataSecurity, false);
    assert.equal(account.callbackApiKey, 'order');
    assert.deepEqual(account.verifiedCurrencies, []);
    assert.ok(!JSON.stringify(account).includes(SOUND.password));
    assert.equal(await fixture.hasher.verify(SOUND.password, account.passwordHash), true);
  });

  test('takes role, name and verified currencies', async () => {
    const account = await new Fixture().createAccount.run({
      ...SOUND,
      role: 'admin',
      name: 'Ann',
      verifiedCurrencies: ['*', 'USDT-ERC20'],
    });
    assert.deepEqual([account.role, account.name, account.verifiedCurrencies], ['admin', 'Ann', ['*', 'USDT-ERC20']]);
  });

  test('without a password has one that nobody knows, another for each account', async () => {
    const fixture = new Fixture();
    const made = await Promise.all(
      ['a@shop.example', 'b@shop.example'].map((email) => fixture.createAccount.run({ email })),
    );
    assert.equal(new Set(made.map(({ passwordHash }) => passwordHash)).size, 2);
    for (const { passwordHash } of made) assert.equal(await fixture.hasher.verify('', passwordHash), false);
    await assert.rejects(fixture.createAccount.run({ email: 'c@shop.example', password: '' }), (error) =>
      isTillgateError(error, 'INVALID_FIELDS'),
    );
  });

  test('makes the callback credential with it', async () => {
    const fixture = new Fixture();
    const { id } = await fixture.createAccount.run(SOUND);
    assert.notEqual(await fixture.accounts.findCallbackCredential(id), null);
  });

  test('refuses an email that is taken, whatever its case', async () => {
    const fixture = new Fixture();
    await fixture.createAccount.run(SOUND);
    await assert.rejects(fixture.createAccount.run({ ...SOUND, email: 'ANN@shop.EXAMPLE' }), (error) =>
      isTillgateError(error, 'STATE_CONFLICT'),
    );
  });

  test('names every invalid field at once', async () => {
    const wrong = {
      email: 'nobody',
      password: 'short',
      name: 'a\0b',
      role: 'root' as 'user',
      verifiedCurrencies: ['usdt erc'],
    };
    await assert.rejects(new Fixture().createAccount.run(wrong), (error: TillgateError) => {
      assert.equal(error.code, 'INVALID_FIELDS');
      assert.deepEqual(
        error.details.fields?.map(({ path }) => path),
        ['email', 'password', 'name', 'role', 'verifiedCurrencies'],
      );
      return true;
    });
  });

  for (const email of ['', 'a@', '@b', 'a b@c', 'a@b@c', 'a\n@b', `a@${'b'.repeat(190)}`, 'a\0@b']) {
    test(`refuses the email ${JSON.stringify(email.slice(0, 20))}`, async () => {
      await assert.rejects(new Fixture().createAccount.run({ ...SOUND, email }), (error) =>
        isTillgateError(error, 'INVALID_FIELDS'),
      );
    });
  }

  for (const [length, accepted] of [
    [11, false],
    [12, true],
    [1024, true],
    [1025, false],
  ] as const) {
    test(`${accepted ? 'takes' : 'refuses'} a password of ${length} characters`, async () => {
      const made = new Fixture().createAccount.run({
        ...SOUND,
        password: 'no common one '.repeat(80).slice(0, length),
      });
      if (accepted) await made;
      else await assert.rejects(made, (error) => isTillgateError(error, 'INVALID_FIELDS'));
    });
  }
});

describe('a new password', () => {
  const refused = async (password: string): Promise<void> =>
    assert.rejects(new Fixture().createAccount.run({ ...SOUND, password }), (error) =>
      isTillgateError(error, 'INVALID_FIELDS'),
    );

  test('is not one of the common ones, in whatever case', async () => {
    for (const common of ['password1234', 'PassWord1234', 'qwertyuiop123', '123456789012', 'changeme1234']) {
      await refused(common);
      await new Fixture().createAccount.run({ ...SOUND, password: `${common} and more` });
    }
  });

  test('is not made of the email, or of the name of the product', async () => {
    const account = { ...SOUND, email: 'billing@Lighthouse-Shop.example' };
    for (const password of ['lighthouseshop', 'Lighthouse-2026', 'billing.Shop!!', 'tillgate-shop-1', 'exampleexample'])
      await assert.rejects(new Fixture().createAccount.run({ ...account, password }), (error: TillgateError) => {
        assert.deepEqual(
          error.details.fields?.map(({ path }) => path),
          ['password'],
          password,
        );
        return true;
      });
    await new Fixture().createAccount.run({ ...account, password: 'lighthouse keepers' });
    await new Fixture().createAccount.run({ ...SOUND, email: 'abc@x.example', password: 'abcabcabcabc' });
  });

  test('is counted in characters, not in halves of them, and has no half of one', async () => {
    await refused('\u{1F600}'.repeat(11));
    await new Fixture().createAccount.run({ ...SOUND, password: '\u{1F600}'.repeat(12) });
    await refused(`a long password \ud800`);
  });
});

describe('creating a credential', () => {
  test('returns the secrets once and stores keyed hashes and a sealed record', async () => {
    const fixture = new Fixture();
    const { account, keys } = await fixture.merchant();
    const stored = await fixture.accounts.findCredential(keys.credentialId);
    assert.ok(stored !== null);
    assert.equal(stored.accountId, account.id);
    assert.equal(stored.name, 'till');
    assert.equal(stored.apiKeyHash, fixture.vault.lookupHash(LOOKUP.apiKey, keys.apiKey));
    assert.equal(stored.apiTokenHash, fixture.vault.lookupHash(LOOKUP.apiToken, keys.apiToken));
    const opened = JSON.parse(fixture.vault.open(stored.sealed, credentialContext(stored.id))) as CredentialSecrets;
    assert.deepEqual(opened, { apiKey: keys.apiKey, apiToken: keys.apiToken, signingSecret: keys.signingSecret });
    for (const secret of Object.values(opened)) assert.ok(!JSON.stringify({ ...stored, sealed: '' }).includes(secret));
  });

  test('writes each secret in its own form', async () => {
    const { keys } = await new Fixture().merchant();
    assert.match(keys.apiKey, /^tak_[0-9A-Za-z]{43}$/);
    assert.match(keys.apiToken, /^tat_[0-9A-Za-z]{43}$/);
    assert.match(keys.signingSecret, /^tss_[0-9A-Za-z]{43}$/);
    assert.match(keys.callbackKey, /^tck_[0-9A-Za-z]{43}$/);
    assert.match(keys.callbackToken, /^tct_[0-9A-Za-z]{43}$/);
    assert.match(keys.callbackSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  test('gives the credentials of one account the same callback secrets, and different keys', async () => {
    const fixture = new Fixture();
    const { account, keys } = await fixture.merchant();
    const second = await fixture.createCredential.run(account.id);
    assert.equal(second.callbackSecret, keys.callbackSecret);
    assert.notEqual(second.apiKey, keys.apiKey);
    assert.equal((await fixture.accounts.findCredential(second.credentialId))?.name, '');
  });

  test('makes the callback credential that a crash kept the account from getting', async () => {
    const fixture = new Fixture();
    const { id } = await fixture.createAccount.run(SOUND);
    fixture.accounts.callbackCredentials.clear();
    const keys = await fixture.createCredential.run(id);
    const stored = await fixture.accounts.findCallbackCredential(id);
    assert.ok(stored !== null);
    assert.equal(
      (JSON.parse(fixture.vault.open(stored.sealed, callbackContext(id))) as CallbackSecrets).callbackKey,
      keys.callbackKey,
    );
  });

  test('refuses an unknown account, an archived one and a name that is none', async () => {
    const fixture = new Fixture();
    const { id } = await fixture.createAccount.run(SOUND);
    await assert.rejects(fixture.createCredential.run('1' as AccountId), (error) =>
      isTillgateError(error, 'NOT_FOUND'),
    );
    await assert.rejects(fixture.createCredential.run(id, 'a\nb'), (error) => isTillgateError(error, 'INVALID_FIELDS'));
    await fixture.accounts.update(id, { status: 'archived', modifiedAt: 0 });
    await assert.rejects(fixture.createCredential.run(id), (error) => isTillgateError(error, 'STATE_CONFLICT'));
  });
});

describe('rotating the callback credential', () => {
  test('keeps the former secrets for 24 hours', async () => {
    const fixture = new Fixture();
    const { account, keys } = await fixture.merchant();
    const former = await fixture.accounts.findCallbackCredential(account.id);
    const secrets = await fixture.rotate.run(account.id);
    const stored = await fixture.accounts.findCallbackCredential(account.id);
    assert.notEqual(secrets.callbackSecret, keys.callbackSecret);
    assert.equal(stored?.previousSealed, former?.sealed);
    assert.equal(stored?.previousUntil, fixture.clock.now() + 86_400_000);
  });

  test('refuses an account without one, and the slower of two rotations', async () => {
    const fixture = new Fixture();
    const { account } = await fixture.merchant();
    await assert.rejects(fixture.rotate.run('1' as AccountId), (error) => isTillgateError(error, 'NOT_FOUND'));
    const both = await Promise.allSettled([fixture.rotate.run(account.id), fixture.rotate.run(account.id)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const refused = both.find((result) => result.status === 'rejected');
    assert.ok(isTillgateError(refused?.reason, 'STATE_CONFLICT'));
  });
});

describe('Data Security', () => {
  test('goes on and off', async () => {
    const fixture = new Fixture();
    const { id } = await fixture.createAccount.run(SOUND);
    fixture.clock.advance(1000);
    await setDataSecurity(fixture, id, true);
    assert.deepEqual(
      [(await fixture.accounts.find(id))?.dataSecurity, (await fixture.accounts.find(id))?.modifiedAt],
      [true, fixture.clock.now()],
    );
    await setDataSecurity(fixture, id, false);
    assert.equal((await fixture.accounts.find(id))?.dataSecurity, false);
  });

  test('is not for unknown accounts', async () => {
    await assert.rejects(setDataSecurity(new Fixture(), '1' as AccountId, true), (error) =>
      isTillgateError(error, 'NOT_FOUND'),
    );
  });
});
