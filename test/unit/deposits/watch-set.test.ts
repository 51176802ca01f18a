import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchSet } from '../../../core/index.ts';

const MINUTE = 60_000;

test('an address leaves the set when its window has passed, and not before', () => {
  const set = new WatchSet();
  set.add('a', 10 * MINUTE, false);
  set.add('b', 20 * MINUTE, true);
  set.expire(9 * MINUTE + 59_999);
  assert.ok(set.has('a'));
  set.expire(10 * MINUTE);
  assert.ok(!set.has('a'));
  assert.ok(set.has('b'));
  set.expire(20 * MINUTE);
  assert.equal(set.size, 0);
  assert.deepEqual([...set.nativeKeys()], []);
});

test('an address added again stays for the longer window', () => {
  const set = new WatchSet();
  set.add('a', 10 * MINUTE, true);
  set.add('b', 15 * MINUTE, false);
  set.add('a', 30 * MINUTE, false);
  set.expire(16 * MINUTE);
  assert.ok(set.has('a'));
  assert.ok(!set.has('b'));
  assert.deepEqual([...set.nativeKeys()], []);
});
