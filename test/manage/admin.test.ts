import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { decodeBase32, totpCode, totpStep } from '../../core/index.ts';
import { PlainDigest } from '../support/fakes.ts';
import type { HttpClient } from '../support/http.ts';
import { dataOf } from '../support/http.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

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

  const credential = async (by = user): Promise<Fields & { id: string }> =>
    managed(await by.client.post('/manage/v1/credentials', { name: 'Shop' }), 201);
  const payer = (apiKey: unknown): HttpClient => fixture.client.with({ 'API-Key': String(apiKey) });
  const code = (secret: string, ms = 0): string =>
    totpCode(new PlainDigest(), decodeBase32(secret) ?? new Uint8Array(), totpStep(fixture.till.clock.now() + ms));

  /** An order of the user that nobody paid in time, its callback dead. */
  const overdue = async (): Promise<{ orderId: string; callbackId: string }> => {
    const client = payer((await credential())['api_key']);
    const body = {
      chain: 'ETH',
      currency: 'ETH',
      vs_currency: 'USD',
      vs_price: 25,
      timeout_callback: 'http://127.0.0.1:1/late',
    };
    const { order_id: orderId } = dataOf<{ order_id: string }>(await client.post('/api/order/pay-info', body));
    client.close();
    fixture.till.clock.advance(1_801_000);
    await fixture.till.work();
    const [callback] = managed<List>(await user.client.get('/manage/v1/callbacks')).items;
    assert.equal(callback?.['order'], orderId);
    return { orderId, callbackId: String(callback['id']) };
  };

  describe('credentials of the payment API', () => {
    test('are told whole when made and when revealed, masked in lists, and end at once', async () => {
      const made = await credential();
      assert.match(String(made['api_key']), /^tak_/);
      assert.match(String(made['callback_secret']), /^whsec_/);
      const client = payer(made['api_key']);
      dataOf(await client.get('/api/v2/order/'));
      const list = managed<List>(await user.client.get('/manage/v1/credentials'));
      const item = list.items.find(({ id }) => id === made.id);
      assert.equal(item?.['api_key'], `${String(made['api_key']).slice(0, 8)}…${String(made['api_key']).slice(-4)}`);
      assert(!JSON.stringify(list).includes(String(made['signing_secret'])));
      const path = `/manage/v1/credentials/${made.id}`;
      assert.deepEqual(managed(await user.client.request('POST', `${path}/reveal`)), made);
      const revoked = managed(await user.client.request('POST', `${path}/revoke`));
      assert.equal(revoked['status'], 'revoked');
      assert.equal((await client.get('/api/v2/order/')).status, 401);
      assert.deepEqual(managed(await user.client.request('POST', `${path}/revoke`)), revoked);
      assertRefused(await user.client.request('POST', `${path}/reveal`), 409);
      client.close();
    });

    test('callback secrets are made anew on record; the former one signs beside the new one for a day', async () => {
      const member = await fixture.newMember();
      const path = '/manage/v1/credentials/callback/rotate';
      const made = await credential(member);
      const rotated = managed(await member.client.request('POST', path));
      assert.notEqual(rotated['callback_secret'], made['callback_secret']);
      assert.equal(Date.parse(String(rotated['previous_secret_expires_at'])), fixture.till.clock.now() + 86_400_000);
      const revealed = managed(await member.client.request('POST', `/manage/v1/credentials/${made.id}/reveal`));
      for (const name of ['callback_key', 'callback_token', 'callback_secret'])
        assert.equal(revealed[name], rotated[name]);
      const stored = await store.storage.accounts.findCallbackCredential(member.account.id);
      const former = JSON.parse(
        fixture.till.vault.open(String(stored?.previousSealed), `callback-credential:${member.id}`),
      ) as Fields;
      assert.deepEqual(
        [former['callbackSecret'], stored?.previousUntil],
        [made['callback_secret'], fixture.till.clock.now() + 86_400_000],
      );
      const [row] = managed<List<Fields>>(
        await fixture.admin.client.get(`/manage/v1/audit?limit=2&account=${member.id}`),
      ).items.slice(1);
      assert.deepEqual(
        [row?.['action'], row?.['actor'], row?.['subject'], row?.['changes']],
        ['callback_secrets.rotate', member.id, member.id, {}],
      );
      assert.equal(
        managed(await fixture.admin.client.request('POST', `${path}?account=${member.id}`))['account'],
        member.id,
      );
      assertRefused(await member.client.request('POST', `${path}?account=${fixture.admin.id}`), 404);
      assertRefused(await fixture.admin.client.request('POST', `${path}?account=${UNKNOWN}`), 404);
      managed(
        await fixture.admin.client.request('PATCH', `/manage/v1/accounts/${member.id}`, {
          body: { status: 'archived' },
        }),
      );
      assertRefused(await fixture.admin.client.request('POST', `${path}?account=${member.id}`), 409);
    });

    test('an admin makes them for any account, a user for its own', async () => {
      assert.equal(
        managed(await fixture.admin.client.post('/manage/v1/credentials', { account: user.id }), 201)['account'],
        user.id,
      );
      assertRefused(await user.client.post('/manage/v1/credentials', { account: fixture.admin.id }), 404);
      assertRefused(await fixture.admin.client.post('/manage/v1/credentials', { account: UNKNOWN }), 404);
    });
  });

  describe('security', () => {
    test('Data Security and the callback key hold from the next request on', async () => {
      const member = await fixture.newMember();
      const client = payer((await credential(member))['api_key']);
      const changed = managed(
        await member.client.request('PATCH', '/manage/v1/security', {
          body: { data_security: true, callback_api_key: 'callback' },
        }),
      );
      assert.deepEqual(changed, {
        account: member.id,
        data_security: true,
        totp_for_payouts: false,
        callback_api_key: 'callback',
        pending: [],
        totp_enrolled: false,
        totp_confirmed: false,
        payouts_frozen: false,
        payouts_frozen_reason: null,
      });
      assert.equal((await client.get('/api/v2/order/')).status, 403);
      assert.deepEqual(managed(await fixture.admin.client.get(`/manage/v1/security?account=${member.id}`)), changed);
      assertRefused(await member.client.get(`/manage/v1/security?account=${fixture.admin.id}`), 404);
      assertRefused(
        await member.client.request('PATCH', '/manage/v1/security', { body: { totp_for_payouts: true } }),
        409,
      );
      assertRefused(
        await member.client.request('PATCH', '/manage/v1/security', { body: { data_security: 'on' } }),
        400,
        'data_security',
      );
      client.close();
    });

    test('a second factor is demanded once a code was right, and each code opens one login', async () => {
      const member = await fixture.newMember();
      const { secret, uri } = managed<{ secret: string; uri: string }>(
        await member.client.post('/manage/v1/security/totp', {}),
      );
      assert.match(uri, new RegExp(`^otpauth://totp/Tillgate:.*secret=${secret}&`));
      assert(!JSON.stringify(await store.sql('SELECT * FROM account_security')).includes(secret));
      managed(await fixture.login(member.email, member.password));
      assertRefused(
        await member.client.post('/manage/v1/security/totp/confirm', { verify_code: '000000' }),
        400,
        'verify_code',
      );
      const confirmed = managed(
        await member.client.post('/manage/v1/security/totp/confirm', { verify_code: code(secret) }),
      );
      assert.deepEqual([confirmed['totp_enrolled'], confirmed['totp_confirmed']], [true, true]);
      assertRefused(await fixture.login(member.email, member.password), 400, 'totp');
      assertRefused(await fixture.login(member.email, member.password, { totp: code(secret) }), 400, 'totp');
      managed(await fixture.login(member.email, member.password, { totp: code(secret, 30_000) }));
      assertRefused(await fixture.login(member.email, 'wrong', { totp: code(secret) }), 401);
      assert.equal(
        managed(await member.client.request('PATCH', '/manage/v1/security', { body: { totp_for_payouts: true } }))[
          'totp_for_payouts'
        ],
        true,
      );
    });

    test('a right code at a login confirms the enrolment, on record', async () => {
      const member = await fixture.newMember();
      const { secret } = managed<{ secret: string }>(await member.client.request('POST', '/manage/v1/security/totp'));
      const { access_token: token } = managed<{ access_token: string }>(
        await fixture.login(member.email, member.password, { totp: code(secret) }),
      );
      // Sessions that were opened without it are over.
      assertRefused(await member.client.get('/manage/v1/security'), 401);
      const headers = { Authorization: `Bearer ${token}` };
      assert.equal(managed(await member.client.get('/manage/v1/security', { headers }))['totp_confirmed'], true);
      assertRefused(await fixture.login(member.email, member.password), 400, 'totp');
      const { items } = managed<List>(await member.client.get('/manage/v1/audit', { headers }));
      assert.deepEqual(
        items.slice(0, 2).map(({ action }) => action),
        ['session.create', 'security.totp_confirm'],
      );
    });

    test('fault 62: five wrong codes, and a right one is refused for 15 minutes', async () => {
      const member = await fixture.newMember();
      const { secret } = managed<{ secret: string }>(await member.client.request('POST', '/manage/v1/security/totp'));
      managed(await member.client.post('/manage/v1/security/totp/confirm', { verify_code: code(secret, -30_000) }));
      for (let tries = 0; tries < 5; tries++)
        assertRefused(await fixture.login(member.email, member.password, { totp: '000000' }), 400, 'totp');
      assertRefused(await fixture.login(member.email, member.password, { totp: code(secret) }), 400, 'totp');
      fixture.till.clock.advance(15 * 60_000);
      managed(await fixture.login(member.email, member.password, { totp: code(secret) }));
    });
  });

  describe('orders and callbacks', () => {
    test('a dead or delivered callback is sent again; a pending one is not', async () => {
      const { callbackId } = await overdue();
      const path = `/manage/v1/callbacks/${callbackId}`;
      const detail = managed<Fields & { log: Fields[] }>(await user.client.get(path));
      assert.equal(detail['event'], 'order.timeout');
      assert.equal(detail.log.length, 1);
      assertRefused(await user.client.request('POST', `${path}/redeliver`), 409);
      await store.sql("UPDATE callbacks SET status = 'DEAD' WHERE id = ?", [callbackId]);
      assert.equal(managed<List>(await user.client.get('/manage/v1/callbacks?status=DEAD')).items.length, 1);
      const again = managed(await user.client.request('POST', `${path}/redeliver`));
      assert.deepEqual([again['status'], again['attempts']], ['PENDING', 0]);
      assertRefused(await user.client.get('/manage/v1/callbacks?status=GONE'), 400, 'status');
      const gone = "UPDATE callbacks SET status = 'DELIVERED', method = 'POST', body = NULL WHERE id = ?";
      await store.sql(gone, [callbackId]);
      const refused = await user.client.request('POST', `${path}/redeliver`);
      assertRefused(refused, 409);
      assert.match(JSON.stringify(refused), /body is no longer kept/);
    });

    test('an order is accepted as it is, once, and its history says by whom and why', async () => {
      const { orderId } = await overdue();
      const path = `/manage/v1/orders/${orderId}`;
      assertRefused(await user.client.request('POST', `${path}/cancel`), 409);
      assert.equal(managed(await user.client.request('POST', `${path}/resolve`))['status'], 'RESOLVED');
      assertRefused(await user.client.request('POST', `${path}/resolve`), 409);
      const { items } = managed<{ items: Fields[] }>(await user.client.get(`${path}/history`));
      assert.deepEqual(
        items.map(({ rule }) => rule),
        ['created', 'deadline-nothing-seen', 'operator-accepted'],
      );
      assert.equal((items.at(-1)?.['inputs'] as Fields)['actor'], user.id);
      assert.match(String(items[0]?.['at']), /Z$/);
    });

    test('fault 125: the address that a stranger left for a refund is removed by the merchant, on record', async () => {
      const client = payer((await credential())['api_key']);
      const { order_id } = dataOf<{ order_id: string }>(
        await client.post('/api/order/pay-info', { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: 25 }),
      );
      client.close();
      const path = `/manage/v1/orders/${order_id}/refund-address`;
      assertRefused(await user.client.request('DELETE', path), 409);
      await store.sql("UPDATE orders SET refund_address = 'eth-stranger' WHERE id = ?", [order_id]);
      assert.equal(managed(await user.client.request('DELETE', path))['id'], order_id);
      const { items } = managed<{ items: Fields[] }>(await user.client.get(`/manage/v1/orders/${order_id}/history`));
      assert.deepEqual(items.at(-1)?.['inputs'], { actor: user.id, address: null, former: 'eth-stranger' });
    });

    test('an order to which nothing was paid is cancelled', async () => {
      const client = payer((await credential())['api_key']);
      const { order_id } = dataOf<{ order_id: string }>(
        await client.post('/api/order/pay-info', { chain: 'ETH', currency: 'ETH', vs_currency: 'USD', vs_price: 25 }),
      );
      client.close();
      const done = managed(await user.client.request('POST', `/manage/v1/orders/${order_id}/cancel`));
      assert.deepEqual([done['status'], done['id']], ['TERMINATED', order_id]);
      assert.match(String(done['updated_at']), /^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/);
    });
  });

  describe('fault 12: what belongs to somebody else', () => {
    test('is answered byte for byte as what does not exist, by every operation', async () => {
      const { orderId, callbackId } = await overdue();
      const app = managed<Fields & { key: Fields }>(
        await user.client.post('/manage/v1/apps', { name: 'A', chains: [] }),
        201,
      );
      const made = await credential();
      const other = await fixture.newMember();
      const ids: Record<string, unknown> = {
        apps: app['id'],
        credentials: made.id,
        callbacks: callbackId,
        orders: orderId,
      };
      const rows: readonly [
        method: string,
        collection: string,
        rest: string,
        body?: object,
        headers?: Record<string, string>,
      ][] = [
        ['GET', 'apps', ''],
        ['PATCH', 'apps', '', { name: 'Mine' }, { 'If-Match': '1' }],
        ['GET', 'apps', '/admission'],
        ['GET', 'apps', '/keys'],
        ['POST', 'apps', '/keys'],
        ['POST', 'apps', '/keys/rotate'],
        ['POST', 'apps', `/keys/${String(app.key['id'])}/revoke`],
        ['POST', 'credentials', '/reveal'],
        ['POST', 'credentials', '/revoke'],
        ['GET', 'callbacks', ''],
        ['POST', 'callbacks', '/redeliver'],
        ['POST', 'orders', '/cancel'],
        ['POST', 'orders', '/resolve'],
        ['DELETE', 'orders', '/refund-address'],
        ['GET', 'orders', '/history'],
      ];
      for (const [method, collection, rest, body, headers = {}] of rows) {
        const sent = { headers, ...(body === undefined ? {} : { body }) };
        const ask = (id: string) => other.client.request(method, `/manage/v1/${collection}/${id}${rest}`, sent);
        const [foreign, unknown, garbage] = [
          await ask(String(ids[collection])),
          await ask(UNKNOWN),
          await ask('garbage'),
        ];
        assertRefused(foreign, 404);
        assert.deepEqual([foreign.text, garbage.text], [unknown.text, unknown.text], `${method} ${collection}${rest}`);
      }
      for (const list of ['apps', 'credentials', 'callbacks'])
        assert.deepEqual(managed<List>(await other.client.get(`/manage/v1/${list}`)).items, [], list);
    });
  });

  describe('the audit trail', () => {
    test('has a row for each change, with who, what, whence, and no secret', async () => {
      const member = await fixture.newMember();
      const made = await credential(member);
      managed(await member.client.request('POST', `/manage/v1/credentials/${made.id}/reveal`));
      managed(await member.client.request('POST', `/manage/v1/credentials/${made.id}/revoke`));
      const app = managed<Fields & { key: Fields }>(
        await member.client.post('/manage/v1/apps', { name: 'A', chains: ['ETH'] }),
        201,
      );
      const path = `/manage/v1/apps/${String(app['id'])}`;
      managed(
        await member.client.request('PATCH', path, {
          body: { name: 'B', chains: ['ETH'] },
          headers: { 'If-Match': '1' },
        }),
      );
      const rotated = managed<{ key: Fields }>(await member.client.request('POST', `${path}/keys/rotate`));
      managed(await member.client.request('POST', `${path}/keys/${String(rotated.key['id'])}/revoke`));
      managed(await member.client.request('POST', `${path}/keys/${String(rotated.key['id'])}/revoke`));
      const { secret } = managed<{ secret: string }>(await member.client.request('POST', '/manage/v1/security/totp'));
      managed(await member.client.request('PATCH', '/manage/v1/security', { body: { data_security: true } }));
      managed(await member.client.request('PATCH', '/manage/v1/security', { body: { data_security: true } }));
      managed(
        await fixture.admin.client.request('PATCH', `/manage/v1/accounts/${member.id}`, {
          body: { status: 'disabled', name: 'C' },
        }),
      );
      const all = managed<List<Fields>>(
        await fixture.admin.client.get(`/manage/v1/audit?limit=100&account=${member.id}`),
      );
      assert.deepEqual(all.items.map(({ action }) => action).toReversed(), [
        'session.create',
        'session.step_up',
        'credential.create',
        'credential.reveal',
        'credential.revoke',
        'app.create',
        'app_key.create',
        'app.update',
        'app_key.rotate',
        'app_key.create',
        'app_key.revoke',
        'security.totp_enrol',
        'security.update',
        'account.update',
      ]);
      const [last] = all.items;
      assert.deepEqual(last?.['changes'], {
        name: { from: null, to: 'C' },
        status: { from: 'active', to: 'disabled' },
      });
      assert.deepEqual(
        [last['actor'], last['subject_type'], last['subject'], last['ip']],
        [fixture.admin.id, 'account', member.id, '127.0.0.1'],
      );
      assert.match(String(last['trace_id']), /^[0-9a-f]{32}$/);
      const update = all.items.find(({ action }) => action === 'app.update');
      assert.deepEqual(update?.['changes'], { name: { from: 'A', to: 'B' } });
      const secrets = [
        made['api_key'],
        made['signing_secret'],
        made['callback_secret'],
        app.key['api_key'],
        rotated.key['api_key'],
        secret,
        member.password,
        member.token,
      ];
      const text = JSON.stringify([all, await store.sql('SELECT * FROM audit_trail'), fixture.till.logger.lines]);
      for (const each of secrets) assert(!text.includes(String(each)));
      assert.equal(
        managed<List>(await user.client.get('/manage/v1/audit')).items.some(({ subject }) => subject === member.id),
        false,
      );
      assertRefused(await user.client.get(`/manage/v1/audit?account=${member.id}`), 404);
    });

    test('fault 163: a number where an object belongs is refused, and does not reset what it names', async () => {
      const route = { host: 'numbers.test', chain: 'ETH', network: 'main', protocol: 'jsonrpc', upstreams: [] };
      for (const field of ['methods', 'limits', 'timeouts', 'cors', 'units', 'reads'])
        for (const value of [5, 'text', []])
          assertRefused(
            await fixture.admin.client.post('/manage/v1/gateways', { ...route, [field]: value }),
            400,
            field,
          );
    });

    test('gateways: that upstreams changed is told, not what they are', async () => {
      const route = {
        host: 'audited.test',
        chain: 'ETH',
        network: 'main',
        protocol: 'jsonrpc',
        upstreams: ['https://node.test/canary-path'],
      };
      const { id } = managed(await fixture.admin.client.post('/manage/v1/gateways', route), 201);
      const body = { enabled: false, upstreams: ['https://node.test/canary-next'] };
      managed(await fixture.admin.client.request('PATCH', `/manage/v1/gateways/${String(id)}`, { body }));
      const { items } = managed<List<Fields>>(await fixture.admin.client.get('/manage/v1/audit?limit=2'));
      assert.deepEqual(
        items.map(({ action, subject }) => [action, subject]),
        [
          ['gateway.update', id],
          ['gateway.create', id],
        ],
      );
      assert.deepEqual(items[0]?.['changes'], {
        enabled: { from: true, to: false },
        upstreams: { from: 'not shown', to: 'not shown' },
      });
      assert(!JSON.stringify(items).includes('canary'));
    });

    test('fault 443: an admin cordons an upstream, and the audit log says which one, once, without its secrets', async () => {
      const { client } = fixture.admin;
      const route = {
        ...{ host: 'cordoned.test', chain: 'ETH', network: 'main', protocol: 'jsonrpc' },
        upstreams: [
          'https://node.test/canary-path',
          { url: 'https://node.test/canary-next', headers: { 'x-key': 'k' } },
        ],
      };
      type Gateway = Fields & { readonly upstreams: readonly Fields[] };
      const made = managed<Gateway>(await client.post('/manage/v1/gateways', route), 201);
      const path = `/manage/v1/gateways/${String(made['id'])}`;
      assert.deepEqual(
        made.upstreams.map(({ url, cordoned }) => [url, cordoned]),
        Array.from({ length: 2 }, () => ['https://node.test/…', false]),
      );
      const upstream = `${path}/upstreams/${String(made.upstreams[1]?.['id'])}`;
      for (let n = 0; n < 2; n++) {
        const changed = managed<Gateway>(await client.post(`${upstream}/cordon`, {}));
        assert.deepEqual(
          changed.upstreams,
          made.upstreams.map((each, index) => ({ ...each, cordoned: index === 1 })),
        );
      }
      assert.deepEqual(managed<Gateway>(await client.get(path)).upstreams[1]?.['cordoned'], true);
      const last = managed<Gateway>(await client.post(`${upstream}/uncordon`, {}));
      assert.deepEqual(last.upstreams, made.upstreams);
      const { items } = managed<List<Fields>>(await client.get('/manage/v1/audit?limit=3'));
      assert.deepEqual(
        items.map(({ action, subject }) => [action, subject]),
        ['gateway.uncordon', 'gateway.cordon', 'gateway.create'].map((action) => [action, made['id']]),
      );
      const told = {
        upstream: { from: null, to: made.upstreams[1]?.['id'] },
        url: { from: null, to: 'https://node.test/…' },
      };
      for (const { changes } of items.slice(0, 2)) assert.deepEqual(changes, told);
      assert(!JSON.stringify([items, last]).includes('canary'));
      for (const unknown of ['0123456789abcdef', '%00', 'x'.repeat(64)])
        assertRefused(await client.post(`${path}/upstreams/${unknown}/cordon`, {}), 404);
      assertRefused(
        await client.post(`/manage/v1/gateways/404/upstreams/${String(made.upstreams[1]?.['id'])}/cordon`, {}),
        404,
      );
      const user = await fixture.newMember('user');
      assertRefused(await user.client.post(`${upstream}/cordon`, {}), 403);
    });

    test('a refused change leaves none, and nobody rewrites what is there', async () => {
      const { seq: before } = await fixture.till.till.storage.audit.head();
      const app = managed(await fixture.admin.client.post('/manage/v1/apps', { name: 'A', chains: [] }), 201);
      assertRefused(
        await fixture.admin.client.request('PATCH', `/manage/v1/apps/${String(app['id'])}`, {
          body: { name: 'B' },
          headers: { 'If-Match': '9' },
        }),
        412,
      );
      assertRefused(
        await fixture.admin.client.request('PATCH', `/manage/v1/accounts/${fixture.admin.id}`, {
          body: { status: 'disabled' },
        }),
        409,
      );
      assert.equal((await fixture.till.till.storage.audit.head()).seq, before + 2);
      await assert.rejects(store.sql("UPDATE audit_trail SET action = 'x'"), /append-only/);
      await assert.rejects(store.sql('DELETE FROM audit_trail'), /append-only/);
    });

    test('a change whose row cannot be written is not made', async () => {
      const member = await fixture.newMember();
      await store.sql('ALTER TABLE audit_trail RENAME TO audit_away');
      const reply = await fixture.admin.client.request('PATCH', `/manage/v1/accounts/${member.id}`, {
        body: { name: 'Unseen' },
      });
      const app = await member.client.post('/manage/v1/apps', { name: 'Unseen', chains: [] });
      await store.sql('ALTER TABLE audit_away RENAME TO audit_trail');
      assert.deepEqual([reply.status, app.status], [500, 500]);
      assert.equal(managed(await member.client.get(`/manage/v1/accounts/${member.id}`))['name'], null);
      assert.equal(managed<List>(await member.client.get('/manage/v1/apps')).items.length, 0);
    });
  });
});
