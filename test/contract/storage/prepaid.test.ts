import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, App, AppId, OrderId, Storage, UsageRecorderDeps } from '../../../core/index.ts';
import { Allowance, MeteredRoute, PrepaidBalances, Quotas, UsageMeter, UsageRecorder } from '../../../core/index.ts';
import { appView } from '../../gateway/support.ts';
import { FakeClock, MemoryLogger, MemoryMetrics } from '../../support/fakes.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { nextId, NOW, storedAccount, storedOrder } from './fixtures.ts';

const route = new MeteredRoute({ host: 'a', protocol: 'jsonrpc', methods: { allow: [], deny: [] }, units: {} });

/** The part of an instance that handles units. */
let instances = 0;
function instanceOn({ usage, prepaid }: Pick<UsageRecorderDeps, 'usage' | 'prepaid'>, clock: FakeClock) {
  const meter = new UsageMeter(clock);
  const allowance = new Allowance(new Quotas(clock), new PrepaidBalances((token) => token));
  const ports = { usage, prepaid, clock, logger: new MemoryLogger(), metrics: new MemoryMetrics() };
  return { meter, allowance, recorder: new UsageRecorder({ ...ports, meter, allowance, instance: `i${++instances}` }) };
}

const HOUR = NOW - (NOW % 3_600_000);

async function storedApp(storage: Storage, accountId: AccountId, prepaid = true): Promise<AppId> {
  const id = nextId() as AppId;
  const app: App = {
    ...{
      id,
      accountId,
      name: 'wallet',
      enabled: true,
      version: 1,
      providerId: null,
      chains: ['ETH'],
      prepaid,
      buyer: null,
    },
    ...{ admissionMode: null, quota: null, limits: null, createdAt: NOW, modifiedAt: NOW },
  };
  await storage.transaction(async (tx) => {
    await tx.apps.create(app);
    if (prepaid) await tx.prepaid.open(id, `token-${id}`);
  });
  return id;
}

async function bought(storage: Storage, accountId: AccountId, appId: AppId, units: number, createdAt = NOW) {
  const { id } = await storedOrder(storage, accountId);
  await storage.transaction(({ prepaid }) => prepaid.add({ orderId: id, appId, plan: 'starter', units, createdAt }));
  return id;
}

const credit = (storage: Storage, id: OrderId) => storage.transaction(({ prepaid }) => prepaid.credit(id));
const takeBack = (storage: Storage, id: OrderId) => storage.transaction(({ prepaid }) => prepaid.takeBack(id));
const unitsOf = async ({ prepaid }: Storage, app: AppId) => {
  const { bought: all, used } = (await prepaid.find(app)) ?? { bought: null, used: null };
  return [all, used];
};
const use = (storage: Storage, number: number, rows: readonly (readonly [AppId, number])[]) =>
  storage.usage.add({
    instance: 'one',
    number,
    rows: rows.map(([appId, units], at) => ({
      ...{ appId, units, hour: HOUR, route: 'a.example', method: `m${at}` },
      ...{ requests: 1, errors: 0, bytesIn: 0, bytesOut: 0 },
    })),
  });

