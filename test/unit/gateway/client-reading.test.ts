import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { ClientConnection } from '../../../host/gateway/fast-path/client-connection.ts';
import { createFastPath } from '../../../host/gateway/fast-path/index.ts';
import type { ReplyHeaders } from '../../../host/gateway/gateway-client.ts';
import { HeaderList } from '../../../host/gateway/header-list.ts';
import { TimeoutQueue } from '../../../host/gateway/timeout-queue.ts';
import { rawExchange } from '../../support/http.ts';
import { waitFor } from '../../support/wait.ts';

const headers = (own: string[]): ReplyHeaders => ({ common: HeaderList.NONE, own });

const REQUEST = `GET / HTTP/1.1\r\nHost: gate.example\r\nX-Padding: ${'x'.repeat(900)}\r\n\r\n`;

async function portOf(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** As in a Node that keeps a socket's `onread` elsewhere. */
const hideUserBuffer = (socket: Socket): void => {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { useUserBuffer?: unknown } };
  assert.equal(typeof handle?.useUserBuffer, 'function');
  Object.defineProperty(handle, 'useUserBuffer', { value: undefined });
};

const STATUS_LINE = 'HTTP/1.1 200';
const WAYS = { 'into the common buffer': false, "by the event 'data'": true } as const;
for (const [way, byEvent] of Object.entries(WAYS))
  test(`a client that sends on without waiting is not read without bound, and gets every response, ${way}`, async (t) => {
    let events = 0;
    const count = 20_000;
    let held: ClientConnection | null = null;
    let accepted: Socket | undefined;
    let asked = 0;
    const respond = (client: ClientConnection): void =>
      client.respond(200, headers(['Content-Length', '1']), [Buffer.from('s')], 1, 60_000);
    const port = await portOf(
      t,
      createServer((socket) => {
        accepted = socket;
        if (byEvent) hideUserBuffer(socket);
        socket.on('data', () => (events += 1));
        new ClientConnection(
          {
            timeouts: { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 },
            plainCalls: null,
            serves: () => true,
            onRequest: (client) => {
              asked += 1;
              if (asked === 1) held = client;
              // Some at once, some in a later turn.
              else if (asked % 7 === 0) setImmediate(respond, client);
              else respond(client);
            },
            delegateToNode: () => assert.fail('plain requests'),
            onClose: () => undefined,
            onError: (error) => assert.fail(String(error)),
            startTimeout: () => undefined,
            expiryIn: () => Infinity,
          },
          socket,
        );
      }),
    );
    const client = connect(port, '127.0.0.1');
    t.after(() => client.destroy());
    let [got, end] = [0, ''];
    client.setEncoding('latin1').on('data', (more: string) => {
      const parts = `${end}${more}`.split(STATUS_LINE);
      got += parts.length - 1;
      // The next status line may have begun.
      end = parts.at(-1)?.slice(1 - STATUS_LINE.length) ?? '';
    });
    client.write(REQUEST.repeat(count));
    await waitFor(() => held !== null && (accepted?.isPaused() ?? false));
    const read = accepted?.bytesRead ?? Infinity;
    assert.ok(read < 1_000_000, `${read} bytes`);
    respond(held as unknown as ClientConnection);
    await waitFor(() => got === count, { describe: () => `${got} responses, ${asked} requests` });
    assert.equal(events > 0, byEvent);
  });

test('a connection that goes to Node after requests of its own is read on by Node, bodies and all', async (t) => {
  const queue = new TimeoutQueue();
  const server = createHttpServer((req, res) => {
    let size = 0;
    req.on('data', (bytes: Buffer) => (size += bytes.length)).on('end', () => res.end(`by Node: ${size}`));
  });
  const fast = createFastPath(queue, (error) => assert.fail(String(error)));
  t.after(() => {
    fast.close();
    queue.close();
    server.closeAllConnections();
  });
  fast.attach(server, {
    plainCalls: null,
    serves: (host) => host === 'gate.example',
    onRequest: (client) => client.respond(200, headers(['Content-Length', '4']), [Buffer.from('gate')], 4, 60_000),
  });
  const body = 'b'.repeat(300_000);
  const other = (more: string): string =>
    `POST / HTTP/1.1\r\nHost: other.example\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  const port = await portOf(t, server);
  // In one write, and step by step.
  const { text } = await rawExchange(port, REQUEST + REQUEST + other('') + other('Connection: close\r\n'));
  const answers = /^(?:HTTP\/1\.1 200 OK\r\n[^]*?gate){2}(?:HTTP\/1\.1 200 OK\r\n[^]*?by Node: 300000){2}$/;
  assert.match(text, answers);
  const steps = [REQUEST, other(''), other('Connection: close\r\n')];
  const slowly = await rawExchange(port, REQUEST, (soFar, write) => {
    if (/(?:gate|by Node: 300000)$/.test(soFar)) write(steps.shift() ?? '');
  });
  assert.match(slowly.text, answers);
});
