import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { RpcClient } from '../../gateway/chain-node.ts';
import { KEY, routeOf, startGateway } from '../../gateway/support.ts';
import { assertSawChain, EMITTER, TwinChain } from '../../gateway/two-anvils.ts';
import type { SeenHead, SeenLog } from '../../gateway/two-anvils.ts';
import { endWithThisProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';
import { chosenClients, SUBSCRIBING_CLIENTS, whatIsMissing } from './clients.ts';
import type { Client } from './clients.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const STEPS = 1_000;
/** The steps before the clients subscribe: no later reorganisation goes below them. */
const FIRST = 8;
const CLIENTS_OF_EACH = 10;

/** What a program prints: a line for each block and log of each of its clients, and one once all have subscribed. */
interface Line {
  readonly ready?: boolean;
  readonly client?: number;
  readonly head?: SeenHead;
  readonly log?: SeenLog;
  readonly error?: string;
}

interface Program {
  readonly name: string;
  readonly child: ChildProcess;
  readonly heads: readonly SeenHead[][];
  readonly logs: readonly SeenLog[][];
  ready: boolean;
  readonly errors: string[];
}

function start(client: Client, environment: Readonly<Record<string, string>>): Program {
  const missing = whatIsMissing(client);
  if (missing !== null) throw new Error(missing);
  const [command, ...args] = client.command;
  const child = spawn(command, args, {
    cwd: REPOSITORY,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  const lists = <T>(): T[][] => Array.from({ length: CLIENTS_OF_EACH }, () => []);
  const [heads, logs, errors] = [lists<SeenHead>(), lists<SeenLog>(), [] as string[]];
  const program: Program = { name: client.name, child, heads, logs, ready: false, errors };
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.once('exit', (code) => errors.push(`ended with ${code ?? 'a signal'}`));
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    if (line.ready === true) program.ready = true;
    if (line.error !== undefined) errors.push(line.error);
    if (line.head !== undefined) heads[line.client ?? 0]?.push(line.head);
    if (line.log !== undefined) logs[line.client ?? 0]?.push(line.log);
  });
  return program;
}

test('fault 425: ten clients of each library see each of 1,000 blocks and its logs once, whose node is killed amid reorganisations', async (t) => {
  const chain = await TwinChain.start(STEPS);
  t.after(() => chain.stop());
  const [one, two] = chain.anvils as [(typeof chain.anvils)[0], (typeof chain.anvils)[0]];
  for (const anvil of [one, two]) await chain.advance(anvil, FIRST);
  const ws = ({ url }: { readonly url: string }): string => url.replace('http', 'ws');
  // What the clients' URLs say.
  const host = '127.0.0.1';
  const routes = (...urls: string[]) => [routeOf(urls, { host, protocol: 'websocket' })];
  const gate = await startGateway(routes(ws(one)));
  t.after(() => gate.close());

  const programs = chosenClients(SUBSCRIBING_CLIENTS).map((client) =>
    start(client, {
      ...{ GATEWAY_WS: `ws://${host}:${gate.port}`, GATEWAY_KEY: KEY, EMITTER },
      ...{ CLIENTS: String(CLIENTS_OF_EACH), CHAIN_ID: String(one.chainId) },
    }),
  );
  t.after(() => programs.forEach(({ child }) => child.kill('SIGKILL')));
  const broken = (): boolean => programs.some(({ errors }) => errors.length > 0);
  const errors = (): string => programs.map(({ name, errors: all }) => `${name}: ${all.join(' ')}`).join('\n');
  await waitFor(() => broken() || programs.every(({ ready }) => ready), { describe: 'the subscriptions' });
  assert(!broken(), errors());
  const from = Number(await one.rpc<string>('eth_blockNumber'));
  const monitor = await RpcClient.open(gate.port, KEY, '/', host);
  t.after(() => monitor.socket.terminate());
  await monitor.subscribe('newHeads');
  gate.setRoutes(routes(ws(one), ws(two)));

  /** Goes on once the gateway has delivered a node's newest block, so that reorganised blocks were delivered too. */
  const follows = async (node: typeof one): Promise<void> => {
    const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await waitFor(() => (monitor.notifications.at(-1)?.result as SeenHead | undefined)?.hash === hash, {
      intervalMs: 1,
      describe: () => `block ${hash}\n${errors()}\n${gate.log().slice(-2_000)}`,
    });
  };
  const half = STEPS / 2;
  for (let step = FIRST + 1; step <= half; step++) {
    await chain.advance(one, step);
    await follows(one);
    await chain.advance(two, step - (step % 4));
  }
  const last = chain.advance(one, half + 10).catch(() => undefined);
  await chain.kill(one);
  await last;
  for (let step = half - 3; step <= STEPS; step++) {
    await chain.advance(two, step);
    if (step > half + 20) await follows(two);
  }
  await follows(two);

  const final = await two.rpc<{ readonly hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const range = { fromBlock: `0x${(from + 1).toString(16)}`, toBlock: 'latest', address: EMITTER };
  const logs = await two.rpc<readonly unknown[]>('eth_getLogs', [range]);
  for (const program of programs) {
    const present = (seen: readonly SeenLog[]): number =>
      seen.reduce((sum, { removed }) => sum + (removed ? -1 : 1), 0);
    await waitFor(
      () =>
        broken() ||
        (program.heads.every((heads) => heads.at(-1)?.hash === final.hash) &&
          program.logs.every((seen) => present(seen) === logs.length)),
      {
        describe: () =>
          `block ${final.hash} and ${logs.length} logs at ${program.name}: ${program.heads.map((heads, at) => `${heads.at(-1)?.number ?? 'none'} and ${present(program.logs[at] ?? [])}`).join(', ')}`,
      },
    );
    assert(!broken(), errors());
    const [blocks, seen] = [program.heads.flat().length, program.logs.flat()];
    t.diagnostic(
      `${program.name}: ${CLIENTS_OF_EACH} clients, ${blocks} blocks, ${seen.length} logs, of which ${seen.filter(({ removed }) => removed).length} were removed`,
    );
    for (const [at, heads] of program.heads.entries()) {
      await assertSawChain(two, from, heads, program.logs[at] ?? []);
      assert(
        program.logs[at]?.some(({ removed }) => removed),
        'nothing was reorganised',
      );
    }
  }
});
