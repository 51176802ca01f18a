/**
 * A server of two processes against one of a single process, in turns: orders, and calls through the gateway.
 *
 *     npm run bench -- cores [ROUNDS]     5 rounds
 */
import type { AddressInfo, Server } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { buildTill } from '../../support/till-program.ts';
import { waitFor } from '../../support/wait.ts';
import { appKey } from './support/app-key.ts';
import { startLoadGenerator } from './support/load.ts';
import type { LoadGenerator } from './support/load.ts';
import { LOADED_COIN, postgresFixture } from './support/order-fixtures.ts';
import type { OrderFixture } from './support/order-fixtures.ts';
import { loadRequests } from './support/page-load.ts';
import { requestOf, startUpstream } from './support/plain-node.ts';
import { familyCpuMicros } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillProcess } from './support/till-process.ts';

const PROCESSES = [1, 2] as const;
/** For each process: orders that come at the same time are committed together, and half of them would make smaller groups. */
const CONNECTIONS = 64;
const SECONDS = 4;
const WARM_UP_SECONDS = 3;
const IDLE_MS = 1_000;
const ADDRESSES = 400_000;
const NO_LIMIT = 1_000_000_000;
const HOST = 'eth.gate.example';
/** Load, database and upstream need cores of their own before a second process can double anything: on fewer the factor is only shown. */
const CORES_FOR_ALL = 6;
const FACTOR_AT_LEAST = 1.6;
/** Where all share two cores, which may be two halves of one, the same work takes more processor time the more of it runs at once. */
const COST_AT_MOST = 1.25;

interface Round {
  readonly perSecond: number;
  readonly medianMs: number;
  readonly cpuMicros: number;
}

/** What was measured of each of the two tills, a round an entry. */
type Rounds = ReadonlyMap<number, { readonly orders: Round[]; readonly calls: Round[] }>;

async function run([rounds = '5']: readonly string[]): Promise<void> {
  const program = await buildTill('tillgate-bench-cores');
  await withFolder('cores', async (folder) => {
    const fixture = await postgresFixture(folder, 2 * CONNECTIONS);
    const load = startLoadGenerator();
    const upstream = await startUpstream();
    const tills = new Map<number, TillProcess>();
    try {
      // One till of two servers: whatever else the machine does strikes both.
      for (const processes of PROCESSES)
        tills.set(processes, await started(folder, program, fixture, upstream, processes));
      tell(await measure(tills, fixture, load, Number(rounds)), Number(rounds));
    } finally {
      for (const till of tills.values()) await till.stop();
      upstream.close();
      await load.stop();
      await fixture.close();
    }
  });
}

function started(
  folder: string,
  program: string,
  { database }: OrderFixture,
  upstream: Server,
  processes: number,
): Promise<TillProcess> {
  const { port } = upstream.address() as AddressInfo;
  return startTill({
    folder,
    program,
    settings: {
      mode: 'sandbox',
      processes,
      database,
      limits: { requestsPerMinute: NO_LIMIT },
      orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT },
      gateways: [
        {
          host: HOST,
          chain: 'ETH',
          network: 'devnet',
          protocol: 'jsonrpc',
          upstreams: [`http://127.0.0.1:${port}`],
          limits: { requestsPerSecond: 1_000_000, burst: 1_000_000, concurrency: 100_000 },
        },
      ],
    },
  });
}

/** In turns, after each has warmed up. */
async function measure(
  tills: ReadonlyMap<number, TillProcess>,
  fixture: OrderFixture,
  load: LoadGenerator,
  rounds: number,
): Promise<Rounds> {
  await waitFor(() => fixture.fillPools(ADDRESSES).then(() => true), {
    timeoutMs: 60_000,
    intervalMs: 200,
    describe: 'the first addresses of each chain',
  });
  const found: Rounds = new Map(PROCESSES.map((processes) => [processes, { orders: [], calls: [] }]));
  const key = await appKey([...tills.values()][0] as TillProcess);
  for (const [processes, till] of tills) await makeOrders(till, load, processes, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++)
    for (const [processes, till] of tills)
      found.get(processes)?.orders.push(await costing(till, () => makeOrders(till, load, processes, SECONDS)));
  for (const [processes, till] of tills) await makeCalls(till, key, processes, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++)
    for (const [processes, till] of tills)
      found.get(processes)?.calls.push(await costing(till, () => makeCalls(till, key, processes, SECONDS)));
  return found;
}

