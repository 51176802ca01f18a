import { compileProxies, missingPrograms, startProxy, startUpstream } from './support/gateway-fixture.ts';
import type { Proxy } from './support/gateway-fixture.ts';
import { measureKeyCheck } from './support/gateway-keys.ts';
import { leaveMidRequest, runSteady, runWrk } from './support/gateway-load.ts';
import type { Leavers, Load, Run } from './support/gateway-load.ts';
import { median, report, rounded } from './support/report.ts';
import type { SteadyResult } from './support/steady-load.ts';
import { withFolder } from './support/temp-folder.ts';

const NAMES = ['nginx', 'gateway', 'gateway-node', 'bare-node'] as const;
const OTHERS = ['fast-proxy', 'http-proxy', 'http-proxy-middleware'] as const;
const SMALL: Load = { connections: 32, seconds: 4 };
const LARGE: Load = { connections: 8, seconds: 3, large: true };
const MANY: Load = { connections: 256, seconds: 3 };
const STEADY = { connections: 32, perSecond: 8_000, seconds: 4 };
const LEAVERS: Leavers = { clients: 64, seconds: 3 };
const LEAVING_RUNS = 5;
const KEYS = 1_000_000;

type Runs<Result> = Map<string, Result[]>;

/** All that was measured, by proxy. */
interface Measured {
  readonly small: Runs<Run>;
  readonly large: Runs<Run>;
  readonly many: Runs<Run>;
  readonly steady: Runs<SteadyResult>;
  readonly after: Runs<Run>;
  left: number;
}

/**
 * The gateway in its whole built host, with key, admission, usage and metrics, against nginx and other proxies, each
 * alone on one core, in turns. Every request of all of them has another `X-Request-Id`, another id and a body of another
 * length. `gateway-node` is the gateway with its fast path switched off; `bare-node` passes bytes on unread.
 *
 *     npm run bench -- gateway [ROUNDS] [only]     3 rounds; "only" leaves out the proxies of other projects
 */
async function run(words: readonly string[]): Promise<void> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    console.log(`not measured: ${missing.join(', ')} missing (apt-get install nginx wrk util-linux)`);
    return;
  }
  const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 3);
  const names = words.includes('only') ? NAMES : [...NAMES, ...OTHERS];
  await compileProxies();
  await withFolder('gateway', async (folder) => {
    const stopUpstream = await startUpstream(folder);
    const proxies: Proxy[] = [];
    for (const name of names) proxies.push(await startProxy(name, { folder }));
    const measured = await measure(folder, proxies, rounds);
    for (const proxy of proxies) await proxy.stop();
    await stopUpstream();
    await tell(names, measured, rounds);
  });
}

async function measure(folder: string, proxies: readonly Proxy[], rounds: number): Promise<Measured> {
  const ours = proxies.slice(0, NAMES.length);
  const pair = proxies.slice(0, 2);
  const gateway = pair[1] as Proxy;
  const found: Measured = {
    small: new Map(),
    large: new Map(),
    many: new Map(),
    steady: new Map(),
    after: new Map(),
    left: 0,
  };
  for (const proxy of proxies) await runWrk(proxy, folder, { ...SMALL, seconds: 6 });
  for (let round = 0; round < rounds; round++) {
    for (const proxy of proxies) add(found.small, proxy, await runWrk(proxy, folder, SMALL));
    for (const proxy of ours) add(found.steady, proxy, await runSteady(proxy, folder, STEADY));
    for (const proxy of pair) add(found.large, proxy, await runWrk(proxy, folder, LARGE));
  }
  add(found.many, gateway, await runWrk(gateway, folder, MANY));
  for (let run = 0; run < LEAVING_RUNS; run++) found.left += await leaveMidRequest(gateway, LEAVERS);
  for (let round = 0; round < rounds; round++)
    for (const proxy of pair) add(found.after, proxy, await runWrk(proxy, folder, SMALL));
  return found;
}

