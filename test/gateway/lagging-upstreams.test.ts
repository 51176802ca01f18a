import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { DEFAULT_READS } from '../../core/index.ts';
import type { ReadRules } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { answerRpc, ask, bothPaths, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const call = (method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const BALANCE = call('eth_getBalance', '0x00', 'latest');
const OLD_BALANCE = call('eth_getBalance', '0x00', '0x10');

bothPaths('fault 151: an upstream that is behind', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });
  const node = async (head: number): Promise<FakeNode> => {
    const made = await startNode((_req, res, body) =>
      body.includes('eth_blockNumber')
        ? res.end(`{"jsonrpc":"2.0","id":1,"result":"0x${head.toString(16)}"}`)
        : answerRpc(res, body),
    );
    started.push(made);
    return made;
  };
  const run = async (
    nodes: readonly FakeNode[],
    headLagBlocks: number | null,
    changes: Partial<ReadRules> = {},
  ): Promise<TestGateway> => {
    const urls = nodes.map(({ url }) => url);
    const gate = await startGateway(
      [routeOf(urls, { reads: { ...DEFAULT_READS, headLagBlocks, ...changes } })],
      { healthIntervalMs: 50 },
      path,
    );
    started.push(gate);
    const shown = async (): Promise<boolean> =>
      (await gate.metrics()).split('tillgate_gateway_upstream_up{').length > nodes.length;
    await waitFor(shown);
    return gate;
  };
  const asked = ({ seen }: FakeNode, body: string): number => seen.filter((request) => request.body === body).length;

  test('is not asked about the newest block, also in a batch, but about one that it has', async () => {
    const [behind, ahead] = [await node(0x40), await node(0x42)];
    const { port } = await run([behind, ahead], null);
    const batch = `[${OLD_BALANCE},${BALANCE}]`;
    for (let n = 0; n < 20; n++)
      for (const body of [BALANCE, batch]) assert.equal((await ask(port, { body })).status, 200);
    assert.deepEqual([asked(ahead, BALANCE), asked(ahead, batch)], [20, 20]);
    await waitFor(async () => {
      await ask(port, { body: OLD_BALANCE });
      return asked(behind, OLD_BALANCE) > 0;
    });
  });

  test('is asked like the others where the route says that so many blocks do not matter', async () => {
    const [behind, ahead] = [await node(0x40), await node(0x42)];
    const { port } = await run([behind, ahead], 2, { monotonic: false });
    await waitFor(async () => {
      await ask(port, { body: BALANCE });
      return asked(behind, BALANCE) > 0;
    });
  });

  test('is asked when the others are gone', async () => {
    const [behind, ahead] = [await node(0x40), await node(0x42)];
    const { port } = await run([behind, ahead], null);
    await ahead.close();
    await waitFor(async () => (await ask(port, { body: BALANCE })).status === 200 && asked(behind, BALANCE) > 0);
  });
});
