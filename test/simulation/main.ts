/**
 * Simulates years of trouble for the till, from a seed.
 *
 *     npm run simulate -- --seeds 2000 --steps 300      many seeds, one process for each core
 *     npm run simulate -- --seed 17 --steps 300         one seed, with its log
 *     npm run simulate -- --seed 17 --steps 300 --only 3,8,21 --calm 8
 *                                                       some of its steps, without a fault in step 8
 *
 * `--pg` uses PostgreSQL, where two instances work at the same time, statement by statement in an order that comes from
 * the seed: on a server that is started for it, or on that of `TEST_DATABASE_URL` (with a superuser). `--from N` begins
 * with seed N instead of 1. A seed that breaks a rule is shrunk, and the command that replays the shrunk scenario is
 * printed.
 */
import { parseArgs } from 'node:util';
import { onDatabase, playAll } from './worker-pool.ts';
import { PgDatabase } from './pg/pg-database.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { play } from './run.ts';
import { replayCommand, shrink } from './shrink.ts';
import type { Report, Task } from './worker.ts';
import { scenarioOf } from './worker.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '200' },
    steps: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    calm: { type: 'string' },
    pg: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});

const numbers = (text: string): number[] => text.split(',').map(Number);
const steps = Number(values.steps);

async function leave(database: FreshDatabase): Promise<void> {
  await PgDatabase.end(database.url);
  await database.drop();
}

async function one(seed: number): Promise<boolean> {
  const database = values.pg ? await freshDatabase() : null;
  const task: Task = {
    seed,
    steps,
    ...(values.only === undefined ? {} : { only: numbers(values.only) }),
    ...(values.calm === undefined ? {} : { calm: numbers(values.calm) }),
  };
  const { breach, digest, played, step } = await play(
    scenarioOf(onDatabase(task, database)),
    values.quiet ? null : (line) => console.log(line),
  );
  if (database !== null) await leave(database);
  console.log(`${played} steps, log ${digest}`);
  if (breach === null) return true;
  console.log(`BROKEN at step ${step}: ${breach}`);
  return false;
}

function* tasks(): Iterable<Task> {
  const first = Number(values.from);
  for (let seed = first; seed < first + Number(values.seeds); seed++) yield { seed, steps };
}

async function many(): Promise<boolean> {
  const began = performance.now();
  let [seeds, played, cpuMs] = [0, 0, 0];
  const tally = new Map<string, number>();
  const failures: Report[] = [];
  await playAll(
    tasks(),
    (report) => {
      seeds += 1;
      played += report.played;
      cpuMs += report.cpuMs;
      for (const [name, count] of report.tally) tally.set(name, (tally.get(name) ?? 0) + count);
      if (report.breach !== null) failures.push(report);
      return failures.length < 5;
    },
    { pg: values.pg },
  );
  const seconds = (performance.now() - began) / 1_000;
  const faults = [...tally].filter(([name]) => name.startsWith('fault')).reduce((sum, [, count]) => sum + count, 0);
  console.log(
    `${seeds} seeds, ${played} steps in ${seconds.toFixed(1)} s: ${Math.round(played / seconds)} a second, ${Math.round((played / cpuMs) * 1_000)} a second of processor time.`,
  );
  console.log(
    `${faults} faults, ${tally.get('crash') ?? 0} crashes, ${tally.get('reorganise') ?? 0} reorganisations, ${tally.get('order') ?? 0} orders, ${tally.get('withdraw') ?? 0} withdrawals asked for.`,
  );
  if (values.pg)
    console.log(
      [...tally].flatMap(([name, count]) => (name.startsWith('pg ') ? [`${count} ${name.slice(3)}s`] : [])).join(', '),
    );
  for (const report of failures) await explain(report);
  return failures.length === 0;
}

async function explain({ seed, breach, step }: Report): Promise<void> {
  console.log(`\nSEED ${seed} BROKE A RULE at step ${step}: ${breach}`);
  if (breach === null || step < 0) return;
  const database = values.pg ? await freshDatabase() : null;
  const scenario = await shrink(scenarioOf(onDatabase({ seed, steps }, database)), { breach, step });
  if (database !== null) await leave(database);
  console.log(`${scenario.only.length} steps are enough:\n    ${replayCommand(scenario)}`);
}

process.exitCode = (await (values.seed === undefined ? many() : one(Number(values.seed)))) ? 0 : 1;
