import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Allowance,
  HOUR_MS,
  MeteredRoute,
  PrepaidBalances,
  Quotas,
  TillgateError,
  UsageMeter,
  UsageRecorder,
} from '../../../core/index.ts';
import type { AppId, GatewayRoute, UsageBatch, UsageCounts, UsageRow } from '../../../core/index.ts';
import { FakeClock, MemoryLogger, MemoryMetrics, START } from '../../support/fakes.ts';

const [APP, SECOND] = ['1' as AppId, '2' as AppId];

const meteredRoute = (changes: Partial<GatewayRoute> = {}): MeteredRoute =>
  new MeteredRoute({
    host: 'eth.gate.example',
    protocol: 'jsonrpc',
    methods: { allow: [], deny: [] },
    units: {},
    ...changes,
  });

/** Rows as `app hour route method`, with what differs from zero. */
const shown = (rows: readonly UsageRow[]) =>
  rows.map(({ appId, hour, route, method, ...counts }) => ({
    row: `${appId} +${(hour - START) / HOUR_MS}h ${route} ${method}`,
    ...(Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<UsageCounts>),
  }));

describe('the methods of a route', () => {
  test('known ones, and those that the route names, are told apart; each costs 1 unless it is said otherwise', () => {
    const route = meteredRoute({
      methods: { allow: ['eth_*', 'my_method'], deny: ['my_other'] },
      units: { eth_getLogs: 20, my_cheap: 0 },
    });
    for (const [name, counted, units] of [
      ['eth_call', 'eth_call', 1],
      ['eth_getLogs', 'eth_getLogs', 20],
      ['my_method', 'my_method', 1],
      ['my_other', 'my_other', 1],
      ['my_cheap', 'my_cheap', 0],
      ['eth_', 'other', 1],
      ['eth_*', 'other', 1],
      ['constructor', 'other', 1],
    ] as const)
      assert.deepEqual(route.method(name), { name: counted, units }, name);
    assert.equal(route.unitsOf(['eth_getLogs', 'eth_call', 'my_cheap', 'x']), 22);
  });

  test('fault 135: a method written in another case costs the same', () => {
    const route = meteredRoute({ units: { eth_getLogs: 20, '*': 3 } });
    for (const name of ['eth_getlogs', 'ETH_GETLOGS', 'Eth_GetLogs'])
      assert.deepEqual(route.method(name), { name: 'eth_getLogs', units: 20 });
    assert.deepEqual(route.method('eth_call'), { name: 'eth_call', units: 3 });
    assert.deepEqual(route.method('unheard_of'), { name: 'other', units: 3 });
  });

  test('routes of the protocol http count HTTP methods', () => {
    const route = meteredRoute({ protocol: 'http', units: { POST: 5 } });
    assert.deepEqual(route.method('POST'), { name: 'POST', units: 5 });
    assert.deepEqual(route.method('GET'), { name: 'GET', units: 1 });
    assert.deepEqual(route.method('eth_call'), { name: 'other', units: 1 });
  });
});

describe('counting', () => {
  const clock = new FakeClock();
  const route = meteredRoute({ units: { eth_getLogs: 20 } });

  test('each call of a batch counts for itself, and its bytes are shared out to the last one', () => {
    const meter = new UsageMeter(clock);
    const batch = ['eth_call', 'eth_getLogs', 'eth_call'];
    assert.equal(meter.sent(APP, route, batch), 22);
    meter.bytes(APP, route, batch, 100, 11);
    meter.failed(APP, route, ['eth_getLogs']);
    meter.refused(SECOND, route, ['eth_getLogs']);
    assert.deepEqual(shown(meter.take(10)), [
      { row: '1 +0h eth.gate.example eth_call', requests: 2, units: 2, bytesIn: 67, bytesOut: 8 },
      { row: '1 +0h eth.gate.example eth_getLogs', requests: 1, units: 20, errors: 1, bytesIn: 33, bytesOut: 3 },
      { row: '2 +0h eth.gate.example eth_getLogs', requests: 1, errors: 1 },
    ]);
    assert.deepEqual([meter.take(10), meter.size], [[], 0]);
  });

  test('what was counted before the hour was over stays in it', () => {
    const later = new FakeClock();
    const meter = new UsageMeter(later);
    later.advance(HOUR_MS - 1);
    meter.sent(APP, route, ['eth_call']);
    later.advance(1);
    meter.sent(APP, route, ['eth_call']);
    later.advance(3 * HOUR_MS);
    meter.sent(APP, route, ['eth_call']);
    assert.deepEqual(
      shown(meter.take(10)).map(({ row }) => row),
      [0, 1, 4].map((hour) => `1 +${hour}h eth.gate.example eth_call`),
    );
  });

  test('part of it can be taken, and nothing comes twice', () => {
    const meter = new UsageMeter(clock);
    for (const app of [APP, SECOND]) meter.sent(app, route, ['eth_call', 'eth_getLogs', 'eth_chainId']);
    const taken = [meter.take(4), meter.take(4), meter.take(4)];
    assert.deepEqual(
      taken.map(({ length }) => length),
      [4, 2, 0],
    );
    assert.equal(new Set(shown(taken.flat()).map(({ row }) => row)).size, 6);
  });

  test('fault 135: an App that invents methods makes one row of them', () => {
    const meter = new UsageMeter(clock);
    for (let n = 0; n < 10_000; n++) meter.sent(APP, route, [`eth_${n}`]);
    assert.deepEqual(shown(meter.take(10)), [{ row: '1 +0h eth.gate.example other', requests: 10_000, units: 10_000 }]);
  });

  test('fault 135: the memory is bounded, over hours too; what has no record of its own joins the others', () => {
    const later = new FakeClock();
    const meter = new UsageMeter(later, 6);
    meter.sent(APP, route, ['unheard_of']);
    for (let hour = 0; hour < 10; hour++) {
      meter.sent(APP, route, ['eth_call', 'eth_chainId', 'unheard_of']);
      later.advance(HOUR_MS);
    }
    assert.equal(meter.size, 6);
    const rows = meter.take(100);
    const counted = rows.reduce((sum, { requests }) => sum + requests, 0);
    assert.equal(counted + meter.lost, 31);
    assert.ok(meter.lost > 0);
    assert.equal(meter.size, 0);
    for (const app of ['3', '4', '5', '6', '7', '8'] as AppId[]) meter.sent(app, route, ['unheard_of']);
    const lost = meter.lost;
    meter.sent('8' as AppId, route, ['eth_call']);
    assert.equal(meter.lost, lost);
  });
});

