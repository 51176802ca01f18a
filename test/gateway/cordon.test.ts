import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { DEFAULT_READS } from '../../core/index.ts';
import type { GatewayRoute } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import {
  answerRpc,
  ask,
  bothPaths,
  closeServer,
  HOST,
  KEY,
  listen,
  reasonOf,
  routeOf,
  startGateway,
  startNode,
} from './support.ts';
import type { Answer, FakeNode, TestGateway } from './support.ts';

bothPaths('fault 443: a cordoned upstream', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  /** A node that keeps its answers until the test gives them. */
  const holdingNode = async (): Promise<{ node: FakeNode; held: { body: string; res: ServerResponse }[] }> => {
    const held: { body: string; res: ServerResponse }[] = [];
    const node = await startNode((_req, res, body) => void held.push({ body, res }));
    started.push(node);
    return { node, held };
  };
  const startedNode = async (answer?: Parameters<typeof startNode>[0]): Promise<FakeNode> => {
    const node = await startNode(answer);
    started.push(node);
    return node;
  };
  const run = async (route: GatewayRoute, deps: Parameters<typeof startGateway>[1] = {}): Promise<TestGateway> => {
    const gate = await startGateway([route], deps, path);
    started.push(gate);
    return gate;
  };

  test('gets no new request while the one under way is answered; all cordoned is as all down; uncordoned it serves', async () => {
    const { node: slow, held } = await holdingNode();
    const other = await startedNode();
    const route = routeOf([slow.url, other.url]);
    const gate = await run(route);
    const underWay: Promise<unknown>[] = [];
    await waitFor(async () => {
      underWay.push(ask(gate.port));
      return held.length > 0;
    });
    await waitFor(() => slow.seen.length + other.seen.length === underWay.length);
    gate.setRoutes([route], [slow.url]);
    const before = slow.seen.length;
    for (let n = 0; n < 20; n++) assert.equal((await ask(gate.port)).status, 200);
    assert.equal(slow.seen.length, before);
    gate.setRoutes([route], [slow.url, other.url]);
    const refused = await ask(gate.port);
    assert.deepEqual([refused.status, reasonOf(refused)], [503, 'upstream_unavailable']);
    for (const { body, res } of held.splice(0)) answerRpc(res, body);
    for (const answer of await Promise.all(underWay)) assert.equal((answer as { status: number }).status, 200);
    gate.setRoutes([route], [other.url]);
    const again = ask(gate.port);
    await waitFor(() => held.length === 1);
    for (const { body, res } of held) answerRpc(res, body);
    assert.equal((await again).status, 200);
  });

  test('gets no retry of a request that was under way before', async () => {
    const { node: failing, held } = await holdingNode();
    const other = await startedNode();
    const route = routeOf([failing.url, other.url]);
    const gate = await run(route);
    const underWay: Promise<Answer>[] = [];
    await waitFor(async () => {
      underWay.push(ask(gate.port));
      return held.length > 0;
    });
    await waitFor(() => held.length + other.seen.length === underWay.length);
    gate.setRoutes([route], [other.url]);
    const seen = other.seen.length;
    for (const { res } of held) res.writeHead(503).end();
    const statuses = (await Promise.all(underWay)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 503).length, held.length, 'the only one in use has failed');
    assert.equal(other.seen.length, seen);
  });

  test('gets no hedge of a request that was under way before', async () => {
    const one = await holdingNode();
    const other = await holdingNode();
    const urls = [one.node.url, other.node.url];
    const route = routeOf(urls, { reads: { ...DEFAULT_READS, monotonic: false, hedgeAfterMs: 100 } });
    const gate = await run(route);
    const answer = ask(gate.port);
    await waitFor(() => one.held.length + other.held.length === 1);
    gate.setRoutes([route], urls);
    await waitFor(async () => (await gate.metrics()).includes('outcome="no_upstream"'));
    assert.equal(one.held.length + other.held.length, 1);
    for (const { body, res } of [...one.held, ...other.held]) answerRpc(res, body);
    assert.equal((await answer).status, 200);
  });

  test('leaves one in use, which is tried a second time when its kept connection closes', async () => {
    let asked = 0;
    const one = await startedNode((req, res, body) => (++asked === 2 ? req.socket.destroy() : answerRpc(res, body)));
    const other = await startedNode();
    const route = routeOf([one.url, other.url]);
    const gate = await run(route);
    gate.setRoutes([route], [other.url]);
    for (let n = 0; n < 2; n++) assert.equal((await ask(gate.port)).status, 200);
    assert.deepEqual([one.seen.length, other.seen.length], [3, 0]);
  });

  test('is still checked, and shown with its own state', async () => {
    const node = await startedNode();
    const route = routeOf([node.url]);
    const gate = await run(route, { healthIntervalMs: 20 });
    gate.setRoutes([route], [node.url]);
    await waitFor(() => gate.gateway.upstreamHealth(route)[0]?.head === 0x10);
    const seen = node.seen.length;
    await waitFor(() => node.seen.length > seen);
    assert.equal(gate.gateway.upstreamHealth(route)[0]?.state, 'up');
    assert.equal((await ask(gate.port)).status, 503);
  });

  test('keeps the WebSockets that it has, and gets no new one', async () => {
    const opened: string[] = [];
    const wsNode = async (name: string): Promise<string> => {
      const server = createServer();
      const wss = new WebSocketServer({ server });
      wss.on('connection', (socket) => {
        opened.push(name);
        socket.on('error', () => undefined).on('message', () => socket.send(name));
      });
      const url = `ws://127.0.0.1:${await listen(server)}`;
      started.push({
        close: async () => {
          for (const socket of wss.clients) socket.terminate();
          await closeServer(server);
        },
      });
      return url;
    };
    const urls = [await wsNode('one'), await wsNode('other')];
    const route = routeOf(urls, { protocol: 'websocket' });
    const gate = await run(route);
    const open = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
        headers: { host: HOST, authorization: `Bearer ${KEY}` },
      });
      started.push({ close: async () => socket.terminate() });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    };
    const nameOf = (socket: WebSocket): Promise<string> =>
      new Promise((resolve) => {
        socket.once('message', (data: Buffer) => resolve(data.toString()));
        socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}');
      });
    const kept = await open();
    const name = await nameOf(kept);
    const index = name === 'one' ? 0 : 1;
    gate.setRoutes([route], urls.slice(index, index + 1));
    for (let n = 0; n < 10; n++) assert.notEqual(await nameOf(await open()), name);
    assert.equal(await nameOf(kept), name);
    assert.equal(opened.filter((each) => each === name).length, 1);
  });
});
