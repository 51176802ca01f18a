import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, CALL, HOST, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

/** A name that leads to this machine. */
const NAME = 'localhost';

bothPaths('fault 390: upstreams that lead to private addresses', (path) => {
  let node: FakeNode;
  let connections: number;
  let gates: TestGateway[];
  beforeEach(async () => {
    [node, connections, gates] = [await startNode(), 0, []];
    node.server.on('connection', () => (connections += 1));
  });
  afterEach(async () => {
    for (const gate of gates) await gate.close();
    await node.close();
  });
  const gateTo = async (
    host: string,
    allowed: boolean,
    more: Parameters<typeof routeOf>[1] = {},
    healthIntervalMs = 0,
  ): Promise<TestGateway> => {
    const { protocol } = more;
    const route = routeOf([`${protocol === 'websocket' ? 'ws' : 'http'}://${host}:${node.port}`], more);
    const gate = await startGateway([route], { allowsPrivate: () => allowed, healthIntervalMs }, path);
    gates.push(gate);
    return gate;
  };

  test('a name that leads to one is asked only where they are allowed', async () => {
    const { port } = await gateTo(NAME, false);
    assert.equal((await ask(port)).status, 502);
    assert.equal(connections, 0);
    assert.equal((await ask((await gateTo(NAME, true)).port)).status, 200);
    assert.equal(connections, 1);
  });

  test('nor does a body that is passed on as it comes reach it', async () => {
    const body = 'x'.repeat(200_000);
    const { port } = await gateTo(NAME, false, { protocol: 'http' });
    assert.ok((await ask(port, { path: '/path', body })).status >= 502, 'it is refused');
    assert.equal(connections, 0);
  });

  test('one that has such an address in its URL is not used, whenever it was stored', async () => {
    const gate = await gateTo('127.0.0.1', false);
    assert.equal((await ask(gate.port)).status, 503);
    assert.equal(connections, 0);
    assert.match(gate.log(), /not valid or not allowed/);
  });

  test('health checks do not connect to it either, on routes of each protocol', async () => {
    for (const protocol of ['jsonrpc', 'http', 'websocket'] as const) {
      const gate = await gateTo(NAME, false, { protocol }, 10);
      await waitFor(() => gate.log().includes('an upstream is down'), { describe: `a health check of ${protocol}` });
    }
    assert.equal(connections, 0);
  });

  test('a WebSocket is not connected to it', async () => {
    const { port } = await gateTo(NAME, false, { protocol: 'websocket' });
    const client = new WebSocket(`ws://127.0.0.1:${port}`, {
      headers: { host: HOST, authorization: `Bearer ${KEY}` },
    });
    const status = await new Promise((resolve) => {
      client.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      client.on('open', () => resolve('open'));
      client.on('error', (error) => resolve(error));
    });
    client.on('error', () => undefined);
    client.terminate();
    assert.equal(status, 502);
    assert.equal(connections, 0);
  });

  test('a batch is not sent to it', async () => {
    const { port } = await gateTo(NAME, false);
    assert.equal((await ask(port, { body: `[${CALL},${CALL}]` })).status, 502);
    assert.equal(connections, 0);
  });
});
