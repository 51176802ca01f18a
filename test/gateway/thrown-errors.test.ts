import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { UsageMeter } from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, CALL, HOST, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const WS = 'ws.gate.example';

/** Which of its calls fails, if any. */
let failing: 'sent' | 'bytes' | null = null;

/** A counter with an error in it: it is called in the events of clients, of upstreams and of timers. */
class BrokenMeter extends UsageMeter {
  override sent(...parameters: Parameters<UsageMeter['sent']>): number {
    assert(failing !== 'sent', 'planted');
    return super.sent(...parameters);
  }

  override bytes(...parameters: Parameters<UsageMeter['bytes']>): void {
    assert(failing !== 'bytes', 'planted');
    super.bytes(...parameters);
  }
}

bothPaths(
  'fault 133: an error in the event of a socket ends its connection alone',
  (path) => {
    let node: FakeNode;
    let gate: TestGateway;
    const sockets = new WebSocketServer({ noServer: true });
    const start = async (...[answer]: Parameters<typeof startNode>): Promise<void> => {
      node = await startNode(answer);
      node.server.on('upgrade', (req, socket, head) =>
        sockets.handleUpgrade(req, socket, head, (open) => open.on('message', (data) => open.send(data))),
      );
      gate = await startGateway(
        [
          routeOf([node.url], { timeouts: { connectMs: 5_000, firstByteMs: 200, idleMs: 60_000 } }),
          routeOf([node.url.replace('http', 'ws')], {
            host: WS,
            protocol: 'websocket',
            id: '4' as never,
          }),
        ],
        { meter: new BrokenMeter(new FakeClock()) },
        path,
      );
    };
    afterEach(async () => {
      failing = null;
      await gate.close();
      await node.close();
    });
    /** The errors that were logged. */
    const logged = (): number => gate.log().match(/planted/g)?.length ?? 0;
    const ends = (answer: Promise<{ readonly status: number }>): Promise<number> =>
      answer.then(
        ({ status }) => status,
        () => 0,
      );

    test('when a body has arrived', async () => {
      await start();
      const socket = connect(gate.port, '127.0.0.1').on('error', () => undefined);
      let got = '';
      socket.on('data', (bytes) => (got += bytes.toString()));
      socket.write(
        `POST / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${CALL.length}\r\n\r\n`,
      );
      await waitFor(() => gate.directory.uses.length === 1);
      failing = 'sent';
      socket.write(CALL);
      await waitFor(() => got.startsWith('HTTP/1.1 503 ') || socket.closed);
      failing = null;
      assert.equal((await ask(gate.port)).status, 200);
      assert(logged() > 0);
      socket.destroy();
    });

    test('when a response is complete', async () => {
      await start();
      failing = 'bytes';
      assert.equal(await ends(ask(gate.port)), 0);
      failing = null;
      assert.equal((await ask(gate.port)).status, 200);
      assert(logged() > 0);
    });

    test('when an upstream has broken the connection, and when it is too slow', async () => {
      await start((req, res) => (req.headers['x-n'] === '1' ? res.destroy() : undefined));
      failing = 'bytes';
      assert.deepEqual(
        await Promise.all([ends(ask(gate.port, { headers: { 'x-n': '1' } })), ends(ask(gate.port))]),
        [0, 0],
      );
      assert(logged() > 1);
    });

    test('when a client has left', async () => {
      await start(() => undefined);
      const socket = connect(gate.port, '127.0.0.1').on('error', () => undefined);
      socket.write(
        `POST / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`,
      );
      await waitFor(() => node.seen.length === 1);
      failing = 'bytes';
      socket.destroy();
      await waitFor(() => logged() > 0);
    });

    const dialled = (): WebSocket =>
      new WebSocket(`ws://127.0.0.1:${gate.port}/`, { headers: { host: WS, authorization: `Bearer ${KEY}` } }).on(
        'error',
        () => undefined,
      );
    const open = async (): Promise<WebSocket> => {
      const socket = dialled();
      await new Promise((resolve) => socket.once('open', resolve));
      return socket;
    };

    test('when the refusal of a WebSocket has waited', async () => {
      await start();
      const flooding = await open();
      for (let n = 0; n < 200; n++) flooding.ping();
      await waitFor(() => flooding.readyState === WebSocket.CLOSED);
      failing = 'bytes';
      const held = dialled();
      await waitFor(() => held.readyState === WebSocket.CLOSED);
      failing = null;
      assert(logged() > 0);
      (await open()).terminate();
    });

    test('when a WebSocket message has arrived', async () => {
      await start();
      const [first, other] = [await open(), await open()];
      failing = 'sent';
      first.send(CALL);
      await waitFor(() => first.readyState === WebSocket.CLOSED);
      failing = null;
      let answered = false;
      other.on('message', () => (answered = true));
      other.send(CALL);
      await waitFor(() => answered);
      assert(logged() > 0);
      other.terminate();
    });
  },
  ['mixed'],
);
