import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../examples/embed-worker/main.ts';

test('examples/embed-worker: an order is made, paid and shipped in process, without HTTP', async () => {
  const lines: string[] = [];
  assert.equal(await run((line) => lines.push(line)), 'invoice 7');
  assert.deepEqual(
    lines.map((line) => line.slice(0, 10).trim()),
    ['order', 'paid in', 'event'],
  );
  assert.match(lines[0] ?? '', /: 27 USDT-ERC20 to 0x/);
  assert.match(lines[2] ?? '', /is SUCCESS, ship invoice 7$/);
});
