import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../support/wait.ts';
import { RpcClient } from './chain-node.ts';
import { routeOf, startGateway } from './support.ts';
import { assertSawChain, EMITTER, TwinChain } from './two-anvils.ts';
import type { SeenHead, SeenLog } from './two-anvils.ts';

const STEPS = 80;
const CLIENTS = 5;

interface HeadOfNode {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
}

interface LogOfNode {
  readonly blockHash: string;
  readonly logIndex: string;
  readonly removed: boolean;
}

const headsOf = (client: RpcClient, id: string): readonly SeenHead[] =>
  client.notifications
    .filter(({ subscription }) => subscription === id)
    .map(({ result }) => ({ ...(result as HeadOfNode), number: Number((result as HeadOfNode).number) }));
const logsOf = (client: RpcClient, id: string): readonly SeenLog[] =>
  client.notifications
    .filter(({ subscription }) => subscription === id)
    .map(({ result }) => ({ ...(result as LogOfNode), logIndex: Number((result as LogOfNode).logIndex) }));

test('fault 425: of two real nodes one is killed amid reorganisations; every client has every block and log once', async (t) => {
  const chain = await TwinChain.start(STEPS);
  t.after(() => chain.stop());
  const [one, two] = chain.anvils as [(typeof chain.anvils)[0], (typeof chain.anvils)[0]];
  // A reorganisation must not go below the first block that clients are told of.
  await chain.advance(one, 8);
  await chain.advance(two, 8);
  const ws = ({ url }: { readonly url: string }): string => url.replace('http', 'ws');
  const gate = await startGateway([routeOf([ws(one)], { protocol: 'websocket' })]);
  t.after(() => gate.close());
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => RpcClient.open(gate.port)));
  t.after(() => clients.forEach(({ socket }) => socket.terminate()));
  const ids = await Promise.all(
    clients.map(async (client, at) => ({
      client,
      heads: await client.subscribe('newHeads'),
      // Every second one has a filter that chooses the same logs in another way.
      logs: await client.subscribe('logs', at % 2 === 0 ? { address: EMITTER } : {}),
    })),
  );
  const from = Number(await one.rpc<string>('eth_blockNumber'));
  gate.setRoutes([routeOf([ws(one), ws(two)], { protocol: 'websocket' })]);

  const follows = async (node: typeof one, describe: string): Promise<void> => {
    const { hash } = await node.rpc<HeadOfNode>('eth_getBlockByNumber', ['latest', false]);
    for (const { client, heads } of ids)
      await waitFor(() => client.closed !== null || headsOf(client, heads).at(-1)?.hash === hash, { describe });
  };
  // The second node follows some blocks behind, until the first one dies while it makes blocks.
  for (let step = 9; step <= STEPS / 2; step++) {
    await chain.advance(one, step);
    await follows(one, `step ${step}`);
    await chain.advance(two, step - (step % 4));
  }
  const last = chain.advance(one, STEPS / 2 + 3).catch(() => undefined);
  await chain.kill(one);
  await last;
  for (let step = STEPS / 2 - 2; step <= STEPS; step++) await chain.advance(two, step);

  await follows(two, 'the last block');
  for (const { client, heads, logs } of ids) {
    assert.equal(client.closed, null);
    // Logs come with their block; what was sent before is here once this is answered.
    await client.ask('eth_blockNumber');
    await assertSawChain(two, from, headsOf(client, heads), logsOf(client, logs));
    assert(logsOf(client, logs).some(({ removed }) => removed));
  }
});
