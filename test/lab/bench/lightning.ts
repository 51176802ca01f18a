/**
 * Durable Lightning orders over HTTP, each with an invoice of its own from a node that speaks lnd's REST interface.
 *
 *     npm run bench -- lightning               on PostgreSQL, then on SQLite
 *     npm run bench -- lightning sqlite        on one of them
 *     npm run bench -- lightning pg profile    with a CPU profile of the till, left in the system's temporary folder
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SettingsInput } from '../../../host/index.ts';
import { startDurablePostgres } from './support/durable-postgres.ts';
import { lightningSettings, startLightningNode } from './support/lightning-process.ts';
import { startLoadGenerator } from './support/load.ts';
import type { LoadGenerator, LoadResult } from './support/load.ts';
import { familyCpuMicros } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillProcess } from './support/till-process.ts';

const COIN = { chain: 'BLN', currency: 'BTC-LN' } as const;
const CONNECTIONS = 64;
const ROUNDS = 5;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
/** An order's processor time in the till, in microseconds. */
const CPU_AT_MOST = 1_000;

interface Place {
  readonly database: NonNullable<SettingsInput['database']>;
  close(): Promise<void>;
}

const PLACES: Readonly<Record<string, (folder: string) => Promise<Place>>> = {
  pg: async () => {
    const cluster = await startDurablePostgres();
    return { database: { client: 'pg', connection: cluster.url }, close: () => cluster.stop() };
  },
  sqlite: (folder) =>
    Promise.resolve({
      database: { client: 'sqlite', filename: join(folder, 'till.db') },
      close: () => Promise.resolve(),
    }),
};

interface Round extends LoadResult {
  readonly cpuMicrosPerOrder: number;
}

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(PLACES).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(PLACES) : wanted) {
    await withFolder('lightning', (folder) => benchOn(engine, folder, words.includes('profile')));
  }
}

async function benchOn(engine: string, folder: string, profiled: boolean): Promise<void> {
  const profiles = profiled ? mkdtempSync(join(tmpdir(), 'tillgate-profile-')) : null;
  const place = await (PLACES[engine] as (typeof PLACES)[string])(folder);
  const node = await startLightningNode();
  const load = startLoadGenerator();
  try {
    const till = await startTill({
      folder,
      settings: { ...lightningSettings(folder, node.facts), database: place.database },
      node: profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    });
    try {
      await oneRound(till, load, WARM_UP_SECONDS);
      const rounds: Round[] = [];
      for (let n = 0; n < ROUNDS; n++) rounds.push(await oneRound(till, load, SECONDS));
      present(engine, rounds);
    } finally {
      await till.stop();
    }
  } finally {
    await load.stop();
    await node.stop();
    await place.close();
  }
  if (profiles !== null) console.log(`The CPU profile is in ${profiles}`);
}

async function oneRound(till: TillProcess, load: LoadGenerator, seconds: number): Promise<Round> {
  const { url, apiToken, signingSecret } = till;
  const before = familyCpuMicros(till.pid);
  const result = await load.run({ url, apiToken, signingSecret, coin: COIN, connections: CONNECTIONS, seconds });
  if (result.failures.length > 0) throw new Error(`orders were refused:\n${result.failures.join('\n')}`);
  return { ...result, cpuMicrosPerOrder: (familyCpuMicros(till.pid) - before) / result.acknowledged };
}

function present(engine: string, rounds: readonly Round[]): void {
  const cpu = median(rounds.map(({ cpuMicrosPerOrder }) => cpuMicrosPerOrder));
  const speeds = rounds.map(({ acknowledged, seconds }) => acknowledged / seconds);
  report({
    bench: 'lightning',
    rows: rounds.map((round, n) => ({
      'orders/s': rounded(speeds[n] ?? NaN),
      'median ms': rounded(round.medianMs),
      'p99 ms': rounded(round.p99Ms),
      'CPU µs/order: server': rounded(round.cpuMicrosPerOrder),
    })),
    checks: [{ name: `µs of the server's processor time for an order on ${engine}`, value: cpu, atMost: CPU_AT_MOST }],
    facts: { engine, perSecond: rounded(median(speeds)), connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS },
    notes: [
      'The node signs each invoice in JavaScript, on the same cores: it bounds the orders a second, not their cost.',
    ],
  });
}

export default { name: 'lightning', run };
