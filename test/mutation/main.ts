/**
 * Makes small faults in the code that moves money, one at a time, and runs the tests that reach each: a fault that no
 * test sees is a guard that nobody would miss.
 *
 *     npm run mutate -- --sample 300 --seed 1
 *     npm run mutate -- --files 'core/ledger/**' --sample 30
 *     npm run mutate -- --id 'core/rates/quote.ts:12 boundary'
 *
 * `--tests WORD` runs only test files with the word in their path (given several times: any of them), `--jobs N` processes at
 * once (2), `--seconds 60` of tests for each mutant, `--min 85` exits with 1 below that score, `--list` only prints the sample.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileSources, compiledName } from '../runner/compile.ts';
import { makeTemplates } from '../support/templates.ts';
import { isAccepted, staleEntries } from './accepted.ts';
import { mutantsOf, sampleOf } from './mutants.ts';
import type { Mutant } from './mutants.ts';
import { LIMITS, mutate } from './mutate.ts';
import { lineOf, scoreOf, scoresOf, tableOf } from './report.ts';
import { targetsOf, testsOf } from './targets.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string' },
    tests: { type: 'string', multiple: true, default: [''] },
    id: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '60' },
    min: { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
});

function numberOf(name: 'sample' | 'seed' | 'jobs' | 'seconds' | 'min'): number {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} must be a whole number`);
  return number;
}

function chosen(all: readonly Mutant[]): readonly Mutant[] {
  const { id: ids } = values;
  if (ids === undefined)
    return sampleOf(
      all.filter((mutant) => !isAccepted(mutant)),
      numberOf('sample'),
      numberOf('seed'),
    );
  return ids.map((id) => {
    const found = all.find((mutant) => mutant.id === id);
    if (found === undefined) throw new Error(`there is no mutant ${id}; --list prints them`);
    return found;
  });
}

async function main(): Promise<number> {
  const compiled = await compileSources(`mutation-${process.pid}`);
  const templates = await makeTemplates(false);
  try {
    const targets = targetsOf(compiled, null);
    const all = targets.flatMap((file) =>
      mutantsOf(file, readFileSync(join(compiled.folder, compiledName(file)), 'utf8')),
    );
    for (const { file, declaration, operator, nth } of staleEntries(all))
      throw new Error(`test/mutation/accepted.ts: there is no mutant ${file} ${declaration} ${operator} ${nth}`);
    const files = new Set(targetsOf(compiled, values.files ?? null));
    const mutants = chosen(all.filter(({ file }) => files.has(file)));
    console.log(`${mutants.length} of ${all.length} mutants, seed ${numberOf('seed')}`);
    if (values.list) {
      for (const mutant of mutants) console.log(lineOf({ mutant, result: 'survived', tests: [], left: [] }));
      return 0;
    }
    const unusable = new Set<string>();
    const verdicts = await mutate({
      compiled,
      targets,
      mutants,
      tests: testsOf(compiled).filter((path) => values.tests.some((word) => path.includes(word))),
      environment: { ...templates.environment, TEST_ENGINES: 'sqlite' },
      jobs: numberOf('jobs'),
      limits: { ...LIMITS, mutantMs: numberOf('seconds') * 1000 },
      onVerdict: (verdict) => console.log(lineOf(verdict)),
      onUnusable: (test, result) => {
        if (!unusable.has(test)) console.log(`${test} is ${result} without any mutant, and is left out`);
        unusable.add(test);
      },
    });
    const survivors = verdicts.filter(({ result }) => result === 'survived');
    console.log(`\n${survivors.length} survived:`);
    for (const verdict of survivors) console.log(lineOf(verdict));
    console.log(`\n${tableOf(scoresOf(verdicts))}`);
    return scoreOf('all', verdicts).percent < numberOf('min') || unusable.size > 0 ? 1 : 0;
  } finally {
    await templates.remove();
    compiled.remove();
  }
}

process.exitCode = await main();
