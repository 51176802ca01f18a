import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, ClaimedNotice, Notice, NoticeChanges, NoticeId, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { nextId, NOW, storedAccount } from './fixtures.ts';

const LEASE = 60_000;
const HOUR = NOW - (NOW % 3_600_000);
const SENT: NoticeChanges = { status: 'SENT', attempts: 1, nextAt: NOW, sentAt: NOW + 5, lastError: null };

const noticeFor = (accountId: AccountId | null, given: Partial<Notice> = {}): Notice => ({
  id: nextId() as NoticeId,
  notifier: 'smtp',
  accountId,
  type: 'security.changed',
  subject: 'A credential was made',
  text: 'When: now\nBy: "somebody"',
  status: 'PENDING',
  attempts: 0,
  nextAt: NOW,
  createdAt: NOW,
  sentAt: null,
  lastError: null,
  day: null,
  ...given,
});

const add = (storage: Storage, ...notices: Notice[]): Promise<readonly Notice[]> =>
  storage.transaction((tx) => tx.notices.add(notices));
const claim = (storage: Storage, notifier = 'smtp', at = NOW, limit = 10): Promise<readonly ClaimedNotice[]> =>
  storage.notices.claimDue(notifier, at, LEASE, limit);
const idsOf = (claims: readonly ClaimedNotice[]): readonly NoticeId[] => claims.map(({ notice }) => notice.id);

