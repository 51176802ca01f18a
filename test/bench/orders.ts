/**
 * Durable orders over HTTP against the database's own speed.
 *
 *     npm run bench -- orders               on PostgreSQL, then on SQLite
 *     npm run bench -- orders sqlite        on one of them
 *     npm run bench -- orders pg quick      fewer rounds, for a look
 *     npm run bench -- orders pg profile    with a CPU profile of the server, left in the system's temporary folder
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../support/wait.ts';
import { startLoadGenerator } from './support/load.ts';
import type { LoadGenerator, LoadResult } from './support/load.ts';
import { postgresFixture, sqliteFixture } from './support/order-fixtures.ts';
import type { OrderFixture } from './support/order-fixtures.ts';
import { costOf, familyCpuMicros } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillProcess } from './support/till-process.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
/** More than all rounds together can use. */
const ADDRESSES = 400_000;
const AT_LEAST = 1;
/** No merchant makes so many orders a minute; the load is one. */
const NO_LIMIT = 1_000_000_000;

interface Round extends LoadResult {
  readonly yardstick: number;
  readonly cpuMicrosPerOrder: number;
  readonly loadMicrosPerOrder: number;
  readonly databaseMicrosPerOrder: number;
}

const YARDS: Readonly<Record<string, (folder: string, connections: number) => Promise<OrderFixture>>> = {
  pg: postgresFixture,
  sqlite: sqliteFixture,
};

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(YARDS).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(YARDS) : wanted) {
    await withFolder('orders', (folder) => benchOn(engine, folder, words));
  }
}

async function benchOn(engine: string, folder: string, words: readonly string[]): Promise<void> {
  const profiles = words.includes('profile') ? mkdtempSync(join(tmpdir(), 'tillgate-profile-')) : null;
  const fixture = await (YARDS[engine] as (typeof YARDS)[string])(folder, CONNECTIONS);
  const load = startLoadGenerator();
  try {
    const till = await startTill({
      folder,
      settings: {
        mode: 'sandbox',
        database: fixture.database,
        limits: { requestsPerMinute: NO_LIMIT },
        orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT },
      },
      node: profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    });
    let rounds;
    try {
      rounds = await allRounds(fixture, till, load, words.includes('quick') ? QUICK_ROUNDS : ROUNDS);
    } finally {
      await till.stop();
    }
    present(fixture, rounds);
    if (profiles !== null) console.log(`The server's CPU profile is in ${profiles}`);
  } finally {
    await load.stop();
    await fixture.close();
  }
}

/** The two are measured in turns, so that whatever else the machine does strikes both. */
async function allRounds(
  fixture: OrderFixture,
  till: TillProcess,
  load: LoadGenerator,
  count: number,
): Promise<readonly Round[]> {
  await waitFor(() => fixture.fillPools(ADDRESSES).then(() => true), {
    timeoutMs: 60_000,
    intervalMs: 200,
    describe: 'the first addresses of each chain',
  });
  let { acknowledged } = await oneLoad(till, load, WARM_UP_SECONDS);
  await fixture.measure(WARM_UP_SECONDS);
  const rounds: Round[] = [];
  for (let n = 0; n < count; n++) {
    const costs = (): number[] => [
      costOf(till.pid).cpuMicros,
      costOf(load.pid).cpuMicros,
      fixture.serverPid === null ? 0 : familyCpuMicros(fixture.serverPid),
    ];
    const before = costs();
    const result = await oneLoad(till, load, SECONDS);
    const [cpuMicrosPerOrder = NaN, loadMicrosPerOrder = NaN, databaseMicrosPerOrder = NaN] = costs().map(
      (after, at) => (after - (before[at] ?? NaN)) / result.acknowledged,
    );
    acknowledged += result.acknowledged;
    await checkStored(fixture, acknowledged);
    rounds.push({
      ...result,
      cpuMicrosPerOrder,
      loadMicrosPerOrder,
      databaseMicrosPerOrder,
      yardstick: await fixture.measure(SECONDS),
    });
  }
  return rounds;
}

async function oneLoad(
  { url, apiToken, signingSecret }: TillProcess,
  load: LoadGenerator,
  seconds: number,
): Promise<LoadResult> {
  const result = await load.run({ url, apiToken, signingSecret, connections: CONNECTIONS, seconds });
  if (result.failures.length > 0) throw new Error(`orders were refused:\n${result.failures.join('\n')}`);
  return result;
}

/** A speed at which orders get lost would be worth nothing. */
async function checkStored(fixture: OrderFixture, acknowledged: number): Promise<void> {
  const { orders, addresses, claims } = await fixture.stored();
  if (orders === acknowledged && addresses === orders && claims === orders) return;
  throw new Error(
    `${acknowledged} orders were acknowledged, but stored are ${orders} orders, ${addresses} addresses, ${claims} keys`,
  );
}

function present({ engine, yardstick }: OrderFixture, rounds: readonly Round[]): void {
  const speeds = rounds.map(({ acknowledged, seconds }) => acknowledged / seconds);
  const ratios = rounds.map((round, n) => (speeds[n] ?? NaN) / round.yardstick);
  const cpu = median(rounds.map(({ cpuMicrosPerOrder }) => cpuMicrosPerOrder));
  report({
    bench: 'orders',
    rows: rounds.map((round, n) => ({
      'orders/s': rounded(speeds[n] ?? NaN),
      'yardstick/s': rounded(round.yardstick),
      ratio: rounded(ratios[n] ?? NaN),
      'median ms': rounded(round.medianMs),
      'p99 ms': rounded(round.p99Ms),
      'CPU µs/order: server': rounded(round.cpuMicrosPerOrder),
      database: rounded(round.databaseMicrosPerOrder),
      load: rounded(round.loadMicrosPerOrder),
    })),
    checks: [
      {
        name: `durable pay-info over HTTP on ${engine}, as a multiple of ${yardstick}`,
        value: median(ratios),
        atLeast: AT_LEAST,
      },
    ],
    facts: {
      engine,
      yardstick,
      ordersPerSecond: rounded(median(speeds)),
      yardstickPerSecond: rounded(median(rounds.map((round) => round.yardstick))),
      cpuMicrosPerOrder: rounded(cpu),
      connections: CONNECTIONS,
      rounds: rounds.length,
      seconds: SECONDS,
      authentication: 'signature',
    },
    notes: [
      'Each order: Express, signature, validation, pricing, Idempotency-Key, address from the stored pool, commit, log line to a file.',
      'Signed requests are prepared outside of the rounds. Server, load and database share the cores of this machine, as pgbench and its server do.',
    ],
  });
}

export default { name: 'orders', run };
