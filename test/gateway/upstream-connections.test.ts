import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, CALL, routeOf, startGateway } from './support.ts';
import type { Answer, TestGateway } from './support.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const lengthOf = (body: string): string => `Content-Length: ${body.length}\r\n\r\n${body}`;
const GOOD = `${OK}${lengthOf('good')}`;
/** The upstream closes the connection behind its bytes. */
const CLOSE = '\0close';

/** An upstream that answers each request with bytes as they are. */
bothPaths('what an upstream sends is read strictly (faults 25 and 28)', (path) => {
  let upstream: Server;
  let gate: TestGateway;
  let requests: string[] = [];
  let connections = 0;
  const sockets = new Set<Socket>();
  const start = async (
    reply: (n: number) => readonly string[],
    changes: Parameters<typeof routeOf>[1] = {},
  ): Promise<void> => {
    requests = [];
    connections = 0;
    upstream = createServer((socket) => {
      connections += 1;
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.on('data', (chunk) => void answer(socket, chunk.toString('latin1')));
    });
    const answer = async (socket: Socket, request: string): Promise<void> => {
      requests.push(request);
      for (const piece of reply(requests.length)) {
        if (piece === CLOSE) socket.end();
        else await new Promise((resolve) => socket.write(piece, 'latin1', resolve));
        // Each piece is read by itself.
        await new Promise(setImmediate);
      }
    };
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    gate = await startGateway([routeOf([`http://127.0.0.1:${port}`], { protocol: 'http', ...changes })], {}, path);
  };
  afterEach(async () => {
    await gate.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => upstream.close(resolve));
  });
  const post = (): Promise<Answer> => ask(gate.port, { body: CALL });

  const chunked = `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Sum: 1\r\n\r\n`;
  const good: readonly (readonly [string, readonly string[], string, number])[] = [
    ['a length', [GOOD], 'good', 1],
    ['chunks', [chunked], 'abcdefg', 1],
    ['a length, byte by byte', Array.from(GOOD), 'good', 1],
    ['chunks, byte by byte', Array.from(chunked), 'abcdefg', 1],
    [
      'interim replies first',
      [`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${GOOD}`],
      'good',
      1,
    ],
    ['the end of the connection', [`${OK}\r\n`, 'to the end', CLOSE], 'to the end', 2],
    ['HTTP/1.0', [`HTTP/1.0 200 OK\r\n${lengthOf('old')}`, CLOSE], 'old', 2],
    ['a close', [`${OK}Connection: close\r\n${lengthOf('last')}`], 'last', 2],
    ['nothing', [`${OK}${lengthOf('')}`], '', 1],
  ];
  for (const [what, bytes, body, wanted] of good) {
    test(`a reply with ${what} arrives, and the connection is ${wanted === 1 ? 'used again' : 'not used again'}`, async () => {
      await start(() => bytes);
      for (let n = 0; n < 2; n++) {
        const { status, text } = await post();
        assert.deepEqual([status, text], [200, body]);
      }
      assert.equal(connections, wanted);
      assert.match(requests[0]!, /^POST \/ HTTP\/1\.1\r\nhost: 127[^]*\r\ncontent-length: \d+\r\n\r\n\{[^]*\}$/);
    });
  }

  test(`an unexpected 100 Continue is ${path === 'fast' ? 'skipped' : 'a 502: undici closes the connection'}`, async () => {
    await start(() => [`HTTP/1.1 100 Continue\r\n\r\n${GOOD}`]);
    assert.equal((await post()).status, path === 'fast' ? 200 : 502);
  });

  const bad: readonly (readonly [string, readonly string[]])[] = [
    ['both a length and chunks', [`${OK}Transfer-Encoding: chunked\r\n${lengthOf('0\r\n\r\n')}`]],
    ['two lengths', [`${OK}Content-Length: 4\r\n${lengthOf('good')}`]],
    ['a bare LF', [GOOD.replaceAll('\r\n', '\n')]],
    ['a folded header', [`${OK}X: a\r\n b\r\n${lengthOf('good')}`]],
    ['a bare CR in a header', [`${OK}X: a\rSet-Cookie: b\r\n${lengthOf('good')}`]],
    ['another protocol', ['SSH-2.0-x\r\n']],
    ['a change of protocol', ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n']],
    ['a head without end', [OK, ...Array.from({ length: 40 }, () => `X-A: ${'a'.repeat(1000)}\r\n`)]],
    ['half a head', [`${OK}X: a`, CLOSE]],
    ['nothing at all', [CLOSE]],
  ];
  for (const [what, bytes] of bad) {
    test(`a reply with ${what} is a 502, and nothing of it reaches the client`, async () => {
      await start((n) => (n === 1 ? bytes : [GOOD]));
      const { status, headers } = await post();
      assert.equal(status, 502);
      assert.deepEqual([headers['set-cookie'], headers['x']], [undefined, undefined]);
      assert.equal((await post()).text, 'good');
      assert.equal(connections, 2);
    });
  }

  const cut: readonly (readonly [string, readonly string[]])[] = [
    ['a length that is not reached', [`${OK}Content-Length: 10\r\n\r\nhalf`, CLOSE]],
    ['chunks without end', [`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`, CLOSE]],
    ['a chunk of a wrong size', [`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`, 'zz\r\n']],
  ];
  for (const [what, bytes] of cut) {
    test(`a reply with ${what} ends the client's connection, or is a 502 before anything was sent`, async () => {
      await start(() => bytes);
      const [result] = await Promise.allSettled([post()]);
      if (result.status === 'fulfilled') assert.equal(result.value.status, 502);
    });
  }

  test("what stands behind a reply is nobody's: its connection is closed, and the next request has its own reply", async () => {
    await start((n) => (n % 2 === 1 ? [`${GOOD}${OK}${lengthOf('smuggled')}`] : [GOOD]));
    for (let n = 0; n < 4; n++) assert.equal((await post()).text, 'good');
    assert.equal(connections, 3);
  });

  test('what comes while nobody asked closes the connection', async () => {
    await start(() => [GOOD]);
    await post();
    for (const socket of sockets) socket.write(`${OK}${lengthOf('unasked')}`);
    await waitFor(() => sockets.size === 0);
    assert.equal((await post()).text, 'good');
  });

  test('a connection is closed when the upstream said that it would be, and kept no longer than some seconds otherwise', async () => {
    await start(() => [`${OK}Keep-Alive: timeout=1\r\n${lengthOf('good')}`]);
    await post();
    await waitFor(() => sockets.size === 0);
  });

  test('many requests at once have a connection each, and find it again', async () => {
    await start(() => [GOOD]);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 40 }, post));
      assert(answers.every(({ text }) => text === 'good'));
    }
    assert(connections <= 40, `${connections}`);
  });
});
