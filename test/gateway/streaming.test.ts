import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { waitFor } from '../support/wait.ts';
import { ask, CALL, bothPaths, HOST, KEY, reasonOf, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const MIB = 1024 * 1024;

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024, 0x61);
  for (let left = bytes; left > 0; left -= chunk.length) yield left >= chunk.length ? chunk : chunk.subarray(0, left);
}

/** True once a count has begun, and has not changed since it was last looked at. */
function stands(count: () => number): () => boolean {
  let before = -1;
  return () => {
    const still = count() > 0 && count() === before;
    before = count();
    return still;
  };
}

bothPaths(
  'bodies stream both ways',
  (path) => {
    async function withGateway(
      raw: (req: IncomingMessage, res: ServerResponse) => void,
      changes: Parameters<typeof routeOf>[1],
      work: (gate: TestGateway, node: FakeNode) => Promise<void>,
    ): Promise<void> {
      const node = await startNode(undefined, raw);
      const gate = await startGateway([routeOf([node.url], { protocol: 'http', ...changes })], {}, path);
      try {
        await work(gate, node);
      } finally {
        await gate.close();
        await node.close();
      }
    }

    for (const framing of ['a length', 'chunks'] as const) {
      test(`50 MB go up and come back with ${framing}`, async () => {
        await withGateway(
          (req, res) => {
            if (framing === 'a length') res.setHeader('content-length', req.headers['content-length'] ?? '');
            assert.equal(req.headers['transfer-encoding'] === 'chunked', framing === 'chunks');
            pipeline(req, res).catch(() => undefined);
          },
          { maxBodyBytes: 64 * MIB },
          async ({ port }) => {
            const headers = {
              host: HOST,
              authorization: `Bearer ${KEY}`,
              ...(framing === 'a length' ? { 'content-length': String(50 * MIB) } : {}),
            };
            const request = httpRequest({
              host: '127.0.0.1',
              port,
              method: 'POST',
              path: '/echo',
              headers,
              agent: false,
            });
            const answered = new Promise<number>((resolve, reject) => {
              request.on('error', reject);
              request.on('response', (response) => {
                let bytes = 0;
                response.on('data', (chunk: Buffer) => (bytes += chunk.length));
                response.on('end', () => resolve(bytes));
                response.on('error', reject);
              });
            });
            await pipeline(Readable.from(zeros(50 * MIB)), request);
            assert.equal(await answered, 50 * MIB);
          },
        );
      });
    }

    test('a reply arrives byte for byte at a client that begins to read when all on the way to it is full', async () => {
      const content = Buffer.alloc(32 * MIB);
      for (let at = 0; at < content.length; at += 4) content.writeUInt32LE(at, at);
      let sent: Socket | null = null;
      await withGateway(
        (_req, res) => {
          sent = res.socket;
          res.writeHead(200, { 'content-length': content.length }).end(content);
        },
        {},
        async ({ port }) => {
          const headers = { host: HOST, authorization: `Bearer ${KEY}` };
          const request = httpRequest({ host: '127.0.0.1', port, path: '/long', headers, agent: false }).end();
          const [response] = (await once(request, 'response')) as [IncomingMessage];
          await waitFor(stands(() => sent?.bytesWritten ?? 0));
          const hash = createHash('sha256');
          for await (const chunk of response) {
            hash.update(chunk as Buffer);
            await immediate();
          }
          assert.equal(hash.digest('hex'), createHash('sha256').update(content).digest('hex'));
        },
      );
    });

    test('fault 28: a client whose upstream does not read is made to wait: its body is never held whole', async () => {
      let given = 0;
      await withGateway(
        () => undefined,
        { maxBodyBytes: 512 * MIB },
        async ({ port }) => {
          function* counted(): Generator<Buffer> {
            for (const chunk of zeros(400 * MIB)) {
              given += chunk.length;
              yield chunk;
            }
          }
          const request = httpRequest({
            host: '127.0.0.1',
            port,
            method: 'POST',
            path: '/x',
            headers: { host: HOST, authorization: `Bearer ${KEY}` },
            agent: false,
          });
          const over = pipeline(Readable.from(counted()), request).catch(() => undefined);
          await waitFor(
            stands(() => given),
            { intervalMs: 300 },
          );
          // What the kernel holds on loopback is megabytes; what is asked is that it ends.
          assert(given < 64 * MIB, `${given}`);
          request.destroy();
          await over;
        },
      );
    });

    test('fault 28: an endless reply to a client that does not read stops at the upstream', async () => {
      let written = 0;
      await withGateway(
        (_req, res) => {
          const chunk = Buffer.alloc(64 * 1024);
          const more = (): void => {
            written += chunk.length;
            if (res.write(chunk)) setImmediate(more);
            else res.once('drain', more);
          };
          more();
        },
        {},
        async ({ port }) => {
          const socket = connect(port, '127.0.0.1');
          socket.pause();
          socket.write(`GET /endless HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
          await waitFor(
            stands(() => written),
            { intervalMs: 300 },
          );
          assert(written < 64 * MIB);
          socket.destroy();
        },
      );
    });

    test('a client that leaves ends its request at the upstream, before and during the reply', async () => {
      const closed: string[] = [];
      await withGateway(
        (req, res) => {
          if (req.url === '/during') res.write('a');
          res.on('close', () => closed.push(req.url ?? ''));
        },
        {},
        async (gate, node) => {
          for (const path of ['/before', '/during']) {
            const socket = connect(gate.port, '127.0.0.1');
            socket.write(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
            if (path === '/during') await new Promise((resolve) => socket.once('data', resolve));
            else await waitFor(() => node.sockets.size > 0);
            socket.destroy();
            await waitFor(() => closed.includes(path));
          }
          assert.match(await gate.metrics(), /status="499"\} 2/);
        },
      );
    });

    test('a client that leaves in the middle of its own body does too', async () => {
      let aborted = false;
      await withGateway(
        (req) => {
          req.resume();
          req.on('close', () => (aborted = !req.complete));
        },
        {},
        async ({ port }, node) => {
          const socket = connect(port, '127.0.0.1');
          socket.write(
            `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 1000000\r\n\r\n${'a'.repeat(70_000)}`,
          );
          await waitFor(() => node.sockets.size > 0);
          socket.destroy();
          await waitFor(() => aborted);
        },
      );
    });

    for (const framing of ['length', 'chunks'] as const) {
      test(`an upstream that dies in mid-stream ends the client's connection (${framing}): no end is faked`, async () => {
        await withGateway(
          (_req, res) => {
            if (framing === 'length') res.setHeader('content-length', '1000');
            res.write('half', () => res.socket?.destroy());
          },
          {},
          async ({ port }) => {
            const text = await new Promise<string>((resolve) => {
              const socket = connect(port, '127.0.0.1');
              let got = '';
              socket.on('data', (chunk) => (got += chunk.toString()));
              socket.on('error', () => undefined);
              socket.on('close', () => resolve(got));
              socket.write(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
            });
            assert(!text.includes('0\r\n\r\n'), text);
            if (text !== '') assert.match(text, /^HTTP\/1\.1 (200|502)/);
          },
        );
      });
    }

    test('an upstream that dies before its head is a 502; one that never answers a 504; one that stalls ends the connection (fault 28)', async () => {
      await withGateway(
        (req, res) => {
          if (req.url === '/dies') req.socket.destroy();
          if (req.url === '/stalls') res.write('some');
        },
        { timeouts: { connectMs: 1000, firstByteMs: 200, idleMs: 200 } },
        async ({ port }) => {
          const dies = await ask(port, { path: '/dies', body: 'x' });
          assert.deepEqual([dies.status, reasonOf(dies)], [502, 'upstream_unavailable']);
          const silent = await ask(port, { path: '/silent', body: 'x' });
          assert.deepEqual([silent.status, reasonOf(silent)], [504, 'upstream_timeout']);
          await assert.rejects(ask(port, { method: 'GET', path: '/stalls' }));
        },
      );
    });

    test('fault 28: a body that stops coming is 408, one that grows beyond the limit 413, in chunks too', async () => {
      await withGateway(
        (req, res) => {
          req.resume().on('end', () => res.end('all'));
        },
        { maxBodyBytes: 200_000, timeouts: { connectMs: 1000, firstByteMs: 5000, idleMs: 200 } },
        async ({ port }) => {
          const answers = async (bytes: string): Promise<string> =>
            new Promise((resolve) => {
              const socket = connect(port, '127.0.0.1');
              let got = '';
              socket.on('data', (chunk) => (got += chunk.toString()));
              socket.on('error', () => undefined);
              socket.on('close', () => resolve(got));
              socket.write(bytes);
            });
          const head = `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\n`;
          assert.match(await answers(`${head}Content-Length: 10\r\n\r\nabc`), /^HTTP\/1\.1 408 /);
          const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
          assert.match(
            await answers(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(13)}0\r\n\r\n`),
            /^HTTP\/1\.1 413 /,
          );
          assert.match(await answers(`${head}Content-Length: 200001\r\n\r\n`), /^HTTP\/1\.1 413 /);
        },
      );
    });

    test('the key is checked before 100 Continue, which is sent only when the body is wanted', async () => {
      await withGateway(
        (req, res) => void req.resume().on('end', () => res.end('ok')),
        {},
        async ({ port }) => {
          const talk = (key: string): Promise<string> =>
            new Promise((resolve) => {
              const socket = connect(port, '127.0.0.1');
              let got = '';
              socket.on('data', (chunk) => {
                got += chunk.toString();
                if (got.endsWith('100 Continue\r\n\r\n')) socket.write(CALL);
              });
              socket.on('close', () => resolve(got));
              socket.write(
                `POST / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${CALL.length}\r\n\r\n`,
              );
            });
          assert.match(await talk(KEY), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
          assert.match(await talk('tgk_x'), /^HTTP\/1\.1 401 /);
        },
      );
    });

    test('an upstream that answers before it has the whole body is believed, and the connection closed', async () => {
      await withGateway(
        (_req, res) => res.writeHead(413, { 'content-length': '3', connection: 'close' }).end('big'),
        {},
        async ({ port }) => {
          const got = await new Promise<string>((resolve) => {
            const socket = connect(port, '127.0.0.1');
            let text = '';
            socket.on('data', (chunk) => (text += chunk.toString()));
            socket.on('error', () => undefined);
            socket.on('close', () => resolve(text));
            socket.write(
              `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 100000\r\n\r\n${'a'.repeat(70_000)}`,
            );
          });
          assert.match(got, /^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*\r\n\r\nbig$/);
        },
      );
    });

    test('fault 28: clients that stall in mid-upload are 408, and the upstream is not blamed for them', async () => {
      await withGateway(
        (req, res) => void req.resume().on('end', () => res.end('all')),
        { maxBodyBytes: MIB, timeouts: { connectMs: 1000, firstByteMs: 200, idleMs: 200 } },
        async ({ port }) => {
          const stall = (): Promise<string> =>
            new Promise((resolve) => {
              const socket = connect(port, '127.0.0.1');
              let got = '';
              socket.on('data', (chunk) => (got += chunk.toString()));
              socket.on('error', () => undefined);
              socket.on('close', () => resolve(got));
              socket.write(
                `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 100000\r\n\r\n${'a'.repeat(70_000)}`,
              );
            });
          for (const text of await Promise.all(Array.from({ length: 8 }, stall)))
            assert.match(text, /^HTTP\/1\.1 408 /);
          assert.equal((await ask(port, { path: '/x', body: 'x' })).text, 'all');
        },
      );
    });

    test('fault 28: unfinished bodies of all clients together are bounded', async () => {
      const node = await startNode();
      const gate = await startGateway([routeOf([node.url])], { maxKeptBytes: 1000 }, path);
      const held = connect(gate.port, '127.0.0.1').on('error', () => undefined);
      held.write(
        `POST / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 10000\r\n\r\n${' '.repeat(960)}`,
      );
      await waitFor(async () => (await ask(gate.port)).status === 503);
      held.destroy();
      await waitFor(async () => (await ask(gate.port)).status === 200);
      await gate.close();
      await node.close();
    });
  },
  ['mixed'],
);