/** Processor time of all processes of the till while `work` runs, for each of what it answers with, beyond what they use idle. */
async function costing(till: TillProcess, work: () => Promise<Window>): Promise<Round> {
  const idle = familyCpuMicros(till.pid);
  await pause(IDLE_MS);
  const before = familyCpuMicros(till.pid);
  const began = performance.now();
  const { count, ...round } = await work();
  const used = familyCpuMicros(till.pid) - before;
  const idleShare = (before - idle) / IDLE_MS;
  return { ...round, cpuMicros: (used - idleShare * (performance.now() - began)) / count };
}

/** What a window of load came to. */
type Window = Omit<Round, 'cpuMicros'> & { readonly count: number };

async function makeOrders(
  { url, apiToken, signingSecret }: TillProcess,
  load: LoadGenerator,
  processes: number,
  seconds: number,
): Promise<Window> {
  const result = await load.run({
    url,
    apiToken,
    signingSecret,
    coin: LOADED_COIN,
    connections: processes * CONNECTIONS,
    seconds,
  });
  if (result.failures.length > 0) throw new Error(`orders were refused:\n${result.failures.join('\n')}`);
  const { acknowledged, medianMs } = result;
  return { count: acknowledged, perSecond: acknowledged / result.seconds, medianMs };
}

async function makeCalls({ url }: TillProcess, key: string, processes: number, seconds: number): Promise<Window> {
  const result = await loadRequests(url, [requestOf(HOST, key)], processes * CONNECTIONS, seconds);
  if (result.failures > 0) throw new Error(`${result.failures} calls were refused`);
  return { count: result.requests, perSecond: result.perSecond, medianMs: result.p50Ms };
}

function tell(found: Rounds, rounds: number): void {
  type Part = 'orders' | 'calls';
  const all = (processes: number, part: Part, field: keyof Round): readonly number[] =>
    (found.get(processes)?.[part] ?? []).map((round) => round[field]);
  const middle = (processes: number, part: Part, field: keyof Round): number => median(all(processes, part, field));
  const factor = (part: Part, field: keyof Round): number => {
    const one = all(1, part, field);
    return median(all(2, part, field).map((value, round) => value / (one[round] ?? NaN)));
  };
  const cores = availableParallelism();
  const [ordersFactor, callsFactor] = [factor('orders', 'perSecond'), factor('calls', 'perSecond')];
  report({
    bench: 'cores',
    rows: PROCESSES.map((processes) => ({
      processes,
      'orders/s': rounded(middle(processes, 'orders', 'perSecond')),
      'median ms': rounded(middle(processes, 'orders', 'medianMs')),
      'CPU µs/order': rounded(middle(processes, 'orders', 'cpuMicros')),
      'calls/s': rounded(middle(processes, 'calls', 'perSecond')),
      'median ms of a call': rounded(middle(processes, 'calls', 'medianMs')),
      'CPU µs/call': rounded(middle(processes, 'calls', 'cpuMicros')),
    })),
    checks: [
      ...(cores < CORES_FOR_ALL
        ? []
        : [{ name: 'calls/s of two processes ÷ one', value: callsFactor, atLeast: FACTOR_AT_LEAST }]),
      { name: 'CPU per order of two processes ÷ one', value: factor('orders', 'cpuMicros'), atMost: COST_AT_MOST },
      { name: 'CPU per call of two processes ÷ one', value: factor('calls', 'cpuMicros'), atMost: COST_AT_MOST },
    ],
    facts: {
      ordersFactor: rounded(ordersFactor),
      callsFactor: rounded(callsFactor),
      rounds,
      seconds: SECONDS,
      connections: CONNECTIONS,
      coresForAll: CORES_FOR_ALL,
    },
    notes: [
      `Load, database and upstream share the ${cores} cores with the processes: with fewer than ${CORES_FOR_ALL} a second process finds no free core, and the factor is no target.`,
      "All orders are one merchant's, and wait for each other at the counter of its account in whichever process: their factor is shown, and no target.",
      'CPU is that of all processes of the till; what it costs no more of, it can do as often as there are cores.',
    ],
  });
}

export default { name: 'cores', run };
