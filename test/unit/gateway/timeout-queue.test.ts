import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeoutQueue } from '../../../host/gateway/timeout-queue.ts';
import type { Expirable } from '../../../host/gateway/timeout-queue.ts';

interface Item extends Expirable {
  readonly name: string;
}

test('what is due is told once, whatever is added and deleted meanwhile', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const queue = new TimeoutQueue();
  const told: string[] = [];
  const item = (name: string, dueInMs: number, then: () => void = () => undefined): Item => ({
    name,
    expiresAt: queue.expiryIn(dueInMs),
    queuePlace: -1,
    onTimeout: () => {
      told.push(name);
      then();
    },
  });
  const [later, gone, twice] = [item('later', 3_600_000), item('gone', -1), item('twice', -1)];
  const victim = item('victim', -1);
  const again = item('again', -1, () => {
    again.expiresAt = Infinity;
    queue.add(again);
  });
  const ender = item('ender', -1, () => queue.delete(victim));
  for (const each of [ender, gone, later, twice, twice, again, victim]) queue.add(each);
  queue.delete(gone);
  queue.delete(gone);

  t.mock.timers.tick(100);
  assert.deepEqual(told.sort(), ['again', 'ender', 'twice']);
  t.mock.timers.tick(100);
  assert.equal(told.length, 3);

  later.expiresAt = -1;
  again.expiresAt = -1;
  t.mock.timers.tick(100);
  assert.deepEqual(told.slice(3).sort(), ['again', 'later']);

  queue.add(gone);
  queue.close();
  t.mock.timers.tick(100);
  assert.equal(told.length, 5);
  assert.equal(gone.queuePlace, -1);
});

test('a limit that begins after the process stood still is not over at the next look', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const queue = new TimeoutQueue();
  t.after(() => queue.close());
  let told = 0;
  now = 5_000;
  queue.add({ expiresAt: queue.expiryIn(200), queuePlace: -1, onTimeout: () => (told += 1) });
  t.mock.timers.tick(100);
  assert.equal(told, 0);
  t.mock.timers.tick(100);
  assert.equal(told, 1);
});
