import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MEMORY = fileURLToPath(new URL('../../host/memory.ts', import.meta.url));

/** The most that the heap takes while 30 of the same lists are kept and the oldest of them replaced, in bytes. */
async function mostHeap(begin: string): Promise<number> {
  const program = `
    import { limitMemory, unlimitMemory } from ${JSON.stringify(MEMORY)};
    ${begin}
    const kept = [];
    let most = 0;
    for (let n = 0; n < 300; n++) {
      kept[n % 30] = Array.from({ length: 20_000 }, (_, i) => ({ n, i }));
      await new Promise(setImmediate);
      most = Math.max(most, process.memoryUsage().heapTotal);
    }
    console.log(most);`;
  const node = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program];
  return Number((await promisify(execFile)(process.execPath, node)).stdout);
}

test('a till that takes no orders keeps its memory near what it needs; with the first order it grows as usual', async () => {
  const [usual, limited, again] = await Promise.all([
    mostHeap(''),
    mostHeap('limitMemory();'),
    mostHeap('limitMemory(); unlimitMemory();'),
  ]);
  assert.ok(limited < 0.6 * usual, `${limited} and ${usual} bytes`);
  assert.ok(again > 0.7 * usual, `${again} and ${usual} bytes`);
});
