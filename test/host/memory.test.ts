import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MALLOC_ENVIRONMENT } from '../../host/boot/memory.ts';
import { unlessSet } from '../../host/settings/config.ts';

const MEMORY = fileURLToPath(new URL('../../host/boot/memory.ts', import.meta.url));
const WAIT = fileURLToPath(new URL('../support/wait.ts', import.meta.url));

/** What a program prints, as JSON. */
async function printed(program: string, ...options: readonly string[]): Promise<unknown> {
  const node = [...options, '--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program];
  return JSON.parse((await promisify(execFile)(process.execPath, node)).stdout);
}

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
  return (await printed(program)) as number;
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

test("a gateway's young generation grows to its size, and again after a time with nothing to do", async () => {
  const sizes = await printed(
    `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { growYoungGenerationForGateway, limitMemory } from ${JSON.stringify(MEMORY)};
    import { waitFor } from ${JSON.stringify(WAIT)};
    const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    limitMemory();
    growYoungGenerationForGateway();
    let kept = [];
    const turn = async (objects) => {
      for (let n = 0; n < objects; n++) kept.push({ n, list: [n] });
      kept = kept.slice(-5000);
      await new Promise(setImmediate);
    };
    const work = async () => {
      for (let n = 0; n < 4000; n++) await turn(3000);
      return young();
    };
    const first = await work();
    // V8 makes it smaller at a full collection, while little is allocated.
    const shrunk = () => {
      gc({ type: 'minor' });
      gc();
      return young() < first && young();
    };
    const idle = await waitFor(shrunk, { intervalMs: 100, timeoutMs: 60_000, describe: 'V8 to make it smaller' });
    console.log(JSON.stringify({ first, idle, again: await work() }));`,
    '--expose-gc',
  );
  const { first, idle, again } = sizes as Record<'first' | 'idle' | 'again', number>;
  assert.equal(first, 8 * 1024 * 1024);
  assert.ok(idle < first, 'V8 has not made it smaller');
  assert.equal(again, first);
});

test('a process of several gets the environment that gives memory back, and an operator keeps values of their own', () => {
  assert.deepEqual(unlessSet(MALLOC_ENVIRONMENT, {}), MALLOC_ENVIRONMENT);
  const { MALLOC_ARENA_MAX: _own, ...others } = MALLOC_ENVIRONMENT;
  assert.deepEqual(unlessSet(MALLOC_ENVIRONMENT, { MALLOC_ARENA_MAX: '4' }), others);
});
