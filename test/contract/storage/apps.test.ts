import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type {
  AccountId,
  App,
  AppId,
  AppKey,
  AppKeyId,
  CordonId,
  RouteId,
  Storage,
  StoredCordon,
  StoredKeyState,
  StoredRoute,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { nextId, NOW, storedAccount } from './fixtures.ts';

function app(accountId: AccountId, given: Partial<App> = {}): App {
  const id = nextId() as AppId;
  return {
    id,
    accountId,
    name: `App ${id}`,
    enabled: true,
    version: 1,
    providerId: null,
    chains: ['ETH', 'TRX'],
    admissionMode: null,
    quota: null,
    prepaid: false,
    buyer: null,
    limits: null,
    createdAt: NOW,
    modifiedAt: NOW,
    ...given,
  };
}

function key(appId: AppId, given: Partial<AppKey> = {}): AppKey {
  const id = nextId() as AppKeyId;
  const plain = {
    sealed: 'sealed',
    state: 'active',
    expiresAt: null,
    restrictions: null,
    revokedAt: null,
    createdAt: NOW,
    lastUsedAt: null,
  } as const;
  return { id, appId, lookupHash: `hash-${id}`, ...plain, ...given };
}

const RESTRICTED: AppKey['restrictions'] = {
  methods: ['eth_*'],
  networks: ['203.0.113.0/24', '2001:db8::/32'],
  origins: ['https://app.example'],
  unitsPerMinute: 600,
};

function route(given: Partial<StoredRoute> = {}): StoredRoute {
  const id = nextId() as RouteId;
  return {
    id,
    host: `node-${id}.example.org`,
    chain: 'ETH',
    network: 'main',
    protocol: 'jsonrpc',
    sealedUpstreams: 'sealed',
    admission: 'enforce',
    enabled: true,
    methods: { allow: ['eth_*'], deny: [] },
    limits: {
      requestsPerSecond: 5,
      burst: null,
      concurrency: null,
      methods: { eth_getLogs: { requestsPerSecond: 0.5, burst: null } },
    },
    timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3 },
    cors: { origins: ['https://app.example'] },
    units: { eth_getLogs: 20, '*': 2 },
    reads: {
      headLagBlocks: 7,
      monotonic: false,
      logs: { maxRange: 9, splitInto: 2, maxResults: 3 },
      hedgeAfterMs: 8,
      dedupe: false,
      cache: true,
      subscriptions: 'bridge',
    },
    maxBodyBytes: 4,
    maxBatch: 5,
    plans: [],
    createdAt: NOW,
    modifiedAt: NOW,
    ...given,
  };
}

async function storedApp(storage: Storage, given: Partial<App> = {}): Promise<App> {
  const made = app((await storedAccount(storage)).id, given);
  await storage.transaction((tx) => tx.apps.create(made));
  return made;
}

const subjects = async (storage: Storage, after: number): Promise<readonly string[]> =>
  (await storage.feed.after(after, 100)).changes.map(({ subject: { kind, id } }) => `${kind} ${id}`);

