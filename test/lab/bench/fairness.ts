/**
 * What one account that does its worst costs another.
 *
 *     npm run bench -- fairness                     on SQLite, then on PostgreSQL
 *     npm run bench -- fairness sqlite              on one of them
 *     npm run bench -- fairness sqlite wide-lists   one kind of attack, or several
 *     npm run bench -- fairness sqlite quick        fewer rounds, for a look
 */
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../support/wait.ts';
import { startCrowd } from './support/crowd.ts';
import type { Crowd, CrowdResult } from './support/crowd.ts';
import { ATTACKING_CONNECTIONS, ATTACKS, healthyMix, seedOrders } from './support/fairness-requests.ts';
import type { Attack, Caller } from './support/fairness-requests.ts';
import { postgresFixture, sqliteFixture } from './support/order-fixtures.ts';
import type { OrderFixture } from './support/order-fixtures.ts';
import { costOf, familyCpuMicros } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';
import type { TillProcess } from './support/till-process.ts';

const HEALTHY_CONNECTIONS = 4;
const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const SECONDS = 2;
const WARM_UP_SECONDS = 3;
/** The attack begins so long before the healthy account is measured, and ends as much later. */
const LEAD_SECONDS = 1;
const ADDRESSES = 400_000;
const ATTACKERS_ORDERS = 1000;
const HEALTHY_ORDERS = 50;
const AT_LEAST = 0.5;
const NO_LIMIT = 1_000_000_000;
/** The default: more than the healthy account asks in a minute, and used up by the other in some seconds. */
const REQUESTS_PER_MINUTE = 60_000;
const USE_UP_SECONDS = 5;

const ENGINES: Readonly<Record<string, (folder: string, connections: number) => Promise<OrderFixture>>> = {
  sqlite: sqliteFixture,
  pg: postgresFixture,
};

/** Cores in use, by process. */
type Cores = Readonly<Record<'server' | 'database' | 'healthy' | 'attacker', number>>;

/** A calm window and one under attack. */
interface Round {
  readonly calm: CrowdResult;
  readonly attacked: CrowdResult;
  readonly attack: CrowdResult;
  readonly cores: Cores;
}

interface Case {
  readonly attack: Attack;
  readonly connections: number;
  readonly rounds: readonly Round[];
}

/** Everybody in the bench. */
interface Stage {
  readonly till: TillProcess;
  readonly fixture: OrderFixture;
  readonly healthy: Crowd;
  readonly other: Crowd;
  readonly mix: readonly string[];
  readonly attacker: Caller;
}

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(ENGINES).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(ENGINES) : wanted)
    await withFolder('fairness', (folder) => benchOn(engine, folder, words));
}

async function benchOn(engine: string, folder: string, words: readonly string[]): Promise<void> {
  const fixture = await (ENGINES[engine] as (typeof ENGINES)[string])(folder, HEALTHY_CONNECTIONS);
  const [healthy, other] = [startCrowd(), startCrowd()];
  const chosen = ATTACKS.filter(({ name }) => words.includes(name));
  const attacks = chosen.length === 0 ? ATTACKS : chosen;
  const cases: Case[] = [];
  try {
    for (const beyondLimit of [false, true]) {
      const some = attacks.filter((attack) => (attack.beyondLimit ?? false) === beyondLimit);
      if (some.length === 0) continue;
      const till = await startTill({
        folder,
        settings: {
          mode: 'sandbox',
          database: fixture.database,
          limits: { requestsPerMinute: beyondLimit ? REQUESTS_PER_MINUTE : NO_LIMIT },
          orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT },
        },
      });
      const all = allCases({ till, fixture, healthy, other }, some, words.includes('quick') ? QUICK_ROUNDS : ROUNDS);
      try {
        cases.push(...(await all));
      } finally {
        await till.stop();
      }
    }
    present(fixture.engine, cases);
  } finally {
    for (const crowd of [healthy, other]) await crowd.stop();
    await fixture.close();
  }
}

async function allCases(
  parts: Omit<Stage, 'mix' | 'attacker'>,
  attacks: readonly Attack[],
  rounds: number,
): Promise<readonly Case[]> {
  const { till, fixture } = parts;
  await waitFor(() => fixture.fillPools(ADDRESSES).then(() => true), {
    timeoutMs: 60_000,
    intervalMs: 200,
    describe: 'the first addresses of each chain',
  });
  const attacker = await secondAccount(till);
  await seedOrders(attacker, ATTACKERS_ORDERS);
  const stage = { ...parts, attacker, mix: healthyMix(till, await seedOrders(till, HEALTHY_ORDERS)) };
  await healthyFor(stage, WARM_UP_SECONDS);
  const cases: Case[] = [];
  for (const attack of attacks)
    for (const connections of attack.connections ?? ATTACKING_CONNECTIONS)
      cases.push({ attack, connections, rounds: await oneCase(stage, attack, connections, rounds) });
  return cases;
}

