import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { DEFAULT_READS } from '../../core/index.ts';
import type { CacheStore } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { Branches, hex } from './branches.ts';
import { ask, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly [string, ...unknown[]];
}

/**
 * Two gateways that share a store, and whose nodes are reorganised below the final block, one after the other: none
 * serves an answer of the branch that it has left, and neither does a third one, which finds those answers stored.
 *
 * @param open - opens the store, as each of the gateways does for itself
 */
export async function sharedBranches(t: TestContext, open: () => Promise<CacheStore>): Promise<void> {
  const old = new Branches(300);
  const replaced = new Branches(300);
  replaced.reorganise(250, 'b');
  let [one, other] = [old, old];
  const nodes = [await node(t, () => one), await node(t, () => other)] as const;
  const [first, second] = [await gateway(t, nodes[0], await open()), await gateway(t, nodes[1], await open())];
  const read: number[] = [];
  await waitFor(async () => {
    const n = 100 + read.length;
    read.push(n);
    await hashOf(first, n);
    await rounds(nodes[0], 3);
    await hashOf(second, n);
    return (await sharedHits(second)) > 0;
  });

  other = replaced;
  await waitFor(async () => (await hashOf(second, 100)) === replaced.hash(100));
  for (let times = 0; times < 5; times++) {
    await rounds(nodes[1], 1);
    for (const n of read) {
      assert.equal(await hashOf(second, n), replaced.hash(n));
      assert.equal(await hashOf(first, n), old.hash(n));
    }
  }

  one = replaced;
  await waitFor(async () => (await hashOf(first, 100)) === replaced.hash(100));
  const third = await gateway(t, nodes[0], await open());
  for (let times = 0; times < 6; times++) {
    for (const gate of [first, third]) for (const n of read) assert.equal(await hashOf(gate, n), replaced.hash(n));
    await rounds(nodes[0], 1);
  }
}

async function node(t: TestContext, chain: () => Branches): Promise<FakeNode> {
  const made = await startNode((_req, res, body) => {
    const { id, method, params } = JSON.parse(body) as Call;
    const n = Number(params?.[0]);
    const result = method === 'eth_blockNumber' ? hex(chain().head) : { number: hex(n), hash: chain().hash(n) };
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  t.after(() => made.close());
  return made;
}

async function gateway(t: TestContext, { url }: FakeNode, sharedCache: CacheStore): Promise<TestGateway> {
  const route = routeOf([url], { reads: { ...DEFAULT_READS, cache: true } });
  const gate = await startGateway([route], { healthIntervalMs: 20, sharedCache });
  t.after(() => gate.close());
  return gate;
}

async function hashOf({ port }: TestGateway, n: number): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [hex(n), false] });
  return (JSON.parse((await ask(port, { body })).text) as { result: { hash: string } }).result.hash;
}

const sharedHits = async (gate: TestGateway): Promise<number> =>
  Number(/shared_cache_reads_total\{[^}]*"hit"\} (\d+)/.exec(await gate.metrics())?.[1] ?? 0);

/** Waits for some more health checks of a node. */
async function rounds({ seen }: FakeNode, more: number): Promise<void> {
  const from = seen.length;
  await waitFor(() => seen.slice(from).filter(({ body }) => body.includes('eth_blockNumber')).length >= more);
}
