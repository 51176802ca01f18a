import { availableParallelism, cpus, loadavg } from 'node:os';

/** What the machine had to do before the bench came. */
const loadBefore = loadavg()[0] ?? NaN;

/** One figure that a bench holds against its target. */
export interface Check {
  readonly name: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

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

/** Prints a bench's table, its one line of JSON and PASS or FAIL for each check; a FAIL makes the exit code 1. */
export function report({ bench, rows, checks, facts, notes = [] }: Findings): void {
  const judged = checks.map((check) => ({ ...check, value: rounded(check.value), pass: passes(check) }));
  console.table(rows);
  for (const note of notes) console.log(note);
  if (loadBefore > availableParallelism() / 2)
    console.log(`The machine was busy (load average ${rounded(loadBefore)}): the figures are of little worth.`);
  console.log(
    JSON.stringify({ bench, pass: judged.every(({ pass }) => pass), checks: judged, ...facts, machine: machine() }),
  );
  for (const { name, value, atLeast, atMost, pass } of judged) {
    const target = atLeast === undefined ? `at most ${atMost ?? NaN}` : `at least ${atLeast}`;
    console.log(`${pass ? 'PASS' : 'FAIL'} ${bench}: ${name} ${value}, target ${target}`);
  }
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1;
}

function passes({ value, atLeast = -Infinity, atMost = Infinity }: Check): boolean {
  return Number.isFinite(value) && value >= atLeast && value <= atMost;
}

function machine(): object {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    loadBefore: rounded(loadBefore),
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