async function secondAccount(till: TillProcess): Promise<Caller> {
  const words = [
    'account',
    'create',
    '--email',
    `${Date.now()}@rival.example`,
    '--password',
    'seven different hats of wool',
  ];
  const { id } = (await till.command(words)) as { readonly id: string };
  const made = await till.command(['credential', 'create', '--account', id]);
  const { api_key, api_token } = made as { readonly api_key: string; readonly api_token: string };
  return { url: till.url, apiKey: api_key, apiToken: api_token };
}

/** Calm and attacked windows in turns, so that whatever else the machine does strikes both. */
async function oneCase(stage: Stage, attack: Attack, connections: number, count: number): Promise<readonly Round[]> {
  const requests = attack.requests(stage.attacker);
  if (attack.beyondLimit === true) await useUp(stage, requests);
  const rounds: Round[] = [];
  for (let n = 0; n < count; n++) {
    const calm = await healthyFor(stage, SECONDS);
    const seconds = SECONDS + 2 * LEAD_SECONDS;
    const attacking = stage.other.send({
      url: stage.till.url,
      requests,
      connections,
      seconds,
      pauseMs: attack.pauseMs ?? 0,
    });
    await pause(LEAD_SECONDS * 1000);
    const before = cpu(stage);
    const attacked = await healthyFor(stage, SECONDS);
    const cores = usedSince(before, cpu(stage), attacked.seconds);
    rounds.push({ calm, attacked, attack: await attacking, cores });
  }
  return rounds;
}

/** @throws Error when the healthy account is refused: a speed of refusals would be worth nothing */
async function healthyFor(
  { healthy, till, mix }: Pick<Stage, 'healthy' | 'till' | 'mix'>,
  seconds: number,
): Promise<CrowdResult> {
  const result = await healthy.send({ url: till.url, requests: mix, connections: HEALTHY_CONNECTIONS, seconds });
  if (result.refusal !== null) throw new Error(`the healthy account was refused:\n${result.refusal}`);
  return result;
}

/** Sends until the account's minute is used up. */
async function useUp({ other, till }: Stage, requests: readonly string[]): Promise<void> {
  for (let limited = 0; limited === 0;) {
    const { statuses } = await other.send({ url: till.url, requests, connections: 64, seconds: USE_UP_SECONDS });
    limited = statuses[429] ?? 0;
  }
}

function cpu({ till, fixture, healthy, other }: Stage): Cores {
  return {
    server: costOf(till.pid).cpuMicros,
    database: fixture.serverPid === null ? 0 : familyCpuMicros(fixture.serverPid),
    healthy: costOf(healthy.pid).cpuMicros,
    attacker: costOf(other.pid).cpuMicros,
  };
}

function usedSince(before: Cores, after: Cores, seconds: number): Cores {
  const used = (name: keyof Cores): number => (after[name] - before[name]) / 1e6 / seconds;
  return { server: used('server'), database: used('database'), healthy: used('healthy'), attacker: used('attacker') };
}

const speed = ({ answered, seconds }: CrowdResult): number => answered / seconds;

function present(engine: string, cases: readonly Case[]): void {
  const ratioOf = ({ rounds }: Case): number =>
    median(rounds.map(({ calm, attacked }) => speed(attacked) / speed(calm)));
  report({
    bench: 'fairness',
    rows: cases.map((each) => rowOf(each, ratioOf(each))),
    checks: cases.map((each) => ({
      name: `speed of a healthy account beside ${each.connections} connections with ${each.attack.name} on ${engine}, as a share of its speed alone`,
      value: ratioOf(each),
      atLeast: AT_LEAST,
    })),
    facts: { engine, healthyConnections: HEALTHY_CONNECTIONS, rounds: cases[0]?.rounds.length ?? 0, seconds: SECONDS },
    notes: [
      'Medians of pairs of windows. The healthy account makes orders, looks at them and lists them; each connection has one request on its way.',
      'Both clients, each in a process of its own, and the database share the cores with the server; the last columns say how many cores each used under attack.',
    ],
  });
}

function rowOf({ attack, connections, rounds }: Case, ratio: number): object {
  const middle = (value: (round: Round) => number): number => rounded(median(rounds.map(value)));
  return {
    attack: attack.name,
    connections,
    ratio: rounded(ratio),
    'alone/s': middle(({ calm }) => speed(calm)),
    'attacked/s': middle(({ attacked }) => speed(attacked)),
    'attack/s': middle((round) => speed(round.attack)),
    'p99 ms alone': middle(({ calm }) => calm.p99Ms),
    'p99 ms attacked': middle(({ attacked }) => attacked.p99Ms),
    answers: Object.keys(rounds.at(-1)?.attack.statuses ?? {}).join(' '),
    server: middle(({ cores }) => cores.server),
    database: middle(({ cores }) => cores.database),
    healthy: middle(({ cores }) => cores.healthy),
    attacker: middle(({ cores }) => cores.attacker),
  };
}

export default { name: 'fairness', run };
