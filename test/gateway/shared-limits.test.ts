import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppLimits, KeyRules, NO_LIMITS, RatedMethods, RateLimitSync } from '../../core/index.ts';
import type {
  AccountId,
  AppId,
  AppKeyId,
  AppUseCount,
  RemoteUse,
  SharedUseExchange,
  RouteId,
  SharedUseStore,
} from '../../core/index.ts';

const [APP, ROUTE] = ['7' as AppId, '1' as RouteId];
const ACCOUNT = '3' as AccountId;
const APP_LIMITS = { requestsPerSecond: 10, burst: 20, concurrency: 3 };
const LIMITS = { app: APP_LIMITS, account: NO_LIMITS };

/** What the database keeps, with a clock that is told. */
class World implements SharedUseStore {
  now = 1_000_000;
  exchanges = 0;
  readonly #rows = new Map<string, RemoteUse & { readonly at: number }>();

  exchange(instance: string, counts: readonly AppUseCount[], lastAt: number | null): Promise<SharedUseExchange> {
    this.exchanges += 1;
    for (const count of counts)
      this.#rows.set(`${instance} ${count.subject} ${count.routeId}`, { ...count, instance, at: this.now });
    const after = Math.max(this.now - 60_000, Math.min(this.now, lastAt ?? this.now) - 5_000);
    const rows = [...this.#rows.values()].filter((row) => row.instance !== instance && row.at > after);
    return Promise.resolve({
      at: this.now,
      uses: rows.map((row) => (row.at > this.now - 5_000 ? row : { ...row, running: 0 })),
    });
  }
}

class Instance {
  readonly limits = new AppLimits();
  readonly sharing: RateLimitSync;
  hasRoutes = true;
  readonly #world: World;

  constructor(world: World, name: string) {
    this.#world = world;
    this.sharing = new RateLimitSync({
      limits: this.limits,
      uses: world,
      clock: { now: () => world.now },
      hasRoutes: () => this.hasRoutes,
      instance: name,
    });
  }

