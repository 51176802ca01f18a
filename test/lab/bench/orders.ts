/**
 * Durable orders over HTTP against the database's own speed.
 *
 *     npm run bench -- orders               on PostgreSQL, then on SQLite
 *     npm run bench -- orders sqlite        on one of them
 *     npm run bench -- orders pg quick      fewer rounds, for a look
 *     npm run bench -- orders pg profile    with a CPU profile of each process, left in the system's temporary folder
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../support/wait.ts';
import { startLoadGenerator } from './support/load.ts';
import type { LoadGenerator, LoadResult } from './support/load.ts';
import { startBareTill } from './support/bare-till.ts';
import type { OrderServer } from './support/bare-till.ts';
import { LOADED_COIN, postgresFixture, sqliteFixture } from './support/order-fixtures.ts';
import type { OrderDatabase, OrderFixture } from './support/order-fixtures.ts';
import { costOf, familyCpuMicros } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
/** More than all rounds together can use. */
const ADDRESSES = 400_000;
/** An order's processor time in all processes of the till, in microseconds. */
const CPU_AT_MOST = 120;
/** The same, as a multiple of a bare program that stores the same rows. */
const BARE_AT_MOST = 1.5;
/** No merchant makes so many orders a minute; the load is one. */
const NO_LIMIT = 1_000_000_000;

/** What an engine is measured with, and how many times the yardstick's commits its orders should be. */
interface Yard {
  readonly open: (folder: string, connections: number) => Promise<OrderFixture>;
  readonly atLeast: number;
}

const YARDS: Readonly<Record<string, Yard>> = {
  pg: { open: postgresFixture, atLeast: 1 },
  sqlite: { open: sqliteFixture, atLeast: 2.5 },
};

/** A till of the comparison, or the bare program, on a database of its own. */
interface Contender {
  readonly name: string;
  readonly till: OrderServer;
  readonly place: OrderDatabase;
  readonly rounds: Round[];
  acknowledged: number;
}

interface Round extends LoadResult {
  readonly perSecond: number;
  readonly cpuMicrosPerOrder: number;
  readonly loadMicrosPerOrder: number;
  readonly databaseMicrosPerOrder: number;
  readonly walBytesPerOrder: number;
}

/** The till that is judged, and the program that stores the same rows with the least work. */
const ONE = 'till';
const BARE = 'bare';

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(YARDS).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(YARDS) : wanted) {
    await withFolder('orders', (folder) => benchOn(YARDS[engine] as Yard, folder, words));
  }
}

async function benchOn({ open, atLeast }: Yard, folder: string, words: readonly string[]): Promise<void> {
  const profiles = words.includes('profile') ? mkdtempSync(join(tmpdir(), 'tillgate-profile-')) : null;
  const node = profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const fixture = await open(folder, CONNECTIONS);
  const load = startLoadGenerator();
  const contenders: Contender[] = [];
  let yardsticks;
  try {
    contenders.push(await contender(folder, fixture, { name: ONE, processes: 1 }, node));
    if (fixture.another !== null) {
      const two = { name: 'till of two processes', processes: 2 };
      contenders.push(await contender(folder, await fixture.another('another_till'), two, node));
      contenders.push(await bare(folder, await fixture.another('bare'), load, node));
    }
    yardsticks = await allRounds(fixture, contenders, load, words.includes('quick') ? QUICK_ROUNDS : ROUNDS);
  } finally {
    for (const { till } of contenders) await till.stop();
    await load.stop();
    await fixture.close();
  }
  present(fixture, contenders, yardsticks, atLeast);
  if (profiles !== null) console.log(`The CPU profiles are in ${profiles}`);
}

/** A till of so many processes. Its folder is its own, as its secrets are. */
async function contender(
  folder: string,
  place: OrderDatabase,
  { name, processes }: { readonly name: string; readonly processes: number },
  node: readonly string[],
): Promise<Contender> {
  const own = mkdtempSync(join(folder, 'till-'));
  const till = await startTill({
    folder: own,
    settings: {
      mode: 'sandbox',
      processes,
      database: place.database,
      limits: { requestsPerMinute: NO_LIMIT },
      orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT },
    },
    node,
  });
  return { name, till, place, rounds: [], acknowledged: 0 };
}

/** The bare program, on a database in which a till has stored orders: it stores such rows. */
async function bare(
  folder: string,
  place: OrderDatabase,
  load: LoadGenerator,
  node: readonly string[],
): Promise<Contender> {
  const first = await contender(folder, place, { name: BARE, processes: 1 }, []);
  try {
    await oneLoad(first, load, 1);
  } finally {
    await first.till.stop();
  }
  const { database } = place;
  if (database.client !== 'pg') throw new Error('the bare program is one of PostgreSQL');
  const { apiToken, signingSecret } = first.till;
  const till = await startBareTill({ connection: String(database.connection), apiToken, signingSecret }, node);
  return { ...first, till };
}

/**
 * The tills and the yardstick are measured in turns, so that whatever else the machine does strikes all.
 *
 * @returns the yardstick's speed of each round
 */
async function allRounds(
  fixture: OrderFixture,
  contenders: readonly Contender[],
  load: LoadGenerator,
  count: number,
): Promise<readonly number[]> {
  for (const { name, place } of contenders)
    if (name !== BARE)
      await waitFor(() => place.fillPools(ADDRESSES).then(() => true), {
        timeoutMs: 60_000,
        intervalMs: 200,
        describe: 'the first addresses of each chain',
      });
  for (const each of contenders) await oneLoad(each, load, WARM_UP_SECONDS);
  await fixture.measure(WARM_UP_SECONDS);
  const yardsticks: number[] = [];
  for (let n = 0; n < count; n++) {
    for (const each of contenders) await oneRound(fixture, each, load);
    yardsticks.push(await fixture.measure(SECONDS));
  }
  return yardsticks;
}

