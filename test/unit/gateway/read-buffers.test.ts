import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBuffers } from '../../../host/gateway/fast-path/read-buffers.ts';

test('where tests say so, bytes that are no longer valid are overwritten at once', (t) => {
  const { overwrites } = readBuffers;
  t.after(() => (readBuffers.overwrites = overwrites));
  const buffer = readBuffers.take().fill('a');
  readBuffers.overwrites = false;
  readBuffers.invalidate(buffer);
  assert.ok(buffer.every((byte) => byte === 0x61));
  readBuffers.overwrites = true;
  readBuffers.give(buffer);
  assert.ok(!buffer.includes('a'));
  assert.equal(readBuffers.take(), buffer);
});
