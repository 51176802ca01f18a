import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../examples/embed-own-ports/main.ts';

test('examples/embed-own-ports: prices, keys, callbacks and metrics are the application’s own', async () => {
  const lines: string[] = [];
  assert.equal(await run((line) => lines.push(line)), '0.0125');
  assert.deepEqual(
    lines.map((line) => line.slice(0, 10).trim()),
    ['order', 'callback', 'metrics'],
  );
  assert.match(lines[2] ?? '', /[1-9]\d* order changes/);
});
