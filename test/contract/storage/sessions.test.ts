import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import type { AccountId, Session } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { account } from './fixtures.ts';

eachStorage((_name, open) => {
  let store: TestStorage;
  before(async () => {
    store = await open();
  });
  after(() => store.close());

  let made = 0;
  const newAccount = async (): Promise<AccountId> => {
    const one = account();
    await store.storage.accounts.create(one);
    return one.id;
  };
  const newSession = (accountId: AccountId, more: Partial<Session> = {}): Session => {
    made += 1;
    return {
      tokenHash: `hash-${made}`,
      accountId,
      authVersion: 1,
      cookie: false,
      createdAt: 1_000,
      expiresAt: 9_000,
      raisedUntil: null,
      wrongPasswords: 0,
      ip: '192.0.2.1',
      userAgent: null,
      ...more,
    };
  };
  const inTransaction: TestStorage['storage']['transaction'] = (work) => store.storage.transaction(work);
  const stored = async (given: Session): Promise<Session> => {
    await inTransaction((tx) => tx.sessions.create(given));
    return given;
  };
  const found = async (tokenHash: string): Promise<Session | null> =>
    (await store.storage.sessions.find(tokenHash))?.session ?? null;

  describe('the token of a session', () => {
    const renewal = { authVersion: 1, raisedUntil: 7_000 };

    test('is replaced in its place: age, end and origin stay, wrong passwords are forgotten', async () => {
      const former = await stored(newSession(await newAccount(), { wrongPasswords: 3, cookie: true }));
      assert.equal(
        await inTransaction((tx) => tx.sessions.renew(former.tokenHash, { ...renewal, tokenHash: 'n1' })),
        true,
      );
      assert.equal(await found(former.tokenHash), null);
      assert.deepEqual(await found('n1'), { ...former, ...renewal, tokenHash: 'n1', wrongPasswords: 0 });
    });

    test('is replaced once by many at once', async () => {
      const former = await stored(newSession(await newAccount()));
      const names = Array.from({ length: 6 }, (_, index) => `at-once-${index}`);
      const won = await Promise.all(
        names.map((tokenHash) => inTransaction((tx) => tx.sessions.renew(former.tokenHash, { ...renewal, tokenHash }))),
      );
      assert.equal(won.filter(Boolean).length, 1);
      const sessions = await store.storage.sessions.ofAccount(former.accountId, 1_000);
      assert.deepEqual(
        sessions.map(({ tokenHash }) => tokenHash),
        names.filter((_, index) => won[index]),
      );
    });

    test('stays when the transaction is undone, and comes back to no session that is over', async () => {
      const former = await stored(newSession(await newAccount()));
      const undone = inTransaction(async (tx) => {
        await tx.sessions.renew(former.tokenHash, { ...renewal, tokenHash: 'undone' });
        throw new Error('undone');
      });
      await assert.rejects(undone, /undone/);
      assert.deepEqual([await found(former.tokenHash), await found('undone')], [former, null]);
      await inTransaction((tx) => tx.sessions.end(former.tokenHash));
      assert.equal(
        await inTransaction((tx) => tx.sessions.renew(former.tokenHash, { ...renewal, tokenHash: 'late' })),
        false,
      );
    });
  });
});
