import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledName, reached } from '../runner/compile.ts';
import type { Compiled } from '../runner/compile.ts';
import { changedText } from '../support/syntax.ts';
import { Kept } from './kept.ts';
import type { Mutant } from './mutants.ts';
import { ReachMap, wayTo } from './reach.ts';
import type { Way } from './reach.ts';
import { runTest } from './test-process.ts';
import type { TestResult } from './test-process.ts';

/** What became of a mutant. */
export interface Verdict {
  readonly mutant: Mutant;
  /** `late`: a test file went over its time, as with a loop that does not end. */
  readonly result: 'killed' | 'survived' | 'late';
  /** The test files that reach it and were run; the last one killed it. */
  readonly tests: readonly string[];
  /** The test files that reach it and were not run, because its time was over. */
  readonly left: readonly string[];
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

/** How long tests may take under a mutant. */
export interface TimeLimits {
  /** A test file may take so many times what it takes without the mutant, and `spareMs` more. */
  readonly slower: number;
  readonly spareMs: number;
  /** Test files are started for a mutant while those that ran for it take less than this without it. */
  readonly mutantMs: number;
}

export const LIMITS: TimeLimits = { slower: 5, spareMs: 15_000, mutantMs: 60_000 };

/** Runs each mutant against the tests that reach it, the nearest first, until one of them fails or its time is over. */
export async function mutate(run: MutationRun): Promise<readonly Verdict[]> {
  const { compiled, targets, mutants, jobs, environment } = run;
  const session = { ...run, reach: new ReachMap(compiled, targets, environment), kills: new Map() };
  const queue = mutants[Symbol.iterator]();
  const verdicts: Verdict[] = [];
  const serve = async (job: number): Promise<void> => {
    // Each job has compiled files of its own, because a mutant replaces one of them.
    const folder = `${compiled.folder}-job-${job}`;
    cpSync(compiled.folder, folder, { recursive: true });
    try {
      for (const mutant of queue) {
        const verdict = await judge(mutant, folder, session);
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

interface Session extends MutationRun {
  readonly reach: ReachMap;
  /** How many mutants of a source each test has killed so far: source and test, then the number. */
  readonly kills: Map<string, number>;
}

/** A test file that reaches a mutant. */
interface Candidate extends Way {
  readonly test: string;
}

async function judge(mutant: Mutant, folder: string, session: Session): Promise<Verdict> {
  const path = join(folder, compiledName(mutant.file));
  const original = readFileSync(path, 'utf8');
  const { kills, limits: { mutantMs } = LIMITS } = session;
  const queue = [...(await candidates(mutant, session))];
  const tests: string[] = [];
  let ran = 0;
  writeFileSync(path, changedText(original, [mutant]));
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      tests.push(next.test);
      const result = await resultOf(mutant, next, folder, session);
      const left = queue.map(({ test }) => test);
      if (result !== 'green') {
        const pair = pairOf(mutant, next.test);
        kills.set(pair, (kills.get(pair) ?? 0) + 1);
        return { mutant, result: result === 'red' ? 'killed' : 'late', tests, left };
      }
      ran += next.ms;
      if (ran >= mutantMs) return { mutant, result: 'survived', tests, left };
    }
    return { mutant, result: 'survived', tests, left: [] };
  } finally {
    writeFileSync(path, original);
  }
}

const results = new Kept<TestResult>('results');

/**
 * The result of a test file under a mutant, run by those of its tests that reach it. Where these fail by themselves, without
 * the others, the whole file is run.
 */
async function resultOf(mutant: Mutant, way: Candidate, folder: string, session: Session): Promise<TestResult> {
  const { titles } = way;
  const result = await keptResult(mutant, way, folder, session);
  if (titles === null || result === 'green') return result;
  const alone = await keptResult(null, way, session.compiled.folder, session);
  return alone === 'green' ? result : keptResult(mutant, { ...way, titles: null }, folder, session);
}

/** What an earlier run found holds as long as none of the test's sources changes. */
async function keptResult(
  mutant: Mutant | null,
  { test, titles, ms }: Candidate,
  folder: string,
  { reach, environment, limits: { slower, spareMs } = LIMITS }: Session,
): Promise<TestResult> {
  const change = mutant === null ? [] : [mutant.file, mutant.start, mutant.end, mutant.text];
  const key = createHash('sha256')
    .update(JSON.stringify([reach.keyOf(test), titles, ...change]))
    .digest('hex');
  const kept = results.read(key);
  if (kept !== null) return kept;
  const result = await runTest({ folder, test, titles, environment, limitMs: ms * slower + spareMs });
  // That it took too long may be the machine's doing.
  if (result !== 'late') results.write(key, result);
  return result;
}

const pairOf = ({ file }: Mutant, test: string): string => `${file} ${test}`;

/** A test that has killed nothing yet counts as this many kills, so that the quick ones come first. */
const UNTRIED = 0.1;

/** The tests that reach a mutant: first those that have killed most mutants of its source for the time they take. */
async function candidates(mutant: Mutant, session: Session): Promise<readonly Candidate[]> {
  const { compiled, tests, reach, kills, onUnusable } = session;
  const found: Candidate[] = [];
  for (const test of tests) {
    if (!reached(compiled, test, true).has(mutant.file)) continue;
    const measured = await reach.of(test);
    if (measured.result !== 'green') onUnusable?.(test, measured.result);
    else {
      const way = wayTo(measured, mutant.file, mutant.start);
      if (way !== null) found.push({ test, ...way });
    }
  }
  const worth = ({ test, ms }: Candidate): number => ((kills.get(pairOf(mutant, test)) ?? 0) + UNTRIED) / ms;
  return found.sort((a, b) => worth(b) - worth(a));
}
