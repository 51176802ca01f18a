import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../../core/index.ts';
import { FloodPauses } from '../../../host/gateway/flood-pauses.ts';

test('fault 130: a pause is of one App at one address, lasts two seconds, and their number is bounded', () => {
  const pauses = new FloodPauses();
  const [app, other] = ['1' as AppId, '2' as AppId];
  pauses.begin(app, '::1', 0);
  assert.equal(pauses.leftOf(app, '::1', 500), 1_500);
  assert.equal(pauses.leftOf(app, '::1', 2_000), 0);
  assert.equal(pauses.leftOf(app, '::2', 500), 0);
  assert.equal(pauses.leftOf(other, '::1', 500), 0);

  pauses.begin(app, '::1', 1_900);
  assert.equal(pauses.leftOf(app, '::1', 3_899), 1);
  for (let n = 0; n < 20_000; n++) pauses.begin(app, String(n), 2_000);
  assert.equal(pauses.size, 10_000);
  assert.equal(pauses.leftOf(app, '19999', 2_001), 1_999);
  pauses.begin(other, '::1', 6_000);
  assert.equal(pauses.size, 1);
});
