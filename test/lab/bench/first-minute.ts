/**
 * A server in its first minute, with the address pool of its first start: almost every order has an address derived for
 * it, by code that is not compiled yet. Against the same server afterwards, with addresses that were derived before.
 *
 *     npm run bench -- first-minute               on PostgreSQL, then on SQLite
 *     npm run bench -- first-minute sqlite        on one of them
 *     npm run bench -- first-minute pg profile    with a CPU profile, left in the system's temporary folder
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTill } from '../../support/till-program.ts';
import { waitFor } from '../../support/wait.ts';
import { startLoadGenerator } from './support/load.ts';
import type { LoadGenerator, LoadResult } from './support/load.ts';
import { LOADED_COIN, postgresFixture, sqliteFixture } from './support/order-fixtures.ts';
import type { OrderFixture } from './support/order-fixtures.ts';
import { familyCpuMicros } from './support/process-cost.ts';
import { report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillProcess } from './support/till-process.ts';

const CONNECTIONS = 64;
/** The first minute, in parts. */
const PART_SECONDS = 10;
const PARTS = 6;
/** More than the later parts can use. */
const ADDRESSES = 200_000;
const LATER_PARTS = 3;
const RATIO_AT_MOST = 2;
/** No merchant makes so many orders a minute; the load is one. */
const NO_LIMIT = 1_000_000_000;

const ENGINES: Readonly<Record<string, (folder: string, connections: number) => Promise<OrderFixture>>> = {
  pg: postgresFixture,
  sqlite: sqliteFixture,
};

interface Part extends LoadResult {
  readonly cpuMicros: number;
}

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(ENGINES).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(ENGINES) : wanted) {
    await withFolder('first-minute', (folder) => benchOn(engine, folder, words.includes('profile')));
  }
}

async function benchOn(engine: string, folder: string, profiled: boolean): Promise<void> {
  const profiles = profiled ? mkdtempSync(join(tmpdir(), 'tillgate-profile-')) : null;
  const program = await buildTill('tillgate-bench-first-minute');
  const fixture = await (ENGINES[engine] as (typeof ENGINES)[string])(folder, CONNECTIONS);
  const load = startLoadGenerator();
  try {
    const till = await startTill({
      folder,
      program,
      settings: {
        mode: 'sandbox',
        database: fixture.database,
        limits: { requestsPerMinute: NO_LIMIT },
        orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT },
      },
      node: profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    });
    try {
      const first = await parts(till, load, PARTS);
      await waitFor(() => fixture.fillPools(ADDRESSES).then(() => true), {
        describe: 'addresses in the pool of each chain',
      });
      const later = await parts(till, load, LATER_PARTS + 1);
      // The first of them uses up what the worker had derived, and fills the caches of the database again.
      present(fixture.engine, first, later.slice(1));
    } finally {
      await till.stop();
    }
  } finally {
    await load.stop();
    await fixture.close();
  }
  if (profiles !== null) console.log(`The CPU profile is in ${profiles}`);
}

async function parts(till: TillProcess, load: LoadGenerator, count: number): Promise<readonly Part[]> {
  const { url, apiToken, signingSecret } = till;
  const order = { url, apiToken, signingSecret, coin: LOADED_COIN, connections: CONNECTIONS, seconds: PART_SECONDS };
  const found: Part[] = [];
  for (let n = 0; n < count; n++) {
    const before = familyCpuMicros(till.pid);
    const result = await load.run(order);
    if (result.failures.length > 0) throw new Error(`orders were refused:\n${result.failures.join('\n')}`);
    found.push({ ...result, cpuMicros: familyCpuMicros(till.pid) - before });
  }
  return found;
}

function present(engine: string, first: readonly Part[], later: readonly Part[]): void {
  const [cold, warm] = [first, later].map(
    (some) => sum(some, ({ cpuMicros }) => cpuMicros) / sum(some, ({ acknowledged }) => acknowledged),
  ) as [number, number];
  const rows = (name: string, some: readonly Part[]): object[] =>
    some.map(({ acknowledged, seconds, cpuMicros, medianMs, p99Ms }) => ({
      '10 seconds of': name,
      'orders/s': rounded(acknowledged / seconds),
      'median ms': rounded(medianMs),
      'p99 ms': rounded(p99Ms),
      'CPU µs/order: server': rounded(cpuMicros / acknowledged),
    }));
  report({
    bench: 'first-minute',
    rows: [...rows('the first minute', first), ...rows('afterwards, addresses derived before', later)],
    checks: [
      {
        name: `µs of the server's processor time for an order on ${engine}, in its first minute ÷ afterwards`,
        value: cold / warm,
        atMost: RATIO_AT_MOST,
      },
    ],
    facts: { engine, firstMicros: rounded(cold), laterMicros: rounded(warm), connections: CONNECTIONS },
    notes: [
      'The server is a bundled program with the settings of the sandbox, except its limits of a merchant. Load and database share its cores.',
    ],
  });
}

function sum(some: readonly Part[], of: (part: Part) => number): number {
  return some.reduce((total, part) => total + of(part), 0);
}

export default { name: 'first-minute', run };
