import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountId, AlertId } from '../../core/index.ts';
import { payoutBatch } from '../contract/storage/batch-fixtures.ts';
import { claim, pullPayment, storedClaim } from '../contract/storage/claim-fixtures.ts';
import { callback, deposit, nextId, NOW, storedOrder, transactionRow } from '../contract/storage/fixtures.ts';
import { stored, transfer, withdrawal } from '../contract/storage/money-out-fixtures.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

interface Found {
  readonly kind: string;
  readonly id: string;
  readonly account: string | null;
}

const SEARCH = '/manage/v1/search';
const WAITING = '/manage/v1/waiting';
const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const find = async ({ client }: Member, q: string): Promise<readonly Found[]> =>
    managed<{ items: readonly Found[] }>(await client.get(`${SEARCH}?${new URLSearchParams({ q }).toString()}`)).items;

  /** One record of each kind, and the texts by which each is found. */
  async function records({ id, client }: Member): Promise<readonly (readonly [q: string, kind: string, id: string])[]> {
    const { storage } = store;
    const account = id as AccountId;
    const reference = `invoice ${nextId()}`;
    const order = await storedOrder(storage, account, { merchantReference: reference });
    const paid = await stored(storage, withdrawal(account, { toAddress: ADDRESS }));
    const asked = await storedClaim(storage, account);
    const batch = payoutBatch(account);
    const sent = callback(order);
    const title = `Lesson of ${nextId()} ways`;
    const link = managed<{ id: string; title: string }>(
      await client.post('/manage/v1/links', { title, currency: 'USD' }),
      201,
    );
    const txid = `0x${nextId().padStart(64, '0')}`;
    const hash = `0x${nextId().padStart(64, 'a')}`;
    await storage.transaction(async (tx) => {
      await tx.callbacks.add(sent);
      await tx.batches.add(batch, []);
      await tx.deposits.add(deposit(order, { txid }));
      await tx.deposits.addTransaction({
        ...{ ...transactionRow(deposit(order)), id: paid.id, type: 'WITHDRAW' as const, orderId: null },
        ...{ toAddress: ADDRESS, txHash: hash },
      });
    });
    return [
      [order.id, 'order', order.id],
      [reference, 'order', order.id],
      [txid, 'order', order.id],
      [txid.toUpperCase().replace('0X', '0x'), 'order', order.id],
      [paid.id, 'payout', paid.id],
      [hash, 'payout', paid.id],
      [asked.id, 'claim', asked.id],
      [asked.pullPaymentId, 'pull_payment', asked.pullPaymentId],
      [batch.id, 'payout_batch', batch.id],
      [link.id, 'link', link.id],
      [link.title.slice(3).toUpperCase(), 'link', link.id],
      [sent.id, 'callback', sent.id],
    ];
  }

  test('fault 540: a search never finds a record of another account, by whatever text; its owner and admins find it', async () => {
    const owner = await fixture.newMember();
    const stranger = await fixture.newMember();
    for (const [q, kind, id] of await records(owner)) {
      assert.deepEqual(await find(stranger, q), [], `${kind} by ${q}`);
      const expected = { kind, id, account: owner.id };
      for (const member of [owner, fixture.admin]) {
        const [first, ...more] = (await find(member, q)).map(({ kind: of, id: its, account }) => ({
          kind: of,
          id: its,
          account,
        }));
        assert.deepEqual([first, more], [expected, []], `${kind} by ${q}`);
      }
    }
  });

  test('fault 529: the name of a pull payment finds it and its claims, for its own account and admins alone', async () => {
    const [owner, stranger] = [await fixture.newMember(), await fixture.newMember()];
    const name = `Prize of round ${nextId()} ways`;
    const [pull, other] = [pullPayment(owner.id as AccountId, { name }), pullPayment(owner.id as AccountId)];
    const [claimed, unrelated] = [claim(pull), claim(other)];
    await store.storage.transaction(async (tx) => {
      for (const each of [pull, other]) await tx.pullPayments.add(each);
      for (const each of [claimed, unrelated]) await tx.pullPayments.addClaim(each);
    });
    const part = name.slice(2).toUpperCase();
    for (const member of [owner, fixture.admin])
      assert.deepEqual((await find(member, part)).map(({ kind, id }) => [kind, id]).toSorted(), [
        ['claim', claimed.id],
        ['pull_payment', pull.id],
      ]);
    assert.deepEqual(await find(stranger, part), []);
    assert.deepEqual(await find(owner, `${name} more`), []);
  });

  test('fault 541: the till’s own moves are found by admins alone, and what an admin finds is in the audit log', async () => {
    const owner = await fixture.newMember();
    const sweep = await stored(store.storage, transfer());
    assert.deepEqual(await find(owner, sweep.id), []);
    assert.deepEqual(
      (await find(fixture.admin, sweep.id)).map(({ kind, id }) => [kind, id]),
      [['payout', sweep.id]],
    );
    const { items } = managed<{ items: readonly { readonly action: string; readonly changes: object }[] }>(
      await fixture.admin.client.get('/manage/v1/audit?limit=100'),
    );
    const noted = items.filter(({ action }) => action === 'account.read').map(({ changes }) => JSON.stringify(changes));
    assert.ok(
      noted.some((changes) => changes.includes('"search"')),
      noted.join(),
    );
  });

  test('an address finds at most ten records, newest first, and the parameter is bounded', async () => {
    const member = await fixture.newMember();
    const account = member.id as AccountId;
    const order = await storedOrder(store.storage, account);
    for (let made = 0; made < 12; made++) {
      const paid = await stored(store.storage, withdrawal(account, { toAddress: ADDRESS }));
      const row = { ...transactionRow(deposit(order)), id: paid.id, type: 'WITHDRAW' as const, orderId: null };
      await store.storage.transaction((tx) =>
        tx.deposits.addTransaction({ ...row, toAddress: ADDRESS, txHash: null, at: NOW + made }),
      );
    }
    const found = await find(member, ADDRESS);
    assert.equal(found.length, 10);
    const ids = found.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => Number(BigInt(b) - BigInt(a))),
    );
    assert.deepEqual(await find(member, `  ${ADDRESS} `), found, 'spaces around it do not matter');
    for (const q of ['', ' ', 'x'.repeat(2049)])
      assertRefused(await member.client.get(`${SEARCH}?${new URLSearchParams({ q }).toString()}`), 400, 'q');
    assertRefused(await member.client.get(SEARCH), 400, 'q');
    assert.deepEqual(await find(member, HASH), []);
    assert.deepEqual(await find(member, "'; DROP TABLE orders; --"), []);
    assertRefused(await fixture.client.get(`${SEARCH}?q=1`), 401);
  });

  test('fault 542: what waits for a decision is counted of the own account alone; an admin has that of all, and the operator’s', async () => {
    const [owner, stranger] = [await fixture.newMember(), await fixture.newMember()];
    const counts = async ({ client }: Member, query = ''): Promise<Readonly<Record<string, unknown>>> =>
      managed(await client.get(WAITING + query));
    const nothing = { claims: 0, payout_batches: 0, payouts: 0, operator: null };
    const before = await counts(fixture.admin);
    const { storage } = store;
    const account = owner.id as AccountId;
    await storedClaim(storage, account);
    await stored(storage, withdrawal(account, { status: 'HELD' }));
    await stored(storage, withdrawal(account));
    await storage.transaction(async (tx) => {
      await tx.batches.add(payoutBatch(account), []);
      const id = nextId() as AlertId;
      await tx.alerts.raise({
        ...{ id, kind: 'loss', subject: id, reason: 'once', status: 'OPEN', firstAt: NOW, lastAt: NOW },
        ...{ count: 1, acknowledgedAt: null, acknowledgedBy: null },
      });
    });
    const own = { ...nothing, claims: 1, payout_batches: 1, payouts: 1 };
    assert.deepEqual(await counts(owner), { account: owner.id, most: 100, ...own });
    assert.deepEqual(await counts(stranger), { account: stranger.id, most: 100, ...nothing });
    assert.deepEqual(await counts(fixture.admin, `?account=${owner.id}`), { account: owner.id, most: 100, ...own });
    assertRefused(await stranger.client.get(`${WAITING}?account=${owner.id}`), 404);
    const all = await counts(fixture.admin);
    const grew = (name: string): number => Number(all[name]) - Number(before[name]);
    assert.deepEqual([all['account'], grew('claims'), grew('payout_batches'), grew('payouts')], [null, 1, 1, 1]);
    const alerts = (of: Readonly<Record<string, unknown>>): number => (of['operator'] as { alerts: number }).alerts;
    assert.equal(alerts(all) - alerts(before), 1);
    assert.equal((all['operator'] as { deposits: number }).deposits, 0);
  });

  test('counts stop at the most, however many wait', async () => {
    const member = await fixture.newMember();
    for (let made = 0; made < 101; made++)
      await stored(store.storage, withdrawal(member.id as AccountId, { status: 'HELD' }));
    const { payouts, most } = managed<{ payouts: number; most: number }>(await member.client.get(WAITING));
    assert.deepEqual([payouts, most], [100, 100]);
  });
});
