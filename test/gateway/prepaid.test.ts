import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { RawData } from 'ws';
import { Allowance, PrepaidBalances, Quotas, UsageMeter } from '../../core/index.ts';
import type { GatewayRoute, Quota, RouteId } from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { appView, ask, bothPaths, CALL, HOST, KEY, keyView, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const [WS, HTTP, SHADOW] = ['ws.gate.example', 'http.gate.example', 'shadow.gate.example'];
const TOP_UP = 'https://pay.example/top-up/abc';

bothPaths('prepaid Apps', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  let sockets: WebSocketServer;
  let prepaid: PrepaidBalances;
  let meter: UsageMeter;
  /** What the first request of an App waits for. */
  let learn: () => Promise<void>;

  beforeEach(async () => {
    node = await startNode();
    sockets = new WebSocketServer({ server: node.server });
    sockets.on('connection', (socket) => socket.on('message', () => socket.send('answered')));
    const clock = new FakeClock();
    meter = new UsageMeter(clock);
    prepaid = new PrepaidBalances((token) => `https://pay.example/top-up/${token}`);
    const allowance = new Allowance(new Quotas(clock), prepaid);
    learn = async () => read(1);
    allowance.readBy(() => learn());
    const route = (host: string, id: string, changes: Partial<GatewayRoute> = {}): GatewayRoute =>
      routeOf([node.url], { host, id: id as RouteId, ...changes });
    gate = await startGateway(
      [
        route(HOST, '1'),
        route(WS, '2', { protocol: 'websocket', upstreams: [{ url: node.url.replace('http', 'ws'), headers: {} }] }),
        route(HTTP, '3', { protocol: 'http' }),
        route(SHADOW, '4', { admission: 'shadow' }),
      ],
      { meter, clock, allowance },
      path,
    );
    be();
  });
  afterEach(async () => {
    await gate.close();
    for (const socket of sockets.clients) socket.terminate();
    await node.close();
  });
  const be = (quota: Quota | null = null, isPrepaid = true): void =>
    gate.directory.set(KEY, keyView({ app: appView({ quota, prepaid: isPrepaid }) }));
  /** What the recorder does, on a database that has stored nothing of what was counted here. */
  const read = (bought: number): void =>
    prepaid.read(prepaid.asked(), [{ appId: appView().id, bought, used: 0, token: 'abc' }], meter);

  test('beyond what was bought a JSON-RPC call is 402 with the address where more is bought', async () => {
    learn = async () => read(2);
    assert.deepEqual([(await ask(gate.port)).status, (await ask(gate.port)).status], [200, 200]);
    const refused = await ask(gate.port, { body: CALL });
    assert.equal(refused.status, 402);
    assert.equal(refused.headers['link'], `<${TOP_UP}>; rel="payment"`);
    assert.equal(refused.headers['retry-after'], undefined);
    const { error, id } = JSON.parse(refused.text) as {
      id: unknown;
      error: { code: number; message: string; data: object };
    };
    assert.deepEqual([id, error.code], [null, -32005]);
    assert.match(error.message, /used up its prepaid units\. Buy more at https:\/\/pay\.example\/top-up\/abc$/);
    const trace_id = refused.headers['x-trace-id'];
    assert.deepEqual(error.data, { reason: 'quota_exceeded', trace_id, top_up_url: TOP_UP });
    assert.equal((await ask(gate.port, { host: SHADOW })).status, 200);
    assert.equal(node.seen.length, 3);
    read(10);
    assert.equal((await ask(gate.port)).status, 200);
  });

  test('so is a request on an HTTP route', async () => {
    assert.equal((await ask(gate.port, { host: HTTP, method: 'GET' })).status, 200);
    read(1);
    const refused = await ask(gate.port, { host: HTTP, method: 'GET' });
    assert.deepEqual([refused.status, refused.headers['link']], [402, `<${TOP_UP}>; rel="payment"`]);
    const { error } = JSON.parse(refused.text) as { error: { code: string; top_up_url: string } };
    assert.deepEqual([error.code, error.top_up_url], ['quota_exceeded', TOP_UP]);
  });

  test('a quota holds beside it, and nothing of it for an App that is not prepaid', async () => {
    be({ units: 2, window: 'day' });
    learn = async () => read(100);
    assert.equal((await ask(gate.port)).status, 200);
    assert.deepEqual([(await ask(gate.port)).status, (await ask(gate.port)).status], [200, 429]);
    be(null, false);
    for (let n = 0; n < 5; n++) assert.equal((await ask(gate.port)).status, 200);
  });

  test('fault 376: the first requests of an App without units wait for its balance, and none reaches a node', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let waiting = 0;
    learn = async () => {
      waiting += 1;
      await released;
      read(0);
    };
    const batch = `[${Array.from({ length: 100 }, () => CALL).join()}]`;
    const first = [ask(gate.port), ask(gate.port, { body: batch }), ask(gate.port, { host: HTTP, method: 'GET' })];
    await waitFor(() => waiting === first.length);
    assert.equal(node.seen.length, 0);
    release();
    assert.deepEqual(
      (await Promise.all(first)).map(({ status }) => status),
      [402, 402, 402],
    );
    assert.equal(node.seen.length, 0);
  });

  test('fault 376: an App whose balance cannot be read is refused for the moment', async () => {
    learn = async () => undefined;
    const refused = await ask(gate.port);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
    assert.equal(node.seen.length, 0);
    read(1);
    assert.equal((await ask(gate.port)).status, 200);
  });

  test('fault 376: a WebSocket of an App is connected once its balance was read', async () => {
    learn = async () => read(0);
    const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
      headers: { host: WS, authorization: `Bearer ${KEY}` },
    });
    await once(socket, 'open');
    const answer = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(CALL);
    const { error } = JSON.parse((await answer)[0].toString()) as { error: { code: number } };
    assert.equal(error.code, -32005);
    socket.terminate();
  });

  test('WebSocket: each call beyond it has its answer', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
      headers: { host: WS, authorization: `Bearer ${KEY}` },
    });
    const got: string[] = [];
    socket.on('message', (data: RawData) => got.push((data as Buffer).toString()));
    await once(socket, 'open');
    const answer = async (): Promise<string> => {
      const before = got.length;
      socket.send(CALL);
      await waitFor(() => got.length > before);
      return got[before]!;
    };
    assert.equal(await answer(), 'answered');
    read(1);
    const { error } = JSON.parse(await answer()) as { error: { code: number; data: { top_up_url: string } } };
    assert.deepEqual([error.code, error.data.top_up_url], [-32005, TOP_UP]);
    socket.terminate();
  });
});
