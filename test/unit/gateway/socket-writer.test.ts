import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { SocketWriter } from '../../../host/gateway/fast-path/socket-writer.ts';
import { waitFor } from '../../support/wait.ts';

/** Both ends of a connection; the second one reads nothing until it is resumed. */
async function connected(t: TestContext): Promise<[socket: Socket, peer: Socket]> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [peer] = (await once(server, 'connection')) as [Socket];
  t.after(() => {
    socket.destroy();
    peer.destroy();
    server.close();
  });
  if (socket.connecting) await once(socket, 'connect');
  return [socket, peer];
}

test('texts and bytes arrive in order, whether the other side reads them at once or not', async (t) => {
  const [socket, peer] = await connected(t);
  const writer = new SocketWriter(socket);
  const sent: Buffer[] = [];
  for (let n = 0; n < 400; n++) {
    // Longer ones than are written directly, too.
    const bytes = Buffer.alloc(n % 50 === 7 ? 70_000 : 1 + ((n * 977) % 30_000), n % 251);
    sent.push(bytes);
    writer.write(n % 2 === 0 ? bytes.toString('latin1') : bytes);
    if (n % 40 === 0) await new Promise(setImmediate);
  }
  assert.equal(writer.waiting, true);
  const got: Buffer[] = [];
  peer.on('data', (chunk: Buffer) => got.push(chunk)).resume();
  socket.end();
  await once(peer, 'end');
  assert.ok(Buffer.concat(got).equals(Buffer.concat(sent)));
});

test('nothing waits any more once the kernel has taken a direct write', async (t) => {
  const [socket, peer] = await connected(t);
  const writer = new SocketWriter(socket);
  // Only direct ones: the stream is not used until one of them waits.
  while (!writer.waiting) writer.write('x'.repeat(30_000));
  assert.equal(socket.writableLength, 0);
  peer.resume();
  await waitFor(() => !writer.waiting, { describe: 'the kernel' });
  writer.write('y');
  assert.equal(writer.waiting, false);
});

test('a write to a connection that was reset closes the socket with its reason', async (t) => {
  const [socket, peer] = await connected(t);
  const writer = new SocketWriter(socket);
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
  writer.write('first');
  peer.resetAndDestroy();
  const timer = setInterval(() => writer.write('next'), 1);
  t.after(() => clearInterval(timer));
  const { code } = await failed;
  clearInterval(timer);
  assert.ok(code === 'ECONNRESET' || code === 'EPIPE', code);
  if (!socket.closed) await once(socket, 'close');
});
