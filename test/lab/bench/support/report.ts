import { availableParallelism, cpus } from 'node:os';
import { keepRun } from './kept-runs.ts';
import type { Check, KeptRun } from './kept-runs.ts';
import { busyBefore, MOST_BUSY } from './other-work.ts';

/** Everything that a bench found out. */
export interface Findings {
  readonly bench: string;
  /** The table, a row a line. */
  readonly rows: readonly object[];
  readonly checks: readonly Check[];
  /** Further figures and circumstances, for the line of JSON. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What a reader must know to read the figures rightly. */
  readonly notes?: readonly string[];
}

/**
 * Prints a bench's table, its one line of JSON and PASS or FAIL for each check, and keeps the line; a FAIL makes the exit code 1.
 * A run on a machine that had other work is printed, but neither judged nor kept.
 */
export function report({ bench, rows, checks, facts, notes = [] }: Findings): void {
  const judged = checks.map((check) => ({ ...check, value: rounded(check.value), pass: passes(check) }));
  console.table(rows);
  for (const note of notes) console.log(note);
  const run = { bench, pass: judged.every(({ pass }) => pass), checks: judged, ...facts, machine: machine() };
  console.log(JSON.stringify(run));
  if (!(busyBefore() <= MOST_BUSY)) {
    console.log(
      `NOT JUDGED ${bench}: other work took ${rounded(busyBefore())} of the processors before, more than ${MOST_BUSY}. Run it again on a quiet machine.`,
    );
    process.exitCode = 1;
    return;
  }
  const kept = { at: new Date().toISOString(), ...run };
  keepRun(kept);
  for (const { name, value, atLeast, atMost, pass } of judged) {
    const target = atLeast === undefined ? `at most ${atMost ?? NaN}` : `at least ${atLeast}`;
    console.log(`${pass ? 'PASS' : 'FAIL'} ${bench}: ${name} ${value}, target ${target}`);
  }
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1;
}

function passes({ value, atLeast = -Infinity, atMost = Infinity }: Check): boolean {
  return Number.isFinite(value) && value >= atLeast && value <= atMost;
}

function machine(): KeptRun['machine'] {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    busyBefore: rounded(busyBefore()),
  };
}

/** The median; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2;
}

/** Three significant digits at least, and no fraction on a large number. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
