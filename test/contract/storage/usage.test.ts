import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Allowance,
  DAY_MS,
  HOUR_MS,
  MeteredRoute,
  PrepaidBalances,
  Quotas,
  UsageMeter,
  UsageRecorder,
} from '../../../core/index.ts';
import type { AppId, Clock, Storage, UsageBatch, UsageGroup, UsageRow } from '../../../core/index.ts';
import { FakeClock, MemoryLogger, MemoryMetrics } from '../../support/fakes.ts';
import { appView } from '../../gateway/support.ts';
import { eachStorage } from '../../support/each-storage.ts';

const [APP, SECOND] = ['1530217733414232064' as AppId, '1530217733414232065' as AppId];
const MIDNIGHT = Date.UTC(2026, 2, 2);
const HOST = 'eth.gate.example';

const row = (changes: Partial<UsageRow> = {}): UsageRow => ({
  appId: APP,
  hour: MIDNIGHT,
  route: HOST,
  method: 'eth_call',
  requests: 1,
  units: 2,
  errors: 3,
  bytesIn: 4,
  bytesOut: 5,
  ...changes,
});
const route = new MeteredRoute({ host: HOST, protocol: 'jsonrpc', methods: { allow: [], deny: [] }, units: {} });

/** The part of an instance that handles usage. */
let instances = 0;
function instanceOn({ usage, prepaid }: Storage, clock: Clock) {
  const [meter, quotas] = [new UsageMeter(clock), new Quotas(clock)];
  const [logger, metrics] = [new MemoryLogger(), new MemoryMetrics()];
  const recorder = new UsageRecorder({
    meter,
    allowance: new Allowance(quotas, new PrepaidBalances(() => '')),
    usage,
    prepaid,
    clock,
    logger,
    metrics,
    instance: `instance ${++instances}`,
  });
  return { meter, quotas, recorder };
}

const batch = (number: number, rows: readonly UsageRow[], instance = 'one'): UsageBatch => ({ instance, number, rows });
const all = { appId: APP, from: MIDNIGHT - 100 * DAY_MS, to: MIDNIGHT + 100 * DAY_MS };
const summed = async ({ usage }: Storage, by: UsageGroup, query = all) =>
  (await usage.sum({ ...query, by })).map(({ at, route, method, requests, units }) => [
    at ?? route ?? method,
    requests,
    units,
  ]);

