import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { HeldSockets } from '../../../host/gateway/held-sockets.ts';

test('fault 130: a socket is answered after its time, not after it has closed, and at once beyond a thousand', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const held = new HeldSockets();
  const answered: number[] = [];
  const sockets = Array.from({ length: 1_001 }, () => new PassThrough());
  sockets.forEach((socket, n) => held.hold(socket, 2_000, () => answered.push(n)));
  assert.deepEqual(answered, [1_000]);
  sockets[0]!.emit('close');
  t.mock.timers.tick(1_999);
  assert.equal(answered.length, 1);
  t.mock.timers.tick(1);
  assert.equal(answered.length, 1_000);
  assert(!answered.includes(0));
  assert.equal(held.size, 0);
});

test('at the end held sockets are closed, and none is answered', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const held = new HeldSockets();
  const socket = new PassThrough();
  held.hold(socket, 2_000, () => assert.fail('answered'));
  held.close();
  assert(socket.destroyed);
  socket.emit('close');
  t.mock.timers.tick(2_000);
  assert.equal(held.size, 0);
});