  get use() {
    return this.limits.of({ id: APP, accountId: ACCOUNT, buyer: null }, ROUTE, this.#world.now);
  }

  /** How many of so many requests are admitted. */
  ask(count: number): number {
    let admitted = 0;
    for (let n = 0; n < count; n++) if (this.use.charge(LIMITS, 1, this.#world.now) === null) admitted += 1;
    return admitted;
  }
}

function two(): { world: World; one: Instance; other: Instance; exchange: () => Promise<void> } {
  const world = new World();
  const [one, other] = [new Instance(world, 'one'), new Instance(world, 'other')];
  const exchange = async (): Promise<void> => {
    for (const { sharing } of [one, other, one]) await sharing.run();
  };
  return { world, one, other, exchange };
}

describe('limits over several instances', () => {
  test('without a route nothing is exchanged; with the first one, only what comes from then on', async () => {
    const { world, one, other, exchange } = two();
    one.ask(1);
    await exchange();
    one.hasRoutes = false;
    const before = world.exchanges;
    await one.sharing.run();
    assert.equal(world.exchanges, before);
    other.ask(15);
    await other.sharing.run();
    one.hasRoutes = true;
    await one.sharing.run();
    assert.equal(one.ask(19), 19, 'what others took before is not charged');
  });

  test('what one took the other refuses', async () => {
    const { one, other, exchange } = two();
    other.ask(0);
    assert.ok(other.use);
    await exchange();
    assert.equal(one.ask(25), 20);
    await exchange();
    assert.equal(other.ask(25), 0);
  });

  test('what both took before they heard of each other is a debt: the rate holds over time', async () => {
    const { world, one, other, exchange } = two();
    assert.ok(one.use && other.use);
    await exchange();
    let admitted = 0;
    const seconds = 60;
    for (let at = 0; at < seconds * 2; at++) {
      admitted += one.ask(15) + other.ask(15);
      world.now += 500;
      await exchange();
    }
    assert(admitted <= seconds * 10 + 2 * 20, `${admitted} requests in ${seconds} s`);
    assert(admitted >= seconds * 10 * 0.9, `${admitted} requests in ${seconds} s`);
  });

  test('the time in which nothing was asked here does not pay for what was taken there', async () => {
    const { world, one, other, exchange } = two();
    assert.equal(other.ask(1), 1);
    await exchange();
    world.now += 20_000;
    assert.equal(one.ask(25), 20);
    await exchange();
    assert.equal(other.ask(1), 0);
  });

  test('an App that was refused here before its first charge owes no more than the rate has not paid off', async () => {
    const { world, one, other, exchange } = two();
    assert.ok(other.use);
    await exchange();
    for (let seconds = 0; seconds < 60; seconds++) {
      one.ask(10);
      await exchange();
      world.now += 1_000;
    }
    assert.equal(other.ask(10), 10);
  });

  test('who could not listen for half a minute is told all of it, and counts nobody as under way', async () => {
    const { world, one, other, exchange } = two();
    assert.equal(other.ask(1), 1);
    await exchange();
    world.now += 25_000;
    one.use.enter();
    assert.equal(one.ask(25), 20);
    await one.sharing.run();
    world.now += 8_000;
    await other.sharing.run();
    assert.equal(other.ask(1), 0);
    assert.equal(other.use.checkConcurrency({ ...LIMITS, app: { ...APP_LIMITS, concurrency: 1 } }), null);
    // It is charged once.
    world.now += 2_500;
    await other.sharing.run();
    assert.equal(other.ask(20), 20);
  });

  test('what is taken after a silence is charged whole, however much it was before', async () => {
    const { world, one, other, exchange } = two();
    assert.equal(other.ask(1), 1);
    await exchange();
    assert.equal(one.ask(15), 15);
    await exchange();
    for (let seconds = 0; seconds < 36; seconds++) {
      world.now += 1_000;
      await exchange();
    }
    assert.equal(one.ask(25), 20);
    await exchange();
    assert.equal(other.ask(1), 0);
  });

  test('requests under way elsewhere count, until their instance falls silent', async () => {
    const { world, one, other, exchange } = two();
    assert.ok(other.use);
    for (let n = 0; n < 3; n++) one.use.enter();
    await exchange();
    assert.equal(other.use.checkConcurrency(LIMITS)?.reason, 'rate_limited');
    one.use.leave();
    await exchange();
    assert.equal(other.use.checkConcurrency(LIMITS), null);
    for (let n = 0; n < 2; n++) one.use.leave();
    for (let n = 0; n < 3; n++) other.use.enter();
    await exchange();
    assert.equal(one.use.checkConcurrency(LIMITS)?.reason, 'rate_limited');
    // All of them end at once: nobody goes on counting them.
    for (let n = 0; n < 3; n++) other.use.leave();
    await exchange();
    assert.equal(one.use.checkConcurrency(LIMITS), null);
    for (let n = 0; n < 3; n++) one.use.enter();
    await exchange();
    // It was killed: nothing is heard of it any more.
    world.now += 6_000;
    await other.sharing.run();
    assert.equal(other.use.checkConcurrency(LIMITS), null);
  });

  test('whoever joins does not pay for what was taken before, and neither does one that hears again of a silent one', async () => {
    const { world, one, other, exchange } = two();
    assert.equal(one.ask(20), 20);
    await one.sharing.run();
    assert.ok(other.use);
    await other.sharing.run();
    assert.equal(other.ask(5), 5);
    for (const silence of [4_000, 20_000, 40_000, 120_000]) {
      world.now += silence;
      await exchange();
      assert.equal(one.ask(1), 1);
      await exchange();
      assert.equal(other.ask(10), 10, `after ${silence} ms`);
      world.now += 3_000;
      await exchange();
    }
  });

  test('what one took right after the first request to the other counts there, whichever exchanges first', async () => {
    const { one, other } = two();
    await other.sharing.run();
    assert.equal(other.ask(1), 1);
    assert.equal(one.ask(25), 20);
    await one.sharing.run();
    await other.sharing.run();
    assert.equal(other.ask(1), 0);
  });

  test('what the Apps of an account took elsewhere counts for its other Apps', async () => {
    const { world, one, other, exchange } = two();
    const limits = { app: APP_LIMITS, account: APP_LIMITS };
    const app = (instance: Instance, id: string) =>
      instance.limits.of({ id: id as AppId, accountId: ACCOUNT, buyer: null }, ROUTE, world.now);
    await exchange();
    const second = app(other, 'second');
    assert.equal(app(one, 'first').charge(limits, 20, world.now), null);
    await exchange();
    assert.match(second.charge(limits, 1, world.now)?.message ?? '', /account/);
  });

  test('fault 439: the units that a key used on one instance count on the others', async () => {
    const { world, one, other, exchange } = two();
    const units = new KeyRules({ methods: [], networks: [], origins: [], unitsPerMinute: 600 }).units!;
    const of = ({ limits }: Instance, key: string) => limits.ofKey(key as AppKeyId, world.now);
    const [first, second] = [of(one, '5'), of(other, '5')];
    await exchange();
    assert.equal(first.wait(units, 590, world.now), null);
    first.take(units, 590);
    await exchange();
    assert.deepEqual([second.wait(units, 10, world.now), second.wait(units, 11, world.now)], [null, 1]);
    assert.equal(of(other, '6').wait(units, 600, world.now), null, 'another key');
    world.now += 30_000;
    assert.equal(second.wait(units, 310, world.now), null);
  });

  test('fault 442: the calls of a method that an App made on one instance count on the others, and for its account', async () => {
    const { world, one, other, exchange } = two();
    const rates = new RatedMethods({ 'eth_get*': { requestsPerSecond: 10, burst: 20 } }, 2);
    const { rated } = rates.among(['eth_getLogs'])[0]!;
    const of = ({ limits }: Instance, id: string) =>
      limits.ofMethod({ id: id as AppId, accountId: ACCOUNT, buyer: null }, rated.name, ROUTE, world.now);
    const [first, second, sibling] = [of(one, '7'), of(other, '7'), of(other, '8')];
    await exchange();
    first.take(rated.limits, 20);
    await exchange();
    assert.deepEqual([second.wait(rated.limits, 1, world.now), other.ask(1)], [1, 1], 'apart from all requests');
    sibling.take(rated.limits, 20);
    assert.equal(of(other, '9').wait(rated.limits, 1, world.now), 1, 'the account');
  });

  test('an exchange that fails leaves each with its own counts, and the next one catches up', async () => {
    const { world, one, other, exchange } = two();
    assert.ok(other.use);
    await exchange();
    one.ask(20);
    const { exchange: works } = world;
    world.exchange = () => Promise.reject(new Error('away'));
    await assert.rejects(one.sharing.run(), /away/);
    assert.equal(other.ask(1), 1);
    world.exchange = works;
    await exchange();
    assert.equal(other.ask(1), 0);
  });
});
