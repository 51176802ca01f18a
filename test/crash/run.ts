/**
 * The longer runs of the tests that kill the real host.
 *
 *     npm run crash -- --rounds 5               every named point so many times, on both databases
 *     npm run crash -- --minutes 60             kill -9 at random moments, on SQLite
 *     npm run crash -- --minutes 60 --pg        the same on PostgreSQL
 *     npm run crash -- --minutes 5 --seed 42    the same business and the same moments again, as far as a machine repeats itself
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { killAtRandom } from './random-kills.ts';

const FILES = ['pg', 'sqlite'].flatMap((engine) =>
  ['order', 'in', 'out', 'cancel', 'returns', 'keys', 'gate'].map(
    (part) => `test/crash/points-${engine}-${part}.test.ts`,
  ),
);
/** A till that is killed and started again waits for leases and blocks half of its time. */
const FILES_PER_CORE = 2;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    pg: { type: 'boolean', default: false },
  },
});
const postgres = values.pg || values.minutes === undefined ? await startPostgres() : null;
if (postgres !== null) process.env['TEST_DATABASE_URL'] = postgres.url;
if (values.minutes !== undefined) {
  const began = performance.now();
  const report = await killAtRandom(
    values.pg ? 'pg' : 'sqlite',
    Number(values.minutes),
    Number(values.seed ?? Date.now() % 1_000_000),
    (line) => console.log(line),
  );
  console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - began) / 1000) }));
} else {
  const env = { ...process.env, CRASH_ROUNDS: values.rounds ?? '5' };
  const { status } = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '--test',
      '--test-reporter=spec',
      `--test-concurrency=${FILES_PER_CORE * availableParallelism()}`,
      ...FILES,
    ],
    {
      cwd: dirname(dirname(dirname(fileURLToPath(import.meta.url)))),
      env,
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
}
await postgres?.stop();
