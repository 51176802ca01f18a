import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildTill } from '../../../support/till-program.ts';
import { startDurablePostgres } from './durable-postgres.ts';
import type { DurablePostgres } from './durable-postgres.ts';
import { LOAD_CORE, PROXY_CORE } from './gateway-fixture.ts';
import { HEAD_END, Line } from './line.ts';
import { lightningSettings, startLightningNode } from './lightning-process.ts';
import type { LightningNodeProcess } from './lightning-process.ts';
import { installLnbits, LNBITS_VERSION, startLnbits } from './lnbits.ts';
import { startLoadGenerator } from './load.ts';
import { familyCpuMicros } from './process-cost.ts';
import { PIN } from './pinned.ts';
import { median, report, rounded } from './report.ts';
import { withFolder } from './temp-folder.ts';
import { startTill } from './till-process.ts';

const COIN = { chain: 'BLN', currency: 'BTC-LN' } as const;
const CONNECTIONS = 64;
const ROUNDS = 3;
const SECONDS = 5;
const WARM_UP_SECONDS = 4;
const ENGINES = ['SQLite', 'PostgreSQL'] as const;

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** A server that makes invoices, alone on one core. */
interface Maker {
  readonly name: string;
  readonly does: string;
  readonly pid: number;
  readonly rounds: Round[];
  /** Invoices made in so many seconds. */
  load(seconds: number): Promise<{ readonly made: number; readonly seconds: number }>;
  stop(): Promise<void>;
}

/** Lightning orders and invoices by one node, in turns. */
export async function measureInvoices(): Promise<void> {
  const lnbits = await installLnbits().catch((error: unknown) => {
    const [why = ''] = String(error).split('\n');
    console.log(`LNbits is left out, since it cannot be installed here: ${why}`);
    return null;
  });
  const cluster = await startDurablePostgres().catch(() => null);
  if (cluster === null) console.log('PostgreSQL is left out: there is none with pgbench.');
  const node = await startLightningNode();
  moveTo(LOAD_CORE, node.pid);
  const makers: Maker[] = [];
  try {
    await withFolder('peers', async (folder) => {
      try {
        for (const engine of ENGINES) {
          if (engine === 'PostgreSQL' && cluster === null) continue;
          const place = { folder: join(folder, engine), cluster: engine === 'PostgreSQL' ? cluster : null, node };
          mkdirSync(place.folder);
          makers.push(await ours(engine, place));
          if (lnbits !== null) makers.push(await theirs(engine, place, lnbits));
        }
        for (const maker of makers) await maker.load(WARM_UP_SECONDS);
        for (let n = 0; n < ROUNDS; n++) for (const maker of makers) maker.rounds.push(await oneRound(maker));
      } finally {
        for (const maker of makers) await maker.stop();
      }
    });
  } finally {
    await node.stop();
    await cluster?.stop();
  }
  present(makers);
}

interface Place {
  readonly folder: string;
  /** `null`: SQLite in the folder. */
  readonly cluster: DurablePostgres | null;
  readonly node: LightningNodeProcess;
}

async function ours(engine: string, { folder, cluster, node }: Place): Promise<Maker> {
  const till = await startTill({
    folder,
    program: await buildTill('tillgate-bench-peers'),
    core: PROXY_CORE,
    settings: {
      ...lightningSettings(folder, node.facts),
      database:
        cluster === null
          ? { client: 'sqlite', filename: join(folder, 'till.db') }
          : { client: 'pg', connection: cluster.url },
    },
  });
  const generator = startLoadGenerator();
  moveTo(LOAD_CORE, generator.pid);
  const { url, apiToken, signingSecret, pid } = till;
  return {
    name: `Tillgate, ${engine}`,
    does: 'a signed order with a price in euros, converted and frozen, its callbacks and its Idempotency-Key',
    pid,
    rounds: [],
    load: async (seconds) => {
      const order = { url, apiToken, signingSecret, coin: COIN, connections: CONNECTIONS, seconds };
      const result = await generator.run(order);
      if (result.failures.length > 0) throw new Error(`orders were refused:\n${result.failures.join('\n')}`);
      return { made: result.acknowledged, seconds: result.seconds };
    },
    stop: async () => {
      await till.stop();
      await generator.stop();
    },
  };
}

async function theirs(engine: string, { folder, cluster, node }: Place, program: string): Promise<Maker> {
  const databaseUrl = cluster === null ? null : (await cluster.create('lnbits')).url;
  const lnbits = await startLnbits({ program, folder, node: node.facts, databaseUrl, core: PROXY_CORE });
  return {
    name: `LNbits ${LNBITS_VERSION}, ${engine}`,
    does: 'an invoice over satoshis for a wallet, by the wallet’s key',
    pid: lnbits.pid,
    rounds: [],
    load: (seconds) => makeInvoices(lnbits, seconds),
    stop: lnbits.stop,
  };
}

/** Over each connection the next invoice once the last is answered. */
async function makeInvoices(
  { url, key }: { readonly url: string; readonly key: string },
  seconds: number,
): Promise<{ made: number; seconds: number }> {
  const start = performance.now();
  let [made, sent] = [0, 0];
  const customers = async (): Promise<void> => {
    const line = new Line(url);
    while (performance.now() - start < seconds * 1000) {
      const body = JSON.stringify({ out: false, amount: 1000 + (sent++ % 500), unit: 'sat', memo: 'an order' });
      const head = `POST /api/v1/payments HTTP/1.1\r\nHost: lnbits\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      const reply = await line.ask(`${head}${HEAD_END}${body}`);
      if (!reply.startsWith('HTTP/1.1 201 ')) throw new Error(`LNbits refused an invoice:\n${reply}`);
      made += 1;
    }
    line.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, customers));
  return { made, seconds: (performance.now() - start) / 1000 };
}

async function oneRound(maker: Maker): Promise<Round> {
  const before = familyCpuMicros(maker.pid);
  const { made, seconds } = await maker.load(SECONDS);
  return { perSecond: made / seconds, cpuMicros: (familyCpuMicros(maker.pid) - before) / made };
}

/** Leaves the other core to what is measured. */
function moveTo(core: string, pid: number): void {
  execFileSync(PIN, ['-a', '-p', '-c', core, String(pid)], { stdio: 'ignore' });
}

function present(makers: readonly Maker[]): void {
  const middle = ({ rounds }: Maker, field: keyof Round): number => median(rounds.map((round) => round[field]));
  const pairs = makers.flatMap((maker, at) => {
    const peer = makers[at + 1];
    return maker.name.startsWith('Tillgate') && peer?.name.startsWith('LNbits') === true
      ? [[maker, peer] as const]
      : [];
  });
  report({
    bench: 'peers',
    rows: makers.map((maker) => ({
      server: maker.name,
      'invoices/s': rounded(middle(maker, 'perSecond')),
      'CPU µs/invoice': rounded(middle(maker, 'cpuMicros')),
      does: maker.does,
    })),
    checks: pairs.map(([maker, peer]) => ({
      name: `CPU per invoice of ${peer.name} ÷ ours`,
      value: middle(peer, 'cpuMicros') / middle(maker, 'cpuMicros'),
      atLeast: 1,
    })),
    facts: { part: 'lightning', connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS },
    notes: [
      'Each server has one core; the load, the node and PostgreSQL use the other, and the node signs each invoice in JavaScript.',
      'LNbits speaks with the node without TLS, since it does not accept its certificate. It has no exchange to ask for prices, which it looks for with each invoice.',
      'Idle servers of the others run beside the one that is measured.',
    ],
  });
}
