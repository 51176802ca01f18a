import assert from 'node:assert/strict';
import { request } from 'node:http';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { startNode } from '../gateway/support.ts';
import type { FakeNode } from '../gateway/support.ts';
import { freshDatabase } from '../support/postgres.ts';
import { testedEngines } from '../support/each-storage.ts';
import { waitFor } from '../support/wait.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';
import type { TillProcess } from './till-process.ts';

const [ONE, TWO] = ['one.gate.example', 'two.gate.example'] as const;
const CANARY = 'canary-of-a-provider-key';

interface Answer {
  readonly pid: number;
  readonly outcome: string;
  readonly followed?: readonly string[];
  readonly waiting?: readonly string[];
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

/** The status of a call to a host that no gateway has: the first page of the till takes no POST. */
const NO_GATEWAY = 405;

/** The status of a call to a gateway's host. */
function statusOf(url: string, host: string, key: string | null): Promise<number> {
  const headers = {
    host,
    'content-type': 'application/json',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}');
  });
}

const gateway = (host: string, url: string): object => ({
  ...{ host, chain: 'ETH', network: 'devnet', protocol: 'jsonrpc' },
  upstreams: [{ url, headers: { 'x-node-key': CANARY } }],
});

afterEach(killAll);

interface Started {
  readonly server: TillProcess;
  readonly url: string;
  readonly directory: ReturnType<typeof freshDirectory>;
  readonly nodes: readonly [FakeNode, FakeNode];
  write(changes: object): void;
  reload(): Promise<{ readonly code: number | null; readonly answer: Answer; readonly text: string }>;
}

async function start(t: { after(end: () => Promise<void>): void }, settings: object = {}): Promise<Started> {
  const directory = freshDirectory();
  const nodes = [await startNode(), await startNode()] as const;
  t.after(async () => {
    await killAll();
    for (const node of nodes) await node.close();
    directory.remove();
  });
  const base = { mode: 'sandbox', gateways: [gateway(ONE, nodes[0].url)], ...settings };
  const write = (changes: object): void => directory.write('tillgate.config.json', { ...base, ...changes });
  write({});
  const server = serve(directory.path);
  const url = await server.url();
  const reload = async (): ReturnType<Started['reload']> => {
    const { code, out, err } = await run(directory.path, ['reload', '--json']);
    return { code, answer: JSON.parse(out === '' ? '{}' : out) as Answer, text: out + err };
  };
  return { server, url, directory, nodes, write, reload };
}

async function newKey(directory: string): Promise<string> {
  const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await run(directory, [...args, '--json']);
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>;
  };
  const account = await command('account', 'create', '--email', 'a@example.com', '--password', 'correct horse battery');
  const id = String(account['id']);
  const app = await command('app', 'create', '--account', id, '--name', 'wallet', '--chains', 'ETH');
  return (app['key'] as { api_key: string }).api_key;
}

test('fault 445: a running server follows its settings file: gateways come, go and lead elsewhere, and limits and the log level change', async (t) => {
  const { server, url, directory, nodes, write, reload } = await start(t);
  const [first, second] = nodes;
  const key = await newKey(directory.path);
  assert.equal(await statusOf(url, ONE, key), 200);
  assert.equal(await statusOf(url, TWO, key), NO_GATEWAY);

  write({ gateways: [gateway(ONE, second.url), gateway(TWO, first.url)] });
  const added = await reload();
  assert.deepEqual(added.answer, { pid: server.child.pid, outcome: 'applied', followed: ['gateways'], waiting: [] });
  const [before] = [second.seen.length];
  for (const host of [ONE, TWO]) assert.equal(await statusOf(url, host, key), 200);
  assert.ok(second.seen.length > before, 'its requests lead to the other node');

  write({ gateways: [gateway(TWO, first.url)], limits: { loginsPerMinute: 1 }, logLevel: 'debug' });
  server.child.kill('SIGHUP');
  await waitFor(async () => (await statusOf(url, ONE, key)) === NO_GATEWAY);
  assert.equal(await statusOf(url, TWO, key), 200);
  const login = async (): Promise<number> => {
    const body = JSON.stringify({ email: 'a@example.com', password: 'a wrong password' });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/manage/v1/session`, { method: 'POST', headers, body })).status;
  };
  assert.deepEqual([await login(), await login()], [401, 429]);
  await waitFor(() => /"changed":\["gateways","limits","logLevel"\]/.test(server.err));
  await first.close();
  await waitFor(async () => {
    await statusOf(url, TWO, key);
    return /"level":"debug"/.test(server.err);
  });

  write({ gateways: [gateway(TWO, second.url)], logLevel: 'error' });
  await reload();
  const lines = server.err.length;
  write({ logLevel: 'error' });
  assert.deepEqual((await reload()).answer.followed, ['gateways']);
  assert.doesNotMatch(server.err.slice(lines), /"level":"info"/);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^tillgate_settings_reloads_total\{outcome="applied"\} 4$/m);
  assert.ok(!(server.err + server.out).includes(CANARY));
});

test('fault 446: settings that are not usable change nothing, and their fields are named without their values', async (t) => {
  const { server, url, directory, nodes, write, reload } = await start(t);
  write({ gateways: [gateway(TWO, `ftp://${CANARY}`)], orders: { timeoutSecond: 5 } });
  server.child.kill('SIGHUP');
  const fields = ['gateways.0.upstreams.0.url', 'orders.timeoutSecond'];
  await waitFor(() => fields.every((field) => server.err.includes(field)));
  assert.deepEqual([await statusOf(url, ONE, null), await statusOf(url, TWO, null)], [401, NO_GATEWAY]);
  const refused = await run(directory.path, ['reload']);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /gateways\.0\.upstreams\.0\.url/);
  directory.write('tillgate.config.json', `{ "mode": ${CANARY} }`);
  server.child.kill('SIGHUP');
  await waitFor(() => /not valid JSON/.test(server.err));
  assert.equal(await statusOf(url, ONE, null), 401);
  write({ gateways: [gateway(TWO, nodes[0].url)] });
  assert.equal((await reload()).code, 0, 'and it goes on with the next file');
  assert.deepEqual([await statusOf(url, ONE, null), await statusOf(url, TWO, null)], [NO_GATEWAY, 401]);
  // The parser of JSON quotes a few characters.
  assert.doesNotMatch(server.err + server.out + refused.out + refused.err, /canary/);
});

