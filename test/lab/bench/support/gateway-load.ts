import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '../../../support/processes.ts';
import { LOAD_CORE } from './gateway-fixture.ts';
import type { Proxy } from './gateway-fixture.ts';
import { largeRequests, rpcRequests, unfinishedRequest } from './gateway-requests.ts';
import { pinned } from './pinned.ts';
import { costOf } from './process-cost.ts';
import type { SteadyOrder, SteadyResult } from './steady-load.ts';

/** What one run of wrk found. */
export interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  readonly cpuMicros: number;
  readonly rssMb: number;
}

/** What a run asks: over each connection the next request once the last is answered. */
export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** 1 MB replies to GET in place of 300 bytes to POST. */
  readonly large?: boolean;
}

const STEADY = fileURLToPath(new URL('./steady-load.ts', import.meta.url));
const DONE =
  'done = function(s, l, r) io.write(string.format("RESULT %f %f %f %d\\n", s.requests / s.duration * 1e6, l:percentile(50) / 1000, l:percentile(99) / 1000, s.errors.connect + s.errors.read + s.errors.write + s.errors.status + s.errors.timeout)) end';

/** Runs wrk against a proxy and measures what it cost that proxy. It sends each of the requests in turn. */
export async function runWrk(
  { port, key, pid }: Proxy,
  folder: string,
  { connections, seconds, large = false }: Load,
): Promise<Run> {
  const script = join(folder, 'requests.lua');
  // Lua reads these escapes as JSON does.
  const requests = (large ? largeRequests(key) : rpcRequests(key)).map((text) => JSON.stringify(text));
  writeFileSync(
    script,
    `local requests, n = {${requests.join(',\n')}}, 0\nrequest = function() n = n % #requests + 1 return requests[n] end\n${DONE}`,
  );
  const before = costOf(pid).cpuMicros;
  const url = `http://127.0.0.1:${port}`;
  const text = await printed(['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url]);
  const cost = costOf(pid);
  const [perSecond = NaN, p50Ms = NaN, p99Ms = NaN, errors = NaN] =
    /^RESULT (.*)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  const count = Number(/(\d+) requests in/.exec(text)?.[1] ?? NaN);
  const cpuMicros = (cost.cpuMicros - before) / count;
  return { perSecond, p50Ms, p99Ms, errors, cpuMicros, rssMb: cost.rssBytes / 1e6 };
}

/** Sends the same requests at a fixed rate; see steady-load.ts. */
export async function runSteady(
  { port, key }: Proxy,
  folder: string,
  rate: Omit<SteadyOrder, 'url' | 'requests'>,
): Promise<SteadyResult> {
  const file = join(folder, 'steady.json');
  const order: SteadyOrder = { ...rate, url: `http://127.0.0.1:${port}`, requests: rpcRequests(key) };
  writeFileSync(file, JSON.stringify(order));
  const text = await printed([process.execPath, '--import', import.meta.resolve('tsx'), STEADY, file]);
  return JSON.parse(text) as SteadyResult;
}

/** What a command prints that runs beside the upstream. */
async function printed(command: readonly string[]): Promise<string> {
  const [first = '', ...words] = pinned(LOAD_CORE, command);
  const child = spawn(first, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithThisProcess(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return text;
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
export async function leaveMidRequest(proxy: Proxy, { clients, seconds }: Leavers): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let left = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < end; left++) await leaveOnce(proxy, left % 2 === 0);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return left;
}

function leaveOnce({ port, key }: Proxy, inReply: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const leave = (): void => void socket.destroy();
    const timer = setTimeout(leave, inReply ? GIVE_UP_MS : LEAVE_MS);
    socket.on('error', leave).on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.write(inReply ? (largeRequests(key)[0] as string) : unfinishedRequest(key));
    if (inReply) socket.once('data', leave);
  });
}
