import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import type { WebSocketServer } from 'ws';
import type { AppView, GatewayRoute, RouteId } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import {
  appView,
  ask,
  bothPaths,
  HOST,
  KEY,
  keyView,
  reasonOf,
  routeOf,
  startGateway,
  startNode,
  answeringSockets,
} from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const [WS, HTTP, SHADOW, OFF] = ['ws.gate.example', 'http.gate.example', 'shadow.gate.example', 'off.gate.example'];
const RATES = {
  eth_getLogs: { requestsPerSecond: 2, burst: 3 },
  'eth_get*': { requestsPerSecond: 0.5, burst: 5 },
  'eth_getBlock*': { requestsPerSecond: 10, burst: null },
  GET: { requestsPerSecond: 1, burst: 2 },
};
const ONLY_RATES = { requestsPerSecond: null, burst: null, concurrency: null, methods: RATES };
const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
const calls = (count: number, method: string): string =>
  `[${Array.from({ length: count }, () => call(method)).join()}]`;

bothPaths('rates by method', (path) => {
  let node: FakeNode;
  let sockets: WebSocketServer;
  let gate: TestGateway;

  beforeEach(async () => {
    node = await startNode();
    sockets = answeringSockets(node);
    const route = (host: string, id: string, changes: Partial<GatewayRoute> = {}): GatewayRoute =>
      routeOf([node.url], {
        ...{ host, id: id as RouteId },
        limits: { requestsPerSecond: 100, burst: 100, concurrency: null, methods: RATES },
        ...changes,
      });
    gate = await startGateway(
      [
        route(HOST, '1'),
        route(WS, '2', { protocol: 'websocket', upstreams: [{ url: node.url.replace('http', 'ws'), headers: {} }] }),
        route(HTTP, '3', { protocol: 'http', limits: ONLY_RATES }),
        route(SHADOW, '4', { admission: 'shadow' }),
        route(OFF, '5', { admission: 'disabled' }),
      ],
      {},
      path,
    );
  });
  afterEach(async () => {
    await gate.close();
    for (const socket of sockets.clients) socket.terminate();
    await node.close();
  });
  const send = async (body: string, host = HOST): Promise<string> => {
    const answer = await ask(gate.port, { host, body });
    return answer.status === 200
      ? '200'
      : `${answer.status} ${reasonOf(answer)} ${String(answer.headers['retry-after'])}`;
  };
  const REFUSED = '429 rate_limited';

  test('fault 442: each call of a batch counts for its own name, or else for its longest prefix, in whatever case', async () => {
    assert.equal(await send(calls(3, 'eth_getLogs')), '200');
    assert.equal(await send(call('eth_getLogs')), `${REFUSED} 1`);
    assert.equal(await send(call('ETH_GETLOGS')), `${REFUSED} 1`);
    assert.match((await ask(gate.port, { body: call('eth_getLogs') })).text, /Too many calls of eth_getLogs;/);
    assert.equal(await send(calls(5, 'eth_getCode')), '200');
    assert.equal(await send(call('eth_getProof')), `${REFUSED} 2`, 'one rate for all with the prefix');
    assert.equal(await send(calls(10, 'eth_getBlockByNumber')), '200', 'the longer prefix');
    assert.equal(await send(call('eth_getBlockByHash')), `${REFUSED} 1`);
    assert.equal(await send(calls(20, 'eth_call')), '200', 'no rate of its own');
    const seen = node.seen.length;
    assert.equal(await send(`[${call('eth_call')},${call('eth_getLogs')}]`), `${REFUSED} 1`, 'the batch as a whole');
    assert.equal(node.seen.length, seen);
    gate.clock.advance(500);
    assert.equal(await send(call('eth_getLogs')), '200');
    assert.equal(await send(call('eth_getLogs')), `${REFUSED} 1`);
  });

  test('fault 442: what one rate refuses costs nothing of another, nor of the limit of the App', async () => {
    for (let n = 0; n < 5; n++)
      assert.equal(await send(`[${call('eth_getCode')},${calls(4, 'eth_getLogs').slice(1)}`), `${REFUSED} 1`);
    assert.equal(await send(calls(5, 'eth_getCode')), '200');
    assert.equal(await send(calls(3, 'eth_getLogs')), '200');
    assert.equal(await send(calls(80, 'eth_call')), '200');
  });

  test('fault 442: rates are of each App; those of an account together get ten times as many', async () => {
    const sendAs = (changes: Partial<AppView>, body: string): Promise<string> => {
      gate.directory.set(KEY, keyView({ app: appView(changes) }));
      return send(body);
    };
    const outcomes: string[] = [];
    for (let n = 0; n < 12; n++)
      outcomes.push(await sendAs({ id: `100${n}` as AppView['id'] }, calls(3, 'eth_getLogs')));
    assert.equal(outcomes.filter((outcome) => outcome === '200').length, 10);
    assert.equal(
      await sendAs({ id: '77' as AppView['id'], accountId: '2' as AppView['accountId'] }, call('eth_getLogs')),
      '200',
    );
  });

  test('fault 442: HTTP routes count their HTTP methods; shadow records, disabled does not ask', async () => {
    const get = async (): Promise<number> =>
      (await ask(gate.port, { host: HTTP, method: 'GET', path: '/wallet' })).status;
    assert.deepEqual([await get(), await get(), await get()], [200, 200, 429]);
    assert.equal((await ask(gate.port, { host: HTTP, method: 'POST', body: '{}' })).status, 200);
    for (const host of [SHADOW, OFF]) assert.equal(await send(calls(4, 'eth_getLogs'), host), '200');
    const verdictOf = (host: string) =>
      gate.gateway.admissionTally(appView().id).find(({ route }) => route === host)?.verdict;
    assert.deepEqual([verdictOf(SHADOW), verdictOf(OFF)], ['would_refuse', 'allowed']);
  });

  test('fault 442: each message of a WebSocket counts', async () => {
    const client = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
      headers: { host: WS, authorization: `Bearer ${KEY}` },
    });
    const got: string[] = [];
    client.on('message', (data) => got.push((data as Buffer).toString()));
    await waitFor(() => client.readyState === WebSocket.OPEN);
    for (let n = 0; n < 4; n++) client.send(call('eth_getLogs'));
    client.send(call('eth_call'));
    await waitFor(() => got.length === 5);
    assert.deepEqual(
      [got.filter((text) => text === 'answered').length, got.filter((text) => text.includes('rate_limited')).length],
      [4, 1],
    );
    client.close();
  });
});
