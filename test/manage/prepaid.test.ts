import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AccountId, OrderId, PlanSales } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
interface Prepaid extends Fields {
  readonly top_up_url: string;
  readonly purchases: readonly Fields[];
}

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let seller: Member;
  let user: Member;
  /** Its account is known when the fixture runs. */
  const sales: { -readonly [Field in keyof PlanSales]: PlanSales[Field] } = {
    accountId: '' as AccountId,
    agentsId: '' as AccountId,
    newAppsPrepaid: true,
    plans: [{ name: 'starter', units: 1_000, vsCurrency: 'USD', vsPrice: { digits: 1250n, scale: 2 } }],
  };
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sales });
    seller = await fixture.newMember();
    user = await fixture.newMember();
    sales.accountId = seller.id as AccountId;
    sales.agentsId = sales.accountId;
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const create = async (by = user, fields: object = {}): Promise<Fields & { id: string }> =>
    managed(await by.client.post('/manage/v1/apps', { name: 'Shop', chains: ['ETH'], ...fields }), 201);
  const patch = (by: Member, id: string, version: number, body: object) =>
    by.client.request('PATCH', `/manage/v1/apps/${id}`, { body, headers: { 'If-Match': `${version}` } });
  const prepaidOf = async (id: string, by = user): Promise<Prepaid> =>
    managed(await by.client.get(`/manage/v1/apps/${id}/prepaid`));

  describe('prepaid Apps', () => {
    test('a new App is prepaid and has nothing; a plan is an order of the seller', async () => {
      const app = await create();
      assert.equal(app['prepaid'], true);
      const { top_up_url, ...rest } = await prepaidOf(app.id);
      assert.match(top_up_url, /^https:\/\/pay\.example\/top-up\/[0-9a-f]{32}$/);
      const plans = [{ name: 'starter', units: 1000, price: '12.5', currency: 'USD' }];
      assert.deepEqual(rest, { units_left: 0, units_bought: 0, units_used: 0, plans, purchases: [] });

      const topUp = managed<Fields & { order: string }>(
        await user.client.post(`/manage/v1/apps/${app.id}/top-up`, { plan: 'starter' }),
        201,
      );
      const { order: order_id, pay_url, expires_at, ...bought } = topUp;
      assert.deepEqual(bought, { plan: 'starter', units: 1000, price: '12.5', currency: 'USD' });
      assert.match(String(pay_url), /\/checkout\/[0-9a-f]{32}$/);
      const order = await store.storage.orders.find(order_id as OrderId);
      assert.deepEqual([order?.accountId, order?.vsPrice, order?.credentialId], [seller.id, 1250n, null]);
      assert.equal(Date.parse(String(expires_at)), order?.expiresAt);
      const [purchase] = (await prepaidOf(app.id)).purchases;
      assert.deepEqual(
        { ...purchase, created_at: null },
        {
          ...{
            order: order_id,
            plan: 'starter',
            units: 1000,
            state: 'OPEN',
            order_status: 'PENDING',
            created_at: null,
          },
        },
      );
    });

    test('only an admin makes an App that is not, or lets one off; anybody may begin', async () => {
      assertRefused(await user.client.post('/manage/v1/apps', { name: 'A', chains: [], prepaid: false }), 403);
      const free = await create(fixture.admin, { account: user.id, prepaid: false });
      assert.equal(free['prepaid'], false);
      assertRefused(await user.client.get(`/manage/v1/apps/${free.id}/prepaid`), 404);
      assertRefused(await user.client.post(`/manage/v1/apps/${free.id}/top-up`, { plan: 'starter' }), 404);
      assert.equal(managed(await patch(user, free.id, 1, { prepaid: true }))['prepaid'], true);
      const { top_up_url } = await prepaidOf(free.id);
      assertRefused(await patch(user, free.id, 2, { prepaid: false }), 403);
      assert.equal(managed(await patch(fixture.admin, free.id, 2, { prepaid: false }))['prepaid'], false);
      managed(await patch(user, free.id, 3, { prepaid: true }));
      assert.equal((await prepaidOf(free.id)).top_up_url, top_up_url);
      const calm = await fixture.newMember('admin', { raised: false });
      assertRefused(await patch(calm, free.id, 4, { prepaid: false }), 403);
      const rows = await user.client.get('/manage/v1/audit');
      assert.match(rows.text, /"prepaid":\{"from":false,"to":true\}/);
    });

    test("another's App is answered as an unknown one, and a wrong plan by its name", async () => {
      const { id } = await create();
      const other = await fixture.newMember();
      assertRefused(await other.client.get(`/manage/v1/apps/${id}/prepaid`), 404);
      assertRefused(await other.client.post(`/manage/v1/apps/${id}/top-up`, { plan: 'starter' }), 404);
      assertRefused(await user.client.post(`/manage/v1/apps/${id}/top-up`, { plan: 'huge' }), 400, 'plan');
      assertRefused(await user.client.post(`/manage/v1/apps/${id}/top-up`, {}), 400, 'plan');
      managed(await fixture.admin.client.post(`/manage/v1/apps/${id}/top-up`, { plan: 'starter' }), 201);
    });
  });

  test('where nothing is sold no App can be prepaid', async (t) => {
    const other = await open();
    const plain = await startFixture(other);
    t.after(async () => {
      await plain.close();
      await other.close();
    });
    const member = await plain.newMember();
    assert.equal((await create(member))['prepaid'], false);
    assertRefused(
      await member.client.post('/manage/v1/apps', { name: 'A', chains: [], prepaid: true }),
      400,
      'prepaid',
    );
  });
});
