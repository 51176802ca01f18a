import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayRouteTable } from '../../core/index.ts';
import { LazyGateway } from '../../host/lazy-gateway.ts';
import { FakeClock, MemoryLogger, MemoryMetrics } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { FakeDirectory, routeOf } from './support.ts';

test('the proxy is loaded with the first route and not before, and whoever asked is told, at once where it is there already', async () => {
  let table = new GatewayRouteTable([]);
  const directory = new FakeDirectory();
  const told: string[] = [];
  const door = new LazyGateway({
    routes: () => table, directory, clock: new FakeClock(), metrics: new MemoryMetrics(), logger: new MemoryLogger(), traceId: () => 't', healthIntervalMs: 0,
  });
  door.onOpen(() => told.push('before'));
  door.openIfNeeded();
  assert.equal(told.length, 0);
  table = new GatewayRouteTable([routeOf(['http://127.0.0.1:1'])]);
  door.openIfNeeded();
  await waitFor(() => told.length > 0, { describe: 'the proxy to be loaded' });
  door.onOpen(() => told.push('after'));
  door.openIfNeeded();
  assert.deepEqual(told, ['before', 'after']);
  await door.close();
});
