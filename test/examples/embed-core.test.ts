import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../examples/embed-core/main.ts';

test('examples/embed-core: an order is made, paid and settled in process, without HTTP', async () => {
  const lines: string[] = [];
  const detail = await run((line) => lines.push(line));
  assert.equal(detail.order.status, 'SUCCESS');
  assert.equal(detail.order.payment?.units, 27_000_000n);
  assert.equal(detail.order.received, 27_000_000n);
  assert.deepEqual(
    lines.map((line) => line.slice(0, 10).trim()),
    ['order', 'paid in', 'one block', 'event', 'two blocks'],
  );
  assert.match(lines[2] ?? '', /PENDING$/);
});
