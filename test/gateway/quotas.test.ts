import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import type { WebSocketServer } from 'ws';
import type { RawData } from 'ws';
import { UsageMeter } from '../../core/index.ts';
import type { GatewayRoute, Quota, RouteId } from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import {
  appView,
  ask,
  bothPaths,
  CALL,
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
const call = (method: string, id: number | string = 1): string => JSON.stringify({ jsonrpc: '2.0', id, method });
const MIDNIGHT = Date.UTC(2026, 2, 2);

bothPaths('quotas', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  let sockets: WebSocketServer;
  let clock: FakeClock;
  let meter: UsageMeter;

  beforeEach(async () => {
    node = await startNode();
    sockets = answeringSockets(node);
    clock = new FakeClock();
    meter = new UsageMeter(clock);
    const route = (host: string, id: string, changes: Partial<GatewayRoute> = {}): GatewayRoute =>
      routeOf([node.url], { host, id: id as RouteId, units: { eth_getLogs: 20, eth_chainId: 0 }, ...changes });
    gate = await startGateway(
      [
        route(HOST, '1', { limits: { requestsPerSecond: 1, burst: 6, concurrency: null } }),
        route(WS, '2', { protocol: 'websocket', upstreams: [{ url: node.url.replace('http', 'ws'), headers: {} }] }),
        route(HTTP, '3', { protocol: 'http' }),
        route(SHADOW, '4', { admission: 'shadow' }),
        route(OFF, '5', { admission: 'disabled' }),
      ],
      { meter, clock },
      path,
    );
    setQuota({ units: 3, window: 'day' });
  });
  afterEach(async () => {
    await gate.close();
    for (const socket of sockets.clients) socket.terminate();
    await node.close();
  });
  const setQuota = (quota: Quota | null): void => gate.directory.set(KEY, keyView({ app: appView({ quota }) }));
  const statuses = async (count: number, host = HOST): Promise<number[]> => {
    const replies = [];
    for (let n = 0; n < count; n++) replies.push((await ask(gate.port, { host })).status);
    return replies;
  };

  test('beyond it a call is 429 with the seconds until midnight; then it begins anew', async () => {
    assert.deepEqual(await statuses(3), [200, 200, 200]);
    const refused = await ask(gate.port, { body: CALL });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, String((MIDNIGHT - clock.now()) / 1000)]);
    const { error } = JSON.parse(refused.text) as { error: { code: number; data: { reason: string } } };
    assert.deepEqual([error.code, error.data.reason], [-32005, 'quota_exceeded']);
    assert.equal(node.seen.length, 3);
    assert.deepEqual(
      meter.take(10).map(({ requests, units, errors }) => [requests, units, errors]),
      [[4, 3, 1]],
    );
    const verdict = gate.gateway.admissionTally(appView().id).find(({ reason }) => reason === 'quota_exceeded');
    assert.equal(verdict?.verdict, 'refused');
    clock.set(MIDNIGHT);
    assert.deepEqual(await statuses(4), [200, 200, 200, 429]);
  });

  test('a call counts by its weight, a batch as a whole; what costs nothing passes', async () => {
    setQuota({ units: 21, window: 'month' });
    const batch = `[${call('eth_getLogs')},${call('eth_call')},${call('eth_call')}]`;
    assert.equal(reasonOf(await ask(gate.port, { body: batch })), 'quota_exceeded');
    assert.equal((await ask(gate.port, { body: call('eth_getLogs') })).status, 200);
    assert.equal((await ask(gate.port, { body: call('ETH_GETLOGS') })).status, 429);
    assert.deepEqual(await statuses(2), [200, 429]);
    assert.equal((await ask(gate.port, { body: call('eth_chainId') })).status, 200);
  });

  test('a changed quota holds for the next call, and so does one that was removed', async () => {
    assert.deepEqual(await statuses(3), [200, 200, 200]);
    setQuota({ units: 4, window: 'day' });
    assert.deepEqual(await statuses(2), [200, 429]);
    setQuota(null);
    clock.advance(10_000);
    assert.deepEqual(await statuses(2), [200, 200]);
  });

  test('it is one quota for all routes; shadow records it, disabled does not ask', async () => {
    assert.deepEqual(await statuses(5, OFF), [200, 200, 200, 200, 200]);
    assert.deepEqual(await statuses(1), [429]);
    assert.deepEqual(await statuses(1, SHADOW), [200]);
    const shadow = gate.gateway.admissionTally(appView().id).find(({ route }) => route === SHADOW);
    assert.deepEqual([shadow?.verdict, shadow?.reason], ['would_refuse', 'quota_exceeded']);
  });

  test('fault 139: HTTP routes: requests whose bodies come late do not get past it together', async () => {
    const requests = Array.from({ length: 6 }, () => {
      const sent = request({
        host: '127.0.0.1',
        port: gate.port,
        method: 'POST',
        agent: false,
        headers: { host: HTTP, authorization: `Bearer ${KEY}`, 'content-length': '2' },
      });
      sent.flushHeaders();
      return sent;
    });
    const answers = requests.map(async (sent) => {
      const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
      response.resume();
      return response.statusCode;
    });
    for (const sent of requests) sent.write('{');
    for (const sent of requests) sent.end('}');
    assert.deepEqual((await Promise.all(answers)).sort(), [200, 200, 200, 429, 429, 429]);
    const refused = await ask(gate.port, { host: HTTP, method: 'GET' });
    assert.deepEqual([refused.status, reasonOf(refused)], [429, 'quota_exceeded']);
  });

  test('WebSocket: each refused call has its answer, by the quota of now', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
      headers: { host: WS, authorization: `Bearer ${KEY}` },
    });
    const got: string[] = [];
    socket.on('message', (data: RawData) => got.push((data as Buffer).toString()));
    await once(socket, 'open');
    const answer = async (message: string): Promise<string> => {
      const before = got.length;
      socket.send(message);
      await waitFor(() => got.length > before);
      return got[before]!;
    };
    for (let n = 0; n < 3; n++) assert.equal(await answer(CALL), 'answered');
    type Refused = { id: unknown; error: { code: number; data: { reason: string } } };
    const refused = JSON.parse(await answer(`[${call('eth_call', 7)},${call('eth_call', 'b')}]`)) as Refused[];
    assert.deepEqual(
      refused.map(({ id, error }) => [id, error.code, error.data.reason]),
      [
        [7, -32005, 'quota_exceeded'],
        ['b', -32005, 'quota_exceeded'],
      ],
    );
    setQuota({ units: 4, window: 'day' });
    assert.equal(await answer(CALL), 'answered');
    assert.match(await answer(CALL), /quota_exceeded/);
    socket.terminate();
  });
});
