import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  addAuditRow,
  heldWords,
  merchantAccount,
  OPERATOR,
  reservationOf,
  raiseAlert,
  securityEvent,
  ACTIONS,
} from '../../core/index.ts';
import type { AccountId, ActionRow, Notice, TransferId } from '../../core/index.ts';
import { withdrawal } from '../contract/storage/money-out-fixtures.ts';
import { eachStorage } from '../support/each-storage.ts';
import notifierPlugin, { madeNotifiers } from '../support/notifier-plugin.ts';
import type { TestStorage } from '../support/storage.ts';
import { managed, startFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';

const API = '/manage/v1';
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ALL = { status: null, before: null, limit: 1000 };
const NOTIFIERS = [
  { name: 'mail', reaches: 'both' },
  { name: 'room', reaches: 'operators' },
] as const;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    const plugins = [notifierPlugin({ notifiers: NOTIFIERS })];
    fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000, plugins });
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  /** What was written while something was done, oldest first. */
  const written = async (work: () => Promise<unknown>): Promise<readonly Notice[]> => {
    const [last] = await store.storage.notices.list({ ...ALL, limit: 1 });
    await work();
    const now = await store.storage.notices.list(ALL);
    return now.filter(({ id }) => last === undefined || id > last.id).toReversed();
  };
  const told = (notices: readonly Notice[]): readonly unknown[] =>
    notices.map(({ notifier, accountId, type }) => [notifier, accountId, type]);

  test('every change that the table of actions tells of has words of its own', () => {
    const actions = Object.values<ActionRow>(ACTIONS).flatMap(({ tells = [] }) => tells.map(({ action }) => action));
    for (const action of actions) assert.notEqual(securityEvent(action), securityEvent('no such action'), action);
  });

  test('fault 205: a change of security, and one that waits, is told to its account, who did it, from where and until when', async () => {
    const user = await fixture.newMember();
    const changed = await written(() => user.client.post(`${API}/credentials`, { name: 'Shop' }));
    assert.deepEqual(told(changed), [['mail', user.id, 'security.changed']]);
    const { subject, text } = changed[0]!;
    assert.equal(subject, 'An API credential was created');
    assert.match(text, new RegExp(`^Account: ${user.email}$`, 'm'));
    assert.match(text, /^IP address: 127\.0\.0\.1$/m);
    assert.match(text, /^By: a user of this account$/m);
    const pending = await written(() =>
      user.client.post(`${API}/payout-addresses`, { chain: 'ETH', address: ADDRESS }),
    );
    assert.deepEqual(told(pending), [['mail', user.id, 'security.pending']]);
    assert.match(pending[0]!.text, /^Takes effect: 2026-03-02 12:00:00 UTC$/m);
    assert.match(pending[0]!.text, new RegExp(`^Address: ${ADDRESS}$`, 'm'));
  });

  test('who is an admin is of interest to the operators: their chat is told of changes of such an account', async () => {
    const admin = await fixture.newMember('admin');
    const notices = await written(() => admin.client.post(`${API}/credentials`, {}));
    assert.deepEqual(told(notices), [
      ['mail', admin.id, 'security.changed'],
      ['room', null, 'security.changed'],
    ]);
    assert.ok(notices[1]!.text.includes(admin.email));
  });

  test('fault 205: no secret, password or URL is in what is told', async () => {
    const user = await fixture.newMember();
    const secrets: string[] = [];
    const notices = await written(async () => {
      const made = managed(await user.client.post(`${API}/credentials`, {}), 201);
      const url = 'http://127.0.0.1:9/hook?key=hidden';
      const hook = managed(await user.client.post(`${API}/webhooks`, { url, events: ['order.*'] }), 201);
      for (const data of [made, hook]) secrets.push(...Object.values(data).filter((each) => typeof each === 'string'));
      await user.client.post(`${API}/password`, { current: user.password, new: 'another horse in the stable' });
    });
    assert.equal(notices.length, 3);
    const all = notices.map(({ subject, text }) => `${subject}\n${text}`).join('\n');
    const kept = secrets.filter((secret) => secret.length > 12 && !/^\d{4}-/.test(secret) && !/^\d+$/.test(secret));
    assert.ok(kept.length >= 4);
    for (const secret of [...kept, user.password, 'another horse', 'hidden']) assert.ok(!all.includes(secret), secret);
  });

  test('fault 205: a change that is rolled back is told to nobody', async () => {
    const { storage, ids, clock } = fixture.till.till;
    const { id } = await fixture.newMember();
    const entry = { action: 'credential.reveal' as const, accountId: id as AccountId, subjectId: id };
    const notices = await written(() =>
      assert.rejects(
        storage.transaction(async (tx) => {
          addAuditRow({ ids, clock }, tx, OPERATOR, entry);
          throw new Error('later');
        }),
        /later/,
      ),
    );
    assert.deepEqual(notices, []);
  });

  test('an alert is told to the operators once, while it is open', async () => {
    const { till } = fixture.till;
    till.storeAlerts.start();
    const notices = await written(async () => {
      for (const reason of ['first', 'second']) raiseAlert(till, 'loss', 'chain A', `${reason}\nBcc: all@example.com`);
      raiseAlert(till, 'approval', 'withdrawal 1', 'is told as withdrawal.held');
      await till.storeAlerts.settled();
    });
    assert.deepEqual(told(notices), [
      ['mail', null, 'alert.raised'],
      ['room', null, 'alert.raised'],
    ]);
    assert.equal(notices[0]!.subject, 'Alert: loss, chain A');
    assert.match(notices[0]!.text, /^Reason: first Bcc: all@example\.com$/m);
  });

  test('a withdrawal that is held is told to its account, unless it chose not to be, and to the operators with the reason', async () => {
    const { storage, ids, clock } = fixture.till.till;
    const user = await fixture.newMember();
    const accountId = user.account.id;
    const hold = () =>
      written(() =>
        storage.transaction(async (tx) => {
          const id = ids.next() as TransferId;
          const at = clock.now();
          await tx.transfers.add({
            ...{ id, kind: 'withdrawal', accountId, orderId: null, chain: 'ETH', currency: 'ETH' },
            ...{ units: 15n * 10n ** 17n, feeUnits: 0n, maxFeeUnits: 0n, sourceAddress: '', sourceIndex: null },
            ...{ toAddress: ADDRESS, status: 'HELD', payoutId: null, reason: 'Beyond the limit of a day.' },
            ...{ deferredAt: null, createdAt: at, updatedAt: at, finishedAt: null },
          });
        }),
      );
    const notices = await hold();
    assert.deepEqual(told(notices), [
      ['mail', accountId, 'withdrawal.held'],
      ['mail', null, 'withdrawal.held'],
      ['room', null, 'withdrawal.held'],
    ]);
    assert.equal(notices[0]!.subject, 'A withdrawal of 1.5 ETH is on hold');
    assert.ok(!notices[0]!.text.includes('Beyond the limit'));
    assert.match(notices[1]!.text, /^Reason: Beyond the limit of a day\.$/m);
    await storage.transaction((tx) => tx.notices.savePreferences({ accountId, withdrawals: false, summary: false }));
    assert.deepEqual(told(await hold()), [
      ['mail', null, 'withdrawal.held'],
      ['room', null, 'withdrawal.held'],
    ]);
  });

  test('a withdrawal that is made as held is told with its reserve, and one that is refused is not', async () => {
    const { storage } = fixture.till.till;
    const user = await fixture.newMember();
    const account = user.account.id;
    const made = {
      ...withdrawal(account, { units: 5n, status: 'HELD', reason: 'Beyond the limit.' }),
      accountId: account,
    };
    const reservation = reservationOf(made, fixture.till.till.ids, null);
    const refused = await written(async () =>
      assert.deepEqual(await storage.transfers.reserve(reservation), { kind: 'lacking' }),
    );
    assert.deepEqual(refused, []);
    const available = merchantAccount(account, 'available');
    await store.sql("UPDATE ledger_balances SET units = '5' WHERE account = ? AND currency = ?", [available, 'ETH']);
    const notices = await written(async () =>
      assert.equal((await storage.transfers.reserve(reservation)).kind, 'reserved'),
    );
    assert.deepEqual(told(notices), [
      ['mail', account, 'withdrawal.held'],
      ['mail', null, 'withdrawal.held'],
      ['room', null, 'withdrawal.held'],
    ]);
  });

  test('fault 209: names of accounts write no header and no other line, and leave no mark of direction', async () => {
    const user = await fixture.newMember();
    await store.sql('UPDATE accounts SET name = ? WHERE id = ?', [
      'Shop\r\nBcc: all@example.com\n\nPay to me \u202e\u2028here',
      user.id,
    ]);
    const [notice] = await written(() => user.client.post(`${API}/credentials`, { name: 'x\u202ey' }));
    const lines = notice!.text.split('\n');
    assert.ok(lines.includes(`Account: Shop Bcc: all@example.com Pay to me here (${user.email})`), notice!.text);
    assert.ok(!/[\r\u202e\u2028]/.test(notice!.text));
    const transfer = { id: '1' as TransferId, kind: 'refund', chain: 'ETH', currency: 'ETH', units: 1n } as const;
    const words = heldWords(
      { ...transfer, toAddress: 'a\r\nSubject: x', reason: null, updatedAt: 0 } as never,
      null,
      () => '1 ETH\r\nTo: all',
    );
    assert.ok(!words.toOperators.subject.includes('\n'));
    assert.ok(!words.toOperators.text.includes('\nSubject'));
  });

  test('a notifier of a plugin sends what is due', async () => {
    const { deliverNotices } = fixture.till.till;
    while ((await deliverNotices.run('mail')) > 0);
    const { sent } = madeNotifiers.get('mail')!;
    assert.ok(sent.length > 0);
    const [first] = sent;
    assert.match(first!.text, /\n--\nSent by Tillgate\.\nDashboard: http:\/\/127\.0\.0\.1:\d+\/dashboard$/);
    const rows = await store.storage.notices.list(ALL);
    assert.ok(rows.filter(({ notifier }) => notifier === 'mail').every(({ status }) => status !== 'PENDING'));
  });
});
