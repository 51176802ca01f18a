import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { endWithThisProcess, stopProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, CALL, HOST, KEY, routeOf, startGateway, startNode } from './support.ts';

const CONNECTIONS = 10_000;
/** Room for what a process has open besides. */
const SPARE = 200;
const MIB = 1024 * 1024;
const AT_MOST_BYTES_EACH = 12 * 1024;
const CLIENTS = fileURLToPath(new URL('./idle-clients.ts', import.meta.url));

/** Node raises the limit as far as it may by itself. */
function openFilesAllowed(): number {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits: { readonly open_files: { readonly soft: number | 'unlimited' } };
  };
  return userLimits.open_files.soft === 'unlimited' ? Infinity : userLimits.open_files.soft;
}

function clients(port: number, count: number, bytes: string): Promise<ChildProcess> {
  const child = fork(CLIENTS, [String(port), String(count), bytes], {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  endWithThisProcess(child);
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', () => reject(new Error('the clients ended before all of their connections were open')));
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What the process takes before the first run: the second uses again what the first gave back. */
let before: number | null = null;

bothPaths('idle connections', (path) => {
  test('fault 28: 10,000 idle connections leave memory bounded and everybody else served', async () => {
    assert(
      openFilesAllowed() >= CONNECTIONS + SPARE,
      `this process may open ${openFilesAllowed()} files only; allow ${CONNECTIONS + SPARE} first: ulimit -n ${CONNECTIONS + SPARE}`,
    );
    const node = await startNode();
    const gate = await startGateway([routeOf([node.url])], {}, path);
    gate.server.keepAliveTimeout = 600_000;
    gate.server.headersTimeout = 600_000;
    for (let n = 0; n < 20; n++) await ask(gate.port);
    const connections = (): Promise<number> =>
      new Promise((resolve) => gate.server.getConnections((_error, count) => resolve(count)));
    collectGarbage();
    const former = (before ??= process.memoryUsage().rss);
    const request = `POST / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`;
    const all = await Promise.all([
      clients(gate.port, CONNECTIONS / 2, ''),
      clients(gate.port, CONNECTIONS / 2, request),
    ]);
    try {
      await waitFor(async () => (await connections()) >= CONNECTIONS);
      const each = (): number => (process.memoryUsage().rss - former) / CONNECTIONS;
      // What opening them has left behind is no part of what they take.
      const isBounded = (): boolean => {
        collectGarbage();
        return each() < AT_MOST_BYTES_EACH;
      };
      await waitFor(isBounded, {
        describe: () => `at most ${AT_MOST_BYTES_EACH} bytes for each, not ${Math.round(each())}`,
      });
      for (let n = 0; n < 20; n++) assert.equal((await ask(gate.port)).status, 200);
      assert(process.memoryUsage().rss - former < CONNECTIONS * AT_MOST_BYTES_EACH + 32 * MIB);
      await Promise.all(all.map((child) => stopProcess(child)));
      await waitFor(async () => (await connections()) === 0);
    } finally {
      // After a failure too: what is open keeps the process until its time limit.
      await Promise.all(all.map((child) => stopProcess(child)));
      await gate.close();
      await node.close();
    }
  });
});
