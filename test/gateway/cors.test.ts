import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { rawExchange } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';
import { CALL, HOST, KEY, UNKNOWN_KEY, ask, bothPaths, closeServer, listen, reasonOf } from './support.ts';
import { routeOf, startGateway, startNode } from './support.ts';
import type { Ask, FakeNode, TestGateway } from './support.ts';

const APP = 'https://app.example';
const FOREIGN = 'https://evil.example';
const LISTED = 'listed.gate.example';
const NOBODY = 'nobody.gate.example';

bothPaths('pages of other origins', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  beforeEach(async () => {
    node = await startNode((_req, res, body) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: body.length });
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-length': text.length,
        'access-control-allow-origin': 'https://of-the-node.example',
        'access-control-allow-credentials': 'true',
      });
      res.end(text);
    });
    gate = await startGateway(
      [
        routeOf([node.url]),
        routeOf([node.url], { host: LISTED, cors: { origins: ['https://other.example', APP] } }),
        routeOf([node.url], { host: NOBODY, cors: { origins: [] } }),
      ],
      {},
      path,
    );
  });
  afterEach(async () => {
    await gate.close();
    await node.close();
  });

  const from = async (origin: string | null, more: Ask = {}) => {
    const { status, headers, text } = await ask(gate.port, { ...more, headers: origin === null ? {} : { origin } });
    const cors = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
    return { status, text, headers, allowed: cors['access-control-allow-origin'], names: Object.keys(cors).sort() };
  };

  test('may read what they ask of a route for any origin; a node’s own rules do not count', async () => {
    for (const origin of [APP, FOREIGN, 'null']) {
      const { status, allowed, names } = await from(origin);
      assert.deepEqual([status, allowed], [200, '*']);
      assert.deepEqual(names, ['access-control-allow-origin', 'access-control-expose-headers']);
    }
    assert.deepEqual((await from(null)).names, []);
    assert.doesNotMatch(node.seen.map(({ rawHeaders }) => rawHeaders.join('\n')).join('\n'), /origin|example/i);
  });

  test('may read what they ask where the route lists their origin, and nothing where it does not', async () => {
    const mine = await from(APP, { host: LISTED });
    assert.deepEqual([mine.status, mine.allowed, mine.headers.vary], [200, APP, 'Origin']);
    for (const [origin, host] of [
      [FOREIGN, LISTED],
      ['https://app.example.evil.example', LISTED],
      ['HTTPS://APP.EXAMPLE', LISTED],
      ['null', LISTED],
      [APP, NOBODY],
      [null, LISTED],
    ] as const) {
      const { status, names, headers } = await from(origin, { host });
      assert.deepEqual([status, names, headers.vary], [200, [], 'Origin'], `${origin} ${host}`);
    }
  });

  test('may read refusals', async () => {
    const refused = await from(APP, { host: LISTED, key: UNKNOWN_KEY });
    assert.deepEqual([refused.status, refused.allowed, reasonOf(refused)], [401, APP, 'key_unknown']);
    assert.equal((await from(FOREIGN, { host: LISTED, key: UNKNOWN_KEY })).allowed, undefined);
  });

  test('are told what they may send before they send it, without a key', async () => {
    const preflight = (origin: string | null, host = HOST, headers: Record<string, string> = {}) =>
      ask(gate.port, {
        method: 'OPTIONS',
        host,
        key: null,
        headers: {
          ...(origin === null ? {} : { origin }),
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,x-client',
          ...headers,
        },
      });
    const { status, headers, text } = await preflight(APP, LISTED);
    assert.deepEqual([status, text], [204, '']);
    assert.equal(headers['access-control-allow-origin'], APP);
    assert.equal(headers['access-control-allow-methods'], 'POST');
    assert.equal(headers['access-control-allow-headers'], 'authorization,content-type,x-client');
    assert.equal(headers['access-control-max-age'], '600');
    assert.equal((await preflight(FOREIGN)).headers['access-control-allow-origin'], '*');
    const foreign = await preflight(FOREIGN, LISTED);
    assert.deepEqual([foreign.status, foreign.headers['access-control-allow-methods']], [204, undefined]);
    const odd = await preflight(APP, LISTED, { 'access-control-request-headers': 'a"b' });
    assert.deepEqual([odd.status, odd.headers['access-control-allow-headers']], [204, undefined]);
    // Not a browser's question.
    assert.equal((await preflight(null, LISTED)).status, 405);
    assert.equal((await ask(gate.port, { method: 'OPTIONS', headers: { origin: APP } })).status, 405);
    assert.equal(node.seen.length, 0);
  });

  test('that name two origins are refused', async () => {
    const head = `POST / HTTP/1.1\r\nHost: ${LISTED}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${CALL.length}\r\n`;
    const { text } = await rawExchange(
      gate.port,
      `${head}Origin: ${FOREIGN}\r\nOrigin: ${APP}\r\nConnection: close\r\n\r\n${CALL}`,
    );
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.equal(node.seen.length, 0);
  });
});

bothPaths('WebSockets of pages', (path) => {
  const dialled: IncomingMessage[] = [];
  const server = createServer();
  let gate: TestGateway;
  let route: Parameters<typeof routeOf>;
  beforeEach(async () => {
    dialled.length = 0;
    server.removeAllListeners('upgrade');
    new WebSocketServer({ server }).on('connection', (socket, request) => {
      dialled.push(request);
      socket.on('error', () => undefined);
    });
    const url = `ws://127.0.0.1:${await listen(server)}`;
    route = [[url], { protocol: 'websocket', host: LISTED, cors: { origins: [APP] } }];
    gate = await startGateway([routeOf([url], { protocol: 'websocket' }), routeOf(...route)], {}, path);
  });
  afterEach(async () => {
    await gate.close();
    await closeServer(server);
  });

  /** The status of a refused handshake, or the open socket. */
  const open = (origin: string | null, host: string, key = KEY): Promise<WebSocket | number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
        headers: { host, authorization: `Bearer ${key}`, ...(origin === null ? {} : { origin }) },
      });
      socket.once('open', () => resolve(socket));
      socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
      socket.once('error', reject);
    });

  test('open where the route has their origin; others are refused before a node is asked', async () => {
    for (const [origin, host] of [
      [APP, LISTED],
      [null, LISTED],
      [FOREIGN, HOST],
      ['null', HOST],
    ] as const) {
      const socket = await open(origin, host);
      assert.ok(socket instanceof WebSocket, `${origin} ${host}`);
      socket.terminate();
    }
    assert.equal(dialled.length, 4);
    for (const origin of [FOREIGN, 'null', `${APP}.evil.example`, `${APP}:8443`, 'http://app.example'])
      assert.equal(await open(origin, LISTED), 403, origin);
    assert.equal(await open(FOREIGN, LISTED, UNKNOWN_KEY), 401);
    assert.equal(dialled.length, 4);
    assert.match(await gate.metrics(), /tillgate_gateway_requests_total\{[^}]*status="403"[^}]*\} 5/);
  });

  test('are closed when the route no longer has their origin; others stay', async () => {
    const [page, program] = [await open(APP, LISTED), await open(null, LISTED)] as [WebSocket, WebSocket];
    let closed = 0;
    page.on('close', (code) => (closed = code));
    gate.setRoutes([routeOf(route[0], { ...route[1], cors: { origins: ['https://other.example'] } })]);
    await waitFor(() => closed !== 0);
    assert.deepEqual([closed, program.readyState], [4403, WebSocket.OPEN]);
    program.terminate();
  });
});
