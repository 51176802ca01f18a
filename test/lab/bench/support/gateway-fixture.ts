import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { MALLOC_ENVIRONMENT } from '../../../../host/boot/memory.ts';
import { endWithThisProcess, stopProcess } from '../../../support/processes.ts';
import { buildTill } from '../../../support/till-program.ts';
import { waitFor } from '../../../support/wait.ts';
import { appKey } from './app-key.ts';
import { PIN, pinned } from './pinned.ts';
import { descendantsOf } from './process-cost.ts';
import { startTill } from './till-process.ts';

/** A proxy under test, alone on the first core. */
export interface Proxy {
  readonly name: string;
  readonly port: number;
  /** The App key that its clients send. */
  readonly key: string;
  /** The process that does the work. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** How {@link startProxy} starts one. */
export interface ProxyOptions {
  /** For its files. */
  readonly folder: string;
  /** Further options of node for the gateway, such as `--cpu-prof`. */
  readonly node?: readonly string[];
}

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const COMPILED = join(REPOSITORY, 'node_modules/.cache/tillgate-bench-proxies');
const UPSTREAM_PORT = 18_545;
export const UPSTREAM = `http://127.0.0.1:${UPSTREAM_PORT}`;
/** The hosts of the gateway's routes, by protocol. */
export const HOSTS = { jsonrpc: 'eth.gate.example', http: 'http.example', websocket: 'ws.example' } as const;
/** The proxies share one core, the load and the upstream the other, where there are two. */
export const PROXY_CORE = '0';
export const LOAD_CORE = '1';
/** Checked and counted for each request, and never reached. */
const LIMITS = { requestsPerSecond: 1_000_000, burst: 1_000_000, concurrency: 100_000 };
/** To the proxies that read no key, as long as one. */
const ANY_KEY = 'k'.repeat(47);

/** What of the programs that a bench needs is not installed. */
export function missingPrograms(): readonly string[] {
  return ['nginx', 'wrk', PIN].filter((program) => spawnSync('which', [program]).status !== 0);
}

/** Compiles the other proxies: the loader of the tests costs time and memory of its own. */
export async function compileProxies(): Promise<void> {
  await build({
    entryPoints: [join(REPOSITORY, 'test/lab/bench/support/proxy-server.ts')],
    outdir: COMPILED,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    target: 'node20',
  });
}

/** Starts the upstream: nginx, which no proxy here can outrun. Its replies, too, are of different lengths. */
export async function startUpstream(folder: string): Promise<() => Promise<void>> {
  writeFileSync(join(folder, 'large'), Buffer.alloc(1_000_000, 0x61));
  const reply = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(256)}$more` });
  const child = startNginx(
    folder,
    'upstream',
    LOAD_CORE,
    `map $http_x_request_id $more { default ""; ~^[0-3] "0000"; ~^[4-7] "00000000"; ~^[89ab] "000000000000"; }
  server {
    listen 127.0.0.1:${UPSTREAM_PORT} reuseport;
    location = /large { root ${folder}; default_type application/octet-stream; }
    location / { default_type application/json; return 200 '${reply}'; }
  }`,
  );
  await answers(UPSTREAM_PORT);
  return () => stopProcess(child);
}

/** Starts the proxy of a row. */
export async function startProxy(name: string, { folder, node = [] }: ProxyOptions): Promise<Proxy> {
  if (name === 'nginx') return startNginxProxy(folder);
  if (name.startsWith('gateway')) return startGateway(name, folder, node);
  const [first = '', ...words] = pinned(PROXY_CORE, [
    process.execPath,
    join(COMPILED, 'proxy-server.mjs'),
    name,
    UPSTREAM,
  ]);
  const child = spawn(first, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithThisProcess(child);
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).once('line', (line) => resolve(Number(line)));
    child.once('exit', () => reject(new Error(`${name} ended at once`)));
  });
  return { name, port, key: ANY_KEY, pid: child.pid ?? 0, stop: () => stopProcess(child) };
}

/**
 * The whole built host, started as the service file starts it, with a database of its own: the key is found in the real directory, limits are kept, usage and
 * metrics are counted as by default. It takes no payments.
 */
async function startGateway(name: string, above: string, node: readonly string[]): Promise<Proxy> {
  const folder = join(above, name);
  mkdirSync(folder);
  const route = { chain: 'ETH', network: 'devnet', upstreams: [UPSTREAM], limits: LIMITS };
  const till = await startTill({
    folder,
    node,
    program: await buildTill('tillgate-bench-gateway'),
    environment: MALLOC_ENVIRONMENT,
    core: PROXY_CORE,
    settings: {
      mode: 'sandbox',
      plugins: [],
      gateway: { fastPath: name === 'gateway' },
      gateways: (['jsonrpc', 'http', 'websocket'] as const).map((protocol) => ({
        ...route,
        protocol,
        host: HOSTS[protocol],
      })),
    },
  });
  return { name, port: Number(new URL(till.url).port), key: await appKey(till), pid: till.pid, stop: till.stop };
}

async function startNginxProxy(folder: string): Promise<Proxy> {
  const port = UPSTREAM_PORT + 1;
  const child = startNginx(
    folder,
    'nginx',
    PROXY_CORE,
    `upstream node { server 127.0.0.1:${UPSTREAM_PORT}; keepalive 256; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Authorization ""; }
  }`,
  );
  await answers(port);
  const pid = await waitFor(() => descendantsOf(child.pid ?? 0)[0] ?? null, { describe: "nginx's worker" });
  return { name: 'nginx', port, key: ANY_KEY, pid, stop: () => stopProcess(child) };
}

function startNginx(folder: string, name: string, core: string, http: string): ChildProcess {
  const file = join(folder, `${name}.conf`);
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? 'user root; ' : ''}worker_processes 1; daemon off; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 100000000; client_body_temp_path ${folder}/${name}-body; proxy_temp_path ${folder}/${name}-proxy;
  fastcgi_temp_path ${folder}/${name}-f; uwsgi_temp_path ${folder}/${name}-u; scgi_temp_path ${folder}/${name}-s;
  ${http} }`,
  );
  const [first = '', ...words] = pinned(core, ['nginx', '-c', file, '-e', `${folder}/${name}.log`]);
  const child = spawn(first, words, { stdio: 'ignore' });
  // nginx ends its worker itself, which a kill of the master would not.
  endWithThisProcess(child, () => void child.kill('SIGTERM'));
  return child;
}

function answers(port: number): Promise<unknown> {
  return waitFor(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      }),
    { describe: `port ${port}` },
  );
}
