import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { compareRuns } from '../../lab/bench/support/compare.ts';
import { keepRun, keptRuns } from '../../lab/bench/support/kept-runs.ts';
import type { Check, KeptRun } from '../../lab/bench/support/kept-runs.ts';

const here = { cores: 2, cpu: 'one', node: 'v20' };
const ratio = (value: number): Check => ({ name: 'ratio', value, atLeast: 1 });
const cost = (value: number): Check => ({ name: 'cost', value, atMost: 9 });
const run = (bench: string, checks: readonly Check[], machine: KeptRun['machine'] = here): KeptRun => ({
  bench,
  checks,
  machine,
});

describe('runs of benches compared', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-runs-'));
  after(() => rmSync(folder, { recursive: true }));

  test('a figure that is worse by more than a tenth is named, whichever way is worse', () => {
    const compared = compareRuns([
      run('a', [ratio(1), cost(10)]),
      run('a', [ratio(0.89), cost(11.1)]),
      run('b', [ratio(1), cost(10)]),
      run('b', [ratio(0.91), cost(10.9)]),
      run('c', [ratio(1), cost(10)]),
      run('c', [ratio(2), cost(5)]),
    ]);
    assert.deepEqual(
      compared.map(({ figure, worse }) => [figure, worse]),
      [
        ['a: ratio', true],
        ['a: cost', true],
        ['b: ratio', false],
        ['b: cost', false],
        ['c: ratio', false],
        ['c: cost', false],
      ],
    );
  });

  test('the newest run is held against the median of the five before it', () => {
    const values = [100, 1, 2, 9, 2, 2, 4];
    const [compared] = compareRuns(values.map((value) => run('a', [ratio(value)])));
    assert.deepEqual([compared?.before, compared?.now, compared?.change], [2, 4, 1]);
  });

  test('errors where there were none are worse', () => {
    const [compared] = compareRuns([run('a', [cost(0)]), run('a', [cost(1)])]);
    assert.equal(compared?.worse, true);
  });

  test('runs of another machine, and figures that are new, are not compared', () => {
    const compared = compareRuns([run('a', [ratio(1)], { ...here, node: 'v24' }), run('a', [ratio(0.1), cost(1)])]);
    assert.deepEqual(compared, []);
  });

  test('a run is read again as it was kept', () => {
    const file = join(folder, 'deep', 'runs.jsonl');
    assert.deepEqual(keptRuns(file), []);
    keepRun(run('a', [ratio(1)]), file);
    keepRun(run('a', [ratio(2)]), file);
    assert.deepEqual(keptRuns(file), [run('a', [ratio(1)]), run('a', [ratio(2)])]);
  });
});
