import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRIC_TABLE, PromMetrics } from '../../../../adapters/metrics/index.ts';
import { MemoryLogger } from '../../../support/fakes.ts';
import { readSources } from '../../../support/source-tree.ts';

function setUp(maxSeries = 500): { metrics: PromMetrics; logger: MemoryLogger } {
  const logger = new MemoryLogger();
  return { metrics: new PromMetrics(logger, { processMetrics: false, maxSeries }), logger };
}

describe('PromMetrics', () => {
  test('counts, sets and observes what the table declares', async () => {
    const { metrics, logger } = setUp();
    metrics.count('tillgate_orders_total', { status: 'SUCCESS' });
    metrics.count('tillgate_orders_total', { status: 'SUCCESS' }, 2);
    metrics.gauge('tillgate_chain_height', 123, { chain: 'ETH' });
    metrics.observe('tillgate_http_request_seconds', 0.004, { operation: 'payInfo' });
    const text = await metrics.text();
    assert.match(text, /^tillgate_orders_total\{status="SUCCESS"\} 3$/m);
    assert.match(text, /^tillgate_chain_height\{chain="ETH"\} 123$/m);
    assert.match(text, /^tillgate_http_request_seconds_bucket\{le="0\.005",operation="payInfo"\} 1$/m);
    assert.match(text, /^# TYPE tillgate_http_request_seconds histogram$/m);
    assert.match(metrics.contentType, /^text\/plain/);
    assert.deepEqual(logger.lines, []);
  });

  test('values in a row that share their labels are each counted, and under their own name', async () => {
    const { metrics, logger } = setUp();
    const labels = { route: 'eth.gate.example' };
    for (const seconds of [0.004, 0.004, 2]) metrics.observe('tillgate_gateway_request_seconds', seconds, labels);
    metrics.observe('tillgate_http_request_seconds', 1, labels);
    metrics.observe('tillgate_gateway_request_seconds', 1, labels);
    const text = await metrics.text();
    assert.match(text, /^tillgate_gateway_request_seconds_count\{route="eth\.gate\.example"\} 4$/m);
    assert.equal(logger.lines.length, 1, 'the other one has no such label');
  });

  test('alerts of every kind begin at 0, so that the first one is an increase', async () => {
    const { metrics, logger } = setUp();
    assert.match(await metrics.text(), /^tillgate_alerts_total\{kind="loss"\} 0$/m);
    metrics.count('tillgate_alerts_total', { kind: 'loss' });
    assert.match(await metrics.text(), /^tillgate_alerts_total\{kind="loss"\} 1$/m);
    assert.deepEqual(logger.lines, []);
  });

  test('every metric of the table is named, explained and unique to its registry', async () => {
    const [first, second] = [setUp().metrics, setUp().metrics];
    first.count('tillgate_orders_total', { status: 'SUCCESS' });
    assert.doesNotMatch(await second.text(), /SUCCESS/);
    const text = await first.text();
    for (const [name, { kind, help }] of Object.entries(METRIC_TABLE)) {
      assert.match(
        name,
        kind === 'counter'
          ? /^tillgate_[a-z_]+_total$/
          : kind === 'histogram'
            ? /^tillgate_[a-z_]+_seconds$/
            : /^tillgate_[a-z_]+$/,
      );
      assert.ok(text.includes(`# HELP ${name} ${help}`), name);
    }
  });

  test('every metric that the code records is in the table: another one would be dropped', () => {
    const sources = [...readSources(['core', 'adapters', 'host', 'plugins'])];
    const recorded = sources.flatMap(([path, text]) =>
      [...text.matchAll(/\.(?:count|gauge|observe)\(\s*'(tillgate_[a-z_]+)'/g)].map(([, name = '']) => ({
        path,
        name,
      })),
    );
    assert.ok(recorded.length >= 20);
    for (const { path, name } of recorded) assert.ok(name in METRIC_TABLE, `${name} of ${path}`);
  });

  test('fault 73: unknown names and labels are dropped, and complained about once', async () => {
    const { metrics, logger } = setUp();
    for (let round = 0; round < 3; round++) {
      metrics.count('tillgate_nonsense_total', { key: 'tak_secret' });
      metrics.count('tillgate_orders_total', { status: 'SUCCESS', key: 'tak_secret' });
      metrics.count('tillgate_orders_total', {});
      metrics.gauge('tillgate_orders_total', 1, { status: 'SUCCESS' });
      metrics.observe('constructor', 1);
    }
    assert.equal(logger.lines.length, 5);
    const written = (await metrics.text()) + JSON.stringify(logger.lines);
    assert.doesNotMatch(written, /tak_secret|status="/);
  });

  test('a label that runs away is counted under one name', async () => {
    const { metrics } = setUp(3);
    for (let index = 0; index < 100; index++)
      metrics.count('tillgate_rate_fetches_total', { source: `s${index}`, outcome: 'ok' });
    metrics.count('tillgate_rate_fetches_total', { source: 's1', outcome: 'ok' });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('tillgate_rate_fetches_total{'));
    assert.deepEqual(lines, [
      'tillgate_rate_fetches_total{source="s0",outcome="ok"} 1',
      'tillgate_rate_fetches_total{source="s1",outcome="ok"} 2',
      'tillgate_rate_fetches_total{source="s2",outcome="ok"} 1',
      'tillgate_rate_fetches_total{source="other",outcome="other"} 97',
    ]);
  });

  test('an embedding application may declare metrics of its own', async () => {
    const table = { shop_carts_total: { kind: 'counter', help: 'Carts.', labels: [] } } as const;
    const metrics = new PromMetrics(new MemoryLogger(), { processMetrics: false, table });
    metrics.count('shop_carts_total');
    assert.match(await metrics.text(), /^shop_carts_total 1$/m);
  });

  test("the process's own metrics are there unless they are switched off", async () => {
    assert.match(await new PromMetrics(new MemoryLogger()).text(), /^process_resident_memory_bytes \d+/m);
    assert.doesNotMatch(await setUp().metrics.text(), /process_/);
  });

  test('a counter never goes down', async () => {
    const { metrics } = setUp();
    metrics.count('tillgate_orders_total', { status: 'SUCCESS' }, -1);
    assert.doesNotMatch(await metrics.text(), /SUCCESS/);
  });
});
