import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DEFAULT_READS, UsageMeter } from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { startAnvil } from '../support/anvil.ts';
import { waitFor } from '../support/wait.ts';
import { ask, bothPaths, reasonOf, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const hex = (n: number): string => `0x${n.toString(16)}`;
const call = (id: unknown, method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const block = (id: unknown, n: number): string => call(id, 'eth_getBlockByNumber', hex(n), false);
const newest = (id: unknown): string => call(id, 'eth_gasPrice');
const HEAD = 200;

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly [string];
}
type Reply = Record<string, unknown>;

const resultOf = ({ method, params }: Call): unknown => {
  if (method === 'eth_blockNumber') return hex(HEAD);
  if (method !== 'eth_getBlockByNumber') return '0x1';
  return { number: params?.[0], hash: `0x${String(Number(params?.[0])).padStart(64, '0')}` };
};

bothPaths('fault 449: a batch on a route that caches', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  /** @param reply - what the node makes of the right replies to a batch */
  const run = async (
    reply?: (replies: Reply[], res: ServerResponse) => void,
    changes: Parameters<typeof routeOf>[1] = {},
    deps: Parameters<typeof startGateway>[1] = {},
  ): Promise<{ gate: TestGateway; node: FakeNode; batches: () => Call[][] }> => {
    const batches: Call[][] = [];
    const node = await startNode((_req, res, body) => {
      const calls = JSON.parse(body) as Call | Call[];
      const answer = (each: Call): Reply => ({ jsonrpc: '2.0', id: each.id, result: resultOf(each) });
      res.setHeader('content-type', 'application/json');
      if (!Array.isArray(calls)) {
        res.end(JSON.stringify(answer(calls)));
        return;
      }
      batches.push(calls);
      const replies = calls.filter(({ id }) => id !== undefined).map(answer);
      if (reply !== undefined) reply(replies, res);
      else if (replies.length === 0) res.end();
      else res.end(JSON.stringify(replies));
    });
    const gate = await startGateway(
      [routeOf([node.url], { reads: { ...DEFAULT_READS, cache: true }, ...changes })],
      { healthIntervalMs: 20, ...deps },
      path,
    );
    started.push(node, gate);
    return { gate, node, batches: () => batches };
  };
  const count = async ({ gate }: { gate: TestGateway }, outcome: string): Promise<number> =>
    Number(new RegExp(`cached_reads_total\\{[^}]*"${outcome}"\\} (\\d+)`).exec(await gate.metrics())?.[1] ?? 0);
  /** Asks for blocks until they come from the cache. */
  const keep = async (one: Awaited<ReturnType<typeof run>>, ...blocks: readonly number[]): Promise<void> => {
    for (const n of blocks)
      await waitFor(async () => {
        const before = await count(one, 'hit');
        await ask(one.gate.port, { body: block(1, n) });
        return (await count(one, 'hit')) > before;
      });
  };
  const send = async ({ gate }: { gate: TestGateway }, ...calls: readonly string[]): Promise<Reply[]> =>
    JSON.parse((await ask(gate.port, { body: `[${calls.join(',')}]` })).text) as Reply[];
  const idsOf = (replies: readonly Reply[]): unknown[] => replies.map(({ id }) => id);

  test('asks a node only what is not cached, in one batch, and answers in the order of the calls', async () => {
    const one = await run();
    await keep(one, 10, 20);
    const replies = await send(one, newest('a'), block(7, 10), block('b', 11), block(8, 20), newest(9));
    assert.deepEqual(idsOf(replies), ['a', 7, 'b', 8, 9]);
    assert.deepEqual(
      replies.map(({ result }) => (result as { number?: string }).number ?? result),
      ['0x1', hex(10), hex(11), hex(20), '0x1'],
    );
    assert.deepEqual(
      one.batches().map((calls) => idsOf(calls as unknown as Reply[])),
      [['a', 'b', 9]],
    );
  });

  test('caches the answers that it gets, for single calls and for batches', async () => {
    const one = await run();
    await keep(one, 10);
    await send(one, block(1, 30), block(2, 31), block(3, 199), newest(4));
    const asked = one.node.seen.length;
    await waitFor(async () => {
      await send(one, block(5, 31), block(6, 30));
      return one.batches().length <= 2;
    });
    const before = one.batches().length;
    assert.deepEqual(idsOf(await send(one, block(5, 31), block(6, 30))), [5, 6]);
    assert.equal(one.batches().length, before, 'all of it was cached');
    assert.deepEqual(idsOf(await send(one, block(7, 31), block(8, 199))), [7, 8]);
    assert.deepEqual(idsOf((one.batches().at(-1) ?? []) as unknown as Reply[]), [8], 'but not what is not final');
    assert.ok(one.node.seen.length > asked);
  });

  test('notifications are sent on and give no answer', async () => {
    const one = await run();
    await keep(one, 10);
    const silent = '{"jsonrpc":"2.0","method":"eth_gasPrice","params":[]}';
    assert.deepEqual(idsOf(await send(one, silent, block(1, 10))), [1]);
    assert.deepEqual(idsOf(await send(one, silent, block(1, 10), newest(2))), [1, 2]);
    assert.deepEqual(
      one.batches().map((calls) => calls.length),
      [1, 2],
    );
  });

  test('whatever else a node makes of its part, no answer gets to another call, and nothing of it is cached', async () => {
    for (const [what, spoil, expected] of [
      ['another order', (replies: Reply[]): Reply[] => replies.reverse(), [1, 2, 3]],
      ['too few', (replies: Reply[]): Reply[] => replies.slice(1), [1, 3]],
      ['a foreign id', (replies: Reply[]): Reply[] => [{ ...replies[0], id: 'x' }, ...replies.slice(1)], ['x', 3, 1]],
      [
        'the id of a cached call',
        (replies: Reply[]): Reply[] => [{ ...replies[0], id: 1 }, ...replies.slice(1)],
        [1, 3],
      ],
      ['an id twice', (replies: Reply[]): Reply[] => replies.map((each) => ({ ...each, id: 2 })), [2, 2, 1]],
    ] as const) {
      const one = await run((replies, res) => void res.end(JSON.stringify(spoil(replies))));
      await keep(one, 10);
      const got = await send(one, block(1, 10), block(2, 40), block(3, 41));
      assert.deepEqual(idsOf(got), expected, what);
      for (const { id, result } of got) {
        const { number } = result as { number: string };
        if (id === 1 && what !== 'the id of a cached call') assert.equal(number, hex(10), what);
      }
      if (expected.length === 3 && what === 'another order') continue;
      const before = one.batches().length;
      await send(one, block(1, 40));
      assert.equal(one.batches().length, before + 1, `${what}: nothing was cached`);
    }
  });

  test('an answer that speaks for the whole batch is passed on as it is', async () => {
    const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"no"}}';
    const one = await run((_replies, res) => void res.end(refusal));
    await keep(one, 10);
    const { text } = await ask(one.gate.port, { body: `[${block(1, 10)},${newest(2)}]` });
    assert.equal(text, refusal);
  });

  test('calls with the same id, and batches with an id of null, go to the node as they are', async () => {
    const one = await run();
    await keep(one, 10);
    for (const calls of [
      [block(1, 10), block(1, 10)],
      [block(1, 10), newest(null)],
    ]) {
      const body = `[ ${calls.join(' , ')} ]`;
      await ask(one.gate.port, { body });
      assert.equal(one.node.seen.findLast((each) => each.body.startsWith('['))?.body, body);
    }
  });

  test('a compressed answer is joined, and an answer too large to hold is passed on behind what was cached', async () => {
    const zipped = await run(
      (replies, res) => void res.setHeader('content-encoding', 'gzip').end(gzipSync(JSON.stringify(replies))),
    );
    const headers = { 'accept-encoding': 'gzip' };
    await waitFor(async () => {
      await ask(zipped.gate.port, { body: block(1, 10), headers });
      return (await count(zipped, 'hit')) > 0;
    });
    const { text } = await ask(zipped.gate.port, {
      body: `[${newest(1)},${block(2, 10)}]`,
      headers,
    });
    const replies = JSON.parse(text) as Reply[];
    assert.deepEqual(idsOf(replies), [1, 2]);
    const asked = zipped.node.seen.findLast(({ body }) => body.startsWith('['));
    assert.equal(asked?.headers['accept-encoding'], undefined);
    const large = 'x'.repeat(5 * 1024 * 1024);
    const one = await run((got, res) => void res.end(JSON.stringify(got.map((each) => ({ ...each, result: large })))));
    await keep(one, 10);
    const all = await send(one, newest(1), block(2, 10));
    assert.deepEqual(idsOf(all), [2, 1]);
    assert.equal((all[1]?.result as string).length, large.length);
  });

  test('the memory of answers that are held is given back', async () => {
    const one = await run(undefined, {}, { maxKeptBytes: 4_000 });
    await keep(one, 10);
    for (let n = 0; n < 40; n++) assert.deepEqual(idsOf(await send(one, block(1, 10), newest(2))), [1, 2]);
    // More than is held until it is known what an answer means.
    const gone = await run(
      (_replies, res) => void res.writeHead(200).write('['.padEnd(100_000), () => res.destroy()),
      {},
      { maxKeptBytes: 250_000 },
    );
    await keep(gone, 10);
    for (let n = 0; n < 10; n++)
      assert.equal(
        reasonOf(await ask(gone.gate.port, { body: `[${block(1, 10)},${newest(2)}]` })),
        'upstream_unavailable',
      );
    await keep(gone, 11);
  });

  test('every call of it counts, from the cache or not', async () => {
    const meter = new UsageMeter(new FakeClock());
    const one = await run(undefined, { units: { eth_getBlockByNumber: 3 } }, { meter });
    await keep(one, 10);
    meter.take(Infinity);
    await send(one, block(1, 10), block(2, 10), newest(3));
    const counted = meter.take(Infinity).map(({ method, requests, units }) => [method, requests, units]);
    assert.deepEqual(counted.sort(), [
      ['eth_gasPrice', 1, 1],
      ['eth_getBlockByNumber', 2, 6],
    ]);
  });

  test('a refused call refuses its batch, also where the others are cached', async () => {
    const one = await run(undefined, { methods: { allow: ['*'], deny: ['eth_gasPrice'] } });
    await keep(one, 10);
    const hits = await count(one, 'hit');
    assert.equal(reasonOf(await ask(one.gate.port, { body: `[${block(1, 10)},${newest(2)}]` })), 'method_not_allowed');
    assert.equal(await count(one, 'hit'), hits);
  });

  test('a real node: a batch has the same answers with and without a cache', async () => {
    const anvil = await startAnvil();
    started.push({ close: () => anvil.stop() });
    await anvil.mine(150);
    const gate = await startGateway(
      [routeOf([anvil.url], { reads: { ...DEFAULT_READS, cache: true } })],
      { healthIntervalMs: 20 },
      path,
    );
    started.push(gate);
    const body = `[${block(1, 10)},${newest(2)},${block(3, 20)},${block(4, 9_999)},${call(5, 'eth_getBalance', `0x${'1'.repeat(40)}`, hex(30))}]`;
    const direct = (await (
      await fetch(anvil.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    ).json()) as Reply[];
    await keep({ gate, node: null as never, batches: () => [] }, 10, 20);
    for (let times = 0; times < 3; times++) assert.deepEqual(JSON.parse((await ask(gate.port, { body })).text), direct);
  });
});
