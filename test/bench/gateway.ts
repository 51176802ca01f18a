import { measureKeyCheck } from './support/gateway-keys.ts';
import {
  compileProxies,
  leaveMidRequest,
  missingPrograms,
  runWrk,
  startProxy,
  startUpstream,
} from './support/gateway-fixture.ts';
import type { Leavers, Load, Proxy, Run } from './support/gateway-fixture.ts';
import { median, report } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';

const NAMES = ['nginx', 'gateway', 'gateway-node', 'fast-proxy', 'http-proxy', 'http-proxy-middleware'] as const;
const SMALL: Load = { connections: 32, seconds: 4 };
const LARGE: Load = { connections: 8, seconds: 3, large: true };
const MANY: Load = { connections: 256, seconds: 3 };
const LEAVERS: Leavers = { clients: 64, seconds: 3 };
const LEAVING_RUNS = 5;
const KEYS = 1_000_000;

type Runs = Map<string, Run[]>;

/**
 * The gateway, with key, admission and metrics, against nginx and other proxies, each alone on one core, in turns.
 * `gateway-node` is the gateway with its fast path switched off.
 *
 *     npm run bench -- gateway [ROUNDS] [only]     3 rounds; "only" leaves all but nginx and the gateway's two ways out
 */
async function run(words: readonly string[]): Promise<void> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    console.log(`not measured: ${missing.join(', ')} missing (apt-get install nginx wrk util-linux)`);
    return;
  }
  const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 3);
  const names = words.includes('only') ? NAMES.slice(0, 3) : NAMES;
  compileProxies();
  await withFolder('gateway', (folder) => measure(folder, names, rounds));
}

async function measure(folder: string, names: readonly string[], rounds: number): Promise<void> {
  const stopUpstream = await startUpstream(folder);
  const proxies = await Promise.all(names.map((name) => startProxy(name, folder)));
  const ours = proxies.find(({ name }) => name === 'gateway') as Proxy;
  const small: Runs = new Map();
  const large: Runs = new Map();
  const many: Runs = new Map();
  const after: Runs = new Map();
  for (const proxy of proxies) await runWrk(proxy, folder, { ...SMALL, seconds: 6 });
  for (let round = 0; round < rounds; round++) {
    for (const proxy of proxies) add(small, proxy, await runWrk(proxy, folder, SMALL));
    for (const proxy of proxies.slice(0, 2)) add(large, proxy, await runWrk(proxy, folder, LARGE));
  }
  add(many, ours, await runWrk(ours, folder, MANY));
  let left = 0;
  for (let run = 0; run < LEAVING_RUNS; run++) left += await leaveMidRequest(ours, LEAVERS);
  for (let round = 0; round < rounds; round++) {
    for (const proxy of proxies.slice(0, 2)) add(after, proxy, await runWrk(proxy, folder, SMALL));
  }
  for (const proxy of proxies) await proxy.stop();
  await stopUpstream();
  await tell(names, { small, large, many, after }, { rounds, left });
}

function add(runs: Runs, { name }: Proxy, one: Run): void {
  runs.set(name, [...(runs.get(name) ?? []), one]);
}

const middle = (runs: Runs, name: string, field: keyof Run): number =>
  median((runs.get(name) ?? []).map((one) => one[field]));

type Part = 'small' | 'large' | 'many' | 'after';

async function tell(
  names: readonly string[],
  { small, large, many, after }: Readonly<Record<Part, Runs>>,
  { rounds, left }: { readonly rounds: number; readonly left: number },
): Promise<void> {
  const ratio = (runs: Runs, name: string, field: keyof Run): number =>
    middle(runs, name, field) / middle(runs, 'nginx', field);
  const key = await measureKeyCheck(KEYS);
  report({
    bench: 'gateway',
    rows: names.map((name) => ({
      proxy: name,
      'requests/s': Math.round(middle(small, name, 'perSecond')),
      '÷ nginx': ratio(small, name, 'perSecond').toFixed(2),
      'CPU µs/request': middle(small, name, 'cpuMicros').toFixed(1),
      'CPU ÷ nginx': ratio(small, name, 'cpuMicros').toFixed(2),
      'p50 ms': middle(small, name, 'p50Ms').toFixed(2),
      'p99 ms': middle(small, name, 'p99Ms').toFixed(2),
      'RSS MB': Math.round(middle(small, name, 'rssMb')),
      errors: middle(small, name, 'errors'),
    })),
    checks: [
      { name: 'requests/s ÷ nginx', value: ratio(small, 'gateway', 'perSecond'), atLeast: 0.4 },
      { name: 'CPU per request ÷ nginx', value: ratio(small, 'gateway', 'cpuMicros'), atMost: 3.2 },
      { name: '1 MB replies/s ÷ nginx', value: ratio(large, 'gateway', 'perSecond'), atLeast: 0.8 },
      { name: 'RSS in MB at 256 connections', value: middle(many, 'gateway', 'rssMb'), atMost: 130 },
      // Both measured against nginx: a machine with other work is not equally fast at both times.
      {
        name: `requests/s after ${LEAVING_RUNS} runs of clients that left ÷ before`,
        value: ratio(after, 'gateway', 'perSecond') / ratio(small, 'gateway', 'perSecond'),
        atLeast: 0.9,
      },
      {
        name: 'errors',
        value: [small, large, many, after].reduce((sum, runs) => sum + middle(runs, 'gateway', 'errors'), 0),
        atMost: 0,
      },
      { name: `µs to check one of ${key.keys} keys`, value: key.againNs / 1000, atMost: 1 },
    ],
    facts: { rounds, keyFirstNs: Math.round(key.firstNs), small: SMALL, large: LARGE, many: MANY, leavers: left },
  });
}

export default { name: 'gateway', run };
