import { compileProxies, missingPrograms, startProxy, startUpstream } from './gateway-fixture.ts';
import type { Proxy } from './gateway-fixture.ts';
import { runWrk } from './gateway-load.ts';
import type { Run } from './gateway-load.ts';
import { median, report, rounded } from './report.ts';
import { withFolder } from './temp-folder.ts';

/** What each does for a request. The first is ours. */
const DOES: Readonly<Record<string, string>> = {
  gateway: 'finds the key, admits, limits, counts usage and metrics, repeats a failed read elsewhere',
  'http-proxy-middleware': 'passes on, behind Express',
  'fast-proxy': 'passes on, by undici',
  nginx: 'passes on; one worker, no log',
};
const OURS = 'gateway';
const PEERS = ['http-proxy-middleware', 'fast-proxy'] as const;
const ROUNDS = 3;
const LOAD = { connections: 32, seconds: 4 } as const;
const WARM_UP_SECONDS = 5;

/** JSON-RPC calls with heads that vary, through each proxy alone on one core, in turns. */
export async function measureGate(): Promise<void> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    console.log(`the gate is not measured: ${missing.join(', ')} missing (apt-get install nginx wrk util-linux)`);
    return;
  }
  await compileProxies();
  await withFolder('peers', async (folder) => {
    const stopUpstream = await startUpstream(folder);
    const proxies: Proxy[] = [];
    try {
      for (const name of Object.keys(DOES)) proxies.push(await startProxy(name, { folder }));
      for (const proxy of proxies) await runWrk(proxy, folder, { ...LOAD, seconds: WARM_UP_SECONDS });
      const runs = new Map<string, Run[]>(proxies.map(({ name }) => [name, []]));
      for (let round = 0; round < ROUNDS; round++)
        for (const proxy of proxies) runs.get(proxy.name)?.push(await runWrk(proxy, folder, LOAD));
      present(runs);
    } finally {
      for (const proxy of proxies) await proxy.stop();
      await stopUpstream();
    }
  });
}

function present(runs: ReadonlyMap<string, readonly Run[]>): void {
  const middle = (name: string, field: keyof Run): number => median((runs.get(name) ?? []).map((each) => each[field]));
  report({
    bench: 'peers',
    rows: Object.entries(DOES).map(([name, does]) => ({
      proxy: name,
      'requests/s': Math.round(middle(name, 'perSecond')),
      'CPU µs/request': rounded(middle(name, 'cpuMicros')),
      'RSS MB': Math.round(middle(name, 'rssMb')),
      errors: middle(name, 'errors'),
      does,
    })),
    checks: PEERS.map((name) => ({
      name: `CPU per request of ${name} ÷ ours`,
      value: middle(name, 'cpuMicros') / middle(OURS, 'cpuMicros'),
      atLeast: 1,
    })),
    facts: { part: 'gate', rounds: ROUNDS, ...LOAD },
    notes: [
      'Each proxy has one core; the load and the node, an nginx, share the other. Each request has another head.',
    ],
  });
}
