import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { RawData } from 'ws';
import { DEFAULT_READS, SUBSCRIPTION_MODES } from '../../core/index.ts';
import { START } from '../support/fakes.ts';
import { rawExchange } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';
import {
  appView,
  bothPaths,
  CALL,
  closeServer,
  HOST,
  KEY,
  keyView,
  listen,
  OTHER_KEY,
  routeOf,
  startGateway,
} from './support.ts';
import type { TestGateway } from './support.ts';

interface WsNode {
  readonly url: string;
  readonly requests: IncomingMessage[];
  readonly messages: string[];
  readonly sockets: WebSocket[];
  close(): Promise<void>;
}

/** A WebSocket node that repeats what it is told. */
async function startWsNode(echo = true): Promise<WsNode> {
  const server: Server = createServer();
  const [requests, messages, sockets]: [IncomingMessage[], string[], WebSocket[]] = [[], [], []];
  const wss = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false });
  wss.on('connection', (socket, request) => {
    requests.push(request);
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('message', (data: RawData) => {
      const text = textOf(data);
      messages.push(text);
      if (echo) socket.send(`echo ${text}`);
    });
  });
  const port = await listen(server);
  return {
    url: `ws://127.0.0.1:${port}`,
    requests,
    messages,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.terminate();
      await closeServer(server);
    },
  };
}

const textOf = (data: RawData): string => (data as Buffer).toString();

interface Client {
  readonly socket: WebSocket;
  readonly got: string[];
  closed: { readonly code: number; readonly reason: string; readonly at: number } | null;
}

/** Both modes do the same but for the end of an upstream's connection; shared-subscriptions.test.ts has the other way. */
const MODES = SUBSCRIPTION_MODES.map((subscriptions) => ({ ...DEFAULT_READS, subscriptions }));

