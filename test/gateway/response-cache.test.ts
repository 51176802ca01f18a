import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_READS } from '../../core/index.ts';
import { startAnvil } from '../support/anvil.ts';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, HOST, keyView, OTHER_KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';
import { Branches, hex } from './branches.ts';

const call = (id: number, method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const block = (n: number, id = 1): string => call(id, 'eth_getBlockByNumber', hex(n), false);
const FINALITY = 64;

bothPaths('fault 155: answers that are kept', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  /** @param claims - the head that it says it has */
  const node = async (chain: Branches, claims: () => number = () => chain.head): Promise<FakeNode> => {
    const made = await startNode((_req, res, body) => {
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params?: [string] };
      const n = Number(params?.[0]);
      const known = n <= claims();
      const result =
        method === 'eth_blockNumber'
          ? hex(claims())
          : known
            ? { number: hex(n), hash: chain.hash(n), blockNumber: hex(n) }
            : null;
      res.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    started.push(made);
    return made;
  };
  const run = async (urls: readonly string[], healthIntervalMs = 20): Promise<TestGateway> => {
    const gate = await startGateway(
      [routeOf(urls, { reads: { ...DEFAULT_READS, cache: true } })],
      { healthIntervalMs },
      path,
    );
    started.push(gate);
    return gate;
  };
  const hashOf = async (gate: TestGateway, n: number): Promise<string> =>
    (JSON.parse((await ask(gate.port, { body: block(n) })).text) as { result: { hash: string } }).result.hash;
  const hits = async (gate: TestGateway): Promise<number> =>
    Number(/cached_reads_total\{route="[^"]*",outcome="hit"\} (\d+)/.exec(await gate.metrics())?.[1] ?? 0);
  const isKept = async (gate: TestGateway, body: string): Promise<boolean> => {
    const before = await hits(gate);
    await ask(gate.port, { body });
    await ask(gate.port, { body });
    return (await hits(gate)) > before;
  };
  const rounds = async ({ seen }: FakeNode, count: number): Promise<void> => {
    const from = seen.length;
    await waitFor(() => seen.slice(from).filter(({ body }) => body.includes('eth_blockNumber')).length >= count);
  };

  test('a final block is asked for once, by any App whose key holds, and each gets its own id', async () => {
    const chain = new Branches(200);
    const behind = await node(chain);
    const gate = await run([behind.url]);
    await waitFor(() => isKept(gate, block(100)));
    const asked = (): number => behind.seen.filter(({ body }) => body.includes(hex(100))).length;
    const before = asked();
    gate.directory.set(OTHER_KEY, keyView());
    const answer = await ask(gate.port, { body: block(100, 77), key: OTHER_KEY });
    assert.deepEqual(JSON.parse(answer.text), {
      jsonrpc: '2.0',
      id: 77,
      result: { number: hex(100), hash: chain.hash(100), blockNumber: hex(100) },
    });
    assert.equal(asked(), before);
    gate.directory.set(OTHER_KEY, keyView({ state: 'revoked' }));
    assert.equal((await ask(gate.port, { body: block(100, 77), key: OTHER_KEY })).status, 401);
    await behind.close();
    assert.equal((await ask(gate.port, { body: block(100) })).status, 200, 'also without a node');
  });

  test('nothing is kept above the finality bound, of tags, of null, of errors or of what has no block', async () => {
    const chain = new Branches(200);
    const gate = await run([(await node(chain)).url]);
    await waitFor(() => isKept(gate, block(200 - FINALITY)));
    for (const body of [
      block(200 - FINALITY + 1),
      call(1, 'eth_getBlockByNumber', 'finalized', false),
      call(1, 'eth_getBlockByNumber', '0x1000', false),
      call(1, 'eth_getBalance', '0x0', 'latest'),
      call(1, 'eth_chainId'),
      call(1, 'eth_getTransactionReceipt', `0x${'0'.repeat(64)}`),
      '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x1","to":"0x2"},"0x10"]}',
    ])
      assert.equal(await isKept(gate, body), false, body);
  });

  test('an upstream with too high a head makes nothing final, also where the others are down', async () => {
    const chain = new Branches(200);
    const honest = await node(chain);
    const lying = await node(chain, () => 1_000_000);
    const gate = await run([honest.url, lying.url]);
    await waitFor(() => isKept(gate, block(100)));
    assert.equal(await isKept(gate, block(190)), false);
    await honest.close();
    await rounds(lying, 4);
    assert.equal(await isKept(gate, block(190)), false);
  });

  test('upstreams on different branches make nothing final', async () => {
    const [one, other] = [new Branches(200), new Branches(200)];
    other.reorganise(150, 'b');
    const nodes = [await node(one), await node(other)];
    const gate = await run(nodes.map(({ url }) => url));
    for (const each of nodes) await rounds(each, 3);
    assert.equal(await isKept(gate, block(100)), false);
  });

  test('a reorganisation beyond the finality bound forgets everything, and so does a change of the route', async () => {
    const chain = new Branches(200);
    const behind = await node(chain);
    const gate = await run([behind.url]);
    await waitFor(() => isKept(gate, block(100)));
    chain.reorganise(150, 'b');
    await waitFor(async () => (await hashOf(gate, 100)) === chain.hash(100));
    await waitFor(() => isKept(gate, block(100)));
    const other = new Branches(300);
    other.reorganise(250, 'c');
    gate.setRoutes([routeOf([(await node(other)).url], { reads: { ...DEFAULT_READS, cache: true } })]);
    assert.equal(await hashOf(gate, 100), other.hash(100));
  });

  test('fault 450: a network that begins again at a lower block forgets everything', async () => {
    const chain = new Branches(300);
    const behind = await node(chain);
    const gate = await run([behind.url]);
    await waitFor(() => isKept(gate, block(100)));
    for (const head of [200, 20]) {
      chain.restart(head, head === 200 ? 'b' : 'c');
      await rounds(behind, 3);
      chain.mine(300 - head, head === 200 ? 'b' : 'c');
      await rounds(behind, 3);
      assert.equal(await hashOf(gate, 100), chain.hash(100));
      await waitFor(() => isKept(gate, block(100)));
    }
  });

  test('whatever the chain does within its finality bound, no answer is of another branch than the node is on', async () => {
    const chain = new Branches(300);
    const behind = await node(chain);
    const gate = await run([behind.url]);
    await waitFor(() => isKept(gate, block(100)));
    let branch = 0;
    const step = fc.oneof(
      fc.record({ mine: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ reorganise: fc.integer({ min: 1, max: FINALITY - 1 }) }),
      fc.record({ read: fc.integer({ min: 0, max: 140 }) }),
      fc.record({ check: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        for (const each of steps) {
          const name = String.fromCharCode(97 + (++branch % 26));
          if ('mine' in each) chain.mine(each.mine, name);
          else if ('reorganise' in each) chain.reorganise(each.reorganise, name);
          else if ('check' in each) await rounds(behind, 2);
          else {
            const n = chain.head - each.read;
            for (let times = 0; times < 2; times++) assert.equal(await hashOf(gate, n), chain.hash(n));
          }
        }
      }),
      { numRuns: 20 },
    );
    assert((await hits(gate)) > 0);
  });

  test('a real node that reorganises: every answer is what the node says itself', async () => {
    const anvil = await startAnvil();
    started.push({ close: () => anvil.stop() });
    await anvil.mine(150);
    const gate = await run([anvil.url]);
    await waitFor(() => isKept(gate, block(20)));
    for (const depth of [1, 5, 40]) {
      for (const n of [20, 86, 100, 120, 149, 150]) await ask(gate.port, { body: block(n) });
      const before = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [hex(150), false]);
      // The blocks of the new branch differ by who made them.
      await anvil.rpc('anvil_setCoinbase', [hex(depth).replace('0x', '0x'.padEnd(42 - hex(depth).length + 2, '1'))]);
      await anvil.rpc('anvil_reorg', [depth, []]);
      const after = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [hex(150), false]);
      assert.notEqual(after.hash, before.hash);
      for (const n of [20, 86, 100, 120, 149, 150]) {
        const own = await anvil.rpc('eth_getBlockByNumber', [hex(n), false]);
        assert.deepEqual(
          (JSON.parse((await ask(gate.port, { body: block(n) })).text) as { result: unknown }).result,
          own,
          `${depth} ${n}`,
        );
      }
    }
    assert((await gate.metrics()).includes(`tillgate_gateway_cached_reads_total{route="${HOST}",outcome="hit"}`));
  });
});
