import assert from 'node:assert/strict';
import { request } from 'node:http';
import { afterEach, test } from 'node:test';
import { WebSocket } from 'ws';
import { startAnvil } from '../support/anvil.ts';
import { freshDatabase } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';

const COUNT = 2;
/** New connections go to the processes in turn: so many reach each of them more than once. */
const CONNECTIONS = 3 * COUNT;
const HTTP_HOST = 'eth.gate.example';
const SOCKET_HOST = 'ws.gate.example';
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
const ANSWER = { jsonrpc: '2.0', id: 1, result: '0x7a69' };

/** A call by a connection of its own. */
function call(url: string, key: string): Promise<{ readonly status: number; readonly body: string }> {
  const headers = { Host: HTTP_HOST, 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (text: string) => (body += text));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end(CALL);
  });
}

async function connected(url: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'), {
    headers: { Host: SOCKET_HOST, Authorization: `Bearer ${key}` },
  });
  const answer = new Promise((resolve, reject) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString())));
    socket.once('error', reject);
  });
  socket.once('open', () => socket.send(CALL));
  assert.deepEqual(await answer, ANSWER);
  return socket;
}

const times = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: CONNECTIONS }, work));

afterEach(killAll);

test('the gateway answers requests and WebSockets in every process; a revoke that was answered holds in all of them (fault 14), and their counts are one', async (t) => {
  const anvil = await startAnvil();
  const directory = freshDirectory();
  const database = await freshDatabase();
  t.after(async () => {
    await anvil.stop();
    await database.drop();
    directory.remove();
  });
  const route = { chain: 'ETH', network: 'devnet' };
  directory.write('tillgate.config.json', {
    mode: 'sandbox',
    processes: COUNT,
    database: { client: 'pg', connection: database.url },
    gateways: [
      { ...route, host: HTTP_HOST, protocol: 'jsonrpc', upstreams: [anvil.url] },
      { ...route, host: SOCKET_HOST, protocol: 'websocket', upstreams: [anvil.url.replace('http', 'ws')] },
    ],
  });
  const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await run(directory.path, [...args, '--json']);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>;
  };
  const url = await serve(directory.path).url();
  const metric = async (start: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text();
    const lines = text.split('\n').filter((line) => line.startsWith(start));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  const account = await command(
    'account',
    'create',
    '--email',
    'node-user@example.com',
    '--password',
    'correct horse battery',
  );
  const app = await command('app', 'create', '--account', String(account['id']), '--name', 'wallet', '--chains', 'ETH');
  const { id, api_key: key } = app['key'] as { id: string; api_key: string };

  for (const { status, body } of await times(() => call(url, key)))
    assert.deepEqual([status, JSON.parse(body)], [200, ANSWER]);
  const sockets = await times(() => connected(url, key));
  const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
  const open = `tillgate_gateway_websockets{route="${SOCKET_HOST}"}`;
  await waitFor(async () => (await metric(open)) === CONNECTIONS, { describe: 'all WebSockets to be counted' });
  const requests = `tillgate_gateway_requests_total{route="${HTTP_HOST}"`;
  for (let ask = 0; ask < 2 * COUNT; ask++)
    assert.equal(await metric(requests), CONNECTIONS, 'whichever process is asked');

  assert.equal((await command('key', 'revoke', '--app', String(app['id']), '--key', id))['state'], 'revoked');
  for (const { status, body } of await times(() => call(url, key))) {
    assert.equal(status, 401);
    assert.match(body, /key_revoked/);
  }
  await Promise.all(closed);
  await waitFor(async () => (await metric(open)) === 0, { describe: 'no WebSocket to be counted' });
});
