import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsOfProcesses, PromMetrics } from '../../../../adapters/metrics/index.ts';
import { MemoryLogger } from '../../../support/fakes.ts';

async function valueOf(all: MetricsOfProcesses, series: string): Promise<number | null> {
  const line = (await all.text()).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length));
}

function twoProcesses(): { all: MetricsOfProcesses; one: PromMetrics; two: PromMetrics; note: () => Promise<void> } {
  const [one, two] = [new PromMetrics(new MemoryLogger()), new PromMetrics(new MemoryLogger())];
  const all = new MetricsOfProcesses();
  const note = async (): Promise<void> => {
    // As they come from another process.
    for (const [process, metrics] of [one, two].entries())
      all.note(
        process,
        JSON.parse(JSON.stringify(await metrics.collect())) as Awaited<ReturnType<typeof metrics.collect>>,
      );
  };
  return { all, one, two, note };
}

const ORDERS = 'tillgate_orders_total{status="SUCCESS"}';
const SECONDS = 'tillgate_http_request_seconds_count{operation="payInfo"}';

test('fault 292: counters and histograms are sums, and what an ended process had counted stays in them', async () => {
  const { all, one, two, note } = twoProcesses();
  one.count('tillgate_orders_total', { status: 'SUCCESS' }, 5);
  two.count('tillgate_orders_total', { status: 'SUCCESS' }, 2);
  one.observe('tillgate_http_request_seconds', 0.3, { operation: 'payInfo' });
  two.observe('tillgate_http_request_seconds', 0.001, { operation: 'payInfo' });
  await note();
  assert.deepEqual([await valueOf(all, ORDERS), await valueOf(all, SECONDS)], [7, 2]);
  const ending = Promise.all([all.end(0), all.end(1)]);
  assert.deepEqual([await valueOf(all, ORDERS), await valueOf(all, SECONDS)], [7, 2], 'asked while they end');
  await ending;
  assert.deepEqual([await valueOf(all, ORDERS), await valueOf(all, SECONDS)], [7, 2]);
  const third = new PromMetrics(new MemoryLogger());
  third.count('tillgate_orders_total', { status: 'SUCCESS' });
  all.note(2, await third.collect());
  assert.equal(await valueOf(all, ORDERS), 8);
});

test('of a fact of the till the value that was set last counts, whichever process set it, also after its end', async () => {
  const { all, one, two, note } = twoProcesses();
  const halted = 'tillgate_chain_halted{chain="ETH"}';
  const set = async (metrics: PromMetrics, value: number): Promise<void> => {
    const before = Date.now();
    while (Date.now() === before);
    metrics.gauge('tillgate_chain_halted', value, { chain: 'ETH' });
    await note();
  };
  await set(one, 1);
  assert.equal(await valueOf(all, halted), 1);
  await set(two, 0);
  assert.equal(await valueOf(all, halted), 0, 'the former holder of the lease does not know');
  await set(one, 1);
  await all.end(0);
  assert.equal(await valueOf(all, halted), 1);
  all.note(1, await two.collect());
  assert.equal(await valueOf(all, halted), 1, 'an older value of a process that lives');
});

test('what a process holds itself is added up and goes with it; an upstream is up where all say so', async () => {
  const { all, one, two, note } = twoProcesses();
  const [sockets, up] = [
    'tillgate_gateway_websockets{route="r"}',
    'tillgate_gateway_upstream_up{route="r",upstream="u"}',
  ];
  one.gauge('tillgate_gateway_websockets', 3, { route: 'r' });
  two.gauge('tillgate_gateway_websockets', 4, { route: 'r' });
  one.gauge('tillgate_gateway_upstream_up', 0, { route: 'r', upstream: 'u' });
  two.gauge('tillgate_gateway_upstream_up', 1, { route: 'r', upstream: 'u' });
  await note();
  assert.deepEqual([await valueOf(all, sockets), await valueOf(all, up)], [7, 0]);
  await all.end(0);
  assert.deepEqual([await valueOf(all, sockets), await valueOf(all, up)], [4, 1]);
});