eachStorage((_name, open) => {
  test('counts are added to what is there, and summed up by hour, day, route and method', async (t) => {
    const { storage } = await open(t);
    await storage.usage.add(
      batch(1, [
        row(),
        row({ hour: MIDNIGHT - HOUR_MS, route: 'b.example' }),
        row({ method: 'other' }),
        row({ appId: SECOND, requests: 100 }),
      ]),
    );
    await storage.usage.add(batch(2, [row({ requests: 10, units: 2 ** 45 })]));
    await storage.usage.add(batch(1, [row({ requests: 1_000 })], 'two'));
    assert.deepEqual(await storage.usage.sum({ ...all, by: 'method', to: MIDNIGHT }), [
      { at: null, route: null, method: 'eth_call', requests: 1, units: 2, errors: 3, bytesIn: 4, bytesOut: 5 },
    ]);
    assert.deepEqual(await summed(storage, 'hour'), [
      [MIDNIGHT - HOUR_MS, 1, 2],
      [MIDNIGHT, 1_012, 2 ** 45 + 6],
    ]);
    assert.deepEqual(await summed(storage, 'day'), [
      [MIDNIGHT - DAY_MS, 1, 2],
      [MIDNIGHT, 1_012, 2 ** 45 + 6],
    ]);
    assert.deepEqual(await summed(storage, 'route'), [
      ['b.example', 1, 2],
      [HOST, 1_012, 2 ** 45 + 6],
    ]);
    assert.deepEqual(await summed(storage, 'method'), [
      ['eth_call', 1_012, 2 ** 45 + 6],
      ['other', 1, 2],
    ]);
    assert.deepEqual(await summed(storage, 'hour', { ...all, from: MIDNIGHT + 1 }), []);
  });

  test('fault 136: a batch that is stored already changes nothing, the first of an instance too', async (t) => {
    const { storage, another } = await open(t);
    await storage.usage.add(batch(1, [row()]));
    const { usage: again } = await another();
    await again.add(batch(1, [row()]));
    // An earlier attempt may still be running.
    await Promise.all([storage.usage.add(batch(2, [row()])), again.add(batch(2, [row()]))]);
    await storage.usage.add(batch(1, [row()]));
    assert.deepEqual(await summed(storage, 'day'), [[MIDNIGHT, 2, 4]]);
    assert.deepEqual(await summed(storage, 'hour'), [[MIDNIGHT, 2, 4]]);
  });

  test('fault 136: a batch of which a part cannot be stored is not stored at all, and may come again', async (t) => {
    const { storage } = await open(t);
    const wrong = { ...row({ method: 'eth_chainId' }), units: null as unknown as number };
    await assert.rejects(storage.usage.add(batch(1, [row(), wrong])));
    assert.deepEqual(await summed(storage, 'method'), []);
    await storage.usage.add(batch(1, [row(), row({ method: 'eth_chainId' })]));
    assert.deepEqual(await summed(storage, 'day'), [[MIDNIGHT, 2, 4]]);
  });

  test('fault 137: instances that count the same at once lose nothing, in whatever order', async (t) => {
    const { storage, another } = await open(t);
    const clock = new FakeClock(MIDNIGHT);
    const methods = ['eth_call', 'eth_getLogs', 'eth_chainId', 'unheard_of'];
    const stores = [storage, await another(), await another()];
    const running = stores.map((store, n) => ({
      ...instanceOn(store, clock),
      methods: n === 1 ? methods : methods.toReversed(),
    }));
    for (let pass = 0; pass < 20; pass++) {
      await Promise.all(
        running.map(async ({ meter, recorder, methods: own }) => {
          for (const app of [APP, SECOND]) meter.sent(app, route, own);
          await recorder.run();
        }),
      );
    }
    assert.deepEqual(
      await summed(storage, 'method'),
      ['eth_call', 'eth_chainId', 'eth_getLogs', 'other'].map((method) => [method, 60, 60]),
    );
    assert.deepEqual(await summed(storage, 'day'), [[MIDNIGHT, 240, 240]]);
  });

  test('fault 139: what an App used of its quota holds on every instance, and after a restart', async (t) => {
    const { storage, another } = await open(t);
    const clock = new FakeClock(MIDNIGHT + HOUR_MS);
    const [one, other] = [instanceOn(storage, clock), instanceOn(await another(), clock)];
    const app = appView({ id: APP, quota: { units: 10, window: 'day' } });
    const use = ({ meter, quotas }: typeof one, calls: number): boolean => {
      if (quotas.check(app, calls) !== null) return false;
      quotas.spend(app, meter.sent(APP, route, Array<string>(calls).fill('eth_call')));
      return true;
    };
    assert.ok(use(one, 6) && use(other, 4));
    await one.recorder.run();
    await other.recorder.run();
    assert.ok(!use(other, 1));
    await one.recorder.run();
    // This instance is refused, and still receives the counts of the others.
    use(one, 11);
    await one.recorder.run();
    assert.ok(!use(one, 1));
    const again = instanceOn(storage, clock);
    again.quotas.check(app, 1);
    await again.recorder.run();
    assert.ok(!use(again, 1));

    // The day is over; of the month everything counts.
    clock.set(MIDNIGHT + DAY_MS);
    for (const each of [one, other, again]) assert.equal(each.quotas.check(app, 10), null);
    const monthly = { ...app, quota: { units: 10, window: 'month' as const } };
    again.quotas.check(monthly, 1);
    await again.recorder.run();
    assert.equal(again.quotas.check(monthly, 1)?.reason, 'quota_exceeded');
    clock.set(Date.UTC(2026, 3, 1));
    assert.equal(again.quotas.check(monthly, 10), null);
  });

  test('what is older than its retention goes, some at a time', async (t) => {
    const { storage, sql } = await open(t);
    const hours = [-2, -1, 0, 1].map((day) => MIDNIGHT + day * DAY_MS);
    await storage.usage.add(
      batch(1, [...hours.map((hour) => row({ hour })), row({ hour: hours[0]!, method: 'other' })]),
    );
    assert.equal(await storage.usage.prune(MIDNIGHT, 2), 4);
    assert.equal(await storage.usage.prune(MIDNIGHT, 2), 1);
    assert.equal(await storage.usage.prune(MIDNIGHT, 2), 0);
    assert.deepEqual(
      (await summed(storage, 'day')).map(([at]) => at),
      [MIDNIGHT, MIDNIGHT + DAY_MS],
    );
    assert.equal((await sql('SELECT number FROM gateway_usage_batches')).length, 1);
    assert.equal(await storage.usage.prune(Date.now() + DAY_MS, 10), 2 + 2 + 1);
  });
});