eachStorage((_name, open) => {
  test('an App and its keys come back as they were stored', async (t) => {
    const { storage } = await open(t);
    const made = await storedApp(storage, {
      providerId: 'p',
      admissionMode: 'shadow',
      limits: { requestsPerSecond: 0.5, burst: 2, concurrency: null },
    });
    const keys = [
      key(made.id, { state: 'revoked', revokedAt: NOW }),
      key(made.id, { state: 'grace', expiresAt: NOW + 1, restrictions: RESTRICTED }),
      key(made.id),
    ];
    for (const each of keys) await storage.transaction((tx) => tx.apps.createKey(each));
    assert.deepEqual(await storage.apps.find(made.id), made);
    assert.deepEqual(await storage.apps.keys(made.id), keys.toReversed());
    await storage.transaction(async ({ apps }) => {
      assert.deepEqual(await apps.lock(made.id), made);
      assert.deepEqual(await apps.key(keys[0]!.id), keys[0]);
      assert.deepEqual(await apps.activeKey(made.id), keys[2]);
      assert.equal(await apps.accountStatus(made.accountId), 'active');
      assert.equal(await apps.accountStatus('404' as AccountId), null);
    });
    for (const id of ['404', '\0'] as AppId[]) {
      assert.equal(await storage.apps.find(id), null);
      assert.deepEqual(await storage.apps.keys(id), []);
      assert.equal(await storage.transaction((tx) => tx.apps.lock(id)), null);
    }
  });

  test('Apps are listed newest first, of one account or of all, from any of them on', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const made = [];
    for (let n = 0; n < 5; n++) {
      const each = app(accountId);
      await storage.transaction((tx) => tx.apps.create(each));
      made.unshift(each);
    }
    const foreign = await storedApp(storage);
    assert.deepEqual(await storage.apps.list(accountId, { before: made[1]!.id, limit: 2 }), made.slice(2, 4));
    assert.deepEqual(await storage.apps.list(accountId, { before: made[4]!.id, limit: 2 }), []);
    assert.deepEqual(await storage.apps.list(null, { before: null, limit: 3 }), [foreign, made[0], made[1]]);
    for (const id of ['404', '\0'] as AccountId[])
      assert.deepEqual(await storage.apps.list(id, { before: null, limit: 3 }), []);
    assert.deepEqual([await storage.apps.countOf(accountId), await storage.apps.countOf('404' as AccountId)], [5, 0]);
  });

  test('an App changes field by field, by compare-and-set on its version', async (t) => {
    const { storage } = await open(t);
    let expected = await storedApp(storage);
    const limits = { requestsPerSecond: 1, burst: 1, concurrency: 1 };
    for (const step of [
      { name: 'new' },
      { enabled: false },
      { chains: [] },
      { admissionMode: 'enforce' },
      { limits },
      { limits: null, admissionMode: null, quota: { units: 5, window: 'day' } },
      { quota: null },
      {},
    ] as const) {
      const now = expected.modifiedAt + 1;
      expected = { ...expected, ...step, version: expected.version + 1, modifiedAt: now };
      assert.deepEqual(
        await storage.transaction((tx) => tx.apps.update(expected.id, expected.version - 1, step, now)),
        expected,
      );
      assert.equal(
        await storage.transaction((tx) => tx.apps.update(expected.id, expected.version - 1, step, now)),
        null,
      );
    }
    assert.deepEqual(await storage.apps.find(expected.id), expected);
  });

  test('fault 15: an App has one active key at most, in the database too', async (t) => {
    const { storage } = await open(t);
    const { id } = await storedApp(storage);
    const attempts = await Promise.allSettled(
      [1, 2, 3, 4].map(() => storage.transaction((tx) => tx.apps.createKey(key(id)))),
    );
    assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await storage.apps.keys(id)).length, 1);
  });

  test('a key changes what it may do and its end, and the feed says so; a revoked one does not', async (t) => {
    const { storage } = await open(t);
    const { id } = await storedApp(storage);
    const some = key(id);
    await storage.transaction((tx) => tx.apps.createKey(some));
    const change = (changes: Pick<AppKey, 'expiresAt' | 'restrictions'>) =>
      storage.transaction((tx) => tx.apps.changeKey(some.id, changes));
    for (const changes of [
      { expiresAt: NOW + 5, restrictions: RESTRICTED },
      { expiresAt: null, restrictions: { ...RESTRICTED, networks: [] } },
      { expiresAt: NOW + 6, restrictions: null },
    ]) {
      const { head } = await storage.feed.after(0, 1);
      assert.equal(await change(changes), true);
      assert.deepEqual(await storage.apps.keys(id), [{ ...some, ...changes }]);
      assert.deepEqual(await subjects(storage, head), [`key ${some.id}`]);
      const [read] = await storage.apps.directory.keys({ ids: [some.id] });
      assert.deepEqual([read?.expiresAt, read?.restrictions], [changes.expiresAt, changes.restrictions]);
    }
    await storage.transaction((tx) => tx.apps.moveKey(some.id, ['active'], { to: 'revoked', revokedAt: NOW }));
    const { head } = await storage.feed.after(0, 1);
    assert.equal(await change({ expiresAt: null, restrictions: RESTRICTED }), false);
    assert.deepEqual(await subjects(storage, head), []);
  });

  test('a key changes its state only along the legal moves, in the database too', async (t) => {
    const { storage, sql } = await open(t);
    const legal = new Set(['active grace', 'active revoked', 'grace revoked']);
    const times = { expiresAt: NOW, revokedAt: NOW };
    const states: readonly StoredKeyState[] = ['active', 'grace', 'revoked'];
    for (const from of states) {
      for (const to of states.filter((state) => state !== from)) {
        const { id } = await storedApp(storage);
        const some = key(id, { ...times, state: from });
        await storage.transaction((tx) => tx.apps.createKey(some));
        const move = sql('UPDATE app_keys SET status = ? WHERE id = ?', [to, some.id]);
        if (legal.has(`${from} ${to}`)) await move;
        else await assert.rejects(move, /illegal change of status/);
      }
    }
    const { id } = await storedApp(storage);
    const some = key(id);
    await storage.transaction((tx) => tx.apps.createKey(some));
    await assert.rejects(sql(`UPDATE app_keys SET status = 'expired' WHERE id = ?`, [some.id]));
    await assert.rejects(sql(`UPDATE app_keys SET status = 'grace' WHERE id = ?`, [some.id]));
    assert.equal(
      await storage.transaction((tx) => tx.apps.moveKey(some.id, ['grace'], { to: 'revoked', revokedAt: NOW })),
      false,
    );
    assert.equal(
      await storage.transaction((tx) => tx.apps.moveKey(some.id, ['active'], { to: 'grace', expiresAt: NOW + 9 })),
      true,
    );
    assert.equal(
      await storage.transaction((tx) =>
        tx.apps.moveKey(some.id, ['active', 'grace'], { to: 'revoked', revokedAt: NOW + 3 }),
      ),
      true,
    );
    assert.deepEqual(await storage.apps.keys(id), [
      { ...some, state: 'revoked', expiresAt: NOW + 9, revokedAt: NOW + 3 },
    ]);
  });

  test('a look-up hash belongs to one key, a key to an App, an App to an account', async (t) => {
    const { storage } = await open(t);
    const [one, other] = [await storedApp(storage), await storedApp(storage)];
    const some = key(one.id);
    await storage.transaction((tx) => tx.apps.createKey(some));
    await assert.rejects(
      storage.transaction((tx) => tx.apps.createKey(key(other.id, { lookupHash: some.lookupHash }))),
    );
    await assert.rejects(storage.transaction((tx) => tx.apps.createKey(key('404' as AppId))));
    await assert.rejects(storage.transaction((tx) => tx.apps.create(app('404' as AccountId))));
  });

  test('every change is published once by its own transaction, in the order of the commits, or not at all', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    assert.deepEqual(await storage.feed.after(0, 10), { head: 0, changes: [] });
    const made = app(accountId);
    const some = key(made.id);
    await storage.transaction(async ({ apps }) => {
      await apps.create(made);
      await apps.createKey(some);
      await apps.update(made.id, 1, { enabled: false }, NOW);
    });
    assert.deepEqual(await subjects(storage, 0), [`app ${made.id}`, `key ${some.id}`]);
    await assert.rejects(
      storage.transaction(async ({ apps }) => {
        await apps.update(made.id, 2, { enabled: true }, NOW);
        throw new Error('no');
      }),
    );
    await storage.accounts.update(accountId, { name: 'quiet', modifiedAt: NOW });
    assert.equal((await storage.feed.after(2, 10)).head, 2);
    await storage.accounts.update(accountId, { status: 'disabled', modifiedAt: NOW });
    assert.equal(await storage.accounts.update('404' as AccountId, { status: 'disabled', modifiedAt: NOW }), false);
    await storage.transaction(async ({ apps, accounts }) => {
      assert.equal((await accounts.lock(accountId))?.status, 'disabled');
      assert.equal(await accounts.lock('404' as AccountId), null);
      await accounts.update(accountId, { status: 'archived', modifiedAt: NOW });
      await apps.archiveAll(accountId, NOW);
    });
    assert.deepEqual(await subjects(storage, 2), [
      `account ${accountId}`,
      `account ${accountId}`,
      `account-keys ${accountId}`,
    ]);
    const page = await storage.feed.after(1, 2);
    assert.deepEqual([page.head, page.changes.map(({ version }) => version)], [5, [2, 3]]);
  });

  test('versions have no gap and appear in their order, whoever publishes and however many at once', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const made = await Promise.all(Array.from({ length: 8 }, () => storedApp(storage)));
    const before = (await storage.feed.after(0, 1)).head;
    const seen: number[] = [];
    let writing = true;
    const reader = (async () => {
      for (let last = before; ;) {
        const over = !writing;
        const { changes } = await second.feed.after(last, 50);
        seen.push(...changes.map(({ version }) => version));
        last = changes.at(-1)?.version ?? last;
        if (over && changes.length === 0) return;
      }
    })();
    await Promise.all(
      made.map(async ({ id }, n) => {
        for (let version = 1; version <= 10; version++)
          await (n % 2 ? storage : second).transaction((tx) => tx.apps.update(id, version, { name: 'x' }, NOW));
      }),
    );
    writing = false;
    await reader;
    assert.deepEqual(
      seen,
      Array.from({ length: 80 }, (_, n) => before + n + 1),
    );
  });

  test('an instance has a row from its first confirmation until it leaves or is silent for a whole lease', async (t) => {
    const { storage } = await open(t);
    const { feed } = storage;
    assert.equal(await feed.confirm('one', 0, 50), false);
    assert.equal(await feed.confirm('one', 0, 50), true);
    await storedApp(storage);
    const began = performance.now();
    await feed.settled();
    assert.ok(performance.now() - began >= 50, 'it waits for the lease of a silent one');
    assert.equal(await feed.confirm('one', 1, 50), false);
    await feed.leave('one');
    assert.equal(await feed.confirm('one', 1, 60_000), false);
    await feed.reap();
    await feed.settled();
    assert.equal(await feed.confirm('one', 1, 60_000), true);
  });

  test('a route comes back as it was stored, its host taken once', async (t) => {
    const { storage } = await open(t);
    const [one, two] = [route(), route({ protocol: 'http', enabled: false })];
    for (const each of [one, two]) assert.equal(await storage.transaction((tx) => tx.routes.create(each)), true);
    assert.equal(await storage.transaction((tx) => tx.routes.create(route({ host: one.host }))), false);
    assert.equal(await storage.transaction((tx) => tx.routes.replace({ ...two, host: one.host })), false);
    const moved = { ...two, host: 'elsewhere.example.org', sealedUpstreams: 'other', maxBatch: 7, modifiedAt: NOW + 1 };
    assert.equal(await storage.transaction((tx) => tx.routes.replace(moved)), true);
    assert.deepEqual(await storage.routes.all(), [one, moved]);
    assert.deepEqual(
      [
        await storage.routes.find(two.id),
        await storage.routes.find('404' as RouteId),
        await storage.routes.find('\0' as RouteId),
      ],
      [moved, null, null],
    );
    assert.deepEqual(await storage.transaction((tx) => tx.routes.lock(two.id)), moved);
    assert.deepEqual(await subjects(storage, 0), [`route ${one.id}`, `route ${two.id}`, `route ${two.id}`]);
    const race = await Promise.all(
      [one, two].map((each) => storage.transaction((tx) => tx.routes.replace({ ...each, host: 'wanted.example.org' }))),
    );
    assert.deepEqual(race.toSorted(), [false, true]);
  });

  test('cordons come back as they were stored, by route, and each change of them is a change of the route', async (t) => {
    const { storage } = await open(t);
    const cordon = (routeId: string): StoredCordon => ({
      ...{ id: nextId() as CordonId, routeId: routeId as RouteId, sealedUrl: `sealed ${routeId}`, createdAt: NOW },
    });
    const [one, two, other] = [cordon('config:a.example'), cordon('config:a.example'), cordon('7')];
    for (const each of [one, two, other]) await storage.transaction((tx) => tx.routes.addCordon(each));
    assert.deepEqual(await storage.routes.cordons(), [one, two, other]);
    assert.deepEqual(await storage.transaction((tx) => tx.routes.lockCordons(one.routeId)), [one, two]);
    assert.deepEqual(await storage.transaction((tx) => tx.routes.lockCordons('\0' as RouteId)), []);
    await storage.transaction((tx) => tx.routes.removeCordon(one));
    assert.deepEqual(await storage.routes.cordons(), [two, other]);
    assert.deepEqual(await subjects(storage, 0), [
      ...['route config:a.example', 'route config:a.example', 'route 7', 'route config:a.example'],
    ]);
  });

  test('a closed storage says so, and its followers hear no more', async () => {
    const { storage, close } = await open();
    storage.feed.onNotification(() => assert.fail('news after the end'));
    await close();
    await assert.rejects(storage.feed.after(0, 1), (error) => isTillgateError(error, 'NOT_READY'));
  });
});
