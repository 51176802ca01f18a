import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import type { AppId } from '../../core/index.ts';
import {
  DEFAULT_CORS,
  DEFAULT_READS,
  DEFAULT_MAX_BATCH,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_TIMEOUTS,
  NO_LIMITS,
} from '../../core/index.ts';
import type { GatewayRoute, RouteId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List, Member } from './fixture.ts';

type Fields = Record<string, unknown>;

const CONFIGURED: GatewayRoute = {
  id: 'config-eth' as RouteId,
  host: 'eth.gateway.test',
  chain: 'ETH',
  network: 'mainnet',
  protocol: 'jsonrpc',
  upstreams: [{ url: 'http://127.0.0.1:1/key', headers: {} }],
  admission: 'enforce',
  enabled: true,
  methods: { allow: [], deny: [] },
  limits: NO_LIMITS,
  timeouts: DEFAULT_TIMEOUTS,
  cors: DEFAULT_CORS,
  units: {},
  reads: DEFAULT_READS,
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  maxBatch: DEFAULT_MAX_BATCH,
  plans: [],
};

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { routes: [CONFIGURED] });
    user = await fixture.newMember();
  });
  after(async () => {
    await fixture.close();
    await store.close();
  });

  const create = async (fields: object = {}, by = user): Promise<Fields & { id: string; key: Fields }> =>
    managed(await by.client.post('/manage/v1/apps', { name: 'Shop', chains: ['ETH'], ...fields }), 201);
  const patch = (id: string, body: object, version: string | null, by = user) =>
    by.client.request('PATCH', `/manage/v1/apps/${id}`, {
      body,
      headers: version === null ? {} : { 'If-Match': version },
    });

  describe('Apps', () => {
    test('a new App has its first key and the gateways of its chains', async () => {
      const { id, key, created_at, updated_at, ...rest } = await create({
        chains: ['ETH', 'TRX'],
        provider_id: 'p-1',
      });
      assert.deepEqual(rest, {
        account: user.id,
        name: 'Shop',
        enabled: true,
        version: 1,
        chains: [
          {
            code: 'ETH',
            name: 'Ethereum',
            network: 'mainnet',
            protocol: 'jsonrpc',
            host: 'eth.gateway.test',
            enabled: true,
          },
          { code: 'TRX', name: 'Tron', network: null, protocol: null, host: null, enabled: false },
        ],
        admission_mode: null,
        limits: null,
        quota: null,
        prepaid: false,
        provider_id: 'p-1',
      });
      assert.equal(created_at, updated_at);
      assert.match(String(key['api_key']), /^tgk_[0-9A-Za-z]{49}$/);
      assert.deepEqual([key['state'], key['expires_at'], key['revoked_at']], ['active', null, null]);
      const list = managed<List>(await user.client.get('/manage/v1/apps'));
      const item = list.items.find((each) => each['id'] === id);
      assert(item !== undefined && !('provider_id' in item) && Array.isArray(item['chains']));
      const { key: _key, ...without } = { id, key, created_at, updated_at, ...rest };
      assert.deepEqual(managed(await user.client.get(`/manage/v1/apps/${id}`)), without);
    });

    test('the chains of an App are changed by its owner, with the former ones in the audit log', async () => {
      const { gateway_chains: served } = managed(await user.client.get('/manage/v1/service'));
      assert.deepEqual(served, [{ chain: 'ETH', chain_name: 'Ethereum' }]);
      const { id } = await create({ chains: ['TRX'] });
      const stranger = await fixture.newMember();
      assertRefused(await patch(id, { chains: ['ETH'] }, '1', stranger), 404);
      assertRefused(await patch(id, { chains: ['ETH'] }, '7'), 412);
      assertRefused(await patch(id, { chains: ['eth!'] }, '1'), 400, 'chains.0');
      const { chains } = managed(await patch(id, { chains: ['ETH'] }, '1'));
      assert.deepEqual(
        (chains as Fields[]).map(({ code, host }) => [code, host]),
        [['ETH', 'eth.gateway.test']],
      );
      const { items } = managed<List>(await fixture.admin.client.get(`/manage/v1/audit?account=${user.id}`));
      assert.deepEqual(
        items
          .filter(({ action, subject }) => action === 'app.update' && subject === id)
          .map(({ actor, changes }) => [actor, changes]),
        [[user.id, { chains: { from: ['TRX'], to: ['ETH'] } }]],
      );
    });

    test('fault 138: an account lowers the quota of its App; an admin raises and removes it', async () => {
      const { id } = await create();
      const quota = (units: number, window = 'month') => ({ quota: { units, window } });
      let version = 0;
      const change = async (body: object, by = user) => {
        const reply = await patch(id, body, `${version + 1}`, by);
        if (reply.status === 200) version += 1;
        return reply;
      };
      assert.deepEqual(managed(await change(quota(100)))['quota'], { units: 100, window: 'month' });
      assert.deepEqual(managed(await change(quota(50)))['quota'], { units: 50, window: 'month' });
      for (const looser of [quota(51), quota(50, 'day'), { quota: null }]) assertRefused(await change(looser), 403);
      managed(await change({ name: 'Other', ...quota(50) }));
      managed(await change(quota(80, 'day'), fixture.admin));
      assert.equal(managed(await change({ quota: null }, fixture.admin))['quota'], null);
      assert.equal(managed(await change({ quota: null }))['quota'], null);
      for (const [body, field] of [
        [quota(-1), 'quota.units'],
        [quota(0.5), 'quota.units'],
        [quota(1e16), 'quota.units'],
        [quota(1, 'week'), 'quota.window'],
        [{ quota: { units: 1 } }, 'quota.window'],
        [{ quota: 'none' }, 'quota'],
        [{ quota: 5 }, 'quota'],
        [{ limits: 5 }, 'limits'],
        [{ limits: [] }, 'limits'],
      ] as const)
        assertRefused(await change(body), 400, field);
      const stranger = await fixture.newMember();
      assertRefused(await change(quota(1), stranger), 404);
    });

    test('wrong fields are refused together', async () => {
      assertRefused(await user.client.post('/manage/v1/apps', { name: '', chains: 'ETH' }), 400, 'chains');
      assertRefused(await user.client.post('/manage/v1/apps', { name: 'A', chains: ['eth!'] }), 400, 'chains.0');
      assertRefused(await user.client.post('/manage/v1/apps', {}), 400, 'name');
    });

    test('a change wants the version: none is 428, a stale one 412, and each change counts up', async () => {
      const { id } = await create();
      assertRefused(await patch(id, { name: 'A' }, null), 428);
      for (const stale of ['2', '"2"', 'W/"1"', '*', 'x', ''])
        assertRefused(await patch(id, { name: 'A' }, stale), 412);
      const limits = { requests_per_second: 0.5, burst: 2, concurrency: null };
      const changed = managed(await patch(id, { name: 'A', admission_mode: 'shadow', limits }, '"1"'));
      assert.deepEqual(
        [changed['version'], changed['name'], changed['admission_mode'], changed['limits']],
        [2, 'A', 'shadow', limits],
      );
      assertRefused(await patch(id, { name: 'B' }, '1'), 412);
      const back = managed(await patch(id, { enabled: false, admission_mode: null, limits: null }, '2'));
      assert.deepEqual(
        [back['version'], back['name'], back['enabled'], back['admission_mode'], back['limits']],
        [3, 'A', false, null, null],
      );
      assertRefused(await patch(id, { limits: { burst: 0 } }, '3'), 400, 'limits.burst');
      assertRefused(await patch(id, { enabled: 'yes' }, '3'), 400, 'enabled');
    });

    test('of two changes of one version one wins', async () => {
      const { id } = await create();
      const replies = await Promise.all(['A', 'B', 'C'].map((name) => patch(id, { name }, '1')));
      assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 412, 412]);
    });

    test('only an admin makes an App for another account', async () => {
      const other = await fixture.newMember();
      assertRefused(await user.client.post('/manage/v1/apps', { name: 'A', chains: [], account: other.id }), 404);
      const app = await create({ account: other.id }, fixture.admin);
      assert.equal(app['account'], other.id);
      assert.equal(managed(await other.client.get(`/manage/v1/apps/${app.id}`))['id'], app.id);
      assert.equal(
        managed<List>(await fixture.admin.client.get(`/manage/v1/apps?account=${other.id}`)).items.length,
        1,
      );
      assertRefused(await user.client.get(`/manage/v1/apps?account=${other.id}`), 404);
    });

    test('admission tells verdicts by gateway and reason', async () => {
      const { id } = await create();
      assert.deepEqual(managed(await user.client.get(`/manage/v1/apps/${id}/admission`)), { items: [] });
      const counts = [
        { route: 'eth.gateway.test', mode: 'shadow', verdict: 'would_refuse', reason: 'rate_limited', count: 3 },
      ] as const;
      fixture.admission.set(id as AppId, counts);
      assert.deepEqual(managed(await user.client.get(`/manage/v1/apps/${id}/admission`)), { items: counts });
    });
  });

  describe('keys of Apps', () => {
    test('fault 371: an admin makes, rotates and reveals no key of another account’s App, and revokes it', async () => {
      const { id, key } = await create();
      const [admin, keys] = [fixture.admin.client, `/manage/v1/apps/${id}/keys`];
      const listed = await admin.get(keys);
      assert.ok(!listed.text.includes(String(key['api_key'])), 'the text is masked');
      const own = `${keys}/${String(key['id'])}`;
      assertRefused(await admin.request('POST', `${own}/reveal`), 403);
      assertRefused(await admin.post(`${keys}/rotate`, {}), 403);
      managed(await admin.request('POST', `${own}/revoke`));
      assertRefused(await admin.request('POST', keys), 403);
      managed(await user.client.request('POST', keys), 201);
    });

    test('rotating keeps the replaced key for its grace; revoking ends one at once and again is no error', async () => {
      const { id, key } = await create();
      const path = `/manage/v1/apps/${id}/keys`;
      const { key: next, replaced } = managed<{ key: Fields; replaced: Fields }>(
        await user.client.post(`${path}/rotate`, { grace_seconds: 60 }),
      );
      const text = String(key['api_key']);
      const masked = `${text.slice(0, 8)}…${text.slice(-4)}`;
      assert.deepEqual([replaced['id'], replaced['state'], replaced['api_key']], [key['id'], 'grace', masked]);
      assert.equal(replaced['expires_at'], new Date(fixture.till.clock.now() + 60_000).toISOString());
      const list = managed<{ total: number; items: Fields[] }>(await user.client.get(path));
      assert.deepEqual([list.total, list.items.map(({ state }) => state)], [2, ['active', 'grace']]);
      const revoked = managed(await user.client.request('POST', `${path}/${String(next['id'])}/revoke`));
      assert.equal(revoked['state'], 'revoked');
      assert.deepEqual(managed(await user.client.request('POST', `${path}/${String(next['id'])}/revoke`)), revoked);
      assertRefused(await user.client.post(`${path}/rotate`, {}), 409);
      assert.equal(managed(await user.client.request('POST', path), 201)['state'], 'active');
      assertRefused(await user.client.request('POST', path), 409);
      assertRefused(await user.client.post(`${path}/rotate`, { grace_seconds: -1 }), 400, 'grace_seconds');
      assertRefused(await user.client.post(`${path}/rotate`, { grace_seconds: '60' }), 400, 'grace_seconds');
      const day = managed<{ replaced: Fields }>(await user.client.request('POST', `${path}/rotate`));
      assert.equal(day.replaced['expires_at'], new Date(fixture.till.clock.now() + 86_400_000).toISOString());
    });

    test('fault 441: a key is limited when it is created or changed, a rotation keeps that, and the audit log says what', async () => {
      const { id, key } = await create();
      const path = `/manage/v1/apps/${id}/keys`;
      const free = { methods: [], networks: [], origins: [], units_per_minute: null, expires_at: null };
      const limitsOf = (record: Fields): Fields =>
        Object.fromEntries(Object.keys(free).map((name) => [name, record[name]]));
      assert.deepEqual(limitsOf(key), free);
      const change = (body: object, of = String(key['id']), by = user) =>
        by.client.request('PATCH', `${path}/${of}`, { body });
      const expires_at = new Date(fixture.till.clock.now() + 3_600_000).toISOString();
      const limits = {
        methods: ['eth_call', 'eth_get*'],
        networks: ['203.0.113.0/24', '2001:db8::/32'],
        origins: ['https://app.example'],
        units_per_minute: 600,
        expires_at,
      };
      const changed = managed(await change(limits));
      assert.deepEqual(limitsOf(changed), limits);
      assert.ok(!String(changed['api_key']).includes(String(key['api_key'])), 'the text is masked');
      assert.deepEqual(limitsOf(managed(await change({ networks: [] }, String(key['id']), fixture.admin))), {
        ...limits,
        networks: [],
      });
      const rotated = managed<{ key: Fields; replaced: Fields }>(await user.client.request('POST', `${path}/rotate`));
      assert.deepEqual(limitsOf(rotated.key), { ...limits, networks: [], expires_at: null });
      assert.equal(rotated.replaced['expires_at'], expires_at);
      const again = managed<{ key: Fields }>(await user.client.post(`${path}/rotate`, { expires_at }));
      assert.equal(again.key['expires_at'], expires_at);
      assert.deepEqual(limitsOf(managed(await change({ ...free, expires_at: null }, String(again.key['id'])))), free);
      assertRefused(await change({ expires_at: null }), 400, 'expires_at');
      managed(await user.client.request('POST', `${path}/${String(again.key['id'])}/revoke`));
      assertRefused(await change({ methods: [] }, String(again.key['id'])), 409);
      const made = managed(await user.client.post(path, { origins: limits.origins, units_per_minute: 1 }), 201);
      assert.deepEqual(limitsOf(made), { ...free, origins: limits.origins, units_per_minute: 1 });
      const stranger = await fixture.newMember();
      assertRefused(await change({ methods: [] }, String(made['id']), stranger), 404);
      const { items } = managed<List>(await user.client.get('/manage/v1/audit?limit=100'));
      const rows = items.filter(({ action }) => action === 'app_key.update').toReversed();
      assert.deepEqual(rows[0]?.['changes'], {
        methods: { from: [], to: limits.methods },
        networks: { from: [], to: limits.networks },
        origins: { from: [], to: limits.origins },
        units_per_minute: { from: null, to: 600 },
        expires_at: { from: null, to: Date.parse(expires_at) },
      });
      assert.deepEqual(rows[1]?.['changes'], { networks: { from: limits.networks, to: [] } });
      const created = items.find(({ action, subject }) => action === 'app_key.create' && subject === made['id']);
      assert.deepEqual(created?.['changes'], {
        app: { from: null, to: id },
        methods: { from: null, to: [] },
        networks: { from: null, to: [] },
        origins: { from: null, to: limits.origins },
        units_per_minute: { from: null, to: 1 },
      });
    });

    test('a limit of a key that is wrong is named, also in its list', async () => {
      const { id, key } = await create();
      const path = `/manage/v1/apps/${id}/keys`;
      const many = (entry: string): string[] => Array.from({ length: 101 }, () => entry);
      for (const [body, field] of [
        [{ methods: ['eth_call', 'eth call'] }, 'methods.1'],
        [{ methods: 'eth_call' }, 'methods'],
        [{ methods: many('eth_call') }, 'methods'],
        [{ networks: ['10.0.0.0/8', '::1', '10.0.0.1/8'] }, 'networks.2'],
        [{ networks: [5] }, 'networks.0'],
        [{ networks: many('10.0.0.0/8') }, 'networks'],
        [{ origins: ['*'] }, 'origins.0'],
        [{ origins: ['https://app.example/path'] }, 'origins.0'],
        [{ units_per_minute: 0 }, 'units_per_minute'],
        [{ units_per_minute: 1.5 }, 'units_per_minute'],
        [{ units_per_minute: '5' }, 'units_per_minute'],
        [{ expires_at: new Date(fixture.till.clock.now()).toISOString() }, 'expires_at'],
        [{ expires_at: 'tomorrow' }, 'expires_at'],
        [{ expires_at: 5 }, 'expires_at'],
        [{ network: [] }, 'network'],
      ] as const) {
        const of = `${path}/${String(key['id'])}`;
        assertRefused(await user.client.request('PATCH', of, { body }), 400, field);
        assertRefused(await user.client.post(path, body), 400, field);
      }
      const late = { expires_at: new Date(fixture.till.clock.now() - 1).toISOString() };
      assertRefused(await user.client.post(`${path}/rotate`, late), 400, 'expires_at');
    });

    test('fault 15: of parallel rotations each replaces the key before it, and one is active', async () => {
      const { id } = await create();
      const path = `/manage/v1/apps/${id}/keys`;
      await Promise.all([1, 2, 3].map(() => user.client.request('POST', `${path}/rotate`)));
      const { items } = managed<{ items: Fields[] }>(await user.client.get(path));
      assert.equal(items.filter(({ state }) => state === 'active').length, 1);
    });
  });

  describe('gateways', () => {
    const route = {
      host: 'BTC.gateway.test',
      chain: 'BTC',
      network: 'main',
      protocol: 'jsonrpc',
      upstreams: ['https://node.test/secret-path'],
    };

    test('an admin makes, lists and changes them; hosts are taken once', async () => {
      const { id, created_at, updated_at, upstreams, ...made } = managed(
        await fixture.admin.client.post('/manage/v1/gateways', route),
        201,
      );
      const { upstreams: _given, ...rest } = route;
      assert.equal(created_at, updated_at);
      const [upstream] = upstreams as readonly Fields[];
      assert.match(String(upstream?.['id']), /^[0-9a-f]{16}$/);
      assert.deepEqual(upstreams, [
        { id: upstream?.['id'], url: 'https://node.test/…', header_names: [], cordoned: false },
      ]);
      assert.deepEqual(made, {
        ...rest,
        host: 'btc.gateway.test',
        upstream_health: [null],
        admission: 'enforce',
        enabled: true,
        methods: { allow: [], deny: [] },
        limits: { requests_per_second: null, burst: null, concurrency: null, methods: {} },
        timeouts: { connect_ms: 5000, first_byte_ms: 30_000, idle_ms: 60_000 },
        cors: { origins: ['*'] },
        units: {},
        reads: {
          head_lag_blocks: null,
          monotonic: true,
          logs: null,
          hedge_after_ms: null,
          dedupe: false,
          cache: false,
          subscriptions: 'shared',
        },
        max_body_bytes: 5_242_880,
        max_batch: 1000,
        plans: [],
        source: 'managed',
      });
      assertRefused(await fixture.admin.client.post('/manage/v1/gateways', route), 409);
      const body = {
        upstreams: [{ url: 'https://other.test', headers: { 'x-key': 'canary-header' } }],
        timeouts: { idle_ms: 5 },
        methods: { deny: ['stop'] },
        limits: { burst: 9 },
        cors: { origins: ['https://app.example'] },
        units: { eth_getLogs: 20, '*': 0 },
        plans: ['starter'],
        reads: {
          head_lag_blocks: 3,
          monotonic: false,
          logs: { max_range: 500, split_into: 1, max_results: 10_000 },
          hedge_after_ms: 250,
          dedupe: true,
          cache: true,
          subscriptions: 'bridge',
        },
      };
      const changed = managed(
        await fixture.admin.client.request('PATCH', `/manage/v1/gateways/${String(id)}`, { body }),
      );
      const [other] = changed['upstreams'] as readonly Fields[];
      assert.deepEqual(other, {
        id: other?.['id'],
        url: 'https://other.test/',
        header_names: ['x-key'],
        cordoned: false,
      });
      assert.notEqual(other['id'], upstream?.['id']);
      assert.deepEqual(changed['cors'], body.cors);
      assert.deepEqual(changed['units'], body.units);
      assert.deepEqual(changed['plans'], body.plans);
      assert.deepEqual(changed['reads'], body.reads);
      assert.deepEqual(changed['timeouts'], { connect_ms: 5000, first_byte_ms: 30_000, idle_ms: 5 });
      assert.deepEqual(
        [changed['methods'], changed['limits']],
        [
          { allow: [], deny: ['stop'] },
          { requests_per_second: null, burst: 9, concurrency: null, methods: {} },
        ],
      );
      assert.deepEqual(managed(await fixture.admin.client.get(`/manage/v1/gateways/${String(id)}`)), changed);
      const list = managed<List>(await fixture.admin.client.get('/manage/v1/gateways'));
      assert.deepEqual(
        list.items.map(({ source }) => source),
        ['managed', 'config'],
      );
      assertRefused(
        await fixture.admin.client.post('/manage/v1/gateways', { ...route, host: 'a b', timeouts: { idle_ms: 0 } }),
        400,
        'timeouts.idle_ms',
      );
      assertRefused(await fixture.admin.client.post('/manage/v1/gateways', { host: 'x.test' }), 400, 'upstreams');
      assertRefused(
        await fixture.admin.client.post('/manage/v1/gateways', { ...route, cors: { origins: ['app.example'] } }),
        400,
        'cors.origins.0',
      );
      for (const [units, field] of [
        [{ eth_call: -1 }, 'units.eth_call'],
        [{ eth_call: 0.5 }, 'units.eth_call'],
        [{ '*': 1_000_001 }, 'units.*'],
        [{ 'eth_*': 2 }, 'units'],
        [{ '=1+1': 2 }, 'units'],
        [[], 'units'],
      ] as const)
        assertRefused(await fixture.admin.client.post('/manage/v1/gateways', { ...route, units }), 400, field);
    });

    test('a gateway has rates by method, as a whole or none; what is wrong with one is named', async () => {
      const { client } = fixture.admin;
      const methods = {
        eth_getLogs: { requests_per_second: 2.5, burst: 10 },
        'debug_*': { requests_per_second: 0.1, burst: null },
      };
      const limits = { requests_per_second: 50, methods: { ...methods, 'debug_*': { requests_per_second: 0.1 } } };
      const made = managed(await client.post('/manage/v1/gateways', { ...route, host: 'rates.test', limits }), 201);
      const all = { requests_per_second: 50, burst: null, concurrency: null, methods };
      assert.deepEqual(made['limits'], all);
      const change = (given: object) =>
        client.request('PATCH', `/manage/v1/gateways/${String(made['id'])}`, { body: { limits: given } });
      assert.deepEqual(managed(await change({ burst: 60 }))['limits'], { ...all, burst: 60 });
      const rate = (requests_per_second: unknown, more: object = {}) => ({
        methods: { getLogs: { requests_per_second, ...more } },
      });
      const many = Array.from({ length: 101 }, (_, n) => [`m${n}`, { requests_per_second: 1 }] as const);
      for (const [given, field] of [
        [rate(0), 'limits.methods.getLogs'],
        [rate(1e10), 'limits.methods.getLogs'],
        [rate(1, { burst: 0 }), 'limits.methods.getLogs'],
        [rate(1, { burst: 1.5 }), 'limits.methods.getLogs.burst'],
        [rate('1'), 'limits.methods.getLogs.requests_per_second'],
        [{ methods: { getLogs: {} } }, 'limits.methods.getLogs.requests_per_second'],
        [{ methods: { getLogs: 5 } }, 'limits.methods.getLogs'],
        [rate(1, { concurrency: 1 }), 'limits.methods.getLogs.concurrency'],
        [{ methods: { '=1+1': { requests_per_second: 1 } } }, 'limits.methods'],
        [{ methods: { getLogs: { requests_per_second: 1 }, GETLOGS: { requests_per_second: 1 } } }, 'limits.methods'],
        [{ methods: Object.fromEntries(many) }, 'limits.methods'],
        [{ methods: [] }, 'limits.methods'],
        [{ methods: 5 }, 'limits.methods'],
      ] as const)
        assertRefused(await change(given), 400, field);
      const none = managed(await change({ methods: {} }))['limits'];
      assert.deepEqual(none, { ...all, burst: 60, methods: {} });
    });

    test('fault 390: a name that leads where no node may be is refused when it is configured; one that stays is not asked for', async (t) => {
      const own = await open();
      const asked: string[] = [];
      const leadsToRefused = (hostname: string): Promise<boolean> => {
        asked.push(hostname);
        return Promise.resolve(hostname === 'inside.test');
      };
      const strict = await startFixture(own, { routePlaces: { leadsToRefused } });
      t.after(async () => {
        await strict.close();
        await own.close();
      });
      const [good, bad] = ['https://node.test/key', 'https://inside.test/key'];
      const make = (upstreams: readonly unknown[]) =>
        strict.admin.client.post('/manage/v1/gateways', { ...route, upstreams });
      assertRefused(await make([good, { url: bad }]), 400, 'upstreams.1.url');
      const { id } = managed<{ id: string }>(await make([good]), 201);
      const change = (upstreams: readonly unknown[]) =>
        strict.admin.client.request('PATCH', `/manage/v1/gateways/${id}`, { body: { upstreams } });
      asked.length = 0;
      assertRefused(await change([{ keep: 0 }, bad]), 400, 'upstreams.1.url');
      assert.deepEqual(asked, ['inside.test']);
      managed(await change([{ keep: 0 }, 'https://other.test/']));
    });

    test('fault 366: a gateway takes no name of the till, when it is made or changed', async () => {
      const { client } = fixture.admin;
      assertRefused(await client.post('/manage/v1/gateways', { ...route, host: 'Pay.example' }), 400, 'host');
      const { id } = managed<{ id: string }>(
        await client.post('/manage/v1/gateways', { ...route, host: 'another.test' }),
        201,
      );
      const body = { host: 'pay.example' };
      assertRefused(await client.request('PATCH', `/manage/v1/gateways/${id}`, { body }), 400, 'host');
    });

    test('a gateway of the configuration is changed only there; users see none', async () => {
      assertRefused(
        await fixture.admin.client.request('PATCH', '/manage/v1/gateways/config-eth', { body: { enabled: false } }),
        409,
      );
      assertRefused(await fixture.admin.client.get('/manage/v1/gateways/unknown'), 404);
      assertRefused(await user.client.get('/manage/v1/gateways'), 403);
      assertRefused(await user.client.get('/manage/v1/gateways/config-eth'), 403);
      assertRefused(await user.client.post('/manage/v1/gateways', route), 403);
      assertRefused(
        await user.client.request('PATCH', '/manage/v1/gateways/config-eth', { body: { enabled: false } }),
        403,
      );
    });
  });
});
