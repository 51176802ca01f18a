import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { UsageMeter } from '../../core/index.ts';
import type { AppId, GatewayRoute, RouteId, UsageRow } from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import {
  answerRpc,
  ask,
  bothPaths,
  CALL,
  HOST,
  KEY,
  routeOf,
  startGateway,
  startNode,
  UNKNOWN_KEY,
} from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const [WS, HTTP, DOWN, FAILING] = ['ws.gate.example', 'http.gate.example', 'down.gate.example', 'bad.gate.example'];
const BATCH = '[{"id":1,"method":"eth_getLogs"},{"id":2,"method":"eth_call"},{"id":3,"method":"eth_call"}]';
const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method });

bothPaths('usage', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  let sockets: WebSocketServer;
  let meter: UsageMeter;

  beforeEach(async () => {
    node = await startNode((req, res, body) => {
      if (req.url === '/failing') res.writeHead(500).end('broken');
      else if (req.url?.startsWith('/slow')) res.writeHead(200).write('{');
      else answerRpc(res, body);
    });
    sockets = new WebSocketServer({ server: node.server });
    sockets.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('message', () => socket.send('answered'));
    });
    const clock = new FakeClock();
    meter = new UsageMeter(clock);
    const route = (host: string, id: string, changes: Partial<GatewayRoute>): GatewayRoute =>
      routeOf([node.url], { host, id: id as RouteId, units: { eth_getLogs: 20 }, ...changes });
    gate = await startGateway(
      [
        route(HOST, '1', {
          methods: { allow: ['*'], deny: ['eth_sendRawTransaction'] },
          maxBatch: 3,
          maxBodyBytes: 500,
        }),
        route(WS, '2', { protocol: 'websocket', upstreams: [{ url: node.url.replace('http', 'ws'), headers: {} }] }),
        route(HTTP, '3', { protocol: 'http', units: { POST: 5 } }),
        route(DOWN, '4', { protocol: 'http', upstreams: [{ url: 'http://127.0.0.1:1', headers: {} }] }),
        route(FAILING, '5', { upstreams: [{ url: `${node.url}/failing`, headers: {} }] }),
      ],
      { meter, clock },
      path,
    );
  });
  afterEach(async () => {
    await gate.close();
    for (const socket of sockets.clients) socket.terminate();
    await node.close();
  });

  /** `route method`, requests, units, errors. */
  const counted = (rows: readonly UsageRow[] = meter.take(100)) =>
    rows.map(({ route, method, requests, units, errors }) => [`${route} ${method}`, requests, units, errors]);

  test('fault 423: a call that no node has worked on costs nothing; one that it failed on, or timed out on, costs its units', async () => {
    for (const [status, error, units] of [
      [429, 'slow down', 0],
      [401, 'Must be authenticated!', 0],
      [200, 'rate limited', 0],
      [200, 'missing trie node', 1],
      [200, 'execution aborted (timeout = 5s)', 1],
      [200, 'Internal error', 1],
      [200, 'execution reverted', 1],
    ] as const) {
      const refusing = await startNode((_req, res) =>
        res.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: error } })),
      );
      gate.setRoutes([routeOf([refusing.url])]);
      await ask(gate.port);
      await refusing.close();
      assert.deepEqual(
        meter.take(10).map((row) => [row.requests, row.units]),
        [[1, units]],
        error,
      );
    }
    gate.setRoutes([routeOf(['http://127.0.0.1:1'])]);
    await ask(gate.port);
    assert.deepEqual(
      meter.take(10).map((row) => [row.requests, row.units]),
      [[1, 0]],
    );
  });

  test('a call costs the units of its method, and its bytes are counted both ways', async () => {
    const { text } = await ask(gate.port);
    await ask(gate.port, { body: call('eth_getLogs') });
    const [first, second] = meter.take(10);
    assert.deepEqual(first, {
      appId: '1000000000000000001' as AppId,
      hour: Date.UTC(2026, 2, 1, 12),
      route: HOST,
      method: 'eth_blockNumber',
      requests: 1,
      units: 1,
      errors: 0,
      bytesIn: CALL.length,
      bytesOut: text.length,
    });
    assert.deepEqual(counted([second!]), [[`${HOST} eth_getLogs`, 1, 20, 0]]);
  });

  test('each call of a batch counts', async () => {
    assert.equal((await ask(gate.port, { body: BATCH })).status, 200);
    assert.deepEqual(counted(), [
      [`${HOST} eth_getLogs`, 1, 20, 0],
      [`${HOST} eth_call`, 2, 2, 0],
    ]);
  });

  test('fault 135: methods that a client invents are counted together', async () => {
    for (let n = 0; n < 20; n++) await ask(gate.port, { body: call(`eth_${n}`) });
    assert.deepEqual(counted(), [[`${HOST} other`, 20, 20, 0]]);
  });

  test('what is refused before a node is asked costs nothing and is an error, by method once that was read', async () => {
    assert.equal((await ask(gate.port, { body: call('eth_sendRawTransaction') })).status, 403);
    assert.equal((await ask(gate.port, { body: '{' })).status, 400);
    assert.equal((await ask(gate.port, { body: `[${Array.from({ length: 4 }, () => CALL).join()}]` })).status, 400);
    assert.equal((await ask(gate.port, { body: 'x'.repeat(501) })).status, 413);
    assert.deepEqual(counted(), [
      [`${HOST} eth_sendRawTransaction`, 1, 0, 1],
      [`${HOST} other`, 3, 0, 3],
    ]);
    assert.equal((await ask(gate.port, { key: UNKNOWN_KEY })).status, 401);
    assert.equal(meter.size, 0);
  });

  test('what a node may have worked on costs its units whatever came of it; what reached none, nothing', async () => {
    assert.equal((await ask(gate.port, { host: FAILING, body: call('eth_getLogs') })).status, 500);
    assert.equal((await ask(gate.port, { host: DOWN, method: 'GET' })).status, 502);
    assert.deepEqual(counted(), [
      [`${FAILING} eth_getLogs`, 1, 20, 1],
      [`${DOWN} GET`, 1, 0, 1],
    ]);
  });

  test('a call is counted when it is sent, not when it ends', async () => {
    const left = ask(gate.port, { host: HTTP, method: 'GET', path: '/slow' }).catch(() => undefined);
    await waitFor(() => meter.size > 0);
    assert.deepEqual(counted(), [[`${HTTP} GET`, 1, 1, 0]]);
    await gate.close();
    await left;
    assert.deepEqual(
      meter.take(10).map(({ requests, units }) => [requests, units]),
      [[0, 0]],
    );
  });

  test('HTTP routes count by HTTP method', async () => {
    await ask(gate.port, { host: HTTP, method: 'GET' });
    await ask(gate.port, { host: HTTP, method: 'HEAD' });
    await ask(gate.port, { host: HTTP, body: call('eth_getLogs') });
    assert.deepEqual(counted(), [
      [`${HTTP} GET`, 1, 1, 0],
      [`${HTTP} HEAD`, 1, 1, 0],
      [`${HTTP} POST`, 1, 5, 0],
    ]);
  });

  test('each message of a WebSocket counts, refused ones as errors; what the node sends is other', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
      headers: { host: WS, authorization: `Bearer ${KEY}` },
    });
    let answers = 0;
    socket.on('message', () => (answers += 1));
    await new Promise((resolve) => socket.once('open', resolve));
    assert.equal(meter.size, 0);
    for (const message of [BATCH, CALL, 'nonsense', call('personal_sign')]) {
      const before = answers;
      socket.send(message);
      await waitFor(() => answers > before);
    }
    socket.terminate();
    const rows = meter.take(10);
    assert.deepEqual(counted(rows).sort(), [
      [`${WS} eth_blockNumber`, 1, 1, 0],
      [`${WS} eth_call`, 2, 2, 0],
      [`${WS} eth_getLogs`, 1, 20, 0],
      [`${WS} other`, 2, 0, 2],
    ]);
    const bytes = (of: 'bytesIn' | 'bytesOut') => rows.reduce((sum, row) => sum + row[of], 0);
    assert.deepEqual(
      [bytes('bytesIn'), bytes('bytesOut')],
      [BATCH.length + CALL.length + 'nonsense'.length + call('personal_sign').length, 2 * 'answered'.length],
    );
  });

  test('a refused upgrade is an error', async () => {
    assert.equal((await ask(gate.port, { host: WS, method: 'GET' })).status, 400);
    assert.equal(meter.size, 0);
    gate.setRoutes([routeOf([node.url], { host: WS, protocol: 'websocket', enabled: false })]);
    const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
      headers: { host: WS, authorization: `Bearer ${KEY}` },
    });
    await new Promise((resolve) => socket.once('error', resolve));
    assert.deepEqual(counted(), [[`${WS} other`, 1, 0, 1]]);
  });
});
