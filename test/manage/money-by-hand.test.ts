import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger, OPERATOR } from '../../core/index.ts';
import type { ChainPayments } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import type { TestStorage } from '../support/storage.ts';
import { codeAt } from '../support/totp.ts';
import { assertRefused, assertStepUp, managed, startFixture, stepUp } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const WALLETS = '/manage/v1/wallets';
const PAYOUTS = '/manage/v1/payouts';
const UNKNOWN = '1530217733410816001';
const [HOT, OWN] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x90F79bf6EB2c4f870365E785982E1f101E93b906'];
const BODY = { amount: '10.5', chain: 'ETH', coin: 'USDT-ERC20' };
const FEE_UNITS = 200_000_000_000_000n;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    const limits = [{ currency: 'USDT-ERC20', window: '24h', perAccount: '60' }];
    fixture = await startFixture(store, { settings: { withdrawals: { limits } } });
    const chain = fixture.till.till.chains.get('ETH') as {
      payments: ChainPayments | null;
      assets: readonly ChainPayments['feeAsset'][];
    };
    // Requests need prices and what the hot wallet holds; nothing is signed here.
    chain.payments = {
      model: 'account',
      feeAsset: chain.assets.find(({ currency }) => currency === 'ETH'),
      hotAddress: HOT,
      maxLines: 1,
      dust: () => 1n,
      price: async () => ({ feeUnits: FEE_UNITS, coins: [], terms: '' }),
      balance: async () => 10n ** 30n,
    } as unknown as ChainPayments;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  /** An order of an account that was paid, and whose money is spendable. */
  const paidOrder = async ({ client }: Member, price = 25): Promise<string> => {
    const order = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price: String(price) };
    const { id } = managed<{ id: string }>(await client.post('/manage/v1/orders', order), 201);
    await leaveRefundAddress(fixture.till.till, id, OWN);
    fixture.till.clock.advance(1);
    dataOf(await fixture.client.post('/sandbox/v1/pay', { order_id: id }));
    dataOf(await fixture.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 1 }));
    await fixture.till.work();
    return id;
  };
  /** An account that may withdraw at once. */
  const verified = async (member: Member): Promise<Member> => {
    const accountId = member.account.id;
    await store.storage.accounts.update(accountId, { verifiedCurrencies: ['*'], modifiedAt: fixture.till.clock.now() });
    await fixture.manage.addresses.register(OPERATOR, { accountId, chain: 'ETH', address: OWN }, true);
    return member;
  };
  const refund = (by: Member, id: string, headers: Record<string, string> = {}) =>
    by.client.post('/manage/v1/refunds', { order: id }, { headers });
  const wallet = async ({ client }: Member, query = ''): Promise<readonly unknown[]> => {
    const { items } = managed<{ items: readonly Fields[] }>(await client.get(`${WALLETS}${query}`));
    const row = items.find(({ coin }) => coin === 'USDT-ERC20');
    return [row?.['available'], row?.['pending'], row?.['locked'], row?.['total']];
  };
  const audit = async (member: Member, action: string): Promise<readonly Fields[]> =>
    managed<List>(await fixture.admin.client.get(`/manage/v1/audit?account=${member.id}&limit=100`)).items.filter(
      (row) => row['action'] === action,
    );

  test('balances are those of the payment API, one’s own; an admin reads any', async () => {
    const member = await fixture.newMember();
    await paidOrder(member);
    const key = managed(await member.client.post('/manage/v1/credentials', {}), 201)['api_key'];
    const client = fixture.client.with({ 'API-Key': String(key) });
    const { items } = managed<{ items: unknown }>(await member.client.get(WALLETS));
    const rows = dataOf<Fields[]>(await client.get('/api/wallets'));
    assert.deepEqual(
      items,
      rows.map(({ currency: coin, ...row }) => ({ ...row, coin })),
    );
    client.close();
    assert.deepEqual(await wallet(member), ['25', '0', '0', '25']);
    assert.deepEqual(await wallet(fixture.admin, `?account=${member.id}`), ['25', '0', '0', '25']);
    assert.deepEqual(await wallet(fixture.admin), ['0', '0', '0', '0']);
    const other = await fixture.newMember();
    assertRefused(await other.client.get(`${WALLETS}?account=${member.id}`), 404);
    assertRefused(await fixture.admin.client.get(`${WALLETS}?account=${UNKNOWN}`), 404);
  });

  test('fault 210: a session that is not raised neither refunds nor withdraws, nor does another account', async () => {
    const member = await verified(await fixture.newMember('user', { raised: false }));
    const id = await paidOrder(member);
    assertStepUp(await refund(member, id));
    assertStepUp(await member.client.post(PAYOUTS, BODY));
    const other = await fixture.newMember();
    for (const order of [id, UNKNOWN, 'garbage']) assertRefused(await refund(other, order), 404);
    assert.deepEqual(await wallet(member), ['25', '0', '0', '25']);
    assert.deepEqual(await audit(member, 'order.refund'), []);
    await stepUp(member.client, { password: member.password });
    const asked = managed(await refund(member, id), 201);
    assert.equal(asked['status'], 'REQUESTED');
    const path = `${PAYOUTS}/${String(asked['id'])}`;
    for (const client of [member.client, fixture.admin.client])
      assert.equal(managed(await client.get(path))['order'], id);
    assertRefused(await other.client.get(path), 404);
  });

  test('a refund is reserved once, and told with the order; it leaves one row in the audit log', async () => {
    const member = await verified(await fixture.newMember());
    const id = await paidOrder(member);
    const headers = { 'Idempotency-Key': 'refund 1' };
    const replies = await Promise.all(Array.from({ length: 4 }, () => refund(member, id, headers)));
    const [first, ...copies] = replies.map((reply) => managed(reply, 201));
    for (const copy of copies) assert.deepEqual(copy, first);
    assert.deepEqual(
      [first?.['kind'], first?.['order'], first?.['amount'], first?.['requested_by'], first?.['account']],
      ['refund', id, '25', member.id, member.id],
    );
    assertRefused(await refund(member, id), 409);
    assert.deepEqual(await wallet(member), ['0', '0', '25', '25']);
    const file = managed<{ refunds: readonly Fields[] }>(await member.client.get(`/manage/v1/orders/${id}`));
    assert.deepEqual(
      file.refunds.map((each) => each['id']),
      [first?.['id']],
    );
    const [row, ...more] = await audit(member, 'order.refund');
    assert.deepEqual(more, []);
    assert.deepEqual([row?.['actor'], row?.['subject']], [member.id, id]);
    assert.equal(((row?.['changes'] as Fields)['payout'] as Fields)['to'], first?.['id']);
    assertRefused(await refund(member, await paidOrder(member), headers), 409);
  });

  test('a refund of a part is reserved, and told with the order, in its lists, and in the audit log', async () => {
    const member = await verified(await fixture.newMember());
    const id = await paidOrder(member);
    const part = (body: object) => member.client.post('/manage/v1/refunds', { order: id, ...body });
    const left = /at most the 25 USDT-ERC20 that are left/;
    for (const [body, field, message] of [
      [{ amount: '25.000001' }, 'amount', left],
      [{ amount: '1.0000001' }, 'amount', left],
      [{ fiat_amount: '25.01', rate: 'current' }, 'fiat_amount', left],
      [{ amount: '-1' }, 'amount', /positive/],
      [{ amount: 1 }, 'amount', /string/],
      [{ fiat_amount: '1', rate: 'then' }, 'rate', /order, current/],
      [{ amount: '1', surplus: true }, 'surplus', /must be absent/],
      [{ surplus: 'yes' }, 'surplus', /true or false/],
    ] as const) {
      const { errors } = assertRefused(await part(body), 400, field);
      assert.match(errors?.[0]?.message ?? '', message);
    }
    assertRefused(await part({ surplus: true }), 409);
    const headers = { 'Idempotency-Key': 'part 1' };
    const [first, copy] = await Promise.all(
      [1, 2].map(async () =>
        managed(await member.client.post('/manage/v1/refunds', { order: id, amount: '4.5' }, { headers }), 201),
      ),
    );
    assert.deepEqual(copy, first);
    assert.deepEqual([first?.['amount'], first?.['order']], ['4.5', id]);
    assertRefused(await member.client.post('/manage/v1/refunds', { order: id, amount: '5' }, { headers }), 409);
    assertRefused(await part({ amount: '1' }), 409);
    assert.deepEqual(await wallet(member), ['20.5', '0', '4.5', '25']);
    const { items } = managed<List>(await member.client.get(`/manage/v1/orders?q=${id}`));
    for (const record of [items[0], managed(await member.client.get(`/manage/v1/orders/${id}`))])
      assert.deepEqual(
        [record?.['status'], record?.['refunded_amount'], record?.['refundable_amount']],
        ['SUCCESS', '0', '20.5'],
      );
    const csv = (await member.client.get(`/manage/v1/orders.csv?q=${id}`)).text;
    assert.match(csv.split('\n')[0] ?? '', /refunded_amount,refundable_amount/);
    const { items: history } = managed<List>(await member.client.get(`/manage/v1/orders/${id}/history`));
    assert.deepEqual(
      history.filter(({ rule }) => rule === 'refund-partial').map(({ inputs }) => (inputs as Fields)['units']),
      ['4500000'],
    );
    assert.equal((await audit(member, 'order.refund')).length, 1);
  });

  test('fault 528: a refund is estimated as it would be charged, to no other merchant, and an estimate reserves nothing', async () => {
    const member = await verified(await fixture.newMember());
    const id = await paidOrder(member);
    const quote = (more: Record<string, string> = {}, by = member) =>
      by.client.get(`/manage/v1/refund-quotes?${new URLSearchParams({ order: id, ...more }).toString()}`);
    const left = /at most the 25 USDT-ERC20 that are left/;
    for (const [more, field, message] of [
      [{ amount: '25.000001' }, 'amount', left],
      [{ fiat_amount: '25.01', rate: 'current' }, 'fiat_amount', left],
      [{ amount: '0' }, 'amount', /positive/],
      [{ rate: 'order' }, 'rate', /must be absent/],
      [{ amount: '1', surplus: 'true' }, 'surplus', /must be absent/],
      [{ surplus: 'yes' }, 'surplus', /true, false/],
    ] as const) {
      const { errors } = assertRefused(await quote(more), 400, field);
      assert.match(errors?.[0]?.message ?? '', message);
    }
    assertRefused(await quote({ surplus: 'true' }), 409);
    assertRefused(await quote({}, await fixture.newMember()), 404);
    assert.equal(managed(await quote())['amount'], '25');
    const shown = managed(await quote({ fiat_amount: '4.5' }));
    assert.deepEqual(await wallet(member), ['25', '0', '0', '25']);
    assert.equal((await audit(member, 'order.refund')).length, 0);
    const made = managed(await member.client.post('/manage/v1/refunds', { order: id, fiat_amount: '4.5' }), 201);
    for (const field of ['chain', 'coin', 'amount', 'fee', 'received', 'to_address'])
      assert.deepEqual([field, shown[field]], [field, made[field]]);
    assert.ok(Number(shown['fee']) > 0);
    assertRefused(await quote(), 409);
  });

  test('a withdrawal is estimated as it would be charged, and an estimate reserves nothing', async () => {
    const member = await fixture.newMember();
    await paidOrder(member);
    const quote = (more: Record<string, string> = {}) =>
      member.client.get(`/manage/v1/payout-quotes?${new URLSearchParams({ ...BODY, ...more }).toString()}`);
    // Nothing can be withdrawn yet, and so nothing is estimated.
    assertRefused(await quote(), 400);
    await verified(member);
    const shown = managed(await quote());
    assertRefused(await quote({ amount: '0' }), 400, 'amount');
    assertRefused(await quote({ amount: '1e3' }), 400, 'amount');
    assertRefused(await quote({ amount: '10.1234567' }), 400, 'amount');
    assertRefused(await quote({ coin: 'DOGE' }), 400);
    assertRefused(await quote({ chain: 'BLN', coin: 'BTC-LN' }), 400);
    assert.deepEqual(await wallet(member), ['25', '0', '0', '25']);
    const made = managed(await member.client.post(PAYOUTS, BODY), 201);
    for (const field of ['chain', 'coin', 'amount', 'fee', 'received', 'to_address'])
      assert.deepEqual([field, shown[field]], [field, made[field]]);
    assert.ok(Number(shown['fee']) > 0);
    const other = await fixture.newMember();
    assertRefused(await other.client.get(`/manage/v1/payout-quotes?${new URLSearchParams(BODY).toString()}`), 400);
  });

  test('a withdrawal goes to the registered address, once for each key, and leaves one row in the audit log', async () => {
    const member = await fixture.newMember();
    await paidOrder(member);
    const withdraw = (more: object = {}, headers: Record<string, string> = {}) =>
      member.client.post(PAYOUTS, { ...BODY, ...more }, { headers });
    assertRefused(await withdraw({ amount: '0' }), 400, 'amount');
    assertRefused(await withdraw({ amount: 10.5 }), 400, 'amount');
    assertRefused(await withdraw({ coin: 'DOGE' }), 400);
    for (const client of [fixture.admin.client, (await fixture.newMember()).client])
      assertRefused(await client.post(PAYOUTS, { ...BODY, account: member.id }), 404);
    assertRefused(await withdraw(), 400);
    await verified(member);
    assertRefused(await withdraw({ amount: '25.01' }), 422);
    const headers = { 'Idempotency-Key': 'withdrawal 1' };
    const replies = await Promise.all(Array.from({ length: 4 }, () => withdraw({}, headers)));
    const [first, ...copies] = replies.map((reply) => managed(reply, 201));
    for (const copy of copies) assert.deepEqual(copy, first);
    assert.deepEqual(
      [first?.['kind'], first?.['status'], first?.['amount'], first?.['to_address'], first?.['requested_by']],
      ['withdrawal', 'REQUESTED', '10.5', OWN, member.id],
    );
    assertRefused(await withdraw({ amount: '11' }, headers), 409);
    assert.deepEqual(await wallet(member), ['14.5', '0', '10.5', '25']);
    const rows = await audit(member, 'withdrawal.request');
    assert.deepEqual(
      rows.map((row) => [row['actor'], row['subject']]),
      [[member.id, first?.['id']]],
    );
  });

  test('a withdrawal wants a code where the account demands one, and it is used for one thing', async () => {
    const member = await verified(await fixture.newMember());
    await paidOrder(member);
    const { secret } = managed<{ secret: string }>(await member.client.request('POST', '/manage/v1/security/totp'));
    const code = (): string => codeAt(secret, fixture.till.clock.now());
    managed(await member.client.post('/manage/v1/security/totp/confirm', { verify_code: code() }));
    managed(await member.client.request('PATCH', '/manage/v1/security', { body: { totp_for_payouts: true } }));
    fixture.till.clock.advance(30_000);
    assertRefused(await member.client.post(PAYOUTS, BODY), 400);
    await stepUp(member.client, { totp: code() });
    assertRefused(await member.client.post(PAYOUTS, { ...BODY, verify_code: code() }), 400);
    assert.deepEqual(await wallet(member), ['25', '0', '0', '25']);
    fixture.till.clock.advance(30_000);
    managed(await member.client.post(PAYOUTS, { ...BODY, verify_code: code() }), 201);
  });

  test('fault 211: who asks for a refund of another account beyond a limit does not approve it', async () => {
    const [member, admin, other] = [
      await fixture.newMember(),
      await fixture.newMember('admin'),
      await fixture.newMember('admin'),
    ];
    const held = managed(await refund(admin, await paidOrder(await verified(member), 70)), 201);
    assert.deepEqual([held['status'], held['account'], held['requested_by']], ['HELD', member.id, admin.id]);
    const approve = (by: Member) => by.client.request('POST', `${PAYOUTS}/${String(held['id'])}/approve`);
    assertRefused(await approve(admin), 403);
    const [row] = await audit(member, 'order.refund');
    assert.equal(row?.['actor'], admin.id);
    assert.equal(managed(await approve(other))['status'], 'REQUESTED');
  });
});