describe('recording', () => {
  const route = meteredRoute();

  class Database {
    readonly batches: UsageBatch[] = [];
    /** What becomes of the next batches: it is stored or not, and it is said or not. */
    readonly plan: ('refused' | 'unknown')[] = [];
    /** What happens while a batch is being added. */
    meanwhile = (): void => undefined;

    windowUnits(): Promise<readonly []> {
      return Promise.resolve([]);
    }

    add(batch: UsageBatch): Promise<void> {
      const mishap = this.plan.shift();
      this.meanwhile();
      if (mishap !== 'refused') this.batches.push(batch);
      return mishap === undefined ? Promise.resolve() : Promise.reject(new TillgateError('NOT_READY', 'Away.'));
    }
  }

  const started = (maxRows?: number) => {
    const usage = new Database();
    const clock = new FakeClock();
    const meter = new UsageMeter(clock);
    const logger = new MemoryLogger();
    const metrics = new MemoryMetrics();
    const allowance = new Allowance(new Quotas(clock), new PrepaidBalances(() => ''));
    const prepaid = { ofApps: () => Promise.resolve([]) };
    const deps = { meter, allowance, usage, prepaid, clock, logger, metrics, instance: 'one' };
    return {
      usage,
      meter,
      metrics,
      logger,
      recorder: new UsageRecorder(maxRows === undefined ? deps : { ...deps, maxRows }),
    };
  };

  test('fault 136: a batch whose outcome is unknown comes again under its number, before what was counted since', async () => {
    const { usage, meter, metrics, recorder } = started();
    usage.plan.push('unknown', 'refused');
    meter.sent(APP, route, ['eth_call']);
    await assert.rejects(recorder.run(), { code: 'NOT_READY' });
    meter.sent(APP, route, ['eth_call', 'eth_call']);
    await assert.rejects(recorder.run(), { code: 'NOT_READY' });
    await recorder.run();
    assert.deepEqual(
      usage.batches.map(({ instance, number, rows }) => [instance, number, rows.map(({ requests }) => requests)]),
      [
        ['one', 1, [1]],
        ['one', 1, [1]],
        ['one', 2, [2]],
      ],
    );
    const labels = { route: 'eth.gate.example', app: APP };
    assert.equal(metrics.counted('tillgate_gateway_units_total', labels), 3);
  });

  test('a pass ends while calls go on; a clean stop has a last one', async () => {
    const { usage, meter, recorder } = started();
    usage.meanwhile = () => {
      assert.ok(usage.batches.length < 10, 'a pass goes on for ever');
      meter.sent(APP, route, ['eth_call']);
    };
    meter.sent(APP, route, ['eth_call']);
    await recorder.run();
    assert.equal(usage.batches.length, 1);
    usage.meanwhile = () => undefined;
    await recorder.run();
    assert.deepEqual([usage.batches.length, meter.size], [2, 0]);
  });

  test('many rows are several batches, and two passes at once are one after the other', async () => {
    const { usage, meter, recorder } = started(2);
    for (let app = 0; app < 5; app++) meter.sent(`${app}` as AppId, route, ['eth_call']);
    await Promise.all([recorder.run(), recorder.run()]);
    assert.deepEqual(
      usage.batches.map(({ number, rows }) => [number, rows.length]),
      [
        [1, 2],
        [2, 2],
        [3, 1],
      ],
    );
    await recorder.run();
    assert.equal(usage.batches.length, 3);
  });
});
