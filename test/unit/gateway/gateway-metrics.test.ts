import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatewayMetrics } from '../../../host/gateway/gateway-metrics.ts';
import { MemoryMetrics } from '../../support/fakes.ts';

const SERIES = 'tillgate_gateway_request_seconds';
const ended = { app: 'none', status: 200, bytesIn: 1, bytesOut: 1 };

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
