import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { AppLimits, ConfiguredRoutes, GatewayRouteTable, RouteCache } from '../../core/index.ts';
import { resolveConfig } from '../../host/index.ts';
import { LazyGateway } from '../../host/gateway/lazy-gateway.ts';
import { RECIPES } from '../../host/boot/container.ts';
import type { Parts } from '../../host/boot/container.ts';
import { FakeClock, MemoryLogger, MemoryMetrics } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { ask, closeServer, FakeDirectory, listen, routeOf, startNode } from './support.ts';

const ports = () => ({ clock: new FakeClock(), metrics: new MemoryMetrics(), logger: new MemoryLogger() });

test('the gateway is loaded with the first route and not before, and listeners are called once it is, or at once', async () => {
  let table = new GatewayRouteTable([]);
  const opened: string[] = [];
  const gateway = new LazyGateway({
    ...ports(),
    routes: () => table,
    directory: new FakeDirectory(),
    traceId: () => 't',
    healthIntervalMs: 0,
  });
  gateway.onOpen(() => opened.push('before'));
  gateway.openIfNeeded();
  assert.equal(opened.length, 0);
  table = new GatewayRouteTable([routeOf(['http://127.0.0.1:1'])]);
  gateway.openIfNeeded();
  await waitFor(() => opened.length > 0, { describe: 'the gateway to be loaded' });
  gateway.onOpen(() => opened.push('after'));
  gateway.openIfNeeded();
  assert.deepEqual(opened, ['before', 'after']);
  await gateway.close();
});

for (const [setting, seenByNode] of [
  [{}, 0],
  [{ gateway: { fastPath: true } }, 0],
  [{ gateway: { fastPath: false } }, 1],
] as const) {
  test(`with the settings ${JSON.stringify(setting)} Node's server reads ${seenByNode} of one plain request`, async (t) => {
    const node = await startNode();
    t.after(() => node.close());
    const { logger } = ports();
    const configuredRoutes = new ConfiguredRoutes([routeOf([node.url])]);
    const routeCache = new RouteCache({
      configured: configuredRoutes,
      routes: {} as never,
      vault: {} as never,
      logger,
    });
    const parts: Partial<Parts> = {
      ...ports(),
      config: resolveConfig(setting, {}),
      configuredRoutes,
      routeCache,
      keyDirectory: new FakeDirectory(),
      appLimits: new AppLimits(),
      sharedCache: { store: null },
    };
    const gateway = RECIPES.make('gateway', parts as Parts);
    let seen = 0;
    const server = createServer((req, res) => {
      seen += 1;
      gateway.request(req, res);
    });
    t.after(async () => {
      await gateway.close();
      await closeServer(server);
    });
    gateway.attach(server);
    const opened = new Promise<void>((resolve) => gateway.onOpen(resolve));
    gateway.openIfNeeded();
    await opened;
    assert.equal((await ask(await listen(server))).status, 200);
    assert.equal(seen, seenByNode);
  });
}
