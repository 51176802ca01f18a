import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { BucketHistogram } from '../../../../adapters/metrics/bucket-histogram.ts';
import { PromMetrics } from '../../../../adapters/metrics/index.ts';
import { MemoryLogger } from '../../../support/fakes.ts';

const COMMON = { name: 'shop_call_seconds', help: 'Time of a call.', labelNames: ['route', 'outcome'] };
const BUCKETS = [0.1, 0.5, 2];

interface Pair {
  readonly own: BucketHistogram;
  readonly peer: Histogram;
  /** What a registry says of each. */
  said(): Promise<readonly [own: unknown, peer: unknown]>;
}

/** The histogram beside one of prom-client with the same settings. */
function pair(settings: { readonly labelNames?: string[]; readonly buckets?: number[] } = {}): Pair {
  const common = { ...COMMON, ...settings };
  const [registry, peers] = [new Registry(), new Registry()];
  const own = new BucketHistogram(common);
  registry.registerMetric(own as unknown as Histogram);
  const peer = new Histogram({ ...common, registers: [peers] });
  const all = async (each: Registry): Promise<unknown> => [
    await each.metrics(),
    (await each.getMetricsAsJSON()).map((metric) => ({
      ...metric,
      values: metric.values.map((value) => ({ ...value, exemplar: undefined })),
    })),
  ];
  const said = async () => [plain(await all(registry)), plain(await all(peers))] as const;
  return { own, peer, said };
}

/** As another process gets it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function assertSame({ said }: Pair): Promise<void> {
  const [own, peer] = await said();
  assert.deepEqual(own, peer);
}

describe('a histogram of buckets', () => {
  test("reports what prom-client's own histogram reports of the same values", async () => {
    const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 0.1, 0.5, 2, 2.1));
    const label = fc.constantFrom('a', 'b', 'a,outcome:b', '');
    const observed = fc.array(fc.tuple(label, label, value), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(observed, fc.constantFrom(undefined, BUCKETS), async (values, buckets) => {
        const both = pair(buckets === undefined ? {} : { buckets });
        for (const [route, outcome, seconds] of values) {
          both.own.labels({ route, outcome }).observe(seconds);
          both.peer.observe({ route, outcome }, seconds);
        }
        await assertSame(both);
      }),
    );
  });

  test('reports a histogram without labels before its first value', async () => {
    const both = pair({ labelNames: [] });
    await assertSame(both);
    both.own.labels({}).observe(0.3);
    both.peer.observe(0.3);
    await assertSame(both);
  });

  test('a series that is in use counts again from 0 after a reset of the registry', async () => {
    const both = pair();
    const series = both.own.labels({ route: 'a', outcome: 'b' });
    series.observe(1);
    both.own.reset();
    await assertSame(both);
    series.observe(0.2);
    both.peer.observe({ route: 'a', outcome: 'b' }, 0.2);
    await assertSame(both);
  });

  test('refuses a value that is no finite number', async () => {
    const both = pair();
    const series = both.own.labels({ route: 'a', outcome: 'b' });
    for (const value of [NaN, Infinity, -Infinity]) assert.throws(() => series.observe(value), TypeError);
    await assertSame(both);
  });

  test('a histogram that the registry of an application has already is used', async () => {
    const registry = new Registry();
    const name = 'tillgate_http_request_seconds';
    const known = new Histogram({ name, help: 'Known.', labelNames: ['operation'], registers: [registry] });
    const metrics = new PromMetrics(new MemoryLogger(), { processMetrics: false, registry });
    metrics.observe(name, 0.004, { operation: 'payInfo' });
    assert.equal(registry.getSingleMetric(name), known);
    assert.match(await metrics.text(), /^tillgate_http_request_seconds_count\{operation="payInfo"\} 1$/m);
    // A second till of the application.
    const second = new PromMetrics(new MemoryLogger(), { processMetrics: false, registry });
    for (const each of [metrics, second])
      each.observe('tillgate_gateway_request_seconds', 1, { route: 'eth.gate.example' });
    assert.match(await metrics.text(), /^tillgate_gateway_request_seconds_count\{route="eth\.gate\.example"\} 2$/m);
  });
});
