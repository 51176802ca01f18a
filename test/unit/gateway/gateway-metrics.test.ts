import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatewayMetrics } from '../../../host/gateway/gateway-metrics.ts';
import { DEFAULT_TIMEOUTS } from '../../../core/index.ts';
import { Upstream } from '../../../host/gateway/upstream.ts';
import { MemoryMetrics } from '../../support/fakes.ts';

const SERIES = 'tillgate_gateway_request_seconds';
const ended = { app: 'none', status: 200, bytesIn: 1, bytesOut: 1 };

test('the durations of requests to an upstream are each passed on once, and do not pile up until the next flush', () => {
  const memory = new MemoryMetrics();
  const metrics = new GatewayMetrics(memory);
  const upstream = new Upstream({ url: 'http://127.0.0.1:1', headers: {} }, DEFAULT_TIMEOUTS, null, true);
  const labels = 'method_class="read",outcome="succeeded",route="one",upstream="127.0.0.1:1"';
  const seen = (): readonly number[] => memory.observations.get(`tillgate_upstream_request_seconds{${labels}}`) ?? [];
  for (let n = 1; n <= 1_000; n++) {
    metrics.timesOf('one', upstream).of('read').record('succeeded', n);
    assert(n - seen().length < 64);
    if (n % 100 === 0) metrics.flush();
  }
  metrics.close();
  assert.deepEqual(
    seen(),
    Array.from({ length: 1_000 }, (_, n) => n + 1),
  );
});

describe('the durations of requests', () => {
  const setUp = () => {
    const memory = new MemoryMetrics();
    const seen = (route: string): readonly number[] => memory.observations.get(`${SERIES}{route="${route}"}`) ?? [];
    return { metrics: new GatewayMetrics(memory), seen };
  };

  test('are each passed on once, to the route of its own', () => {
    const { metrics, seen } = setUp();
    for (let n = 0; n < 1000; n++) metrics.request({ ...ended, route: n % 2 === 0 ? 'even' : 'odd', seconds: n });
    metrics.flush();
    metrics.close();
    const all = Array.from({ length: 1000 }, (_, n) => n);
    assert.deepEqual(
      seen('even'),
      all.filter((n) => n % 2 === 0),
    );
    assert.deepEqual(
      seen('odd'),
      all.filter((n) => n % 2 === 1),
    );
  });

  test('do not pile up until the next flush', () => {
    const { metrics, seen } = setUp();
    for (let n = 1; n <= 10_000; n++) {
      metrics.request({ ...ended, route: 'one', seconds: n });
      assert(n - seen('one').length < 256);
    }
    metrics.close();
    assert.equal(seen('one').length, 10_000);
  });
});
