import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LinkId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
type Link = Fields & { readonly id: LinkId; readonly url: string; readonly version: number };
interface Listed {
  readonly items: readonly Link[];
  readonly next_cursor: string | null;
}

const LINKS = '/manage/v1/links';
const UNKNOWN = '1530217733410816001';

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000 });
    user = await fixture.newMember();
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const create = async (more: Fields = {}, by = user): Promise<Link> =>
    managed<Link>(await by.client.post(LINKS, { title: 'A cup', currency: 'EUR', price: '4.50', ...more }), 201);
  const patch = (by: Member, id: string, version: number | null, body: object) =>
    by.client.request('PATCH', `${LINKS}/${id}`, {
      body,
      ...(version === null ? {} : { headers: { 'If-Match': `"${version}"` } }),
    });
  const send = (by: Member, id: string, what: string) => by.client.request('POST', `${LINKS}/${id}/${what}`);

  describe('a payment link of the management API', () => {
    test('is made with what was asked for, and read again by its id', async () => {
      const made = await create({
        ...{ description: 'two\nlines', max_sales: 2, coins: ['ETH'], return_url: 'https://shop.example/thanks' },
        ...{ callback_url: 'https://shop.example/paid', reference_prefix: 'cup-', metadata: { table: '7' } },
        ...{ expires_at: new Date(fixture.till.clock.now() + 60_000).toISOString(), enable_post_callback: true },
      });
      assert.match(made.url, /\/l\/[0-9a-f]{32}$/);
      assert.deepEqual([made['price'], made['face'], made['state'], made.version], ['4.5', 'LINK', 'open', 1]);
      assert.deepEqual([made['sold'], made['open'], made['max_sales'], made['coins']], [0, 0, 2, ['ETH']]);
      assert.deepEqual(made['metadata'], { table: '7' });
      assert.deepEqual(managed(await user.client.get(`${LINKS}/${made.id}`)), made);
      const chosen = await create({ price: null, min_price: '1', max_price: '20' });
      assert.deepEqual([chosen['price'], chosen['min_price'], chosen['max_price']], [null, '1', '20']);
    });

    test('is changed for the version that was read: without one 428, a stale one 412', async () => {
      const { id } = await create({ max_sales: 5, metadata: { a: 'b' } });
      assertRefused(await patch(user, id, null, { title: 'Tea' }), 428);
      const changed = managed<Link>(await patch(user, id, 1, { title: 'Tea', max_sales: null, active: false }));
      assert.deepEqual([changed['title'], changed['max_sales'], changed['state']], ['Tea', null, 'ended']);
      assert.deepEqual([changed['metadata'], changed['price'], changed.version], [{ a: 'b' }, '4.5', 2]);
      assertRefused(await patch(user, id, 1, { title: 'Coffee' }), 412);
      assertRefused(await patch(user, id, 2, { price: '1.001' }), 400, 'price');
      assert.equal(managed(await send(user, id, 'deactivate'))['version'], 3);
      const audit = managed<{ items: Fields[] }>(await user.client.get('/manage/v1/audit?limit=3')).items;
      assert.deepEqual(
        audit.map(({ action }) => action),
        ['link.deactivate', 'link.update', 'link.create'],
      );
    });

    test('refuses what cannot be, by its field', async () => {
      const refused = async (more: Fields, path: string) =>
        assertRefused(await user.client.post(LINKS, { title: 'A', currency: 'EUR', ...more }), 400, path);
      await refused({ title: '' }, 'title');
      await refused({ max_sales: 0 }, 'max_sales');
      await refused({ max_sales: '2' }, 'max_sales');
      await refused({ price: '-1' }, 'price');
      await refused({ face: 'POS' }, 'face');
      await refused({ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at');
      await refused({ return_url: 'javascript:alert(1)' }, 'return_url');
      await refused({ metadata: { a: 1 } }, 'metadata');
    });

    test('fault 372: does not read as another account’s brand, and has no text that reads as another', async () => {
      const owner = await fixture.newMember();
      const body = { name: 'Corner Bakery' };
      managed(await owner.client.request('PATCH', '/manage/v1/branding', { body, headers: { 'If-Match': '"1"' } }));
      const rival = await fixture.newMember();
      const ask = (title: string, description = '') =>
        rival.client.post('/manage/v1/links', { title, description, currency: 'USD' });
      for (const title of [
        'Corner Bakery',
        'corner  bakery',
        'CORNER-BAKERY',
        'C\u043Erner Bakery',
        'Corner\u200B Bakery',
      ])
        assertRefused(await ask(title), 400, 'title');
      assertRefused(await ask('Bread', 'Fresh\nfr\u043Em the oven'), 400, 'description');
      assertRefused(await ask('Bread', 'from \u202Eyrekab'), 400, 'description');
      const link = managed<{ id: string; version: number }>(await ask('Bread', 'Fresh\nevery day'), 201);
      const headers = { 'If-Match': `"${link.version}"` };
      const target = `/manage/v1/links/${link.id}`;
      assertRefused(
        await rival.client.request('PATCH', target, { headers, body: { title: 'Corner Bakery' } }),
        400,
        'title',
      );
      managed(await owner.client.post('/manage/v1/links', { title: 'Corner Bakery', currency: 'USD' }), 201);
    });

    test('is listed newest first, a page at a time, and only by its account', async () => {
      const member = await fixture.newMember();
      const made = [];
      for (let n = 0; n < 5; n++) made.unshift((await create({ title: `Link ${n}` }, member)).id);
      const page = async (query: string): Promise<Listed> =>
        managed<Listed>(await member.client.get(`${LINKS}?${query}`));
      const first = await page('limit=3');
      const second = await page(`limit=3&cursor=${first.next_cursor}`);
      assert.deepEqual(
        [...first.items, ...second.items].map(({ id }) => id),
        made,
      );
      assert.equal(second.next_cursor, null);
      assertRefused(await user.client.get(`${LINKS}?limit=3&cursor=${first.next_cursor}`), 400, 'cursor');
      assertRefused(await user.client.get(`${LINKS}?account=${member.id}`), 404);
      assert.equal(managed<Listed>(await fixture.admin.client.get(`${LINKS}?account=${member.id}`)).items.length, 5);
    });

    test("fault 238: another account's is answered byte for byte as an unknown one, by every operation", async () => {
      const { id } = await create({ face: 'POINT_OF_SALE' });
      const other = await fixture.newMember();
      const asks: readonly ((which: string) => Promise<{ readonly status: number; readonly text: string }>)[] = [
        (which) => other.client.get(`${LINKS}/${which}`),
        (which) => patch(other, which, 1, { return_url: 'https://thief.example/' }),
        (which) => send(other, which, 'deactivate'),
        (which) => send(other, which, 'pairing'),
        (which) => send(other, which, 'unpair'),
      ];
      for (const ask of asks) {
        const [foreign, unknown, garbage] = [await ask(id), await ask(UNKNOWN), await ask('garbage')];
        assert.deepEqual([foreign.status, foreign.text, garbage.text], [404, unknown.text, unknown.text]);
      }
      assert.equal(managed(await user.client.get(`${LINKS}/${id}`))['version'], 1);
      assertRefused(await other.client.post(LINKS, { title: 'A', currency: 'EUR', account: user.id }), 404);
    });

    test('has its orders in the list of orders, which another account does not see', async () => {
      const link = await create();
      const { linkSales } = fixture.till.till;
      const token = link.url.slice(link.url.lastIndexOf('/') + 1);
      const order = await linkSales.order(token, { amount: null, key: 'a', renew: true });
      managed(await user.client.post('/manage/v1/orders', { currency: 'EUR', price: '4.50' }), 201);
      const listed = async (by: Member) =>
        managed<{ items: Fields[] }>(await by.client.get(`/manage/v1/orders?link=${link.id}`)).items;
      assert.deepEqual(
        (await listed(user)).map(({ id }) => id),
        [order.id],
      );
      assert.equal((await listed(fixture.admin)).length, 1);
      assert.deepEqual(await listed(await fixture.newMember()), []);
      assert.equal(managed(await user.client.get(`${LINKS}/${link.id}`))['open'], 1);
    });

    test('of a point of sale gives a code for one device, which no list, no record and no audit row shows', async () => {
      const { id, url } = await create({ face: 'POINT_OF_SALE', price: null });
      const pairing = managed(await send(user, id, 'pairing'));
      const address = String(pairing['pairing_url']);
      assert.ok(address.startsWith(`${url}#`));
      const code = address.slice(url.length + 1);
      assert.match(code, /^[0-9a-f]{32}$/);
      await fixture.till.till.linkSales.pair(url.slice(-32), code, { ip: null, traceId: null });
      const shown = managed<Link & { devices: Fields[] }>(await user.client.get(`${LINKS}/${id}`));
      assert.equal(shown.devices.length, 1);
      const { text: audit } = await user.client.get('/manage/v1/audit?limit=10');
      assert.ok(audit.includes('link.pair') && !audit.includes(code) && !JSON.stringify(shown).includes(code));
      assert.deepEqual(managed(await send(user, id, 'unpair'))['devices'], []);
      const plain = await create();
      assertRefused(await send(user, plain.id, 'pairing'), 400);
    });
  });
});
