import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { refuse } from '../../../core/index.ts';
import { ClientConnection } from '../../../host/gateway/fast-path/client-connection.ts';
import { ResponseHeadCache } from '../../../host/gateway/fast-path/response-head-cache.ts';
import { INVALID_RESPONSE } from '../../../host/gateway/failure-reasons.ts';
import { TurnWrites } from '../../../host/gateway/fast-path/turn-writes.ts';
import { UpstreamConnection } from '../../../host/gateway/fast-path/upstream-connection.ts';
import type { RawResponseHandler } from '../../../host/gateway/fast-path/upstream-connection.ts';
import type { ReplyHeaders } from '../../../host/gateway/gateway-client.ts';
import { HeaderList } from '../../../host/gateway/header-list.ts';
import { newRequestContext } from '../../../host/gateway/request-context.ts';
import { rawExchange } from '../../support/http.ts';

const headers = (own: string[]): ReplyHeaders => ({ common: HeaderList.NONE, own });

async function listen(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer(onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('what connections write in one turn leaves at its end, in order; many do not wait for it', async () => {
  const writes = new TurnWrites();
  const written: number[] = [];
  const add = (n: number): void => writes.add({ writeUnsent: () => written.push(n) });
  add(1);
  add(2);
  assert.equal(written.length, 0);
  await new Promise(setImmediate);
  assert.deepEqual(written, [1, 2]);

  const many = Array.from({ length: 100 }, (_, n) => n + 3);
  for (const n of many) add(n);
  assert.ok(written.length > 2 && written.length < 102);
  await new Promise(setImmediate);
  assert.deepEqual(written, [1, 2, ...many]);

  writes.add({ writeUnsent: () => add(104) });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.ok(written.includes(104));
});

/** The ways to answer that may follow a response of the same turn. */
const BIG = Buffer.alloc(70_000, 'b');
const answers: Readonly<Record<string, (client: ClientConnection) => void>> = {
  small: (client) => client.respond(200, headers(['Content-Length', '1']), [Buffer.from('s')], 1, 1_000),
  long: (client) => client.respond(200, headers(['Content-Length', String(BIG.length)]), [BIG], BIG.length, 1_000),
  streamed: (client) => {
    client.writeHead(200, headers([]), false);
    client.write(Buffer.from('abc'));
    client.end(1_000);
  },
  continued: (client) => {
    client.writeContinue();
    client.respond(204, headers([]), [], 0, 1_000);
  },
  refused: (client) => client.refuse(refuse('key_unknown'), newRequestContext('t', RECEIVED)),
  destroyed: (client) => client.destroy(),
  foreign: () => assert.fail('not the gateway’s'),
};
const RECEIVED = {
  method: 'POST',
  target: '/',
  httpVersion: '1.1',
  rawHeaders: [],
  hostHeader: 'gate.example',
  upgrade: false,
  head: null,
  headCache: { protocol: null, extracted: null, own: null, headers: null },
};

for (const way of Object.keys(answers))
  test(`pipelined requests that are answered in one turn get their responses in order: small, small, ${way}`, async (t) => {
    const port = await listen(t, (socket) => {
      const order = ['small', 'small', way, 'small'];
      const delegate = {
        timeouts: { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 },
        plainCalls: null,
        serves: (host: string) => host !== 'foreign.example',
        onRequest: (client: ClientConnection) => answers[order.shift() ?? 'small']?.(client),
        delegateToNode: (_client: ClientConnection, other: Socket) => other.end('HTTP/1.1 299 by Node\r\n\r\n'),
        onClose: () => undefined,
        onError: (error: unknown) => assert.fail(String(error)),
        startTimeout: () => undefined,
        expiryIn: () => Infinity,
      };
      new ClientConnection(delegate, socket);
    });
    const get = (host: string, more = ''): string => `GET / HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
    const third = get(way === 'foreign' ? 'foreign.example' : 'gate.example');
    const last = get('gate.example', 'Connection: close\r\n');
    const { text } = await rawExchange(port, get('gate.example') + get('gate.example') + third + last);
    const small = 'HTTP/1\\.1 200 OK\\r\\nContent-Length: 1\\r\\n[^]*?\\r\\n\\r\\ns';
    const expected: Readonly<Record<string, string>> = {
      small: small + small,
      long: `HTTP/1\\.1 200 OK\\r\\nContent-Length: 70000\\r\\n[^]*?\\r\\n\\r\\nb{70000}${small}`,
      streamed: `HTTP/1\\.1 200 OK\\r\\n[^]*?Transfer-Encoding: chunked\\r\\n[^]*?\\r\\n\\r\\n3\\r\\nabc\\r\\n0\\r\\n\\r\\n${small}`,
      continued: `HTTP/1\\.1 100 Continue\\r\\n\\r\\nHTTP/1\\.1 204 [^]*?\\r\\n\\r\\n${small}`,
      refused: `HTTP/1\\.1 401 [^]*?"code":"key_unknown"[^]*?${small}`,
      destroyed: '',
      foreign: 'HTTP/1\\.1 299 by Node\\r\\n\\r\\n',
    };
    assert.match(text, new RegExp(`^${small}${small}${expected[way]}$`));
  });

test('a response that arrives before its request has left is refused, and its connection closed', async (t) => {
  const got: string[] = [];
  const port = await listen(t, (socket) => {
    socket.on('data', (bytes) => got.push(bytes.toString('latin1'))).on('error', () => undefined);
    t.after(() => socket.destroy());
  });
  const seen: string[] = [];
  const handler: RawResponseHandler = {
    method: 'POST',
    retainsChunks: false,
    onConnect: () => Buffer.from('POST / HTTP/1.1\r\n\r\n'),
    onResponseHeaders: (status) => void seen.push(String(status)),
    onResponseData: () => true,
    onResponseIdle: () => undefined,
    onResponseEnd: () => seen.push('end'),
    onResponseError: (reason) => seen.push(reason),
    onConnectError: (reason) => seen.push(reason),
  };
  const idle = new Promise<UpstreamConnection>((resolve) => {
    new UpstreamConnection({
      host: '127.0.0.1',
      port,
      connectMs: 5_000,
      lookup,
      expiryIn: () => Infinity,
      headCache: new ResponseHeadCache(),
      sent: () => assert.fail('no request was handed over'),
      onConnect: () => undefined,
      onIdle: resolve,
      onClose: () => seen.push('closed'),
      onError: (error) => assert.fail(String(error)),
    });
  });
  const connection = await idle;
  connection.send(handler);
  const forged = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged');
  connection.onRead(forged.length, forged);
  assert.deepEqual(seen, ['closed', INVALID_RESPONSE]);
  await new Promise(setImmediate);
  assert.deepEqual(got, []);
});
