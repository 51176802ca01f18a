import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { CryptoRandom } from '../../../adapters/crypto/index.ts';
import { SystemClock } from '../../../adapters/system/index.ts';
import {
  Apps,
  authenticateKey,
  IdSequence,
  isTillgateError,
  keyState,
  readRoute,
  ROUTE_BOUNDS,
} from '../../../core/index.ts';
import type {
  AccountId,
  AppId,
  AppKeyId,
  ErrorCode,
  GatewayRoute,
  RouteId,
  RouteInput,
  UpstreamId,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { argumentsOf } from '../../support/source-program.ts';
import { waitFor } from '../../support/wait.ts';
import { storedAccount } from '../storage/fixtures.ts';
import { Instance, openFor, vault } from './fixture.ts';

const code =
  (expected: ErrorCode) =>
  (error: unknown): boolean =>
    isTillgateError(error, expected);

const fieldsOf = async (attempt: Promise<unknown>): Promise<readonly string[]> =>
  attempt.then(
    () => [],
    (error: unknown) =>
      isTillgateError(error, 'INVALID_FIELDS') ? (error.details.fields ?? []).map(({ path }) => path) : [String(error)],
  );

const ROUTE: RouteInput = {
  host: 'Eth.Nodes.Example.org',
  chain: 'ETH',
  network: 'main',
  protocol: 'jsonrpc',
  upstreams: [
    { url: 'https://rpc.example.net/v2/upstream-secret-canary', headers: { 'X-Token': 'header-secret-canary' } },
  ],
};

eachStorage((engine, openStorage) => {
  test('fault 119: an account has no more Apps than it may, also when they are made at once', async (t) => {
    const { storage } = await openFor(t, openStorage);
    const { id: accountId } = await storedAccount(storage);
    const clock = new SystemClock();
    const ids = new IdSequence(
      () => clock.now(),
      1,
      () => 0,
    );
    const apps = new Apps({ storage, vault, random: new CryptoRandom(), ids, clock, appsPerAccount: () => 5 });
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => apps.create({ accountId, name: `wallet ${n}`, chains: ['ETH'] })),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 5);
    await assert.rejects(apps.create({ accountId, name: 'one more', chains: ['ETH'] }), code('STATE_CONFLICT'));
    assert.equal(await apps.countOf(accountId), 5);
  });

  test('an App is made with its first key, both or neither', async (t) => {
    const { storage, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const { id: accountId } = await storedAccount(storage);
    const { app, key } = await a.apps.create({ accountId, name: 'shop', chains: ['ETH'], providerId: 'mine' });
    assert.deepEqual(await a.apps.find(app.id), app);
    assert.deepEqual([app.version, app.enabled, app.providerId, key.state], [1, true, 'mine', 'active']);
    assert.deepEqual(await a.keys.list(app.id), [key]);
    const found = a.directory.find(key.text);
    assert.deepEqual(
      [found?.id, found?.app.id, found?.app.accountId, [...(found?.app.chains ?? [])]],
      [key.key.id, app.id, accountId, ['ETH']],
    );
    assert.equal(a.directory.find(key.text.replace(/.$/, '')), null);
    await assert.rejects(a.apps.create({ accountId: '404' as AccountId, name: 'shop', chains: [] }), code('NOT_FOUND'));
    assert.deepEqual(await a.apps.list(null, { before: null, limit: 10 }), [app]);
    assert.deepEqual([await a.apps.countOf(accountId), await a.apps.countOf('404' as AccountId)], [1, 0]);
  });

  test('an App names each field that is wrong, and wants the version that was seen', async (t) => {
    const { storage } = await openFor(t, openStorage);
    const a = new Instance(storage, 'a');
    const { id: accountId } = await storedAccount(storage);
    const wrong = { accountId, name: ' ', chains: ['ETH', 'eth', 'ETH'], providerId: '\n' };
    assert.deepEqual(await fieldsOf(a.apps.create(wrong)), ['name', 'chains.1', 'chains.2', 'providerId']);
    const { app } = await a.apps.create({ accountId, name: 'shop', chains: [] });
    const limits = { requestsPerSecond: -1, burst: 0.5, concurrency: 0 };
    const changes = {
      name: '',
      chains: Array.from({ length: 65 }, (_, n) => `C${n}`),
      admissionMode: 'off' as 'enforce',
      limits,
    };
    const expected = [
      'name',
      'chains',
      'admissionMode',
      'limits.requestsPerSecond',
      'limits.burst',
      'limits.concurrency',
    ];
    assert.deepEqual(await fieldsOf(a.apps.update(app.id, 1, changes)), expected);
    const changed = await a.apps.update(app.id, 1, {
      name: 'new',
      admissionMode: 'enforce',
      limits: { requestsPerSecond: 0.1, burst: 1, concurrency: null },
    });
    assert.deepEqual([changed.version, changed.name], [2, 'new']);
    await assert.rejects(a.apps.update(app.id, 1, { name: 'late' }), code('VERSION_MISMATCH'));
    await assert.rejects(a.apps.update('404' as AppId, 1, {}), code('NOT_FOUND'));
    const race = await Promise.allSettled([1, 2, 3, 4].map((n) => a.apps.update(app.id, 2, { name: `n${n}` })));
    assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('a key is made where there is none, and revoked once and for all', async (t) => {
    const { storage, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const { appId, keyId, text } = await a.newApp();
    const other = await a.newApp();
    await assert.rejects(a.keys.create(appId), code('STATE_CONFLICT'));
    await assert.rejects(a.keys.revoke(other.appId, keyId), code('NOT_FOUND'));
    const revoked = await a.keys.revoke(appId, keyId);
    assert.deepEqual([revoked.state, revoked.text, typeof revoked.key.revokedAt], ['revoked', text, 'number']);
    assert.deepEqual(await a.keys.revoke(appId, keyId), revoked, 'idempotent');
    await assert.rejects(a.keys.rotate(appId), code('STATE_CONFLICT'));
    const made = await a.keys.create(appId);
    assert.deepEqual([a.look(text), a.look(made.text)], ['revoked', 'active']);
    assert.deepEqual(
      (await a.keys.list(appId)).map(({ state }) => state),
      ['active', 'revoked'],
    );
    const nobody = '404' as AppId;
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => a.keys.list(nobody),
      () => a.keys.create(nobody),
      () => a.keys.rotate(nobody),
      () => a.keys.revoke(nobody, keyId),
      () => a.keys.revoke(appId, '404' as AppKeyId),
    ];
    for (const attempt of attempts) await assert.rejects(attempt(), code('NOT_FOUND'));
  });

  test('fault 16: a rotated key is accepted for its grace by the time of each request, and not a millisecond longer', async (t) => {
    const { storage, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const { appId, text } = await a.newApp();
    const { key, replaced } = await a.keys.rotate(appId, 7 * 86_400);
    const end = replaced.key.expiresAt as number;
    const view = a.directory.find(text);
    assert.deepEqual([replaced.text, replaced.state, view?.expiresAt], [text, 'grace', end]);
    assert.ok('state' in authenticateKey(view, end - 1) && 'reason' in authenticateKey(view, end));
    assert.deepEqual([a.look(key.text), key.key.expiresAt], ['active', null]);
    const next = await a.keys.rotate(appId);
    assert.equal(
      (next.replaced.key.expiresAt as number) - a.clock.now() > 86_390_000,
      true,
      '24 hours where nothing is said',
    );
    for (const seconds of [-1, 0.5, NaN, 7 * 86_400 + 1, Infinity])
      assert.deepEqual(await fieldsOf(a.keys.rotate(appId, seconds)), ['graceSeconds']);
    // The grace period ends by itself, without a job or a message.
    const short = await a.keys.rotate(appId, 1);
    const stored = short.replaced.key;
    await waitFor(() => keyState(a.directory.find(short.replaced.text)!, a.clock.now()) === 'expired');
    assert.ok(a.clock.now() >= (stored.expiresAt as number));
    assert.deepEqual(
      (await a.keys.list(appId)).map(({ state }) => state),
      ['active', 'expired', 'grace', 'grace'],
    );
    assert.equal((await a.keys.revoke(appId, stored.id)).state, 'revoked');
  });

  test('fault 441: what a key may no longer do it can do nowhere once the change was answered; a rotation keeps it', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b').serve(later);
    const { appId, keyId, text } = await a.newApp();
    const other = await a.newApp();
    const rulesOf = (keyText: string) => [a, b].map(({ directory }) => directory.find(keyText)?.rules ?? null);
    const foreign = (keyText: string) => rulesOf(keyText).map((rules) => rules?.foreign(['eth_getLogs']) ?? 'none');
    const away = (keyText: string) => rulesOf(keyText).map((rules) => rules?.allowsAddress('192.0.2.1') ?? true);
    for (let round = 0; round < 10; round++) {
      const [writer, methods] = round % 2 === 0 ? [a, ['eth_call']] : [b, []];
      await writer.keys.change(appId, keyId, { methods });
      const expected = round % 2 === 0 ? 'eth_getLogs' : 'none';
      assert.deepEqual(foreign(text), [expected, expected]);
    }
    const end = a.clock.now() + 3_600_000;
    const changed = await a.keys.change(appId, keyId, {
      methods: ['eth_call'],
      networks: ['10.0.0.0/8'],
      expiresAt: end,
    });
    const restrictions = { methods: ['eth_call'], networks: ['10.0.0.0/8'], origins: [], unitsPerMinute: null };
    assert.deepEqual([changed.key.restrictions, changed.key.expiresAt, changed.state], [restrictions, end, 'active']);
    const more = await b.keys.change(appId, keyId, { unitsPerMinute: 60 });
    assert.deepEqual([more.key.restrictions, more.key.expiresAt], [{ ...restrictions, unitsPerMinute: 60 }, end]);
    // The new key has no end of its own; the replaced one keeps its own where that is earlier.
    const { key, replaced } = await a.keys.rotate(appId, 86_400);
    assert.deepEqual([key.key.restrictions, key.key.expiresAt], [more.key.restrictions, null]);
    assert.equal(replaced.key.expiresAt, end);
    assert.deepEqual(
      [foreign(key.text), away(replaced.text)],
      [
        ['eth_getLogs', 'eth_getLogs'],
        [false, false],
      ],
    );
    assert.equal((await a.keys.rotate(appId, 60, end)).key.key.expiresAt, end);
    // A grace period only becomes shorter.
    for (const expiresAt of [null, end + 1])
      assert.deepEqual(await fieldsOf(a.keys.change(appId, keyId, { expiresAt })), ['expiresAt']);
    assert.equal((await a.keys.change(appId, keyId, { expiresAt: end - 1 })).state, 'grace');
    await assert.rejects(a.keys.change(other.appId, keyId, { methods: [] }), code('NOT_FOUND'));
    await assert.rejects(a.keys.change('404' as AppId, keyId, { methods: [] }), code('NOT_FOUND'));
    await a.keys.revoke(appId, keyId);
    await assert.rejects(a.keys.change(appId, keyId, { methods: [] }), code('STATE_CONFLICT'));
  });

  test('a key with an end is made anew after it; a key in grace that is over stays so', async (t) => {
    const { storage, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const { appId, keyId, text } = await a.newApp();
    await a.keys.change(appId, keyId, { expiresAt: a.clock.now() + 3_600_000 });
    await assert.rejects(a.keys.create(appId), code('STATE_CONFLICT'));
    await a.keys.change(appId, keyId, { expiresAt: a.clock.now() + 100 });
    await waitFor(() => 'reason' in authenticateKey(a.directory.find(text), a.clock.now()));
    assert.deepEqual((await a.keys.list(appId))[0]?.state, 'expired');
    const options = { origins: ['https://app.example'], unitsPerMinute: 5, expiresAt: a.clock.now() + 60_000 };
    const made = await a.keys.create(appId, options);
    assert.deepEqual(made.key.restrictions, { methods: [], networks: [], origins: options.origins, unitsPerMinute: 5 });
    assert.equal(made.key.expiresAt, options.expiresAt);
    assert.deepEqual(
      (await a.keys.list(appId)).map(({ state }) => state),
      ['active', 'expired'],
    );
    await assert.rejects(a.keys.change(appId, keyId, { expiresAt: null }), code('STATE_CONFLICT'));
  });

  test('a key names each option that is wrong', async (t) => {
    const { storage } = await openFor(t, openStorage);
    const a = new Instance(storage, 'a');
    const { appId, keyId } = await a.newApp();
    const wrong = {
      methods: ['eth_call', 'eth call', '*_x'],
      networks: ['10.0.0.0/8', '10.0.0.1/8', '2001:db8::/129', 'example.org'],
      origins: ['https://app.example', '*', 'https://app.example/', 'HTTPS://app.example'],
      unitsPerMinute: 0.5,
      expiresAt: a.clock.now(),
    };
    const expected = [
      ...['methods.1', 'methods.2', 'networks.1', 'networks.2', 'networks.3', 'origins.1', 'origins.2', 'origins.3'],
      ...['unitsPerMinute', 'expiresAt'],
    ];
    assert.deepEqual(await fieldsOf(a.keys.create(appId, wrong)), expected);
    assert.deepEqual(await fieldsOf(a.keys.change(appId, keyId, wrong)), expected);
    assert.deepEqual(await fieldsOf(a.keys.rotate(appId, 1, a.clock.now())), ['expiresAt']);
    const many = (entry: string) => Array.from({ length: 101 }, () => entry);
    const long = { methods: many('eth_call'), networks: many('10.0.0.0/8'), origins: many('https://app.example') };
    assert.deepEqual(await fieldsOf(a.keys.change(appId, keyId, long)), ['methods', 'networks', 'origins']);
  });

  test('fault 15: whatever is done to an App at once, by whichever instance, it has one active key at most', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const b = await new Instance(await another(), 'b').serve(later);
    const { appId } = await a.newApp();
    const rotations = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => (n % 2 ? a : b).keys.rotate(appId)));
    assert.ok(
      rotations.every(({ status }) => status === 'fulfilled'),
      'they queue up',
    );
    assert.deepEqual((await a.keys.list(appId)).map(({ state }) => state).toSorted(), [
      'active',
      ...Array.from({ length: 6 }, () => 'grace'),
    ]);
    const step = fc.record({
      act: fc.constantFrom('create', 'rotate', 'revoke'),
      by: fc.constantFrom(a, b),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          const own = await a.newApp();
          for (const steps of rounds) {
            const known = await a.keys.list(own.appId);
            await Promise.all(
              steps.map(async ({ act, by, which }) => {
                const keyId = known[which % known.length]!.key.id;
                const run = {
                  create: () => by.keys.create(own.appId),
                  rotate: () => by.keys.rotate(own.appId),
                  revoke: () => by.keys.revoke(own.appId, keyId),
                }[act];
                await (run as () => Promise<unknown>)().catch((error: unknown) =>
                  assert.ok(isTillgateError(error, 'STATE_CONFLICT'), String(error)),
                );
              }),
            );
            const now = await b.keys.list(own.appId);
            assert.ok(now.filter(({ state }) => state === 'active').length <= 1);
            for (const { text, key } of now) assert.deepEqual([a.look(text), b.look(text)], [key.state, key.state]);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test("fault 18: no key, and no upstream's secret, can be read in a dump of the database", async (t) => {
    const { storage, sql, config, later } = await openFor(t, openStorage);
    const a = await new Instance(storage, 'a').serve(later);
    const { appId, text } = await a.newApp();
    const { key } = await a.keys.rotate(appId);
    const { route, upstreams } = await a.routes.create(ROUTE);
    for (const { id } of upstreams) await a.routes.cordon(route.id, id);
    a.directory.find(text);
    const secrets = [text, key.text, 'upstream-secret-canary', 'header-secret-canary'];
    const tables = ['apps', 'app_keys', 'gateway_routes', 'gateway_changes', 'gateway_instances', 'gateway_feed'];
    const dump = (await Promise.all(tables.map((table) => sql(`SELECT * FROM ${table}`))))
      .map((rows) => JSON.stringify(rows))
      .join('\n');
    const files = !('filename' in config)
      ? []
      : readdirSync(dirname(config.filename)).map((file) =>
          readFileSync(join(dirname(config.filename), file), 'latin1'),
        );
    for (const secret of secrets)
      assert.ok(![dump, ...files, JSON.stringify(a.logger.lines)].some((each) => each.includes(secret)));
    assert.ok(dump.includes(appId));
  });

  test('a route is checked as a whole, kept beside those of the configuration, and served everywhere at once', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const own: GatewayRoute = { ...readRoute({ ...ROUTE, host: 'config.example.org' }), id: '1' as RouteId };
    const a = await new Instance(storage, 'a', undefined, [own]).serve(later);
    const b = await new Instance(await another(), 'b', undefined, [own]).serve(later);
    const made = await a.routes.create({
      ...ROUTE,
      methods: { deny: ['eth_call'] },
      limits: { burst: 9 },
      timeouts: { idleMs: 5 },
      enabled: false,
    });
    const { id } = made.route;
    assert.deepEqual(
      [made.source, made.route.host, made.route.methods.allow, made.route.limits.burst, made.route.timeouts.connectMs],
      ['managed', 'eth.nodes.example.org', [], 9, 5000],
    );
    assert.deepEqual(b.knownRoutes.table().find('eth.nodes.example.org:443'), made.route);
    assert.deepEqual(
      (await a.routes.list()).map(({ route, source }) => [route.host, source]),
      [
        ['config.example.org', 'config'],
        [made.route.host, 'managed'],
      ],
    );
    assert.deepEqual(await b.routes.find(id), made);
    assert.deepEqual([(await a.routes.find(own.id))?.source, await a.routes.find('404' as RouteId)], ['config', null]);
    const changed = await b.routes.update(id, { enabled: true, host: 'moved.example.org', limits: { concurrency: 3 } });
    assert.deepEqual(changed.route, {
      ...made.route,
      enabled: true,
      host: 'moved.example.org',
      limits: { ...made.route.limits, concurrency: 3 },
    });
    for (const { knownRoutes } of [a, b]) {
      assert.equal(knownRoutes.table().find(made.route.host), null);
      assert.deepEqual(knownRoutes.table().find('MOVED.example.org'), changed.route);
    }
    await assert.rejects(a.routes.update(own.id, {}), code('STATE_CONFLICT'));
    await assert.rejects(a.routes.update('404' as RouteId, {}), code('NOT_FOUND'));
    for (const host of ['moved.example.org', 'config.example.org']) {
      await assert.rejects(a.routes.create({ ...ROUTE, host }), code('STATE_CONFLICT'));
    }
    const second = await a.routes.create({ ...ROUTE, host: 'second.example.org' });
    await assert.rejects(a.routes.update(second.route.id, { host: 'moved.example.org' }), code('STATE_CONFLICT'));
    assert.deepEqual(await fieldsOf(a.routes.update(id, { maxBatch: 0 })), ['maxBatch']);
    const origins = ['https://app.example', 'http://localhost:5173', 'chrome-extension://abc'];
    const { route } = await b.routes.update(id, { cors: { origins } });
    assert.deepEqual(a.knownRoutes.table().find('moved.example.org'), { ...changed.route, cors: { origins } });
    assert.deepEqual((await a.routes.update(id, { cors: {} })).route, route);
    const wrong = ['https://app.example/', 'HTTPS://app.example', 'https://app.example:443', 'app.example', 'null', ''];
    assert.deepEqual(
      await fieldsOf(a.routes.update(id, { cors: { origins: ['*', ...wrong] } })),
      wrong.map((_, index) => `cors.origins.${index + 1}`),
    );
  });

  test('fault 443: a cordon holds on every instance and over restarts, for routes of the configuration too, wherever the upstream is in the list', async (t) => {
    const { storage, another, later } = await openFor(t, openStorage);
    const [url, second] = ['https://rpc.example.net/v2/upstream-secret-canary', 'https://rpc.example.net/v2/another'];
    const upstreams = [
      { url, headers: { 'X-Token': 'header-secret-canary' } },
      { url: second, headers: {} },
    ];
    const own: GatewayRoute = {
      ...readRoute({ ...ROUTE, host: 'config.example.org', upstreams }),
      id: 'config:config.example.org' as RouteId,
    };
    const a = await new Instance(storage, 'a', undefined, [own]).serve(later);
    const b = await new Instance(await another(), 'b', undefined, [own]).serve(later);
    const { route } = await a.routes.create({ ...ROUTE, upstreams });
    const cordoned = ({ id }: GatewayRoute, ...instances: readonly Instance[]): readonly boolean[][] =>
      instances.map(({ knownRoutes }) => [url, second].map((each) => knownRoutes.table().cordons.has(id, each)));
    for (const each of [own, route]) {
      const known = (await a.routes.find(each.id))?.upstreams ?? [];
      assert.deepEqual(
        known.map(({ cordoned: is }) => is),
        [false, false],
      );
      const [first, other] = known.map(({ id }) => id) as [UpstreamId, UpstreamId];
      assert.notEqual(first, other, 'upstreams of one name and port differ');
      // At once, and again: it is cordoned once.
      const settled = await Promise.all([a, b, a].map(({ routes }) => routes.cordon(each.id, first)));
      for (const { upstreams: after } of settled)
        assert.deepEqual(after, [
          { id: first, cordoned: true },
          { id: other, cordoned: false },
        ]);
      assert.deepEqual(cordoned(each, a, b), [
        [true, false],
        [true, false],
      ]);
      assert.equal((await storage.routes.cordons()).filter(({ routeId }) => routeId === each.id).length, 1);
      await assert.rejects(a.routes.cordon(each.id, '0123456789abcdef' as UpstreamId), code('NOT_FOUND'));
    }
    await assert.rejects(a.routes.cordon('404' as RouteId, '0123456789abcdef' as UpstreamId), code('NOT_FOUND'));
    // The list is turned round, and the headers are others: it is the same upstream.
    const turned = await b.routes.update(route.id, {
      upstreams: [
        { url: second, headers: {} },
        { url, headers: {} },
      ],
    });
    assert.deepEqual(
      turned.upstreams.map(({ cordoned: is }) => is),
      [false, true],
    );
    const restarted = await new Instance(storage, 'c', undefined, [own]).serve(later);
    for (const each of [own, route]) assert.deepEqual(cordoned(each, restarted), [[true, false]]);
    for (const each of [own, route]) {
      const [first] = ((await b.routes.find(each.id))?.upstreams ?? []).filter(({ cordoned: is }) => is);
      for (let n = 0; n < 2; n++) {
        const freed = await b.routes.uncordon(each.id, first?.id as UpstreamId);
        assert.ok(freed.upstreams.every(({ cordoned: is }) => !is));
      }
      assert.deepEqual(
        cordoned(each, a, b, restarted).flat(),
        Array.from({ length: 6 }, () => false),
      );
    }
    assert.deepEqual(await storage.routes.cordons(), []);
  });

  test('fault 444: cordons of a route do not pile up as its upstreams change, and none in use is forgotten', async (t) => {
    const { storage } = await openFor(t, openStorage);
    const { routes } = new Instance(storage, 'a');
    const first = { url: 'https://first.example.net/', headers: {} };
    const { route } = await routes.create({ ...ROUTE, upstreams: [first] });
    const cordonLast = async (): Promise<void> => {
      const last = (await routes.find(route.id))?.upstreams.at(-1);
      await routes.cordon(route.id, last?.id as UpstreamId);
    };
    await cordonLast();
    for (let n = 0; n < ROUTE_BOUNDS.upstreams + 3; n++) {
      await routes.update(route.id, { upstreams: [first, { url: `https://node-${n}.example.net/`, headers: {} }] });
      await cordonLast();
    }
    assert.equal((await storage.routes.cordons()).length, ROUTE_BOUNDS.upstreams);
    assert.ok((await routes.find(route.id))?.upstreams.every(({ cordoned: is }) => is));
  });

  if (engine === 'sqlite') {
    test('a command in another process revokes exactly, while the server serves', async (t) => {
      const { storage, config, later } = await openFor(t, openStorage);
      assert.ok('filename' in config);
      const server = await new Instance(storage, 'server').serve(later);
      const made = [await server.newApp(), await server.newApp(), await server.newApp()];
      let answered = 0;
      let late = 0;
      const command = promisify(execFile)(process.execPath, [
        ...argumentsOf('test/contract/keys/revoke-command.ts'),
        config.filename,
        ...made.flatMap(({ appId, keyId }) => [appId, keyId]),
      ]).then(({ stdout }) => {
        answered = 1;
        return stdout;
      });
      await waitFor(
        () => {
          if (answered > 0) late += made.filter(({ text }) => server.look(text) === 'active').length;
          return answered > 0;
        },
        { intervalMs: 1, timeoutMs: 60_000 },
      );
      assert.deepEqual(JSON.parse(await command), ['revoked', 'revoked', 'revoked']);
      assert.equal(late, 0);
      assert.deepEqual(
        made.map(({ text }) => server.look(text)),
        ['revoked', 'revoked', 'revoked'],
      );
    });
  }
});
