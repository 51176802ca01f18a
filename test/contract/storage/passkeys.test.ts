import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { MAX_CHALLENGES } from '../../../core/index.ts';
import type { AccountId, Passkey, PasskeyChallenge, PasskeyId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { startTestTill } from '../../support/till.ts';
import type { TestTill } from '../../support/till.ts';
import type { TestStorage } from '../../support/storage.ts';

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    store = await open();
    till = await startTestTill(store);
  });
  after(async () => {
    await till.close();
    await store.close();
  });

  let made = 0;
  const newAccount = async (): Promise<AccountId> => (await till.newMerchant()).account.id;
  const newPasskey = (accountId: AccountId, more: Partial<Passkey> = {}): Passkey => {
    made += 1;
    const id = till.till.ids.next() as PasskeyId;
    return {
      id,
      accountId,
      credentialId: `credential-${made}`,
      publicKey: 'pQECAyYgASFYIA',
      signCount: 0,
      transports: ['usb', 'nfc'],
      name: 'Key',
      createdAt: 1_000,
      lastUsedAt: null,
      ...more,
    };
  };
  const newChallenge = (accountId: AccountId, more: Partial<PasskeyChallenge> = {}): PasskeyChallenge => {
    made += 1;
    return { hash: `hash-${made}`, accountId, purpose: 'login', sessionHash: null, expiresAt: 1_000, ...more };
  };
  const inTransaction: TestStorage['storage']['transaction'] = (work) => store.storage.transaction(work);

  describe('passkeys', () => {
    test('come back as they were stored, oldest first, of the one account', async () => {
      const [owner, other] = [await newAccount(), await newAccount()];
      const [first, second] = [newPasskey(owner), newPasskey(owner, { signCount: 2 ** 32 - 1, lastUsedAt: 5_000 })];
      await inTransaction(async (tx) => {
        for (const passkey of [second, first, newPasskey(other)]) assert.equal(await tx.passkeys.add(passkey), true);
      });
      assert.deepEqual(await store.storage.passkeys.ofAccount(owner), [first, second]);
      assert.deepEqual(await inTransaction((tx) => tx.passkeys.ofAccount(owner)), [first, second]);
      assert.deepEqual(await inTransaction((tx) => tx.passkeys.find(first.id)), first);
    });

    test('a credential is of one account: a second registration is refused and changes nothing', async () => {
      const [owner, other] = [await newAccount(), await newAccount()];
      const passkey = newPasskey(owner);
      await inTransaction((tx) => tx.passkeys.add(passkey));
      for (const account of [owner, other])
        assert.equal(
          await inTransaction((tx) => tx.passkeys.add(newPasskey(account, { credentialId: passkey.credentialId }))),
          false,
        );
      assert.deepEqual(await store.storage.passkeys.ofAccount(owner), [passkey]);
      assert.deepEqual(await store.storage.passkeys.ofAccount(other), []);
    });

    test('are renamed, used and removed', async () => {
      const owner = await newAccount();
      const [passkey, stays] = [newPasskey(owner), newPasskey(owner)];
      await inTransaction(async (tx) => {
        await tx.passkeys.add(passkey);
        await tx.passkeys.add(stays);
        await tx.passkeys.rename(passkey.id, 'Phone');
        await tx.passkeys.noteUse(passkey.id, 7, 9_000);
      });
      const changed = { ...passkey, name: 'Phone', signCount: 7, lastUsedAt: 9_000 };
      assert.deepEqual(await store.storage.passkeys.ofAccount(owner), [changed, stays]);
      await inTransaction((tx) => tx.passkeys.remove(passkey.id));
      assert.deepEqual(await store.storage.passkeys.ofAccount(owner), [stays]);
      assert.equal(await inTransaction((tx) => tx.passkeys.find(passkey.id)), null);
    });
  });

  describe('challenges', () => {
    test('are taken once, also by many at once', async () => {
      const challenge = newChallenge(await newAccount(), { purpose: 'step_up', sessionHash: 'session' });
      await inTransaction((tx) => tx.passkeys.addChallenge(challenge));
      const taken = await Promise.all(
        Array.from({ length: 8 }, () => inTransaction((tx) => tx.passkeys.takeChallenge(challenge.hash))),
      );
      assert.deepEqual(
        taken.filter((each) => each !== null),
        [challenge],
      );
      assert.equal(await inTransaction((tx) => tx.passkeys.takeChallenge('unknown')), null);
    });

    test('do not grow: of those for the same use the newest stay, and those for others are left alone', async () => {
      const [owner, other] = [await newAccount(), await newAccount()];
      const apart = [
        newChallenge(owner, { purpose: 'step_up', sessionHash: 'one' }),
        newChallenge(owner, { purpose: 'step_up', sessionHash: 'two' }),
        newChallenge(other),
      ];
      const flood = Array.from({ length: MAX_CHALLENGES + 3 }, (_, at) =>
        newChallenge(owner, { expiresAt: 2_000 + at }),
      );
      for (const challenge of [...apart, ...flood]) await inTransaction((tx) => tx.passkeys.addChallenge(challenge));
      const left: string[] = [];
      for (const { hash } of [...apart, ...flood])
        if ((await inTransaction((tx) => tx.passkeys.takeChallenge(hash))) !== null) left.push(hash);
      assert.deepEqual(
        left,
        [...apart, ...flood.slice(3)].map(({ hash }) => hash),
      );
    });

    test('that have expired are deleted, a batch at a time', async () => {
      const owner = await newAccount();
      await store.storage.passkeys.pruneChallenges(Number.MAX_SAFE_INTEGER, 1000);
      for (const expiresAt of [1_000, 1_001, 1_002, 5_000])
        await inTransaction((tx) => tx.passkeys.addChallenge(newChallenge(owner, { expiresAt })));
      assert.equal(await store.storage.passkeys.pruneChallenges(1_002, 2), 2);
      assert.equal(await store.storage.passkeys.pruneChallenges(1_002, 2), 1);
      assert.equal(await store.storage.passkeys.pruneChallenges(4_999, 2), 0);
    });
  });
});
