/**
 * The longer runs of the tests that kill the real host.
 *
 *     npm run crash -- --rounds 5               every named point this many times, on both databases
 *     npm run crash -- --minutes 60             kill -9 at random moments, on SQLite
 *     npm run crash -- --minutes 60 --pg        the same on PostgreSQL
 *     npm run crash -- --minutes 5 --seed 42    the same business and moments again, as far as possible
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { killAtRandom } from './random-kills.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    pg: { type: 'boolean', default: false },
  },
});
const postgres = values.pg && values.minutes !== undefined ? await startPostgres() : null;
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
    ['--import', 'tsx', 'test/run.ts', '--engines=all', '--test-timeout=14400000', 'test/crash/kills'],
    {
      cwd: dirname(dirname(dirname(fileURLToPath(import.meta.url)))),
      env,
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
}
await postgres?.stop();
