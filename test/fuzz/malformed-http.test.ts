import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { readDemo } from '../host/merchant.ts';
import { freshDirectory, serve } from '../host/till-process.ts';
import { malformed } from './malformed.ts';
import { fuzzPlan } from './seeded.ts';

const AT_ONCE = 32;
/** A server that leaves a connection open which its client has ended is not bounded. */
const LONGEST_MS = 20_000;
const MEGABYTE = 1_048_576;

/** Sends the bytes and ends; answers with all that came back. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error('the connection was left open'));
    }, LONGEST_MS);
    socket.on('connect', () => socket.end(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset is a way to refuse.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
  });
}

/** Bytes of the process that are in memory. */
function resident(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

test('malformed requests to the real host: no 500, no end of the process, bounded memory (faults 69, 70, 45)', async (t) => {
  const directory = freshDirectory();
  directory.write('tillgate.config.json', {
    mode: 'sandbox',
    limits: { requestsPerMinute: 1_000_000, loginsPerMinute: 20 },
    orders: { timeoutSeconds: 31_536_000 },
  });
  const server = serve(directory.path);
  t.after(async () => {
    await server.signal('SIGKILL');
    directory.remove();
  });
  const port = Number(new URL(await server.url()).port);
  const { api_key: apiKey, api_token: apiToken } = readDemo(directory.path);
  const { seed, size, random } = fuzzPlan(6_000, 100_000);
  const statuses = new Map<number, number>();
  const samples: number[] = [];
  let sent = 0;

  const one = async (): Promise<void> => {
    const bytes = malformed(random, { apiKey, apiToken, host: `127.0.0.1:${port}` });
    const number = (sent += 1);
    const text = await exchange(port, bytes).catch((error: unknown) =>
      assert.fail(`seed ${seed}, request ${number}: ${String(error)}\n${bytes.toString('latin1').slice(0, 2_000)}`),
    );
    // After `100 Continue` comes the reply itself.
    const status = Math.max(0, ...[...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, digits]) => Number(digits)));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // 50300 is an answer too: an operation whose chain has no node, or no room for more.
    assert.ok(
      status < 500 || status === 503,
      `seed ${seed}, request ${number}: ${text.slice(0, 500)}\n${bytes.toString('latin1').slice(0, 2_000)}`,
    );
    if (number % Math.ceil(size / 20) === 0) samples.push(resident(server.child.pid ?? 0));
  };
  const worker = async (): Promise<void> => {
    while (sent < size) await one();
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;

  assert.equal(server.child.exitCode, null, server.err.slice(-3_000));
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  assert.ok(!server.err.includes('"msg":"defect'), server.err.slice(-3_000));
  const early = samples[Math.floor(samples.length / 4)] ?? 0;
  const late = Math.max(...samples.slice(-3));
  t.diagnostic(
    `seed ${seed}: ${size} requests; by status ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))} (0: closed without an answer)`,
  );
  t.diagnostic(`resident ${samples.map((bytes) => Math.round(bytes / MEGABYTE)).join(', ')} MB`);
  assert.ok(late < early + 150 * MEGABYTE, `memory grew from ${early} to ${late} bytes`);
});