function add<Result>(runs: Runs<Result>, { name }: Proxy, one: Result): void {
  runs.set(name, [...(runs.get(name) ?? []), one]);
}

/** The median of the rounds. */
function middle<Field extends string>(runs: Runs<Readonly<Record<Field, number>>>, name: string, field: Field): number {
  return median((runs.get(name) ?? []).map((one) => one[field]));
}

function ratio<Field extends string>(runs: Runs<Readonly<Record<Field, number>>>, name: string, field: Field): number {
  return middle(runs, name, field) / middle(runs, 'nginx', field);
}

async function tell(names: readonly string[], measured: Measured, rounds: number): Promise<void> {
  const key = await measureKeyCheck(KEYS);
  report({
    bench: 'gateway',
    rows: names.map((name) => rowOf(name, measured)),
    checks: [
      ...checksOf(measured),
      { name: `µs to check one of ${key.keys} keys`, value: key.againNs / 1000, atMost: 1 },
    ],
    facts: {
      rounds,
      keyFirstNs: Math.round(key.firstNs),
      small: SMALL,
      large: LARGE,
      many: MANY,
      steady: STEADY,
      leavers: measured.left,
    },
    notes: [
      'The load and the upstream share the other core. At the fixed rate a request is sent when it is due, whether the ones before are answered or not, and its time counts from then.',
    ],
  });
}

function rowOf(name: string, { small, steady }: Measured): object {
  return {
    proxy: name,
    'requests/s': Math.round(middle(small, name, 'perSecond')),
    '÷ nginx': ratio(small, name, 'perSecond').toFixed(2),
    'CPU µs/request': middle(small, name, 'cpuMicros').toFixed(1),
    'CPU ÷ nginx': ratio(small, name, 'cpuMicros').toFixed(2),
    'p50 ms': middle(small, name, 'p50Ms').toFixed(2),
    'p99 ms': middle(small, name, 'p99Ms').toFixed(2),
    [`p50 µs at ${STEADY.perSecond}/s`]: rounded(middle(steady, name, 'p50Micros')),
    'p99 µs': rounded(middle(steady, name, 'p99Micros')),
    'RSS MB': Math.round(middle(small, name, 'rssMb')),
    errors: middle(small, name, 'errors'),
  };
}

function checksOf({ small, large, many, steady, after }: Measured) {
  const errors = [small, large, many, steady, after].flatMap((runs) =>
    (runs.get('gateway') ?? []).map((one) => one.errors),
  );
  return [
    { name: 'requests/s ÷ nginx', value: ratio(small, 'gateway', 'perSecond'), atLeast: 0.75 },
    { name: 'CPU per request ÷ nginx', value: ratio(small, 'gateway', 'cpuMicros'), atMost: 1.5 },
    // What the gateway itself costs above passing bytes on, with sockets, kernel and machine taken out.
    {
      name: 'CPU per request ÷ bare-node',
      value: middle(small, 'gateway', 'cpuMicros') / middle(small, 'bare-node', 'cpuMicros'),
      atMost: 1.4,
    },
    {
      name: `p50 at ${STEADY.perSecond} requests/s ÷ nginx`,
      value: ratio(steady, 'gateway', 'p50Micros'),
      atMost: 1.3,
    },
    { name: '1 MB replies/s ÷ nginx', value: ratio(large, 'gateway', 'perSecond'), atLeast: 1 },
    { name: 'RSS in MB at 256 connections', value: middle(many, 'gateway', 'rssMb'), atMost: 130 },
    // Both measured against nginx: a machine with other work is not equally fast at both times.
    {
      name: `requests/s after ${LEAVING_RUNS} runs of clients that left ÷ before`,
      value: ratio(after, 'gateway', 'perSecond') / ratio(small, 'gateway', 'perSecond'),
      atLeast: 0.9,
    },
    { name: 'errors', value: errors.reduce((sum, one) => sum + one, 0), atMost: 0 },
  ];
}

export default { name: 'gateway', run };
