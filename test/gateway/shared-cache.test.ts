import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { DEFAULT_READS } from '../../core/index.ts';
import type { CacheStore, StoredAnswer } from '../../core/index.ts';
import { MemoryCacheStore } from '../support/memory-cache-store.ts';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';
import { Branches, hex } from './branches.ts';

const block = (n: number, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getBlockByNumber', params: [hex(n), false] });
/** Blocks up to here have a checkpoint above them: the bound is 64 blocks, and the head 300. */
const CHECKPOINT = 192;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly [string, ...unknown[]];
}

/** A store whose calls can be made to fail or to hang, and which counts them. */
class MoodyStore extends MemoryCacheStore {
  mood: 'well' | 'fails' | 'hangs' = 'well';
  asked = 0;

  override find(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    this.asked += 1;
    return this.#as(() => super.find(keys));
  }

  override put(answers: readonly StoredAnswer[], keepMs: number): Promise<void> {
    return this.#as(() => super.put(answers, keepMs));
  }

  #as<T>(work: () => Promise<T>): Promise<T> {
    if (this.mood === 'hangs') return new Promise(() => undefined);
    return this.mood === 'fails' ? Promise.reject(new Error('redis://user:canary@host is away')) : work();
  }
}

bothPaths('fault 451: gateways that share a cache', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  const node = async (chain: () => Branches): Promise<FakeNode> => {
    const answer = ({ id, method, params }: Call): object => {
      const n = Number(params?.[0]);
      const known = { number: hex(n), hash: chain().hash(n) };
      const result = method === 'eth_blockNumber' ? hex(chain().head) : n <= chain().head ? known : null;
      return { jsonrpc: '2.0', id, result };
    };
    const made = await startNode((_req, res, body) => {
      const calls = JSON.parse(body) as Call | Call[];
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)));
    });
    started.push(made);
    return made;
  };
  const run = async (
    urls: readonly string[],
    sharedCache: CacheStore | null,
    changes: Parameters<typeof routeOf>[1] = {},
  ): Promise<TestGateway> => {
    const gate = await startGateway(
      [routeOf(urls, { reads: { ...DEFAULT_READS, cache: true }, ...changes })],
      { healthIntervalMs: 20, sharedCache },
      path,
    );
    started.push(gate);
    return gate;
  };
  const hashOf = async (gate: TestGateway, n: number): Promise<string> =>
    (JSON.parse((await ask(gate.port, { body: block(n) })).text) as { result: { hash: string } }).result.hash;
  const count = async (gate: TestGateway, name: string, outcome: string): Promise<number> =>
    Number(new RegExp(`${name}_reads_total\\{[^}]*"${outcome}"\\} (\\d+)`).exec(await gate.metrics())?.[1] ?? 0);
  const sharedHits = (gate: TestGateway): Promise<number> => count(gate, 'shared_cache', 'hit');
  /** How often a node was asked for a block by a client; checks ask with `false` and the id 1 too, but not for this one. */
  const askedFor = ({ seen }: FakeNode, n: number): number =>
    seen.filter(({ body }) => body.includes(`"${hex(n)}"`)).length;
  /** Reads a block until it is stored. */
  const store = async (
    gate: TestGateway,
    kept: MemoryCacheStore,
    n: number,
    former = kept.answers.size,
  ): Promise<void> =>
    void (await waitFor(async () => {
      await ask(gate.port, { body: block(n) });
      return kept.answers.size > former;
    }));
  const rounds = async ({ seen }: FakeNode, more: number): Promise<void> => {
    const from = seen.length;
    await waitFor(() => seen.slice(from).filter(({ body }) => body.includes('eth_blockNumber')).length >= more);
  };

  test('one answers from what the other has asked, alone and in batches, each with its own id', async () => {
    const kept = new MemoryCacheStore();
    const chain = new Branches(300);
    const behind = await node(() => chain);
    const [first, second] = [await run([behind.url], kept), await run([behind.url], kept)];
    await store(first, kept, 100);
    await store(first, kept, 101);
    await waitFor(async () => {
      await hashOf(second, 100);
      return (await sharedHits(second)) > 0;
    });
    const before = askedFor(behind, 101);
    const body = `[${block(100, 'a')},${block(101, 7)}]`;
    const replies = JSON.parse((await ask(second.port, { body })).text) as { id: unknown; result: { hash: string } }[];
    assert.deepEqual(
      replies.map(({ id, result }) => [id, result.hash]),
      [
        ['a', chain.hash(100)],
        [7, chain.hash(101)],
      ],
    );
    assert.equal(askedFor(behind, 101), before, 'no node was asked');
    assert.ok(![...kept.answers].some((entry) => JSON.stringify(entry).includes(KEY)));
    for (const key of kept.answers.keys()) assert.match(key, /^[0-9a-f]{64}$/, 'what clients send is not stored');
  });

  test('nothing is stored beyond the last checkpoint, and nothing of a route without a cache', async () => {
    const kept = new MemoryCacheStore();
    const chain = new Branches(300);
    const behind = await node(() => chain);
    const gate = await run([behind.url], kept);
    await store(gate, kept, CHECKPOINT);
    const former = kept.answers.size;
    await hashOf(gate, CHECKPOINT + 1);
    await store(gate, kept, CHECKPOINT - 1);
    assert.equal(kept.answers.size, former + 1);
    const off = await run([behind.url], kept, { reads: DEFAULT_READS });
    await hashOf(off, 50);
    await rounds(behind, 4);
    await store(gate, kept, CHECKPOINT - 2);
    assert.equal(kept.answers.size, former + 2);
  });

  test('no instance serves an answer of a branch that it has left, whoever stored it', async () => {
    const kept = new MemoryCacheStore();
    const old = new Branches(300);
    const replaced = new Branches(300);
    replaced.reorganise(250, 'b');
    let [one, other] = [old, old];
    const nodes = [await node(() => one), await node(() => other)] as const;
    const [first, second] = [await run([nodes[0].url], kept), await run([nodes[1].url], kept)];
    await store(first, kept, 100);
    await waitFor(async () => {
      await hashOf(second, 100);
      return (await sharedHits(second)) > 0;
    });
    // The second one's node moves to another branch, deeper than any reorganisation should; the first one's stays.
    other = replaced;
    await waitFor(async () => (await hashOf(second, 100)) === replaced.hash(100));
    const stale = new Map(kept.answers);
    for (let times = 0; times < 5; times++) {
      await rounds(nodes[1], 1);
      assert.equal(await hashOf(second, 100), replaced.hash(100));
      assert.equal(await hashOf(first, 100), old.hash(100));
    }
    // Each stores what it has; neither takes the other's.
    await waitFor(async () => {
      await hashOf(second, 90);
      await hashOf(first, 91);
      return kept.answers.size > stale.size;
    });
    for (const n of [90, 91, 100]) {
      assert.equal(await hashOf(second, n), replaced.hash(n));
      assert.equal(await hashOf(first, n), old.hash(n));
    }
    // Blocks below the fork are stored with a checkpoint above it.
    const low = await hashOf(first, 20);
    await rounds(nodes[0], 4);
    assert.equal(await hashOf(second, 20), low);
    one = replaced;
    await waitFor(async () => (await hashOf(first, 100)) === replaced.hash(100));
    for (const n of [20, 90, 91, 100]) assert.equal(await hashOf(first, n), replaced.hash(n));
    // An instance that starts now knows nothing of the old branch.
    for (const [key, answer] of stale) kept.answers.set(key, answer);
    const third = await run([nodes[0].url], kept);
    for (let times = 0; times < 6; times++) {
      assert.equal(await hashOf(third, 100), replaced.hash(100));
      await rounds(nodes[0], 1);
    }
  });

  test('an answer that came while the branch was replaced is not stored', async () => {
    const kept = new MemoryCacheStore();
    let chain = new Branches(300);
    const replaced = new Branches(300);
    replaced.reorganise(250, 'b');
    const behind = await node(() => chain);
    const gate = await run([behind.url], kept);
    await store(gate, kept, 100);
    const former = kept.answers.size;
    // The answer is of the new branch, and the checkpoint of the old one: no check has noticed yet.
    chain = replaced;
    await hashOf(gate, 110);
    await waitFor(async () => (await hashOf(gate, 100)) === replaced.hash(100));
    await rounds(behind, 4);
    for (const { value } of [...kept.answers.values()].slice(former))
      assert.ok(value.includes(replaced.hash(CHECKPOINT)), 'what is stored has a checkpoint of its own branch');
  });

  test('networks and chains do not share, whatever their blocks are', async () => {
    const kept = new MemoryCacheStore();
    const chain = new Branches(300);
    const behind = await node(() => chain);
    const first = await run([behind.url], kept);
    await store(first, kept, 100);
    for (const changes of [{ network: 'sepolia' }, { chain: 'BSC' as never }, { id: '77' as never }]) {
      const other = await run([behind.url], kept, changes);
      await rounds(behind, 6);
      await hashOf(other, 100).catch(() => '');
      assert.equal(await sharedHits(other), 0);
    }
  });

  test('what is not an answer as the gateway stores them is not served', async () => {
    const kept = new MemoryCacheStore();
    const chain = new Branches(300);
    const behind = await node(() => chain);
    const first = await run([behind.url], kept);
    await store(first, kept, 100);
    // No gateway replaces what the test puts there.
    kept.put = () => Promise.resolve();
    const [[key, good]] = [...kept.answers] as [[string, { value: string; expiresAt: number }]];
    for (const value of [
      '',
      'x',
      good.value.replace('"result"', '"error"'),
      good.value.replace(`"${hex(100)}"`, `"${hex(101)}"`),
      good.value.replace('\n', '\n,'),
      good.value.replace(chain.hash(CHECKPOINT), `0x${'0'.repeat(64)}`),
      `${good.value},"id":9`,
    ]) {
      kept.answers.set(key, { ...good, value });
      const gate = await run([behind.url], kept);
      let other = 0;
      await waitFor(async () => {
        // Until it asks the store, each time for another block than the one that is stored.
        other += other === 99 ? 2 : 1;
        await hashOf(gate, other);
        return (await count(gate, 'shared_cache', 'miss')) > 0;
      });
      const asked = askedFor(behind, 100);
      assert.equal(await hashOf(gate, 100), chain.hash(100));
      assert.equal(askedFor(behind, 100), asked + 1, value.slice(0, 80));
      assert.equal(await sharedHits(gate), 0);
    }
  });

  test('fault 454: a store that fails or hangs makes no request fail, and is left alone for a while', async () => {
    const chain = new Branches(300);
    const behind = await node(() => chain);
    for (const mood of ['fails', 'hangs'] as const) {
      const kept = new MoodyStore();
      const gate = await run([behind.url], kept);
      await store(gate, kept, 100);
      kept.mood = mood;
      for (let n = 0; n < 10; n++) assert.equal(await hashOf(gate, 20 + n), chain.hash(20 + n));
      const { asked } = kept;
      for (let n = 0; n < 20; n++) assert.equal(await hashOf(gate, 40 + n), chain.hash(40 + n));
      assert.ok(kept.asked <= asked + 1, 'it is asked no more, but for a try');
      assert.match(gate.log(), /shared cache does not answer/);
      assert.ok(!gate.log().includes('canary'));
      assert.ok((await count(gate, 'shared_cache', 'failed')) >= 1);
    }
  });
});
