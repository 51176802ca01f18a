/** A process that plays scenarios: it receives one at a time, and answers with its ending. */
import { play } from './run.ts';
import type { Ending, Scenario } from './run.ts';

/** A scenario in the form that is sent between processes. */
export interface Task {
  readonly seed: number;
  readonly steps: number;
  readonly only?: readonly number[];
  readonly calm?: readonly number[];
  /** See {@link Scenario.database}. */
  readonly database?: string;
}

/** An ending in the form that is sent between processes. */
export interface Report extends Omit<Ending, 'tally'> {
  readonly seed: number;
  /** Its processor time, in milliseconds. */
  readonly cpuMs: number;
  readonly tally: readonly (readonly [string, number])[];
}

/** The scenario of a task. */
export function scenarioOf({ seed, steps, only, calm, database }: Task): Scenario {
  return {
    seed,
    steps,
    ...(database === undefined ? {} : { database }),
    ...(only === undefined ? {} : { only }),
    ...(calm === undefined ? {} : { calm: new Set(calm) }),
  };
}

async function playTask(task: Task): Promise<Report> {
  const before = process.cpuUsage();
  const { tally, ...ending } = await play(scenarioOf(task));
  const { user, system } = process.cpuUsage(before);
  return { ...ending, seed: task.seed, cpuMs: (user + system) / 1_000, tally: [...tally] };
}

process.on('message', (task: Task) => {
  playTask(task).then(
    (report) => process.send?.(report),
    (error: unknown) =>
      process.send?.({
        seed: task.seed,
        breach: `the simulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        step: -1,
        played: 0,
        digest: '',
        cpuMs: 0,
        tally: [],
      } satisfies Report),
  );
});
// A planted bug may replace methods; its edits of the sources were made while they were loaded.
const planted = process.env['TILLGATE_BUG'];
if (planted !== undefined) (await import('./bugs/bugs.ts')).bugNamed(planted).patch?.();
process.send?.('ready');