async function oneRound({ serverPid }: OrderFixture, contending: Contender, load: LoadGenerator): Promise<void> {
  const costs = (): number[] => [
    familyCpuMicros(contending.till.pid),
    costOf(load.pid).cpuMicros,
    serverPid === null ? 0 : familyCpuMicros(serverPid),
  ];
  const walBefore = (await contending.place.walBytes?.()) ?? 0;
  const before = costs();
  const result = await oneLoad(contending, load, SECONDS);
  const [cpuMicrosPerOrder = NaN, loadMicrosPerOrder = NaN, databaseMicrosPerOrder = NaN] = costs().map(
    (after, at) => (after - (before[at] ?? NaN)) / result.acknowledged,
  );
  const walBytes = ((await contending.place.walBytes?.()) ?? 0) - walBefore;
  await checkStored(contending);
  contending.rounds.push({
    ...result,
    walBytesPerOrder: walBytes / result.acknowledged,
    perSecond: result.acknowledged / result.seconds,
    cpuMicrosPerOrder,
    loadMicrosPerOrder,
    databaseMicrosPerOrder,
  });
}

async function oneLoad(contending: Contender, load: LoadGenerator, seconds: number): Promise<LoadResult> {
  const { url, apiToken, signingSecret } = contending.till;
  const result = await load.run({ url, apiToken, signingSecret, coin: LOADED_COIN, connections: CONNECTIONS, seconds });
  if (result.failures.length > 0) throw new Error(`orders were refused:\n${result.failures.join('\n')}`);
  contending.acknowledged += result.acknowledged;
  return result;
}

/** A speed at which orders get lost would be worth nothing. */
async function checkStored({ place, acknowledged }: Contender): Promise<void> {
  const { orders, addresses, claims } = await place.stored();
  if (orders === acknowledged && addresses === orders && claims === orders) return;
  throw new Error(
    `${acknowledged} orders were acknowledged, but stored are ${orders} orders, ${addresses} addresses, ${claims} keys`,
  );
}

function present(
  { engine, yardstick }: OrderFixture,
  contenders: readonly Contender[],
  yardsticks: readonly number[],
  atLeast: number,
): void {
  const found = contenders.map(({ name, rounds }) => {
    const middle = (field: keyof Round): number => median(rounds.map((round) => round[field] as number));
    return {
      name,
      perSecond: middle('perSecond'),
      ratio: median(rounds.map(({ perSecond }, n) => perSecond / (yardsticks[n] ?? NaN))),
      cpuMicrosPerOrder: middle('cpuMicrosPerOrder'),
      databaseMicrosPerOrder: middle('databaseMicrosPerOrder'),
      walBytesPerOrder: middle('walBytesPerOrder'),
    };
  });
  const tills = found.filter(({ name }) => name !== BARE);
  const least = found.find(({ name }) => name === BARE);
  report({
    bench: 'orders',
    rows: yardsticks.flatMap((speed, n) =>
      contenders.map(({ name, rounds }) => rowOf(name, rounds[n] as Round, speed)),
    ),
    checks: [
      {
        name: `durable pay-info over HTTP on ${engine}, as a multiple of ${yardstick}`,
        value: Math.max(...tills.map(({ ratio }) => ratio)),
        atLeast,
      },
      ...tills.map(({ name, cpuMicrosPerOrder }) => ({
        name: `µs of the server's processor time for an order on ${engine}, ${name}`,
        value: cpuMicrosPerOrder,
        atMost: CPU_AT_MOST,
      })),
      ...tills.flatMap(({ name, cpuMicrosPerOrder }) =>
        least === undefined || name !== ONE
          ? []
          : [
              {
                name: `processor time of the server on ${engine}, as a multiple of a bare program's that stores the same rows`,
                value: cpuMicrosPerOrder / least.cpuMicrosPerOrder,
                atMost: BARE_AT_MOST,
              },
            ],
      ),
    ],
    facts: {
      engine,
      yardstick,
      yardstickPerSecond: rounded(median(yardsticks)),
      found: found.map((each) => ({
        ...each,
        perSecond: rounded(each.perSecond),
        ratio: rounded(each.ratio),
        cpuMicrosPerOrder: rounded(each.cpuMicrosPerOrder),
        databaseMicrosPerOrder: rounded(each.databaseMicrosPerOrder),
        walBytesPerOrder: rounded(each.walBytesPerOrder),
      })),
      connections: CONNECTIONS,
      rounds: yardsticks.length,
      seconds: SECONDS,
      authentication: 'signature',
    },
    notes: [
      'Each order: HTTP, signature, validation, pricing, Idempotency-Key, address from the stored pool, commit, log line to a file.',
      'Signed requests are prepared outside of the rounds. Server, load and database share the cores of this machine, as pgbench and its server do.',
      'The bare program checks the same signature and stores the same rows, and does nothing else.',
      'The multiple is that of the faster till; each has a database of its own.',
    ],
  });
}

function rowOf(name: string, round: Round, yardstick: number): object {
  return {
    name,
    'orders/s': rounded(round.perSecond),
    'yardstick/s': rounded(yardstick),
    ratio: rounded(round.perSecond / yardstick),
    'median ms': rounded(round.medianMs),
    'p99 ms': rounded(round.p99Ms),
    'CPU µs/order: server': rounded(round.cpuMicrosPerOrder),
    database: rounded(round.databaseMicrosPerOrder),
    load: rounded(round.loadMicrosPerOrder),
    'WAL bytes': rounded(round.walBytesPerOrder),
  };
}

export default { name: 'orders', run };
