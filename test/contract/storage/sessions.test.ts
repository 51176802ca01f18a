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
      lastUsedAt: 1_000,
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
      const sessions = await store.storage.sessions.ofAccount(former.accountId, { now: 1_000, usedAfter: 0 });
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

  describe('the sessions of an account', () => {
    const listed = async (accountId: AccountId, now: number, usedAfter: number): Promise<readonly string[]> =>
      (await store.storage.sessions.ofAccount(accountId, { now, usedAfter })).map(({ tokenHash }) => tokenHash);

    test('are listed until they end or were idle for too long, newest first', async () => {
      const accountId = await newAccount();
      const first = await stored(newSession(accountId, { lastUsedAt: 5_000 }));
      const second = await stored(newSession(accountId, { createdAt: 2_000, lastUsedAt: 3_000, expiresAt: 12_000 }));
      assert.deepEqual(await listed(accountId, 8_999, 2_999), [second.tokenHash, first.tokenHash]);
      assert.deepEqual(await listed(accountId, 8_999, 3_000), [first.tokenHash]);
      assert.deepEqual(await listed(accountId, 9_000, 2_999), [second.tokenHash]);
    });

    test('are pruned by the same rule', async () => {
      const accountId = await newAccount();
      const open = await stored(newSession(accountId, { lastUsedAt: 3_001, expiresAt: 8_001 }));
      const over = [
        await stored(newSession(accountId, { lastUsedAt: 3_001, expiresAt: 8_000 })),
        await stored(newSession(accountId, { lastUsedAt: 3_000, expiresAt: 8_001 })),
      ];
      await store.storage.sessions.prune({ now: 8_000, usedAfter: 3_000 }, 1_000);
      assert.deepEqual(await found(open.tokenHash), open);
      for (const { tokenHash } of over) assert.equal(await found(tokenHash), null);
    });

    test('are noted as used at the latest time that was said', async () => {
      const session = await stored(newSession(await newAccount()));
      const { sessions } = store.storage;
      await Promise.all([4_000, 6_000, 5_000].map((at) => sessions.noteUse(session.tokenHash, at)));
      await sessions.noteUse(session.tokenHash, 2_000);
      await sessions.noteUse('nobody', 7_000);
      assert.deepEqual(await found(session.tokenHash), { ...session, lastUsedAt: 6_000 });
    });

    test('end from the oldest on, but for the one that is named, and none of another account', async () => {
      const [accountId, other] = [await newAccount(), await newAccount()];
      const at = (createdAt: number): Promise<Session> => stored(newSession(accountId, { createdAt }));
      const [first, second, third, fourth] = [await at(1_000), await at(2_000), await at(3_000), await at(3_000)];
      const stranger = await stored(newSession(other));
      const endOldest = (most: number, { tokenHash }: Session): Promise<number> =>
        inTransaction((tx) => tx.sessions.endOldest(accountId, most, tokenHash));
      assert.equal(await endOldest(4, fourth), 0);
      assert.equal(await endOldest(3, fourth), 1);
      assert.deepEqual(await listed(accountId, 1_000, 0), [third.tokenHash, fourth.tokenHash, second.tokenHash]);
      assert.equal(await endOldest(2, second), 1);
      assert.equal(await endOldest(1, second), 1);
      assert.deepEqual(await listed(accountId, 1_000, 0), [second.tokenHash]);
      assert.equal(await found(first.tokenHash), null);
      assert.deepEqual(await found(stranger.tokenHash), stranger);
    });
  });
});
