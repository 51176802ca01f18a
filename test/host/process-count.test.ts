import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveConfig } from '../../host/index.ts';
import type { SettingsInput } from '../../host/index.ts';
import { processCount } from '../../host/processes/process-count.ts';
import { shareOf } from '../../host/processes/process-share.ts';
import { Restarts, SHORT_LIFE_MS, SHORT_LIVES } from '../../host/processes/restarts.ts';

const PG = { client: 'pg', connection: 'postgres://user@localhost/tillgate' } as const;
const of = (settings: SettingsInput) => resolveConfig({ mode: 'sandbox', ...settings });

test('one process unless the settings say otherwise', () => {
  assert.deepEqual(processCount(of({}), 8), { count: 1, because: null });
  assert.deepEqual(processCount(of({ database: PG }), 8), { count: 1, because: null });
  assert.deepEqual(processCount(of({ database: PG, processes: 3 }), 8), { count: 3, because: null });
});

test('SQLite with several processes is refused by name, with what to do; "auto" is one process there', () => {
  assert.throws(
    () => of({ processes: 2 }),
    /processes: SQLite serves one process: write 1, or set database to PostgreSQL/,
  );
  assert.throws(
    () => of({ processes: 2, database: { client: 'sqlite', filename: 'x.db' } }),
    /SQLite serves one process/,
  );
  assert.equal(processCount(of({ processes: 1 }), 8).count, 1);
  const { count, because } = processCount(of({ processes: 'auto' }), 8);
  assert.deepEqual([count, because], [1, 'SQLite serves one process; PostgreSQL serves one for each core']);
  assert.equal(resolveConfig({ processes: 2 }, { environment: { TILLGATE_DATABASE_URL: PG.connection } }).processes, 2);
});

test('"auto" is one process for each core, and no more than the database connections allow', () => {
  const config = (max: number) => of({ database: { ...PG, pool: { max } }, processes: 'auto' });
  assert.deepEqual(processCount(config(10), 4), { count: 4, because: null });
  assert.deepEqual(processCount(config(10), 64), {
    count: 5,
    because: 'database.pool.max is 10, and each process needs 2 connections',
  });
  assert.equal(processCount(config(1), 64).count, 1);
});

test('too few database connections for a number of processes are refused with the number that is needed', () => {
  const config = (max: number) => () => of({ database: { ...PG, pool: { max } }, processes: 4 });
  assert.throws(config(7), /database\.pool\.max: write at least 8/);
  assert.doesNotThrow(config(8));
});

test('what is no number of processes is refused', () => {
  for (const processes of [0, -1, 1.5, 257, 'all', '2', true])
    assert.throws(() => of({ processes: processes as never, database: PG }), /processes: write a number of processes/);
});

test('the processes share the connections of the settings, and have no more together', () => {
  for (const [min, max, count] of [
    [0, 10, 2],
    [3, 10, 3],
    [5, 17, 4],
    [0, 2, 1],
  ] as const) {
    const config = of({ database: { ...PG, pool: { min, max } }, processes: count });
    const pools = Array.from({ length: count }, (_, index) => shareOf(config, { number: index + 1, count }).database);
    const sum = (bound: 'min' | 'max'): number =>
      pools.reduce((all, database) => all + (database.client === 'pg' ? database.pool[bound] : NaN), 0);
    assert.deepEqual([sum('min'), sum('max')], [min, max]);
    for (const database of pools) assert.ok(database.client === 'pg' && database.pool.min <= database.pool.max);
  }
});

test('the processes share what strangers may do in a minute; a merchant may send all requests by one connection', () => {
  const limits = (count: number, loginsPerMinute = 20) =>
    shareOf(of({ database: { ...PG, pool: { max: 200 } }, processes: count, limits: { loginsPerMinute } }), {
      number: 1,
      count,
    }).limits;
  assert.deepEqual(
    [2, 3, 50].map((count) => [limits(count).loginsPerMinute, limits(count).payerWritesPerMinute]),
    [
      [10, 300],
      [7, 200],
      [3, 12],
    ],
  );
  assert.equal(limits(4, 1).loginsPerMinute, 1);
  assert.equal(limits(4).requestsPerMinute, 60_000);
});

test('fault 294: a process is started again with growing waits, and given up after short lives in a row; a long life makes up for them', () => {
  const restarts = new Restarts();
  const short = () => restarts.ended(SHORT_LIFE_MS - 1);
  const waits = Array.from({ length: SHORT_LIVES - 1 }, short).map((next) =>
    next.kind === 'start-again' ? next.afterMs : null,
  );
  assert.deepEqual(waits, [500, 1000, 2000, 4000]);
  assert.deepEqual(restarts.ended(SHORT_LIFE_MS), { kind: 'start-again', afterMs: 0 });
  for (let life = 1; life < SHORT_LIVES; life++) assert.equal(short().kind, 'start-again');
  assert.deepEqual(short(), { kind: 'give-up' });
});