test('fault 447: settings that need a restart are named, by command and in the log, until it comes', async (t) => {
  const { server, write, reload } = await start(t, { orders: { timeoutSeconds: 1_800 } });
  const changed = { orders: { timeoutSeconds: 900 }, serviceName: 'other', gateways: [], apiDocs: true };
  write(changed);
  for (const followed of [['gateways'], []]) {
    const { code, answer } = await reload();
    assert.deepEqual([code, answer.followed, answer.waiting], [0, followed, ['orders.timeoutSeconds', 'serviceName']]);
  }
  await waitFor(() => /"settings":\["orders\.timeoutSeconds","serviceName"\]/.test(server.err));
  write({});
  assert.deepEqual((await reload()).answer.waiting, []);
});

test('the socket of a server is its user’s alone and goes with it, and one that was left behind is no server', async (t) => {
  const { server, directory, reload } = await start(t);
  const folder = join(directory.path, 'data', 'control');
  assert.equal(statSync(folder).mode & 0o077, 0);
  assert.deepEqual(readdirSync(folder), [`${server.child.pid}.sock`]);
  await server.signal('SIGKILL');
  assert.equal(readdirSync(folder).length, 1);
  const { code, text } = await reload();
  assert.equal(code, 1);
  assert.match(text, /No server runs/);
  assert.deepEqual(readdirSync(folder), []);
  const next = serve(directory.path);
  await next.url();
  await next.signal('SIGTERM');
  assert.ok(existsSync(folder) && readdirSync(folder).length === 0);
});

test('a settings module is read again', async (t) => {
  const { server, directory, url, nodes } = await start(t, {});
  await server.signal('SIGTERM');
  directory.write('gates.config.mjs', `export default ${JSON.stringify({ mode: 'sandbox', gateways: [] })};`);
  const other = serve(directory.path, { TILLGATE_CONFIG: 'gates.config.mjs' });
  const at = await other.url();
  assert.notEqual(at, url);
  const gateways = [gateway(ONE, nodes[0].url)];
  directory.write('gates.config.mjs', `export default ${JSON.stringify({ mode: 'sandbox', gateways })};`);
  other.child.kill('SIGHUP');
  await waitFor(async () => (await statusOf(at, ONE, null)) === 401);
});

if (testedEngines().includes('pg'))
  test('fault 448: each process of a server follows the settings, and the answer is that of all', async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const { server, url, nodes, write, reload } = await start(t, {
      ...{ processes: 2, database: { client: 'pg', connection: database.url } },
    });
    write({ gateways: [gateway(TWO, nodes[0].url)], serviceName: 'other' });
    const { code, answer } = await reload();
    assert.deepEqual(
      [code, answer],
      [0, { pid: server.child.pid, outcome: 'applied', followed: ['gateways'], waiting: ['serviceName'] }],
    );
    for (let n = 0; n < 20; n++)
      assert.deepEqual([await statusOf(url, ONE, null), await statusOf(url, TWO, null)], [NO_GATEWAY, 401]);
    assert.match(await (await fetch(`${url}/metrics`)).text(), /reloads_total\{outcome="applied"\} 2$/m);
  });
