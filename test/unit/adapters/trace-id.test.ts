import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomTraceId } from '../../../adapters/http/trace-id.ts';

test('trace ids are 32 hexadecimal digits each, and none comes twice', () => {
  const ids = Array.from({ length: 1000 }, () => randomTraceId());
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(new Set(ids).size, ids.length);
});
