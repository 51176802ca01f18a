import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { checkLedger } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List } from './fixture.ts';

type Record_ = Record<string, unknown>;

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

  const create = async (fields: object = {}): Promise<Record_> => {
    const email = `made-${Math.floor(performance.now() * 1000)}@example.com`;
    return managed(
      await fixture.admin.client.post('/manage/v1/accounts', { email, password: 'a long enough one', ...fields }),
      201,
    );
  };
  const patch = (id: unknown, body: object, by = fixture.admin) =>
    by.client.request('PATCH', `/manage/v1/accounts/${String(id)}`, { body });

  const archivedDaysAgo = (id: string, days: number) =>
    store.sql('UPDATE accounts SET status = ?, modified_at = ? WHERE id = ?', [
      'archived',
      fixture.till.clock.now() - days * 86_400_000,
      id,
    ]);

  describe('accounts', () => {
    test('has every documented field, times in RFC 3339', async () => {
      const made = await create({ email: 'Fields@Example.com', name: 'Fields', role: 'user' });
      const detail = managed(await fixture.admin.client.get(`/manage/v1/accounts/${String(made['id'])}`));
      assert.deepEqual(detail, made);
      const { id, created_at, updated_at, ...rest } = detail;
      assert.match(String(id), /^\d{18,19}$/);
      assert.match(String(created_at), /^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/);
      assert.equal(updated_at, created_at);
      assert.deepEqual(rest, {
        email: 'fields@example.com',
        role: 'user',
        status: 'active',
        activated: true,
        role_label: 'User',
        status_label: 'Active',
        name: 'Fields',
        avatar_url: null,
        app_count: 0,
        gateway_count: 0,
        first_login_at: null,
        last_login_at: null,
        last_login_ip: null,
        last_login_user_agent: null,
        verified_coins: [],
      });
    });

    test('fault 527: a part of an email address or a name finds accounts, never as a pattern, and a user only itself', async () => {
      const word = `w${Math.floor(performance.now() * 1000)}`;
      const first = await create({ email: `info@${word}.example.com`, name: 'Ökoladen 100%' });
      const second = await create({ email: `sales_${word}@example.com`, name: `Shop of ${word.toUpperCase()}` });
      const third = await create({ name: `Öl ${word}` });
      const found = async (q: string, by = fixture.admin, more = ''): Promise<readonly unknown[]> => {
        const path = `/manage/v1/accounts?q=${encodeURIComponent(q)}${more}`;
        return managed<List>(await by.client.get(path)).items.map(({ id }) => id);
      };
      assert.deepEqual(await found(word.toUpperCase()), [third['id'], second['id'], first['id']]);
      assert.deepEqual(await found(`@${word}.EXAMPLE`), [first['id']]);
      assert.deepEqual(await found('Öl w'), [third['id']]);
      assert.deepEqual(await found(`shop of ${word}`), [second['id']]);
      assert.deepEqual(await found('100%'), [first['id']]);
      for (const pattern of [`s%${word}`, `sales.${word}`, `sales\\_${word}`, `_ales_${word}`])
        assert.deepEqual(await found(pattern), [], pattern);
      assert.deepEqual(await found(`sales_${word}`), [second['id']]);
      assertRefused(await fixture.admin.client.get(`/manage/v1/accounts?q=${'a'.repeat(255)}`), 400, 'q');

      const user = await fixture.newMember();
      assert.deepEqual(await found(word, user), []);
      assert.deepEqual(await found('@', user), [user.id]);

      // The cursor belongs to the search that it was made for.
      const page = managed<List>(await fixture.admin.client.get(`/manage/v1/accounts?q=${word}&limit=2`));
      const cursor = `&limit=2&cursor=${String(page.next_cursor)}`;
      assert.deepEqual(await found(word, fixture.admin, cursor), [first['id']]);
      assertRefused(await fixture.admin.client.get(`/manage/v1/accounts?q=other${cursor}`), 400, 'cursor');
    });

    test('a user sees itself alone, an admin everybody, newest first', async () => {
      const user = await fixture.newMember();
      const own = managed<List>(await user.client.get('/manage/v1/accounts'));
      assert.deepEqual([own.items.map(({ id }) => id), own.next_cursor], [[user.id], null]);
      const all = managed<List>(await fixture.admin.client.get('/manage/v1/accounts?limit=100'));
      assert(all.items.length >= 3);
      const ids = all.items.map(({ id }) => String(id));
      assert.deepEqual(ids, ids.toSorted().toReversed());
      for (const limit of ['0', '101', '-1', '1.5', 'x'])
        assertRefused(await fixture.admin.client.get(`/manage/v1/accounts?limit=${limit}`), 400, 'limit');
    });

    test('only an admin makes accounts; fields are checked together; an email is taken once', async () => {
      const user = await fixture.newMember();
      const fields = { email: 'other@example.com', password: 'a long enough one' };
      assertRefused(await user.client.post('/manage/v1/accounts', fields), 403);
      const wrong = assertRefused(
        await fixture.admin.client.post('/manage/v1/accounts', { email: 'nobody', password: 'short', role: 'user' }),
        400,
        'email',
      );
      assert.deepEqual(
        wrong.errors?.map(({ path }) => path),
        ['email', 'password'],
      );
      assertRefused(await fixture.admin.client.post('/manage/v1/accounts', { ...fields, role: 'king' }), 400, 'role');
      assertRefused(await fixture.admin.client.post('/manage/v1/accounts', {}), 400, 'email');
      assertRefused(
        await fixture.admin.client.post('/manage/v1/accounts', { ...fields, email: user.email.toUpperCase() }),
        409,
      );
      assertRefused(await fixture.admin.client.post('/manage/v1/accounts', '{"email":'), 400);
    });

    test('an account that is made without a password is active, and no password logs in to it', async () => {
      const email = 'nobody-logs-in@example.com';
      const made = managed(await fixture.admin.client.post('/manage/v1/accounts', { email }), 201);
      assert.deepEqual([made['email'], made['status']], [email, 'active']);
      for (const password of ['', 'undefined', 'null', email]) assertRefused(await fixture.login(email, password), 401);
    });

    test("fault 12: another's account is answered byte for byte as an unknown one", async () => {
      const [one, two] = [await fixture.newMember(), await fixture.newMember()];
      for (const method of ['GET', 'PATCH']) {
        const body = method === 'PATCH' ? { body: { name: 'Mine', role: 'admin' } } : {};
        const replies = [];
        for (const id of [two.id, fixture.admin.id, '1530217733410816001', 'nobody', '%00']) {
          replies.push(await one.client.request(method, `/manage/v1/accounts/${id}`, body));
        }
        for (const reply of replies) assertRefused(reply, 404);
        assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
      }
    });

    test('a user changes its own name and picture, and nothing that only an admin may', async () => {
      const user = await fixture.newMember();
      const changed = managed(await patch(user.id, { name: 'New', avatar_url: 'https://example.com/a.png' }, user));
      assert.deepEqual([changed['name'], changed['avatar_url']], ['New', 'https://example.com/a.png']);
      assert.equal(managed(await patch(user.id, { avatar_url: null }, user))['avatar_url'], null);
      for (const body of [{ role: 'admin' }, { status: 'active' }, { verified_coins: ['*'] }])
        assertRefused(await patch(user.id, body, user), 403);
      assertRefused(await patch(user.id, { avatar_url: 'javascript:alert(1)' }, user), 400, 'avatar_url');
      assertRefused(await patch(user.id, { name: '' }, user), 400, 'name');
      assertRefused(await patch(user.id, { status: 'gone' }), 400, 'status');
    });

    test('disabling logs out at once, enabling lets in again; an archived account changes nothing but that it is restored', async () => {
      const user = await fixture.newMember();
      assert.equal(managed(await patch(user.id, { status: 'disabled' }))['status_label'], 'Disabled');
      assertRefused(await user.client.get('/manage/v1/session'), 401);
      assertRefused(await fixture.login(user.email, user.password), 403);
      managed(await patch(user.id, { status: 'active' }));
      assertRefused(await user.client.get('/manage/v1/session'), 401);
      managed(await fixture.login(user.email, user.password));
      managed(await patch(user.id, { status: 'archived' }));
      managed(await patch(user.id, { status: 'archived' }));
      assertRefused(await patch(user.id, { status: 'disabled' }), 409);
      assertRefused(await patch(user.id, { name: 'Late' }), 409);
      await assert.rejects(
        store.sql('UPDATE accounts SET status = ? WHERE id = ?', ['disabled', user.id]),
        /illegal change of status/,
      );
    });

    test('fault 367: an account with money or an open order is not archived', async () => {
      const shop = await fixture.till.newMerchant();
      const archive = () => fixture.admin.client.post('/manage/v1/accounts/archive', { ids: [shop.account.id] });
      const price = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 };
      const reply = await shop.client.post('/api/order/pay-info', price);
      const { order_id } = (JSON.parse(reply.text) as { data: { order_id: string } }).data;
      assert.match(assertRefused(await archive(), 409).msg, /open order/);
      await fixture.till.client.post('/sandbox/v1/pay', { order_id });
      await fixture.till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 5 });
      await fixture.till.work();
      assert.match(assertRefused(await archive(), 409).msg, /has USDT-ERC20: pay it out/);
      assertRefused(await patch(shop.account.id, { status: 'archived' }), 409);
      assert.equal((await shop.client.get('/api/wallets')).status, 200);
      assert.deepEqual(await checkLedger(store.storage), []);
    });

    test('fault 367: an archived account is restored within 30 days; its App keys stay revoked', async () => {
      const user = await fixture.newMember();
      const app = managed(await user.client.post('/manage/v1/apps', { name: 'Shop', chains: ['ETH'] }), 201);
      managed(await patch(user.id, { status: 'archived' }));
      assertRefused(await fixture.login(user.email, user.password), 403);
      assertRefused(await patch(user.id, { status: 'disabled' }), 409);
      assert.equal(managed(await patch(user.id, { status: 'active' }))['status'], 'active');
      managed(await fixture.login(user.email, user.password));
      const keys = managed<List>(await fixture.admin.client.get(`/manage/v1/apps/${String(app['id'])}/keys`));
      assert.deepEqual(
        keys.items.map(({ state }) => state),
        ['revoked'],
      );
      const { items } = managed<List>(await fixture.admin.client.get(`/manage/v1/audit?account=${user.id}`));
      assert.ok(items.some(({ action }) => action === 'account.restore'));
    });

    test('fault 367: after 30 days an archive is final', async () => {
      const user = await fixture.newMember();
      await archivedDaysAgo(user.id, 30);
      managed(await patch(user.id, { status: 'active' }));
      await archivedDaysAgo(user.id, 31);
      assertRefused(await patch(user.id, { status: 'active' }), 409);
    });

    test('archiving turns Apps off, revokes keys, ends access tokens, and is no error again', async () => {
      const user = await fixture.newMember();
      const app = managed(await user.client.post('/manage/v1/apps', { name: 'Shop', chains: ['ETH'] }), 201);
      const { data } = JSON.parse(
        (await fixture.client.post('/api/plugin/key/service', { username: user.email, password: user.password })).text,
      ) as { data: { access_token: string } };
      const first = managed(
        await fixture.admin.client.post('/manage/v1/accounts/archive', { ids: [user.id, user.id] }),
      );
      assert.equal(first['total'], 1);
      assert.deepEqual(
        (first['items'] as Record_[]).map(({ id, status }) => [id, status]),
        [[user.id, 'archived']],
      );
      assert.deepEqual(
        managed(await fixture.admin.client.post('/manage/v1/accounts/archive', { ids: [user.id] })),
        first,
      );
      const off = managed(await fixture.admin.client.get(`/manage/v1/apps/${String(app['id'])}`));
      assert.equal(off['enabled'], false);
      const keys = managed<List>(await fixture.admin.client.get(`/manage/v1/apps/${String(app['id'])}/keys`));
      assert.deepEqual(
        keys.items.map(({ state }) => state),
        ['revoked'],
      );
      assert.equal(
        (await fixture.client.get('/api/v2/order/', { headers: { 'API-Key': data.access_token } })).status,
        401,
      );
      assertRefused(
        await fixture.admin.client.post('/manage/v1/accounts/archive', { ids: ['1530217733410816001'] }),
        404,
      );
      assertRefused(await fixture.admin.client.post('/manage/v1/accounts/archive', { ids: [] }), 400, 'ids');
      assertRefused(await user.client.post('/manage/v1/accounts/archive', { ids: [user.id] }), 401);
      assertRefused(
        await (await fixture.newMember()).client.post('/manage/v1/accounts/archive', { ids: [user.id] }),
        403,
      );
    });

    test('an archive is all or none', async () => {
      const [one, two] = [await fixture.newMember(), await fixture.newMember()];
      assertRefused(
        await fixture.admin.client.post('/manage/v1/accounts/archive', {
          ids: [one.id, '1530217733410816001', two.id],
        }),
        404,
      );
      managed(await one.client.get('/manage/v1/session'));
    });

    test('app_count and gateway_count tell what the account has', async () => {
      const user = await fixture.newMember();
      managed(await user.client.post('/manage/v1/apps', { name: 'One', chains: ['LTC'] }), 201);
      managed(await user.client.post('/manage/v1/apps', { name: 'Two', chains: ['LTC', 'TRX'] }), 201);
      const route = {
        host: 'ltc.gateway.test',
        chain: 'LTC',
        network: 'main',
        protocol: 'http',
        upstreams: ['http://127.0.0.1:1'],
      };
      managed(await fixture.admin.client.post('/manage/v1/gateways', route), 201);
      managed(
        await fixture.admin.client.post('/manage/v1/gateways', { ...route, host: 'ltc2.gateway.test', enabled: false }),
        201,
      );
      const detail = managed(await user.client.get(`/manage/v1/accounts/${user.id}`));
      assert.deepEqual([detail['app_count'], detail['gateway_count']], [2, 1]);
    });
  });

  describe('whoever is in charge', () => {
    test('nobody archives, disables or demotes itself', async () => {
      const other = await fixture.newMember('admin');
      for (const body of [{ status: 'disabled' }, { status: 'archived' }, { role: 'user' }])
        assertRefused(await patch(other.id, body, other), 409);
      assertRefused(await other.client.post('/manage/v1/accounts/archive', { ids: [other.id] }), 409);
      managed(await patch(other.id, { role: 'user' }));
      assertRefused(await other.client.get('/manage/v1/gateways'), 403);
    });

    test('two admins who demote each other at once leave one', async () => {
      const [one, two] = [await fixture.newMember('admin'), await fixture.newMember('admin')];
      managed(await patch(fixture.admin.id, { role: 'user' }, one));
      const replies = await Promise.all([
        patch(two.id, { role: 'user' }, one),
        patch(one.id, { status: 'disabled' }, two),
      ]);
      assert.deepEqual(
        replies
          .map(({ status }) => status)
          .toSorted()
          .at(0),
        200,
      );
      const left = await store.sql("SELECT id FROM accounts WHERE role = 'admin' AND status = 'active'");
      assert.equal(left.length, 1);
      await store.sql("UPDATE accounts SET role = 'admin' WHERE id = ?", [fixture.admin.id]);
    });
  });
});