eachStorage((_name, open) => {
  test('notices come back as they were stored, newest first, by status and from an id on', async (t) => {
    const { storage } = await open(t);
    const { id } = await storedAccount(storage);
    const [first, second, third] = [noticeFor(id), noticeFor(null, { status: 'DEAD', lastError: 'x' }), noticeFor(id)];
    assert.deepEqual(await add(storage, first, second, third), [first, second, third]);
    const all = { status: null, before: null, limit: 10 };
    assert.deepEqual(await storage.notices.list(all), [third, second, first]);
    assert.deepEqual(await storage.notices.list({ ...all, before: third.id, limit: 1 }), [second]);
    assert.deepEqual(await storage.notices.list({ ...all, status: 'PENDING', before: third.id }), [first]);
    assert.deepEqual(await storage.notices.find(second.id), second);
    assert.equal(await storage.notices.find('1530217733410816001' as NoticeId), null);
  });

  test('a transaction that is rolled back leaves no notice', async (t) => {
    const { storage } = await open(t);
    const failing = storage.transaction(async (tx) => {
      await tx.notices.add([noticeFor(null)]);
      throw new Error('later');
    });
    await assert.rejects(failing, /later/);
    assert.deepEqual(await storage.notices.list({ status: null, before: null, limit: 10 }), []);
  });

  test('a claim is of one notifier, of what is due, oldest first, and is held against other instances until its lease ends', async (t) => {
    const { storage, another, sql } = await open(t);
    const second = await another();
    const [later, due, future, chat] = [
      noticeFor(null),
      noticeFor(null, { nextAt: NOW - 1 }),
      noticeFor(null, { nextAt: NOW + 1 }),
      noticeFor(null, { notifier: 'chat' }),
    ];
    await add(storage, later, due, future, chat);
    const claims = await claim(storage);
    assert.deepEqual(idsOf(claims), [due.id, later.id]);
    assert.deepEqual(await claim(second), []);
    assert.deepEqual(idsOf(await claim(second, 'chat')), [chat.id]);
    await sql('UPDATE notices SET claimed_until = 0');
    const [again] = await claim(second);
    assert.equal(again?.notice.id, due.id);
    assert.equal(await storage.notices.finish(claims[0]!, SENT), false, 'the claim was lost');
    assert.equal(await second.notices.finish(again, SENT), true);
    assert.deepEqual(await storage.notices.find(due.id), { ...due, ...SENT });
    assert.equal(await second.notices.finish(again, SENT), false, 'once');
  });

  test('two instances that claim at once never get the same notice', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const made = Array.from({ length: 24 }, () => noticeFor(null));
    await add(storage, ...made);
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, n) => claim(n % 2 === 0 ? storage : second, 'smtp', NOW, 4)),
    );
    const ids = claims.flatMap(idsOf);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.length > 0);
  });

  test('fault 208: of one type an addressee gets so many in an hour; the others are counted, once', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id } = await storedAccount(storage);
    await add(storage, ...Array.from({ length: 7 }, () => noticeFor(id)));
    const claims = await claim(storage);
    const admitted = await Promise.all(
      claims.map((each, n) => (n % 2 === 0 ? storage : second).notices.admit(each, HOUR, 4)),
    );
    assert.deepEqual(
      admitted.toSorted((a, b) => (a ?? 9) - (b ?? 9)),
      [1, 2, 3, 4, null, null, null],
    );
    const held = await storage.notices.list({ status: 'HELD_BACK', before: null, limit: 10 });
    assert.equal(held.length, 3);
    const [other, operators, pending] = [
      noticeFor((await storedAccount(storage)).id),
      noticeFor(null),
      noticeFor(id, { type: 'security.pending' }),
    ];
    await add(storage, other, operators, pending);
    for (const each of (await claim(storage)).filter(({ notice }) => notice.attempts === 0))
      assert.equal(await storage.notices.admit(each, HOUR, 4), 1, 'another addressee, another type');
    const take = (before: number) => storage.transaction((tx) => tx.notices.takeHeldBack(before, 10));
    assert.deepEqual(await take(HOUR), [], 'the hour is not over');
    const taken = { notifier: 'smtp', accountId: id, type: 'security.changed', hour: HOUR, count: 3 };
    assert.deepEqual(await take(HOUR + 1), [taken]);
    assert.deepEqual(await take(HOUR + 1), []);
  });

  test('a summary of a day is added once for each notifier and addressee', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id } = await storedAccount(storage);
    const summary = (accountId: AccountId | null, given: Partial<Notice> = {}): Notice =>
      noticeFor(accountId, { type: 'summary.daily', day: HOUR, ...given });
    const [one, same] = [summary(id), summary(id)];
    const results = await Promise.all([add(storage, one), add(second, same)]);
    assert.equal(results.flat().length, 1);
    assert.equal((await add(storage, summary(null), summary(null), summary(null, { notifier: 'chat' }))).length, 2);
    assert.equal((await add(storage, summary(id, { day: HOUR + 86_400_000 }))).length, 1);
    assert.equal((await add(storage, noticeFor(id), noticeFor(id))).length, 2, 'others have no such bound');
  });

  test('what accounts chose is read with them, and who wants summaries is listed by id', async (t) => {
    const { storage } = await open(t);
    const [one, two, gone, admin] = [
      await storedAccount(storage, { name: 'Shop' }),
      await storedAccount(storage),
      await storedAccount(storage, { status: 'disabled' }),
      await storedAccount(storage, { role: 'admin' }),
    ];
    await storedAccount(storage, { role: 'admin', status: 'disabled' });
    const usual = { withdrawals: true, summary: false };
    const { id: accountId, email, role } = one;
    assert.deepEqual(await storage.notices.account(accountId), { accountId, email, role, name: 'Shop', ...usual });
    for (const { id } of [two, gone, one])
      await storage.transaction((tx) =>
        tx.notices.savePreferences({ accountId: id, withdrawals: true, summary: true }),
      );
    await storage.transaction((tx) => tx.notices.savePreferences({ accountId, withdrawals: false, summary: true }));
    const changed = { accountId, email, role, name: 'Shop', withdrawals: false, summary: true };
    assert.deepEqual(await storage.notices.account(accountId), changed);
    assert.deepEqual(await storage.transaction((tx) => tx.notices.account(accountId)), changed);
    assert.deepEqual(await storage.notices.summarised(null, 10), [one.id, two.id]);
    assert.deepEqual(await storage.notices.summarised(one.id, 10), [two.id]);
    assert.deepEqual(await storage.notices.operators(), [admin.email]);
  });

  test('what nobody sends is given up, and what is finished is removed after its time, a part at a time', async (t) => {
    const { storage } = await open(t);
    const old = NOW - 1_000;
    const waiting = Array.from({ length: 3 }, () => noticeFor(null, { createdAt: old }));
    const sent = Array.from({ length: 3 }, () => noticeFor(null, { createdAt: old, status: 'SENT' }));
    const fresh = noticeFor(null);
    await add(storage, ...waiting, ...sent, fresh);
    assert.equal(await storage.notices.prune(NOW, 2), 2);
    assert.equal(await storage.notices.prune(NOW, 2), 1);
    const [held] = await claim(storage, 'smtp', NOW, 1);
    assert.equal(await storage.notices.giveUp(NOW, 'no notifier', 2), 2);
    assert.equal(await storage.notices.giveUp(NOW, 'no notifier', 2), 1);
    assert.equal(await storage.notices.finish(held!, SENT), false, 'it was given up meanwhile');
    const dead = await storage.notices.list({ status: 'DEAD', before: null, limit: 10 });
    assert.deepEqual(new Set(dead.map(({ lastError }) => lastError)), new Set(['no notifier']));
    await storage.notices.prune(NOW, 10);
    assert.deepEqual(await storage.notices.list({ status: null, before: null, limit: 10 }), [fresh]);
  });
});