for (const reads of MODES)
  bothPaths(`WebSocket routes (${reads.subscriptions})`, (path) => {
    /** Whether a client's connection ends with its upstream's. */
    const ends = reads.subscriptions === 'bridge';
    let node: WsNode;
    let gate: TestGateway;
    beforeEach(async () => {
      node = await startWsNode();
      gate = await startGateway(
        [routeOf([node.url], { protocol: 'websocket', reads, maxBodyBytes: 10_000, maxBatch: 3 })],
        {},
        path,
      );
      gate.directory.set(OTHER_KEY, keyView());
    });
    afterEach(async () => {
      await gate.close();
      await node.close();
      assert.equal(gate.directory.listeners, 0);
    });

    const open = async ({
      key = KEY,
      path = '/',
      headers = {},
      protocols = [],
    }: {
      key?: string | null;
      path?: string;
      headers?: Record<string, string>;
      protocols?: string[];
    } = {}): Promise<Client> => {
      const socket = new WebSocket(`ws://127.0.0.1:${gate.port}${path}`, protocols, {
        headers: { host: HOST, ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      });
      const client: Client = { socket, got: [], closed: null };
      socket.on('message', (data: RawData) => client.got.push(textOf(data)));
      socket.on(
        'close',
        (code, reason) => (client.closed = { code, reason: reason.toString(), at: performance.now() }),
      );
      await new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      });
      return client;
    };
    const answered = async (client: Client, message: string | Buffer): Promise<string> => {
      const before = client.got.length;
      client.socket.send(message);
      await waitFor(() => client.got.length > before);
      return client.got[before]!;
    };

    test('messages go both ways, the key in neither (fault 23)', async () => {
      for (const from of [{}, { key: null, path: `/${KEY}` }]) {
        const client = await open({
          ...from,
          headers: { cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' },
          protocols: ['rpc', 'other'],
        });
        assert.equal(await answered(client, CALL), `echo ${CALL}`);
        assert.equal(client.socket.protocol, 'rpc');
        const { rawHeaders, url } = node.requests.at(-1)!;
        assert.equal(url, '/');
        assert.doesNotMatch(rawHeaders.join('\n'), /tgk_|authorization|cookie|forwarded/i);
        client.socket.close();
      }
      await waitFor(() => node.sockets.every(({ readyState }) => readyState === WebSocket.CLOSED));
    });

    const upgrade = (...headers: string[]): string =>
      [
        'GET / HTTP/1.1',
        `Host: ${HOST}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        ...headers,
      ].join('\r\n') + '\r\n\r\n';
    const bearer = `Authorization: Bearer ${KEY}`;
    const version = 'Sec-WebSocket-Version: 13';
    const refusals: readonly (readonly [string, string, number, string])[] = [
      ['without a key', upgrade(version), 401, 'key_missing'],
      ['with a malformed key', upgrade(version, 'Authorization: Bearer x'), 401, 'key_malformed'],
      ['with two keys', upgrade(version, bearer, bearer), 400, 'bad_request'],
      ['of another version', upgrade('Sec-WebSocket-Version: 8', bearer), 400, 'bad_request'],
      [
        'to another protocol',
        upgrade(version, bearer).replace('Upgrade\r\nUpgrade: websocket', 'close, Upgrade\r\nUpgrade: h2c'),
        400,
        'bad_request',
      ],
      ['to a foreign path', upgrade(version, bearer).replace('GET /', 'GET /x'), 404, 'not_found'],
      ['by POST', upgrade(version, bearer).replace('GET', 'POST'), 405, 'http_method_not_allowed'],
    ];
    test('the query goes to the upstream', async () => {
      const client = await open({ key: null, path: `/${KEY}?stream=1` });
      assert.equal(node.requests.at(-1)?.url, '/?stream=1');
      client.socket.close();
    });

    for (const [what, bytes, status, reason] of refusals) {
      test(`an upgrade ${what} is answered by proper HTTP: ${status} ${reason}`, async () => {
        const { replies, text } = await rawExchange(gate.port, bytes);
        assert.equal(replies.length, 1, text);
        assert.equal(replies[0]!.status, status);
        const { error } = JSON.parse(replies[0]!.text) as { error: { code: string; trace_id: string } };
        assert.deepEqual([error.code, error.trace_id], [reason, replies[0]!.headers['x-trace-id']]);
        if (status === 401) assert.equal(replies[0]!.headers['www-authenticate'], 'Bearer');
        assert.equal(node.requests.length, 0);
      });
    }

    test('an upstream that cannot be reached is a 502 before the protocol changes, then a 503', async () => {
      await node.close();
      for (const status of [502, 502, 502, 502, 502, 503]) {
        assert.equal((await rawExchange(gate.port, upgrade(version, bearer))).replies[0]?.status, status);
      }
      node = await startWsNode();
    });

    test('fault 27: a refused message is answered with its own id and does not reach the upstream; the connection stays', async () => {
      const client = await open();
      const refused = JSON.parse(
        await answered(client, '{"jsonrpc":"2.0","id":"a\\u0022b","method":"personal_sign"}'),
      ) as { id: string; error: { code: number; data: { reason: string } } };
      assert.deepEqual(
        [refused.id, refused.error.code, refused.error.data.reason],
        ['a"b', -32600, 'method_not_allowed'],
      );
      assert.match(
        await answered(client, '{"id":12345678901234567890,"method":"debug_x"}'),
        /"id":12345678901234567890,/,
      );
      const batch = JSON.parse(
        await answered(client, '[{"id":1,"method":"eth_call"},{"method":"eth_call"},{"id":2,"method":"admin_x"}]'),
      ) as { id: number }[];
      assert.deepEqual(
        batch.map(({ id }) => id),
        [1, 2],
      );
      assert.match(await answered(client, '{"id":1'), /"id":null,"error":\{"code":-32700/);
      assert.match(await answered(client, '{"id":1,"method":"eth_call","METHOD":"personal_sign"}'), /bad_request/);
      assert.match(await answered(client, '[1,2,3,4]'), /batch_too_large/);
      assert.deepEqual(node.messages, []);
      assert.equal(await answered(client, CALL), `echo ${CALL}`);
      client.socket.close();
    });

    test('messages are charged like requests', async () => {
      gate.setRoutes([
        routeOf([node.url], {
          protocol: 'websocket',
          reads,
          limits: { requestsPerSecond: 1, burst: 3, concurrency: 1 },
        }),
      ]);
      const client = await open();
      assert.equal(await answered(client, CALL), `echo ${CALL}`);
      assert.equal(await answered(client, CALL), `echo ${CALL}`);
      assert.match(await answered(client, CALL), /rate_limited/);
      gate.clock.advance(10_000);
      await assert.rejects(open(), /429/);
      client.socket.close();
      const next = await waitFor(() => open());
      next.socket.close();
    });

    const deaths: readonly (readonly [string, Parameters<typeof keyView>[0], string])[] = [
      ['is revoked', { state: 'revoked' }, 'key_revoked'],
      ['belongs to an App that was switched off', { app: appView({ enabled: false }) }, 'app_inactive'],
      ['belongs to an account that was disabled', { app: appView({ accountActive: false }) }, 'account_inactive'],
    ];
    for (const [what, view, reason] of deaths) {
      test(`a connection whose key ${what} is closed with 4401 within a second (fault 14)`, async () => {
        const client = await open({ key: OTHER_KEY });
        const other = await open();
        const at = performance.now();
        gate.directory.set(OTHER_KEY, keyView(view));
        await waitFor(() => client.closed);
        assert.deepEqual([client.closed?.code, client.closed?.reason], [4401, reason]);
        assert((client.closed?.at ?? Infinity) - at < 1000);
        await waitFor(() => node.sockets[0]!.readyState === WebSocket.CLOSED);
        assert.equal(await answered(other, CALL), `echo ${CALL}`);
        other.socket.close();
      });
    }

    test("a connection is closed within a second of the end of its key's grace, by nothing but the time (fault 16)", async () => {
      gate.directory.keys.set(OTHER_KEY, keyView({ state: 'grace', expiresAt: START + 1000 }));
      const client = await open({ key: OTHER_KEY });
      assert.equal(await answered(client, CALL), `echo ${CALL}`);
      const at = performance.now();
      gate.clock.advance(1000);
      await waitFor(() => client.closed);
      assert.deepEqual([client.closed?.code, client.closed?.reason], [4401, 'key_expired']);
      assert((client.closed?.at ?? Infinity) - at < 1000);
    });

    test('no message passes after the key died, even before the connection is closed', async () => {
      const client = await open({ key: OTHER_KEY });
      gate.directory.keys.set(OTHER_KEY, keyView({ state: 'revoked' }));
      client.socket.send(CALL);
      await waitFor(() => client.closed);
      assert.deepEqual(node.messages, []);
    });

    test('while keys cannot be checked nothing stays open; a route that goes closes its connections', async () => {
      const first = await open();
      gate.directory.ready = false;
      await waitFor(() => first.closed?.code === 1013);
      gate.directory.ready = true;
      const second = await open();
      gate.setRoutes([]);
      await waitFor(() => second.closed?.code === 1001);
    });

    test('fault 126: handshakes that the upstream refuses take it from nobody', async (t) => {
      const picky = createServer();
      t.after(() => closeServer(picky));
      const sockets = new WebSocketServer({ noServer: true });
      picky.on('upgrade', (req, socket, head) => {
        if (req.url === '/')
          sockets.handleUpgrade(req, socket, head, (open) => open.on('message', () => open.send('ok')));
        else socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      });
      gate.setRoutes([routeOf([`ws://127.0.0.1:${await listen(picky)}`], { protocol: 'websocket', reads })]);
      for (let n = 0; n < 8; n++) await assert.rejects(open({ path: '/?bad=1' }), /Unexpected server response: 502/);
      const client = await open({ key: OTHER_KEY });
      assert.equal(await answered(client, CALL), 'ok');
      client.socket.terminate();
    });

    if (ends)
      test('an upstream that dies closes the client; a client that dies closes the upstream', async () => {
        const first = await open();
        node.sockets[0]!.terminate();
        await waitFor(() => first.closed?.code === 1011);
        const second = await open();
        second.socket.terminate();
        await waitFor(() => node.sockets[1]!.readyState === WebSocket.CLOSED);
      });

    test('a message in a binary frame is the same text: allowed, refused, no UTF-8', async () => {
      const client = await open();
      const answer = await answered(client, Buffer.from(CALL));
      assert.equal(answer, `echo ${CALL}`);
      const refused = CALL.replace(/"method":"[^"]*"/, '"method":"admin_peers"');
      assert.match(await answered(client, Buffer.from(refused)), /"code":-?\d+/);
      assert.match(await answered(client, Buffer.from('{"id":1,"method":"\xff"}', 'latin1')), /"code":-32700/);
      assert.deepEqual(node.messages, [CALL]);
      client.socket.close();
    });

    for (const [code, passed] of [
      [1000, 1000],
      [1001, 1001],
      [1008, 1008],
      [1013, 1013],
      [4200, 4200],
      [undefined, 1000],
    ] as const)
      if (ends)
        test(`a close with ${code ?? 'no code'} passes as ${passed}, both ways, and its reason does not`, async () => {
          const first = await open();
          node.sockets[0]!.close(code, code === undefined ? undefined : 'the secret of a provider');
          await waitFor(() => first.closed);
          assert.deepEqual([first.closed?.code, first.closed?.reason], [passed, '']);
          const second = await open();
          let closed: readonly [number, string] | null = null;
          node.sockets[1]!.on('close', (told, reason) => (closed = [told, reason.toString()]));
          second.socket.close(code, code === undefined ? undefined : 'bye');
          await waitFor(() => closed);
          assert.deepEqual(closed, [passed, '']);
        });

    test('a message over the limit ends the connection (fault 28)', async () => {
      const large = await open();
      large.socket.send(`{"id":1,"method":"eth_call","params":["${'a'.repeat(10_000)}"]}`);
      await waitFor(() => large.closed?.code === 1009);
      assert.deepEqual(node.messages, []);
    });

    test('fault 28: an upstream that sends without end waits for a client that does not read', async () => {
      const client = await open();
      client.socket.pause();
      const chunk = 'x'.repeat(256 * 1024);
      const upstream = node.sockets[0]!;
      let sent = 0;
      const pump = (): void => {
        if (upstream.readyState !== WebSocket.OPEN || sent > 256 * 1024 * 1024) return;
        upstream.send(chunk, () => {
          sent += chunk.length;
          pump();
        });
      };
      pump();
      let before = -1;
      const still = (): boolean => {
        const stands = sent > 0 && sent === before;
        before = sent;
        return stands;
      };
      await waitFor(still, { intervalMs: 300 });
      assert(sent < 64 * 1024 * 1024, `${sent}`);
      client.socket.terminate();
    });

    const frame = (first: number, payload = '', masked = true): Buffer => {
      const size = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
      size[0] = size[0]! | (masked ? 0x80 : 0);
      return Buffer.concat([Buffer.from([first, ...size, ...(masked ? [0, 0, 0, 0] : [])]), Buffer.from(payload)]);
    };
    /** What is behind the public face of `ws`: the frames that it would not send. */
    const rawOf = (socket: WebSocket): Socket => (socket as unknown as { readonly _socket: Socket })._socket;
    const [PING, PONG, PIECE, NEXT, EMPTY] = [0x89, 0x8a, 0x01, 0x00, 0x81];
    const floods: readonly (readonly [string, Buffer])[] = [
      ['pings', Buffer.concat(Array.from({ length: 200 }, () => frame(PING)))],
      ['pongs', Buffer.concat(Array.from({ length: 200 }, () => frame(PONG, 'x')))],
      ['empty messages', Buffer.concat(Array.from({ length: 200 }, () => frame(EMPTY)))],
      [
        'empty fragments',
        Buffer.concat([frame(PIECE, 'x'.repeat(200)), ...Array.from({ length: 200 }, () => frame(NEXT))]),
      ],
      ['tiny fragments', Buffer.concat([frame(PIECE, 'x'), ...Array.from({ length: 200 }, () => frame(NEXT, 'x'))])],
    ];
    for (const [what, bytes] of floods)
      test(`fault 130: a flood of ${what} closes the connection with 1008, and no other`, async () => {
        const [client, other] = [await open(), await open({ key: OTHER_KEY })];
        rawOf(client.socket).write(bytes);
        await waitFor(() => client.closed);
        assert.deepEqual([client.closed?.code, client.closed?.reason], [1008, 'too_many_frames']);
        await waitFor(() => node.sockets[0]!.readyState === WebSocket.CLOSED);
        assert.equal(await answered(other, CALL), `echo ${CALL}`);
        other.socket.close();
      });

    test('fault 130: who flooded is refused the next WebSocket, and hears it when another may be opened; no other App is', async () => {
      const client = await open();
      rawOf(client.socket).write(Buffer.concat(Array.from({ length: 200 }, () => frame(PING))));
      await waitFor(() => client.closed);
      const handshake = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
      const refusal = rawExchange(gate.port, handshake);
      gate.directory.set(OTHER_KEY, keyView({ app: appView({ id: '77' as never }) }));
      (await open({ key: OTHER_KEY })).socket.close();
      assert.match((await refusal).text, /^HTTP\/1\.1 429 [^]*Retry-After: 2\r\n[^]*"code":"rate_limited"/);
      (await open()).socket.close();
    });

    if (ends)
      test('fault 130: an upstream that sends a flood of pings is closed, and its client with 1011', async () => {
        const client = await open();
        rawOf(node.sockets[0]!).write(Buffer.concat(Array.from({ length: 200 }, () => frame(PING, '', false))));
        await waitFor(() => client.closed?.code === 1011);
        await waitFor(() => node.sockets[0]!.readyState === WebSocket.CLOSED);
      });

    test('a message in many fragments, and pings between messages, pass', async () => {
      const client = await open();
      let pongs = 0;
      client.socket.on('pong', () => (pongs += 1));
      for (let n = 0; n < 50; n++) client.socket.ping();
      await waitFor(() => pongs === 50);
      const long = `{"id":1,"method":"eth_call","params":["${'a'.repeat(9_000)}"]}`;
      const pieces = long.match(/.{1,150}/g) ?? [];
      rawOf(client.socket).write(
        Buffer.concat(pieces.map((piece, n) => frame((n === pieces.length - 1 ? 0x80 : 0) | (n === 0 ? 1 : 0), piece))),
      );
      await waitFor(() => client.got.length === 1);
      assert.deepEqual(node.messages, [long]);
      client.socket.close();
    });

    test('fault 130: messages that arrive at once are read one in a turn of the event loop', async () => {
      const client = await open();
      const turns: number[] = [];
      let turn = 0;
      let counting = true;
      const count = (): void => {
        turn += 1;
        if (counting) setImmediate(count);
      };
      count();
      const find = gate.directory.find.bind(gate.directory);
      gate.directory.find = (key) => {
        turns.push(turn);
        return find(key);
      };
      rawOf(client.socket).write(Buffer.concat(Array.from({ length: 50 }, () => frame(EMPTY, '{}'))));
      await waitFor(() => client.got.length === 50);
      counting = false;
      assert(new Set(turns).size >= 50, `${turns.length} in ${new Set(turns).size} turns`);
      client.socket.close();
    });

    test('open connections are measured', async () => {
      const client = await open();
      assert.match(await gate.metrics(), /tillgate_gateway_websockets\{route="eth.gate.example"\} 1/);
      client.socket.close();
      await waitFor(async () =>
        (await gate.metrics()).includes('tillgate_gateway_websockets{route="eth.gate.example"} 0'),
      );
      assert.match(await gate.metrics(), /requests_total\{[^}]*status="101"\} 1/);
    });
  });
