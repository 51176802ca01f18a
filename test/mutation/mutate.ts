import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledName, reached } from '../runner/compile.ts';
import type { Compiled } from '../runner/compile.ts';
import { changedText } from '../support/syntax.ts';
import type { Mutant } from './mutants.ts';
import { ReachMap, reaches } from './reach.ts';
import type { Reach } from './reach.ts';
import { runTest } from './test-process.ts';

/** What became of a mutant. */
export interface Verdict {
  readonly mutant: Mutant;
  /** `late`: a test file went over its time, as with a loop that does not end. */
  readonly result: 'killed' | 'survived' | 'late';
  /** The test files that reach it and were run; the last one killed it. */
  readonly tests: readonly string[];
}

/** What to run mutants against. */
export interface MutationRun {
  readonly compiled: Compiled;
  /** The sources whose coverage is measured: all that mutants can be made of, whatever the sample. */
  readonly targets: readonly string[];
  readonly mutants: readonly Mutant[];
  /** The test files that may be run. */
  readonly tests: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** How many processes run at once. */
  readonly jobs: number;
  readonly limits?: TimeLimits;
  readonly onVerdict?: (verdict: Verdict) => void;
  /** For a test file that is not green without any mutant: it takes part in nothing. */
  readonly onUnusable?: (test: string, result: string) => void;
}

/** A test file under a mutant may take so many times what it takes without, and some more. */
export interface TimeLimits {
  readonly slower: number;
  readonly spareMs: number;
}

const LIMITS: TimeLimits = { slower: 5, spareMs: 30_000 };

/** Runs each mutant against the tests that reach it, those that load the least first, until one of them fails. */
export async function mutate(run: MutationRun): Promise<readonly Verdict[]> {
  const { compiled, targets, mutants, jobs, environment } = run;
  const reach = new ReachMap(compiled, targets, environment);
  const queue = mutants[Symbol.iterator]();
  const verdicts: Verdict[] = [];
  const serve = async (job: number): Promise<void> => {
    // Each job has compiled files of its own, because a mutant replaces one of them.
    const folder = `${compiled.folder}-job-${job}`;
    cpSync(compiled.folder, folder, { recursive: true });
    try {
      for (const mutant of queue) {
        const verdict = await judge(mutant, folder, run, reach);
        verdicts.push(verdict);
        run.onVerdict?.(verdict);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: jobs }, (_, job) => serve(job)));
  return verdicts;
}

async function judge(mutant: Mutant, folder: string, run: MutationRun, reach: ReachMap): Promise<Verdict> {
  const path = join(folder, compiledName(mutant.file));
  const original = readFileSync(path, 'utf8');
  const tests: string[] = [];
  writeFileSync(path, changedText(original, [mutant]));
  try {
    for (const test of candidates(run, mutant.file)) {
      const measured = await reach.of(test);
      if (!usable(test, measured, run) || !reaches(measured, mutant.file, mutant.start)) continue;
      tests.push(test);
      const { slower, spareMs } = run.limits ?? LIMITS;
      const limitMs = measured.ms * slower + spareMs;
      const result = await runTest({ folder, test, environment: run.environment, limitMs });
      if (result !== 'green') return { mutant, result: result === 'red' ? 'killed' : 'late', tests };
    }
    return { mutant, result: 'survived', tests };
  } finally {
    writeFileSync(path, original);
  }
}

function usable(test: string, { result }: Reach, { onUnusable }: MutationRun): boolean {
  if (result !== 'green') onUnusable?.(test, result);
  return result === 'green';
}

/** The tests that load a source, those that load the least first: they are quick, and about it. */
function candidates({ compiled, tests }: MutationRun, source: string): readonly string[] {
  return tests
    .map((test) => ({ test, loaded: reached(compiled, test, true) }))
    .filter(({ loaded }) => loaded.has(source))
    .sort((a, b) => a.loaded.size - b.loaded.size || (a.test < b.test ? -1 : 1))
    .map(({ test }) => test);
}
