import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DailySummary, DeliverNotices, MOST_NOTICES, NOTICE_SCHEDULE_MS, TidyNotices } from '../../../core/index.ts';
import type {
  Account,
  Notice,
  NoticeId,
  NoticeSettings,
  NoticeStatus,
  Notifier,
  Order,
  Storage,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import {
  ConstantRandom,
  FakeClock,
  FakeDeadlines,
  FakeIds,
  MemoryEventBus,
  MemoryLogger,
  MemoryMetrics,
} from '../../support/fakes.ts';
import { FakeNotifier } from '../../support/notifier-plugin.ts';
import { storedAccount, storedOrder } from '../storage/fixtures.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const ALL = { status: null, before: null, limit: 1000 };

/** An instance that sends notices; its clock stands still. */
function instance(storage: Storage, notifiers: readonly Notifier[], clock = new FakeClock(), node = 1) {
  const [logger, metrics, deadlines, events] = [
    new MemoryLogger(),
    new MemoryMetrics(),
    new FakeDeadlines(),
    new MemoryEventBus(),
  ];
  const ids = new FakeIds(clock, node);
  const shared = { storage, clock, ids, events };
  const notices: NoticeSettings = { channels: () => notifiers, amount: (currency, units) => `${units} ${currency}` };
  return {
    ...{ logger, metrics, deadlines, clock, ids },
    deliver: new DeliverNotices({
      ...{ storage, notifiers, clock, logger, metrics, deadline: deadlines.after, random: new ConstantRandom(128) },
      footer: () => ['Sent by a test.'],
    }),
    summary: new DailySummary({ ...shared, notices }),
    tidy: new TidyNotices(shared),
  };
}
type Instance = ReturnType<typeof instance>;

const write = async (
  storage: Storage,
  { ids, clock }: Instance,
  account: Account | null,
  given: Partial<Notice> = {},
) => {
  const at = clock.now();
  const notice: Notice = {
    ...{ id: ids.next() as NoticeId, notifier: 'mail', accountId: account?.id ?? null, type: 'security.changed' },
    ...{ subject: 'Subject', text: 'Text', status: 'PENDING', attempts: 0, nextAt: at, createdAt: at },
    ...{ sentAt: null, lastError: null, day: null, ...given },
  };
  await storage.transaction((tx) => tx.notices.add([notice]));
  return notice;
};
const statusOf = async (storage: Storage, { id }: Notice): Promise<NoticeStatus | undefined> =>
  (await storage.notices.find(id))?.status;

eachStorage((_name, open) => {
  test('a notice goes to the mail of its account, and one of the operators to those of all active admins', async (t) => {
    const { storage } = await open(t);
    const mail = new FakeNotifier('mail');
    const one = instance(storage, [mail]);
    const account = await storedAccount(storage);
    const admins = [await storedAccount(storage, { role: 'admin' }), await storedAccount(storage, { role: 'admin' })];
    await storedAccount(storage, { role: 'admin', status: 'disabled' });
    const [own, all] = [await write(storage, one, account), await write(storage, one, null)];
    assert.equal(await one.deliver.run('mail'), 2);
    assert.deepEqual(
      mail.sent.map(({ id, audience, to }) => [id, audience, to]),
      [
        [own.id, 'account', [account.email]],
        [all.id, 'operators', admins.map(({ email }) => email)],
      ],
    );
    assert.equal(mail.sent[0]!.text, 'Text\n\n--\nSent by a test.');
    assert.equal(await statusOf(storage, own), 'SENT');
    assert.equal(await one.deliver.run('mail'), 0);
    assert.equal(one.metrics.counted('tillgate_notices_total', { notifier: 'mail', outcome: 'sent' }), 2);
  });

  test('fault 206: a process that dies between sending and storing sends the same id again, and nothing is lost', async (t) => {
    const { storage, another, sql } = await open(t);
    const second = await another();
    const mail = new FakeNotifier('mail');
    const one = instance(storage, [mail]);
    const account = await storedAccount(storage);
    const notice = await write(storage, one, account);
    const dying: Storage['notices'] = Object.assign(Object.create(storage.notices) as Storage['notices'], {
      claimDue: storage.notices.claimDue.bind(storage.notices),
      admit: storage.notices.admit.bind(storage.notices),
      account: storage.notices.account.bind(storage.notices),
      finish: () => Promise.reject(new Error('killed')),
    });
    await instance({ notices: dying } as Storage, [mail], one.clock).deliver.run('mail');
    assert.equal(await statusOf(storage, notice), 'PENDING');
    assert.equal(await one.deliver.run('mail'), 0, 'its claim holds until the lease is over');
    await sql('UPDATE notices SET claimed_until = 0');
    await instance(second, [mail], one.clock, 2).deliver.run('mail');
    assert.deepEqual(
      mail.sent.map(({ id }) => id),
      [notice.id, notice.id],
    );
    assert.equal(await statusOf(storage, notice), 'SENT');
  });

  test('fault 206: two instances that look at once send each notice once', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const [a, b] = [new FakeNotifier('mail'), new FakeNotifier('mail')];
    const one = instance(storage, [a]);
    const two = instance(second, [b], one.clock, 2);
    const account = await storedAccount(storage);
    const made: NoticeId[] = [];
    for (let n = 0; n < 18; n++) made.push((await write(storage, one, account)).id);
    const passes = async ({ deliver }: Instance): Promise<void> => {
      while ((await deliver.run('mail')) > 0);
    };
    await Promise.all([passes(one), passes(two)]);
    const sent = [...a.sent, ...b.sent].map(({ id }) => id);
    assert.deepEqual(sent.toSorted(), made.toSorted());
  });

  test('fault 207: a notifier that hangs ends at the deadline, and makes no other notifier and no transaction wait', async (t) => {
    const { storage } = await open(t);
    const [stuck, other] = [new FakeNotifier('stuck'), new FakeNotifier('mail')];
    stuck.answer = () => new Promise<never>(() => undefined);
    const one = instance(storage, [stuck, other]);
    const account = await storedAccount(storage);
    const hung = await write(storage, one, account, { notifier: 'stuck' });
    const fine = await write(storage, one, account);
    const pass = one.deliver.run('stuck');
    while (stuck.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await one.deliver.run('mail'), 1);
    assert.equal(await statusOf(storage, fine), 'SENT');
    await storedOrder(storage, account.id);
    one.deadlines.passAll();
    assert.equal(await pass, 1);
    const { status, attempts, lastError, nextAt } = (await storage.notices.find(hung.id))!;
    assert.deepEqual([status, attempts, lastError], ['PENDING', 1, 'timeout']);
    assert.ok(nextAt > one.clock.now());
  });

  test('fault 207: what fails, throws or answers nonsense is tried again for about a day, and then given up', async (t) => {
    const { storage } = await open(t);
    const mail = new FakeNotifier('mail');
    const one = instance(storage, [mail]);
    const account = await storedAccount(storage);
    const notice = await write(storage, one, account);
    const started = one.clock.now();
    mail.answer = ({ id }) => {
      if (mail.sent.length % 2 === 0) return { kind: 'failed', reason: 'refused' };
      throw new TypeError(`smtp://user:password@host ${id}`);
    };
    for (let attempt = 0; attempt <= NOTICE_SCHEDULE_MS.length; attempt++) {
      assert.equal(await one.deliver.run('mail'), 1, `attempt ${attempt}`);
      const { nextAt, lastError } = (await storage.notices.find(notice.id))!;
      assert.equal(lastError, attempt % 2 === 0 ? 'not sent: TypeError' : 'refused');
      one.clock.set(nextAt);
    }
    assert.equal(await statusOf(storage, notice), 'DEAD');
    const days = (one.clock.now() - started) / DAY;
    assert.ok(days > 0.8 && days < 1.2, `${days} days`);
    assert.equal(await one.deliver.run('mail'), 0);
    assert.ok(!JSON.stringify(one.logger.lines).includes('password'));
  });

  test('a receiver that names a later time is asked then, and what can never be sent is given up at once', async (t) => {
    const { storage } = await open(t);
    const mail = new FakeNotifier('mail');
    const one = instance(storage, [mail]);
    const account = await storedAccount(storage);
    const [later, never] = [await write(storage, one, account), await write(storage, one, account)];
    mail.answer = ({ id }) =>
      id === later.id
        ? { kind: 'failed', reason: 'busy', retryAfterMs: HOUR }
        : { kind: 'failed', reason: 'no such mailbox', final: true };
    await one.deliver.run('mail');
    assert.equal((await storage.notices.find(later.id))?.nextAt, one.clock.now() + HOUR);
    assert.equal(await statusOf(storage, never), 'DEAD');
  });

  test('fault 208: a flood is bounded, the last one says so, how many were held back is told once, and no other type or account loses any', async (t) => {
    const { storage } = await open(t);
    const mail = new FakeNotifier('mail');
    const one = instance(storage, [mail]);
    const [victim, other] = [await storedAccount(storage), await storedAccount(storage)];
    for (let n = 0; n < MOST_NOTICES.account + 7; n++) await write(storage, one, victim);
    const pass = async (): Promise<void> => {
      while ((await one.deliver.run('mail')) > 0);
    };
    await pass();
    assert.equal(mail.sent.length, MOST_NOTICES.account);
    const last = mail.sent.filter(({ text }) =>
      text.includes('No more notices of this type are sent until 2026-03-01 13:00:00 UTC'),
    );
    assert.equal(last.length, 1, 'only the last one says so');
    const [pending, others] = [
      await write(storage, one, victim, { type: 'security.pending' }),
      await write(storage, one, other),
    ];
    await pass();
    assert.equal(await statusOf(storage, pending), 'SENT');
    assert.equal(await statusOf(storage, others), 'SENT');
    await one.tidy.run();
    await pass();
    assert.equal(mail.sent.length, MOST_NOTICES.account + 2, 'the hour is not over');
    one.clock.advance(HOUR);
    await one.tidy.run();
    await one.tidy.run();
    await pass();
    const { type, to, subject } = mail.sent.at(-1)!;
    assert.deepEqual([type, to], ['notices.held_back', [victim.email]]);
    assert.equal(subject, '7 more notices of type security.changed were not sent');
    assert.equal(mail.sent.length, MOST_NOTICES.account + 3);
    await write(storage, one, victim);
    await pass();
    assert.equal(mail.sent.length, MOST_NOTICES.account + 4, 'another hour');
  });

  test('what a notifier that is gone had to send is given up, and old notices are removed', async (t) => {
    const { storage } = await open(t);
    const one = instance(storage, []);
    const account = await storedAccount(storage);
    const orphan = await write(storage, one, account, { notifier: 'gone' });
    one.clock.advance(3 * DAY + 1);
    await one.tidy.run();
    assert.equal(await statusOf(storage, orphan), 'DEAD');
    one.clock.advance(30 * DAY);
    await one.tidy.run();
    assert.equal(await storage.notices.find(orphan.id), null);
  });

  test('fault 218: the summary of a day is written once by several instances and after a restart, for whom wants it and has something to read', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const [mail, room] = [new FakeNotifier('mail'), new FakeNotifier('room', 'operators')];
    const one = instance(storage, [mail, room]);
    const [busy, quiet, unasked] = [
      await storedAccount(storage),
      await storedAccount(storage),
      await storedAccount(storage),
    ];
    for (const { id: accountId } of [busy, quiet])
      await storage.transaction((tx) => tx.notices.savePreferences({ accountId, withdrawals: true, summary: true }));
    const yesterday = one.clock.now() - (one.clock.now() % DAY) - DAY;
    const made: Partial<Order> = { createdAt: yesterday + HOUR };
    for (const { id } of [busy, busy, unasked]) await storedOrder(storage, id, made);
    one.clock.set(yesterday + DAY + 4 * 60_000);
    assert.equal(await one.summary.run(), 0, 'not before five past midnight');
    one.clock.advance(60_000);
    const two = instance(second, [mail, room], one.clock, 2);
    const counts = await Promise.all([one.summary.run(), two.summary.run()]);
    assert.equal(counts[0] + counts[1], 3);
    assert.equal(await instance(storage, [mail, room], one.clock, 3).summary.run(), 0, 'after a restart');
    const rows = (await storage.notices.list(ALL)).toSorted((a, b) => (a.notifier < b.notifier ? -1 : 1));
    assert.deepEqual(
      new Set(rows.map((row) => `${row.notifier} ${row.accountId}`)),
      new Set([`mail ${busy.id}`, 'mail null', 'room null']),
    );
    const own = rows.find(({ accountId }) => accountId === busy.id)!;
    assert.match(own.subject, /^Summary for 2026-02-28: 2 orders, 0 paid$/);
    assert.ok(!own.text.includes('alerts'));
    const all = rows.find(({ accountId }) => accountId === null)!;
    assert.match(all.text, /^Created: 3$/m);
    assert.match(all.text, /^Open alerts: 0$/m);
    one.clock.advance(DAY);
    assert.equal(await one.summary.run(), 2, 'the operators have one of each day');
  });
});
