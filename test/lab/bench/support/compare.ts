import type { Check, KeptRun } from './kept-runs.ts';
import { median, rounded } from './report.ts';

/** A change for the worse by more than this share is named. */
const WORSE_BY = 0.1;
/** What came before is the median of so many runs. */
const FORMER_RUNS = 5;

/** A figure of the newest run beside the runs before it. */
export interface Comparison {
  readonly figure: string;
  readonly before: number;
  readonly now: number;
  /** How much better, as a share of what it was; negative for worse. */
  readonly change: number;
  readonly worse: boolean;
}

const sameMachine = (run: KeptRun): string =>
  JSON.stringify([run.machine['cores'], run.machine['cpu'], run.machine['node']]);

/**
 * Each figure of the newest run of each bench beside the median of up to five runs before it, of the same bench on the same machine.
 *
 * @param runs - in the order in which they were made
 */
export function compareRuns(runs: readonly KeptRun[]): Comparison[] {
  return [...new Set(runs.map(({ bench }) => bench))].flatMap((bench) => {
    const ofBench = runs.filter((run) => run.bench === bench);
    const newest = ofBench.at(-1) as KeptRun;
    const former = ofBench.slice(0, -1).filter((run) => sameMachine(run) === sameMachine(newest));
    return newest.checks.flatMap((check) => compareFigure(bench, check, former));
  });
}

function compareFigure(bench: string, check: Check, former: readonly KeptRun[]): Comparison[] {
  const values = former
    .flatMap(({ checks }) => checks)
    .filter(({ name }) => name === check.name)
    .map(({ value }) => value)
    .slice(-FORMER_RUNS);
  if (values.length === 0) return [];
  const before = median(values);
  const more = before === 0 ? Math.sign(check.value) : (check.value - before) / Math.abs(before);
  const change = check.atLeast === undefined ? -more : more;
  return [{ figure: `${bench}: ${check.name}`, before, now: check.value, change, worse: change < -WORSE_BY }];
}

/** Prints the table. @returns the exit code: 1 where a figure is worse by more than a tenth */
export function tellComparison(runs: readonly KeptRun[]): number {
  const compared = compareRuns(runs);
  if (compared.length === 0) {
    console.log('Nothing to compare: a bench has to have run twice on this machine.');
    return 0;
  }
  console.table(
    compared.map(({ figure, before, now, change, worse }) => ({
      figure,
      before: rounded(before),
      now: rounded(now),
      change: `${change >= 0 ? '+' : ''}${(change * 100).toFixed(1)} %`,
      worse: worse ? 'worse' : '',
    })),
  );
  return compared.some(({ worse }) => worse) ? 1 : 0;
}
