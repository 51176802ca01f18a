import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { HOST, KEY } from '../../gateway/support.ts';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';
import { costOf, descendantsOf } from './process-cost.ts';

/** A proxy under test, alone on the first core. */
export interface Proxy {
  readonly name: string;
  readonly port: number;
  /** The process that does the work. */
  pid(): number;
  stop(): Promise<void>;
}

/** What one run of wrk found. */
export interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  readonly cpuMicros: number;
  readonly rssMb: number;
}

/** What a run asks. */
export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** 1 MB replies to GET in place of 300 bytes to POST. */
  readonly large?: boolean;
}

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const COMPILED = join(REPOSITORY, 'node_modules/.cache/tillgate-bench');
const PROGRAM = join(COMPILED, 'test/bench/support/gateway-server.js');
const UPSTREAM_PORT = 18_545;
export const WEBSOCKET_HOST = 'ws.example';
export const UPSTREAM = `http://127.0.0.1:${UPSTREAM_PORT}`;
/** Pins a process to a core. */
const PIN = ['taskset'][0] as string;
/** The proxies share one core, the load and the upstream the other, where there are two. */
const [PROXY_CORE, LOAD_CORE] = ['0', '1'];

/** What of the programs that a bench needs is not installed. */
export function missingPrograms(): readonly string[] {
  return ['nginx', 'wrk', PIN].filter((program) => spawnSync('which', [program]).status !== 0);
}

/** Compiles the proxies as a release is compiled: the loader of the tests costs time and memory of its own. */
export function compileProxies(): void {
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  const options = [
    '--ignoreConfig',
    '--noCheck',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--rewriteRelativeImportExtensions',
    '--rootDir',
    REPOSITORY,
    '--outDir',
    COMPILED,
  ];
  const { status, stdout } = spawnSync(process.execPath, [tsc, 'test/bench/support/gateway-server.ts', ...options], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the proxies could not be compiled: ${stdout}`);
  writeFileSync(join(COMPILED, 'package.json'), '{"type":"module"}');
}

/** Starts the upstream: nginx, which no proxy here can outrun. */
export async function startUpstream(folder: string): Promise<() => Promise<void>> {
  writeFileSync(join(folder, 'large'), Buffer.alloc(1_000_000, 0x61));
  const reply = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${'0'.repeat(264)}` });
  const child = startNginx(
    folder,
    'upstream',
    LOAD_CORE,
    `server {
    listen 127.0.0.1:${UPSTREAM_PORT} reuseport;
    location = /large { root ${folder}; default_type application/octet-stream; }
    location / { default_type application/json; return 200 '${reply}'; }
  }`,
  );
  await answers(UPSTREAM_PORT);
  return () => stopProcess(child);
}

export async function startProxy(name: string, folder: string): Promise<Proxy> {
  if (name === 'nginx') return startNginxProxy(folder);
  const child = spawn(PIN, ['-c', PROXY_CORE, process.execPath, PROGRAM, name, UPSTREAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithThisProcess(child);
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).once('line', (line) => resolve(Number(line)));
    child.once('exit', () => reject(new Error(`${name} ended at once`)));
  });
  return { name, port, pid: () => child.pid ?? 0, stop: () => stopProcess(child) };
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
  return { name: 'nginx', port, pid: () => descendantsOf(child.pid ?? 0)[0] ?? 0, stop: () => stopProcess(child) };
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
  const child = spawn(PIN, ['-c', core, 'nginx', '-c', file, '-e', `${folder}/${name}.log`], { stdio: 'ignore' });
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

/** Runs wrk against a proxy and measures what it cost that proxy. */
export async function runWrk(
  proxy: Proxy,
  folder: string,
  { connections, seconds, large = false }: Load,
): Promise<Run> {
  const script = join(folder, large ? 'large.lua' : 'post.lua');
  const host = large ? 'http.example' : HOST;
  const headers = `wrk.headers["Host"]="${host}" wrk.headers["Authorization"]="Bearer ${KEY}"`;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBalance',
    params: [`0x${'1'.repeat(40)}`, 'latest'],
  }).padEnd(120);
  writeFileSync(
    script,
    (large
      ? `wrk.method="GET" wrk.path="/large" ${headers}`
      : `wrk.method="POST" wrk.path="/" wrk.body='${body}' ${headers} wrk.headers["Content-Type"]="application/json"`) +
      ` done = function(s, l, r) io.write(string.format("RESULT %f %f %f %d\\n", s.requests / s.duration * 1e6, l:percentile(50) / 1000, l:percentile(99) / 1000, s.errors.connect + s.errors.read + s.errors.write + s.errors.status + s.errors.timeout)) end`,
  );
  const before = costOf(proxy.pid()).cpuMicros;
  const child = spawn(
    PIN,
    [
      '-c',
      LOAD_CORE,
      'wrk',
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '-s',
      script,
      `http://127.0.0.1:${proxy.port}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  endWithThisProcess(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  const cost = costOf(proxy.pid());
  const [perSecond = NaN, p50Ms = NaN, p99Ms = NaN, errors = NaN] =
    /^RESULT (.*)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? NaN);
  return {
    perSecond,
    p50Ms,
    p99Ms,
    errors,
    cpuMicros: (cost.cpuMicros - before) / requests,
    rssMb: cost.rssBytes / 1e6,
  };
}

/** A load none of whose clients waits for its reply. */
export interface Leavers {
  /** At a time. */
  readonly clients: number;
  readonly seconds: number;
}

/** So long after its last bytes a client leaves in the middle of its request. */
const LEAVE_MS = 20;
const GIVE_UP_MS = 1_000;

/** A load of clients that leave in the middle of their request, or of its reply, and come back as somebody else. @returns how many left */
export async function leaveMidRequest({ port }: Proxy, { clients, seconds }: Leavers): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let left = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < end; left++) await leaveOnce(port, left % 2 === 0);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return left;
}

function leaveOnce(port: number, inReply: boolean): Promise<void> {
  const head = (target: string, more: string): string =>
    `${target} HTTP/1.1\r\nHost: http.example\r\nAuthorization: Bearer ${KEY}\r\n${more}\r\n`;
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const leave = (): void => void socket.destroy();
    const timer = setTimeout(leave, inReply ? GIVE_UP_MS : LEAVE_MS);
    socket.on('error', leave).on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.write(
      inReply ? head('GET /large', '') : `${head('POST /x', 'Content-Length: 100000\r\n')}${'a'.repeat(70_000)}`,
    );
    if (inReply) socket.once('data', leave);
  });
}