eachStorage((_name, open) => {
  test('fault 160: a purchase is credited once and taken back once, and never the other way round', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const app = await storedApp(storage, accountId);
    const order = await bought(storage, accountId, app, 100);
    assert.deepEqual(await unitsOf(storage, app), [0, 0]);
    await takeBack(storage, order);
    await Promise.all([credit(storage, order), credit(storage, order), credit(storage, order)]);
    assert.deepEqual(await unitsOf(storage, app), [100, 0]);
    await Promise.all([takeBack(storage, order), takeBack(storage, order)]);
    await credit(storage, order);
    assert.deepEqual(await unitsOf(storage, app), [0, 0]);
    const [purchase] = await storage.prepaid.purchases(app, 10);
    assert.deepEqual(purchase, {
      ...{ orderId: order, appId: app, plan: 'starter', units: 100, state: 'TAKEN_BACK', createdAt: NOW },
      orderStatus: 'PENDING',
    });
    await credit(storage, nextId() as OrderId);
  });

  test('fault 256: an offer of the gate is taken once, and says whose it is', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [one, other] = [await storedApp(storage, accountId), await storedApp(storage, accountId)];
    const { id: orderId } = await storedOrder(storage, accountId);
    const offer = { orderId, plan: 'starter', units: 7, createdAt: NOW };
    assert.equal(await storage.prepaid.gateOffer(orderId), null);
    await storage.transaction(({ prepaid }) => prepaid.addGateOffer(offer));
    assert.deepEqual(await storage.prepaid.gateOffer(orderId), { ...offer, taken: null, state: null });
    const takings = [one, other].map((appId) => ({ appId, keyId: null, ticketHash: `hash of ${appId}` }));
    const took = await Promise.all(
      takings.map((taking) => storage.transaction(({ prepaid }) => prepaid.takeGateOffer(orderId, taking))),
    );
    assert.deepEqual([...took].sort(), [false, true]);
    const taken = takings[took.indexOf(true)];
    assert.deepEqual(await storage.prepaid.gateOffer(orderId), { ...offer, taken, state: null });
    const unknown = nextId() as OrderId;
    assert.equal(await storage.transaction(({ prepaid }) => prepaid.takeGateOffer(unknown, takings[0]!)), false);
    const paying = (since: number): Promise<boolean> =>
      storage.transaction(({ prepaid }) => prepaid.isPayingAtGate(one, since));
    assert.equal(await paying(0), false);
  });

  test('a credit that is rolled back leaves nothing; one that is committed is published', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const app = await storedApp(storage, accountId);
    const order = await bought(storage, accountId, app, 100);
    const { head } = await storage.feed.after(0, 1);
    const failed = storage.transaction(async ({ prepaid }) => {
      await prepaid.credit(order);
      throw new Error('no');
    });
    await assert.rejects(failed, { message: 'no' });
    assert.deepEqual(await unitsOf(storage, app), [0, 0]);
    await credit(storage, order);
    const { changes } = await storage.feed.after(head, 10);
    assert.deepEqual(
      changes.map(({ subject }) => subject),
      [{ kind: 'app', id: app }],
    );
  });

  test('a batch of usage counts for prepaid Apps, once, and for no others', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [first, second, other] = [
      await storedApp(storage, accountId),
      await storedApp(storage, accountId),
      await storedApp(storage, accountId, false),
    ];
    const rows = [
      [second, 3],
      [first, 5],
      [first, 2],
      [other, 9],
      [second, 0],
    ] as const;
    await use(storage, 1, rows);
    await use(storage, 1, rows);
    assert.deepEqual(await unitsOf(storage, first), [0, 7]);
    assert.deepEqual(await unitsOf(storage, second), [0, 3]);
    assert.equal(await storage.prepaid.find(other), null);
    await storage.transaction(({ apps }) => apps.update(first, 1, { prepaid: false }, NOW));
    await use(storage, 2, rows);
    assert.deepEqual(await unitsOf(storage, first), [0, 7]);
    await storage.transaction(async (tx) => {
      await tx.apps.update(first, 2, { prepaid: true }, NOW);
      await tx.prepaid.open(first, 'another');
    });
    await use(storage, 3, rows);
    const units = await storage.prepaid.ofApps([first, second, other]);
    assert.deepEqual(
      units.map(({ appId, token, used }) => [appId, token, used]).sort(),
      [
        [first, `token-${first}`, 14],
        [second, `token-${second}`, 9],
      ].sort(),
    );
    assert.equal((await storage.prepaid.findByToken(`token-${first}`))?.appId, first);
    assert.equal(await storage.prepaid.findByToken('unknown'), null);
  });

  test('more prepaid Apps than one statement takes are counted, while purchases are credited', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const apps = [];
    for (let n = 0; n < 250; n++) apps.push(await storedApp(storage, accountId));
    const orders = [];
    for (const app of apps.slice(0, 5)) orders.push(await bought(storage, accountId, app, 10));
    await Promise.all([
      use(
        storage,
        1,
        apps.map((app, at) => [app, at + 1]),
      ),
      ...orders.reverse().map((order) => credit(storage, order)),
    ]);
    const units = await storage.prepaid.ofApps(apps);
    const used = new Map(units.map((each) => [each.appId, each.used]));
    assert.deepEqual(
      apps.map((app) => used.get(app)),
      apps.map((_app, at) => at + 1),
    );
    assert.equal(
      units.reduce((sum, each) => sum + each.bought, 0),
      50,
    );
  });

  test('fault 376: what the first request of an App waits for is one read for all that wait', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const [rich, poor] = [await storedApp(storage, accountId), await storedApp(storage, accountId)];
    await credit(storage, await bought(storage, accountId, rich, 2));
    let reads = 0;
    const prepaid = {
      ofApps: (apps: readonly AppId[]) => {
        reads += 1;
        return storage.prepaid.ofApps(apps);
      },
    };
    const { allowance } = instanceOn({ usage: storage.usage, prepaid }, new FakeClock());
    const apps = [rich, poor].map((id) => appView({ id, prepaid: true }));
    assert.deepEqual(
      apps.map((app) => allowance.check(app, 1)?.status),
      [503, 503],
    );
    await Promise.all(apps.map((app) => Promise.resolve(allowance.learn(app))));
    assert.deepEqual(
      apps.map((app) => allowance.check(app, 1)?.status),
      [undefined, 402],
    );
    assert.deepEqual([allowance.learn(apps[0]!), allowance.learn(apps[1]!), reads], [null, null, 1]);
  });

  test('fault 376: a read that fails ends the wait, and admits nothing', async (t) => {
    const { storage } = await open(t);
    const failing = { ofApps: () => Promise.reject(new Error('the database is away')) };
    const { allowance } = instanceOn({ usage: storage.usage, prepaid: failing }, new FakeClock());
    const app = appView({ prepaid: true });
    await allowance.learn(app);
    assert.equal(allowance.check(app, 1)?.status, 503);
  });

  test('fault 162: two servers admit no more than a second of calls beyond what was bought, and all of it counts', async (t) => {
    const { storage, another } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const id = await storedApp(storage, accountId);
    await credit(storage, await bought(storage, accountId, id, 100));
    const app = appView({ id, prepaid: true });
    const clock = new FakeClock();
    const servers = [instanceOn(storage, clock), instanceOn(await another(), clock)];
    let admitted = 0;
    const CALLS = 7;
    // Half a second of calls at each server, then the pass that each makes twice a second.
    for (let halves = 0; halves < 30; halves++) {
      for (const { allowance, meter, recorder } of servers) {
        for (let n = 0; n < CALLS; n++) {
          if (allowance.check(app, 1) !== null) continue;
          allowance.spend(app, meter.sent(id, route, ['eth_call']));
          admitted += 1;
        }
        await recorder.run();
      }
    }
    assert.ok(admitted >= 100 && admitted <= 100 + 2 * servers.length * CALLS, `${admitted} calls`);
    assert.deepEqual(await unitsOf(storage, id), [100, admitted]);
    await credit(storage, await bought(storage, accountId, id, 50));
    for (const { allowance, recorder } of servers) {
      await allowance.prepaid.apply([{ kind: 'app', id }]);
      await recorder.run();
      assert.equal(allowance.check(app, 150 - admitted), null);
      assert.equal(allowance.check(app, 151 - admitted)?.status, 402);
    }
  });

  test('open purchases are counted from a time on', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const app = await storedApp(storage, accountId);
    await bought(storage, accountId, app, 1, NOW - 2);
    await bought(storage, accountId, app, 1, NOW - 1);
    const paid = await bought(storage, accountId, app, 1, NOW);
    await credit(storage, paid);
    assert.equal(await storage.prepaid.countOpen(app, NOW - 1), 1);
    assert.equal(await storage.prepaid.countOpen(app, 0), 2);
    const newest = await storage.prepaid.purchases(app, 2);
    assert.deepEqual(
      newest.map(({ createdAt, state }) => [createdAt, state]),
      [
        [NOW, 'CREDITED'],
        [NOW - 1, 'OPEN'],
      ],
    );
  });
});
