import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../../core/index.ts';
import { FloodPauses } from '../../../host/gateway/flood-pauses.ts';

test('fault 130: a pause is of one App at one address, lasts a second, and their number is bounded', () => {
  const pauses = new FloodPauses();
  const [app, other] = ['1' as AppId, '2' as AppId];
  pauses.begin(app, '::1', 0);
  assert.equal(pauses.check(app, '::1', 999)?.reason, 'rate_limited');
  assert.equal(pauses.check(app, '::1', 1_000), null);
  assert.equal(pauses.check(app, '::2', 999), null);
  assert.equal(pauses.check(other, '::1', 999), null);

  pauses.begin(app, '::1', 900);
  assert.notEqual(pauses.check(app, '::1', 1_899), null);
  for (let n = 0; n < 20_000; n++) pauses.begin(app, String(n), 1_000);
  assert.equal(pauses.size, 10_000);
  assert.notEqual(pauses.check(app, '19999', 1_001), null);
  pauses.begin(other, '::1', 5_000);
  assert.equal(pauses.size, 1);
});
