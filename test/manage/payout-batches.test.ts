import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger, OPERATOR } from '../../core/index.ts';
import type { ChainPayments } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { Reply } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, assertStepUp, managed, startFixture, stepUp } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
interface Batch extends Fields {
  readonly id: string;
  readonly status: string;
}

const BATCHES = '/manage/v1/payout-batches';
const PAYEES = '/manage/v1/payees';
const HOT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const OWN = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const LISTED = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const STRANGER = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const CSV = { 'Content-Type': 'text/csv; charset=utf-8' };
const HEADER = 'reference,address,coin,amount,fiat_amount,fiat_currency';
let references = 0;
const line = (address: string, amount = '2'): string => `row-${(references += 1)},${address},USDT-ERC20,${amount},,`;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 10_000_000 });
    const chain = fixture.till.till.chains.get('ETH') as {
      payments: ChainPayments | null;
      assets: readonly ChainPayments['feeAsset'][];
    };
    // Batches need prices and what the hot wallet holds; nothing is signed here.
    chain.payments = {
      model: 'account',
      feeAsset: chain.assets.find(({ currency }) => currency === 'ETH'),
      hotAddress: HOT,
      maxLines: 1,
      dust: () => 1n,
      price: async () => ({ feeUnits: 200_000_000_000_000n, coins: [], terms: '' }),
      balance: async () => 10n ** 30n,
    } as unknown as ChainPayments;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  /** An account with 25 USDT that may pay out. */
  const payer = async (more: { readonly raised?: boolean } = {}): Promise<Member> => {
    const member = await fixture.newMember('user', more);
    const order = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price: '25' };
    const { id } = managed<{ id: string }>(await member.client.post('/manage/v1/orders', order), 201);
    dataOf(await fixture.client.post('/sandbox/v1/pay', { order_id: id }));
    dataOf(await fixture.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 1 }));
    await fixture.till.work();
    const accountId = member.account.id;
    await store.storage.accounts.update(accountId, { verifiedCurrencies: ['*'], modifiedAt: fixture.till.clock.now() });
    await fixture.manage.addresses.register(OPERATOR, { accountId, chain: 'ETH', address: OWN }, true);
    return member;
  };
  const upload = ({ client }: Member, lines: readonly string[], query = ''): Promise<Reply> =>
    client.post(`${BATCHES}${query}`, [HEADER, ...lines].join('\r\n'), { headers: CSV });
  const created = async (member: Member, lines: readonly string[]): Promise<Batch> =>
    managed<Batch>(await upload(member, lines), 201);
  const locked = async ({ client }: Member): Promise<unknown> => {
    const { items } = managed<{ items: readonly Fields[] }>(await client.get('/manage/v1/wallets'));
    return items.find(({ coin }) => coin === 'USDT-ERC20')?.['locked'];
  };

  test('a file is previewed, approved by another person, and exported', async () => {
    const member = await payer();
    const lines = [line(STRANGER), line(LISTED, '3.5')];
    const batch = managed<Batch>(await upload(member, lines, '?name=Salaries'), 201);
    assert.equal(batch['name'], 'Salaries');
    assert.deepEqual(batch['sums'], [
      { chain: 'ETH', coin: 'USDT-ERC20', rows: 2, amount: '5.5', fee: '1', received: '4.5' },
    ]);
    assert.equal(await locked(member), '0');
    assertRefused(await member.client.post(`${BATCHES}/${batch.id}/approve`, {}), 403);
    const approved = managed<Batch>(await fixture.admin.client.post(`${BATCHES}/${batch.id}/approve`, {}));
    assert.deepEqual([approved.status, approved['listed']], ['APPROVED', false]);
    assert.equal(await locked(member), '5.5');
    const worker = fixture.till.till.payBatches;
    const lease = await store.storage.leases.acquire('pay-batches', 'test', 60_000);
    assert(lease !== null);
    assert.equal(await worker.step(lease), true);
    const { items } = managed<List>(await member.client.get(`${BATCHES}/${batch.id}/rows?limit=1`));
    assert.deepEqual(
      [items[0]?.['line'], items[0]?.['status'], items[0]?.['amount'], items[0]?.['address']],
      [2, 'REQUESTED', '2', STRANGER],
    );
    const csv = await member.client.get(`${BATCHES}/${batch.id}/rows.csv`);
    assert.equal(csv.text.trim().split('\r\n').length, 3);
    assert.match(csv.text, /REQUESTED/);
    const list = managed<List>(await member.client.get(`${BATCHES}?status=APPROVED`));
    assert.deepEqual(
      list.items.map(({ id }) => id),
      [batch.id],
    );
    const other = await fixture.newMember();
    for (const path of ['', '/rows', '/rows.csv'])
      assert.equal((await other.client.get(`${BATCHES}/${batch.id}${path}`)).status, 404);
    assertRefused(await other.client.post(`${BATCHES}/${batch.id}/cancel`, {}), 404);
    assertRefused(await other.client.post(`${BATCHES}/${batch.id}/approve`, {}), 404);
  });

  test('bad lines of a file are named by the line and the field, and nothing is stored', async () => {
    const member = await payer();
    const reply = await upload(member, [line(STRANGER), line('nowhere'), 'x,,USDT-ERC20,,1,', line(STRANGER, '-1')]);
    const { errors = [] } = assertRefused(reply, 400);
    assert.deepEqual(
      errors.map(({ path, message }) => `${path} ${message.split(':')[0]}`),
      ['rows.1.address line 3', 'rows.2.address line 4', 'rows.2.fiat_currency line 4', 'rows.3.amount line 5'],
    );
    assert.deepEqual(managed<List>(await member.client.get(BATCHES)).items, []);
    assertRefused(
      await member.client.post(BATCHES, `${HEADER},extra\n${line(STRANGER)},1`, { headers: CSV }),
      400,
      'rows.0.extra',
    );
    assertRefused(await member.client.post(BATCHES, `${HEADER}\n"`, { headers: CSV }), 400);
    assertRefused(await member.client.post(BATCHES, HEADER, { headers: CSV }), 400, 'rows');
    assertRefused(await member.client.post(BATCHES, { rows: [7] }), 400, 'rows.0');
    assertRefused(await member.client.post(BATCHES, { rows: [{ reference: {} }] }), 400, 'rows.0.reference');
    assertRefused(await upload(member, [line(STRANGER, '26')]), 422);
  });

  test('a list as JSON, with a key, is one batch; a draft is cancelled', async () => {
    const member = await payer();
    const rows = [{ reference: 'json-1', address: STRANGER, coin: 'USDT-ERC20', amount: 2 }];
    const headers = { 'Idempotency-Key': 'batch 1' };
    const [one, two] = await Promise.all(
      [1, 2].map(() => member.client.post(BATCHES, { name: 'Json', rows }, { headers })),
    );
    assert(one !== undefined && two !== undefined);
    const batch = managed<Batch>(one, 201);
    assert.equal(managed<Batch>(two, 201).id, batch.id);
    const cancelled = managed<Batch>(await member.client.post(`${BATCHES}/${batch.id}/cancel`, {}));
    assert.equal(cancelled.status, 'CANCELLED');
    assertRefused(await member.client.post(`${BATCHES}/${batch.id}/cancel`, {}), 409);
    assertRefused(await fixture.admin.client.post(`${BATCHES}/${batch.id}/approve`, {}), 409);
  });

  test('the owner approves what goes to payees in force, after a step-up', async () => {
    const member = await payer({ raised: false });
    assertStepUp(await member.client.post(PAYEES, { chain: 'ETH', address: LISTED }));
    const batch = await created(member, [line(LISTED), line(OWN)]);
    const approve = `${BATCHES}/${batch.id}/approve`;
    assertStepUp(await member.client.post(approve, {}));
    await stepUp(member.client, { password: member.password });
    const payee = managed(await member.client.post(PAYEES, { chain: 'ETH', address: LISTED, label: 'Anna' }), 201);
    assertRefused(await member.client.post(PAYEES, { chain: 'ETH', address: LISTED }), 409);
    assertRefused(await member.client.post(PAYEES, { chain: 'ETH', address: 'nowhere' }), 400, 'address');
    assertRefused(await member.client.post(approve, {}), 403);
    fixture.till.clock.advance(86_400_000);
    assert.deepEqual(managed<List>(await member.client.get(PAYEES)).items, [payee]);
    const approved = managed<Batch>(await member.client.post(approve, {}));
    assert.deepEqual([approved.status, approved['listed']], ['APPROVED', true]);
    managed(await member.client.request('DELETE', `${PAYEES}/${String(payee['id'])}`));
    assertRefused(await member.client.request('DELETE', `${PAYEES}/${String(payee['id'])}`), 404);
    managed(await member.client.post(`${BATCHES}/${batch.id}/cancel`, {}));
    assert.equal(await locked(member), '0');
  });

  test('fault 496: a large body is read only for a caller with credentials', async () => {
    const member = await payer();
    const many = Array.from({ length: 2_000 }, (_, at) => `big-${at},${STRANGER},USDT-ERC20,0.005,,`);
    const text = [HEADER, ...many].join('\n');
    const tooLarge = 'x'.repeat(8 * 1024 * 1024 + 1);
    const stranger = fixture.client.with({ Authorization: 'Bearer nothing' });
    // Without the check it would be read, and be too large.
    assert.equal((await stranger.post(BATCHES, tooLarge, { headers: CSV })).status, 401);
    stranger.close();
    const { errors = [] } = assertRefused(await member.client.post(BATCHES, text, { headers: CSV }), 400);
    assert.equal(errors.length, 100, 'each amount is below the fee, and 100 are listed');
    assertRefused(await member.client.post(BATCHES, tooLarge, { headers: CSV }), 413);
  });
});
