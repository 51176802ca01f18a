import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, raisesQuota, MeteredRoute, Quotas, UsageMeter, windowAt } from '../../../core/index.ts';
import type { AppId, Quota, QuotaWindow } from '../../../core/index.ts';
import { FakeClock } from '../../support/fakes.ts';
import { appView } from '../../gateway/support.ts';

const APP = '7' as AppId;
const NOON = Date.UTC(2026, 11, 31, 12);
const MIDNIGHT = Date.UTC(2027, 0, 1);
const route = new MeteredRoute({
  host: 'eth.gate.example',
  protocol: 'jsonrpc',
  methods: { allow: [], deny: [] },
  units: { eth_chainId: 0 },
});

function started(units = 10, window: QuotaWindow = 'day', max?: number) {
  const clock = new FakeClock(NOON);
  const quotas = new Quotas(clock, max);
  const meter = new UsageMeter(clock);
  const appOf = (id: string) => appView({ id: id as AppId, quota: { units, window } });
  const app = appOf(APP);
  /** What comes of calls that cost so much: it is let in, or when to come again. */
  const use = (cost: number, by = app): number | 'in' => {
    const refusal = quotas.check(by, cost);
    if (refusal === null) quotas.spend(by, meter.sent(by.id, route, Array<string>(cost).fill('eth_call')));
    return refusal === null ? 'in' : (refusal.retryAfterSeconds ?? 0);
  };
  return { clock, quotas, meter, app, appOf, use };
}

describe('quotas', () => {
  test('windows are days and months of the calendar, in UTC', () => {
    for (const [window, at, start, end] of [
      ['day', '2026-03-01T00:00:00Z', '2026-03-01', '2026-03-02'],
      ['day', '2026-02-28T23:59:59.999Z', '2026-02-28', '2026-03-01'],
      ['month', '2028-02-29T12:00:00Z', '2028-02-01', '2028-03-01'],
      ['month', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
      ['month', '2027-01-01T00:00:00Z', '2027-01-01', '2027-02-01'],
    ] as const)
      assert.deepEqual(windowAt(window, Date.parse(at)), { start: Date.parse(start), end: Date.parse(end) }, at);
  });

  test('calls are let in up to the quota, and beyond it are told when the window ends', () => {
    const { clock, use } = started();
    assert.equal(use(8), 'in');
    assert.equal(use(3), (MIDNIGHT - NOON) / 1000);
    assert.equal(use(2), 'in');
    clock.set(MIDNIGHT - 1);
    assert.equal(use(1), 1);
    clock.set(MIDNIGHT);
    assert.equal(use(10), 'in');
    assert.equal(use(1), DAY_MS / 1000);
  });

  test('what costs nothing is always inside; a quota of nothing lets nothing else in', () => {
    const { quotas, app, use } = started(0);
    assert.equal(use(1), (MIDNIGHT - NOON) / 1000);
    assert.equal(quotas.check(app, 0), null);
    assert.equal(quotas.check({ ...app, quota: null }, 1_000), null);
  });

  test('the refusal is a JSON-RPC limit', () => {
    const { quotas, app } = started();
    const { reason, status, rpcCode, message } = quotas.check(app, 11)!;
    assert.deepEqual([reason, status, rpcCode], ['quota_exceeded', 429, -32005]);
    assert.match(message, /10 units per day/);
  });

  test('what the database has replaces what was counted here, but for what it does not have yet', () => {
    const { clock, quotas, meter, use } = started();
    assert.equal(use(4), 'in');
    meter.take(10);
    assert.equal(use(1), 'in');
    assert.deepEqual(quotas.asked(), [APP]);
    quotas.read([APP], [{ appId: APP, day: 7, month: 9 }], meter, clock.now());
    assert.equal(use(3), (MIDNIGHT - NOON) / 1000);
    assert.equal(use(2), 'in');
    assert.deepEqual([quotas.asked(), quotas.asked()], [[APP], []]);
  });

  test('what was read before midnight says nothing about the day after', () => {
    const { clock, quotas, meter, app, use } = started();
    assert.equal(use(1), 'in');
    clock.set(MIDNIGHT);
    // Nothing was counted yet since.
    assert.equal(quotas.check(app, 10), null);
    quotas.read([APP], [], meter, clock.now());
    assert.equal(quotas.check(app, 10), null);
    assert.equal(use(1), 'in');
    quotas.read([APP], [{ appId: APP, day: 10, month: 10 }], meter, NOON);
    assert.equal(use(9), 'in');
    // Of the hour before midnight nothing counts, although it is not stored yet.
    quotas.read([APP], [], meter, clock.now());
    assert.equal(use(1), DAY_MS / 1000);
  });

  test('another window begins with what is read of it', () => {
    const { clock, quotas, meter, app, use } = started();
    assert.equal(use(10), 'in');
    const monthly = { ...app, quota: { units: 12, window: 'month' as const } };
    assert.equal(use(2, monthly), 'in');
    meter.take(10);
    quotas.read([APP], [{ appId: APP, day: 12, month: 12 }], meter, clock.now());
    assert.equal(use(1, monthly), (MIDNIGHT - NOON) / 1000);
  });

  test('the memory is bounded', () => {
    const { appOf, quotas, use } = started(10, 'day', 3);
    for (let n = 0; n < 10; n++) use(10, appOf(`${n}`));
    assert.equal(quotas.asked().length, 3);
    assert.equal(use(1, appOf('9')), (MIDNIGHT - NOON) / 1000);
  });

  test('a quota is loosened by more units, by another window and by its end', () => {
    const quota: Quota = { units: 10, window: 'day' };
    for (const looser of [null, { ...quota, units: 11 }, { ...quota, window: 'month' as const }])
      assert.ok(raisesQuota(quota, looser));
    for (const tighter of [quota, { ...quota, units: 9 }]) assert.ok(!raisesQuota(quota, tighter));
    for (const any of [null, quota]) assert.ok(!raisesQuota(null, any));
  });
});
