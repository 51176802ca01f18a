import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { waitFor } from '../support/wait.ts';
import { bothPaths, CALL, HOST, KEY, routeOf, startGateway, startNode, UNKNOWN_KEY } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const SLOW = 'slow.gate.example';

bothPaths('fault 131: refused requests', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  let connections = 0;
  before(async () => {
    node = await startNode();
    const limits = { requestsPerSecond: 10, burst: 10, concurrency: null };
    gate = await startGateway(
      [routeOf([node.url]), routeOf([node.url], { host: SLOW, id: '4' as never, limits })],
      {},
      path,
    );
    gate.server.on('connection', () => (connections += 1));
  });
  after(async () => {
    await gate.close();
    await node.close();
  });
  /** Sends requests one after the other over an agent that keeps its connection; returns their statuses. */
  const statuses = async (count: number, host: string, key: string, body: string): Promise<number[]> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const got: number[] = [];
    for (let n = 0; n < count; n++) {
      const headers = { host, authorization: `Bearer ${key}`, 'content-length': Buffer.byteLength(body) };
      got.push(
        await new Promise<number>((resolve, reject) => {
          const sent = request({ port: gate.port, host: '127.0.0.1', method: 'POST', headers, agent }, (response) =>
            response.resume().on('end', () => resolve(response.statusCode ?? 0)),
          );
          sent.on('error', reject).end(body);
        }),
      );
    }
    agent.destroy();
    return got;
  };

  test('sixty beyond the limit take one connection', async () => {
    connections = 0;
    const got = await statuses(70, SLOW, KEY, CALL);
    assert.deepEqual([got.filter((status) => status === 429).length, connections], [60, 1]);
  });

  test('those of unknown keys take one connection, also with bodies of 64 KiB', async () => {
    for (const body of [CALL, 'x'.repeat(64 * 1024)]) {
      connections = 0;
      const got = await statuses(20, HOST, UNKNOWN_KEY, body);
      assert.deepEqual([new Set(got), connections], [new Set([401]), 1]);
    }
  });

  test('a client that reads no refusal gets no further ones, and its memory is bounded', async (t) => {
    const accepted = once(gate.server, 'connection');
    const socket = connect(gate.port, '127.0.0.1').on('error', () => undefined);
    const [far] = (await accepted) as [Socket];
    t.after(() => socket.destroy());
    socket.pause();
    // Reads of 64 KiB end with a request: the fast path leaves a connection with half a head to Node.
    const head = `POST / HTTP/1.1\r\nHost: ${HOST}\r\nX: `;
    const refused = `${head.padEnd(124, 'x')}\r\n\r\n`.repeat(512);
    let written = 0;
    const pump = (): void => {
      if (written > 256 * 1024 * 1024) return;
      socket.write(refused, () => {
        written += refused.length;
        pump();
      });
    };
    pump();
    let before = -1;
    const stands = (): boolean => {
      const same = before > 0 && far.bytesRead === before;
      before = far.bytesRead;
      return same;
    };
    await waitFor(stands, { intervalMs: 300 });
    assert(far.bytesRead < 32 * 1024 * 1024, `${far.bytesRead}`);
    assert(far.writableLength < 2 * 1024 * 1024, `${far.writableLength}`);
    socket.resume();
    await waitFor(() => far.bytesRead > before + refused.length);
  });
});
