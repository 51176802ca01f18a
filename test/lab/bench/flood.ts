/**
 * What a flood of pings on one WebSocket costs the requests of others.
 *
 *     npm run bench -- flood
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { endWithThisProcess, stopProcess } from '../../support/processes.ts';
import { HOSTS, startProxy, UPSTREAM } from './support/gateway-fixture.ts';
import { Line } from './support/line.ts';
import { requestOf } from './support/plain-node.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';

const ROUNDS = 7;
const WINDOW_MS = 3_000;
const LEAD_MS = 300;
const BETWEEN_MS = 2;
const AT_MOST = 2;
const REPLY = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';

/** How long the requests of one connection took, in ms. */
interface Window {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

async function run(): Promise<void> {
  await withFolder('flood', async (folder) => {
    const upstream = createServer((_req, res) => res.end(REPLY));
    const sockets = new WebSocketServer({ server: upstream });
    await new Promise<void>((resolve) => upstream.listen(Number(new URL(UPSTREAM).port), '127.0.0.1', resolve));
    const gateway = await startProxy('gateway', { folder });
    const program = fileURLToPath(new URL('./support/ping-flood.ts', import.meta.url));
    const words = ['--import', 'tsx', program, String(gateway.port), HOSTS.websocket, gateway.key];
    const flood = spawn(process.execPath, words, { stdio: ['pipe', 'inherit', 'inherit'] });
    endWithThisProcess(flood);
    const line = new Line(`http://127.0.0.1:${gateway.port}`);
    const request = requestOf(HOSTS.jsonrpc, gateway.key);
    await measured(line, request);
    const rounds: { readonly calm: Window; readonly flooded: Window }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const calm = await measured(line, request);
      flood.stdin.write('\n');
      await pause(LEAD_MS);
      const flooded = await measured(line, request);
      flood.stdin.write('\n');
      await pause(LEAD_MS);
      rounds.push({ calm, flooded });
    }
    line.close();
    await stopProcess(flood);
    await gateway.stop();
    sockets.close();
    upstream.closeAllConnections();
    upstream.close();
    tell(rounds);
  });
}

async function measured(line: Line, request: string): Promise<Window> {
  const took: number[] = [];
  for (const end = performance.now() + WINDOW_MS; performance.now() < end;) {
    const began = performance.now();
    const reply = await line.ask(request);
    if (!reply.startsWith('HTTP/1.1 200')) throw new Error(reply);
    took.push(performance.now() - began);
    await pause(BETWEEN_MS);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

function tell(rounds: readonly { readonly calm: Window; readonly flooded: Window }[]): void {
  const middle = (part: 'calm' | 'flooded', figure: keyof Window): number =>
    median(rounds.map((round) => round[part][figure]));
  const rows = (['calm', 'flooded'] as const).map((part) => ({
    window: part,
    'p50 ms': rounded(middle(part, 'p50')),
    'p99 ms': rounded(middle(part, 'p99')),
    'longest ms': rounded(middle(part, 'longest')),
  }));
  const ratio = median(rounds.map(({ calm, flooded }) => flooded.p99 / calm.p99));
  report({
    bench: 'flood',
    rows,
    checks: [{ name: 'p99 of a neighbour beside a flood of pings ÷ calm', value: ratio, atMost: AT_MOST }],
    facts: { rounds: ROUNDS, windowMs: WINDOW_MS },
    notes: ['The flood and who measures share what is left of the cores beside the gateway, which has one.'],
  });
}

export default { name: 'flood', run };
