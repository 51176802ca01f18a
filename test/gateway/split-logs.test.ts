import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { DEFAULT_READS, NO_LIMITS, UsageMeter } from '../../core/index.ts';
import type { LogRules } from '../../core/index.ts';
import { startAnvil } from '../support/anvil.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { appView, ask, bothPaths, HOST, KEY, keyView, reasonOf, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';
import { hex } from './branches.ts';

const HEAD = 10_000;
const logsCall = (from: number, to: number, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getLogs', params: [{ fromBlock: hex(from), toBlock: hex(to) }] });

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly [unknown, ...unknown[]];
}
interface Range {
  readonly from: number;
  readonly to: number;
}
/** A call for logs that arrived at a node. */
interface Arrived extends Range {
  readonly id: unknown;
  readonly res: ServerResponse;
}
interface Log {
  readonly blockNumber: string;
  readonly branch: string;
}

bothPaths('fault 455: a range of logs that no upstream reads at once', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  const logsOf = ({ from, to }: Range, branch = 'a'): Log[] =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => ({ blockNumber: hex(from + n), branch }));
  const reply = ({ id, res }: Arrived, answer: object): void =>
    void res.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));

  /** A node with one log in each block. @param onLogs - answers a call for logs */
  const node = async (
    onLogs: (call: Arrived, branch: string) => void = (call, branch) => reply(call, { result: logsOf(call, branch) }),
    branch: () => string = () => 'a',
    head = HEAD,
  ): Promise<FakeNode & { ranges(): string[] }> => {
    const ranges: string[] = [];
    const made = await startNode((_req, res, body) => {
      const { id, method, params } = JSON.parse(body) as Call;
      if (method === 'eth_getLogs') {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        const range = { from: Number(fromBlock), to: Number(toBlock) };
        ranges.push(`${range.from}-${range.to}`);
        onLogs({ id, res, ...range }, branch());
        return;
      }
      const n = Number(params[0]);
      const block = n <= head ? { number: hex(n), hash: `0x${branch()}${n}` } : null;
      reply({ id, res, from: 0, to: 0 }, { result: method === 'eth_blockNumber' ? hex(head) : block });
    });
    started.push(made);
    return Object.assign(made, { ranges: () => ranges });
  };
  const run = async (
    nodes: readonly FakeNode[],
    rules: Partial<LogRules> = {},
    changes: Parameters<typeof routeOf>[1] = {},
    deps: Parameters<typeof startGateway>[1] = {},
  ): Promise<TestGateway> => {
    const reads = { ...DEFAULT_READS, logs: { maxRange: 10, splitInto: 5, maxResults: 1_000, ...rules } };
    const urls = nodes.map(({ url }) => url);
    const gate = await startGateway([routeOf(urls, { reads, ...changes })], deps, path);
    started.push(gate);
    return gate;
  };
  const read = async (
    gate: TestGateway,
    from: number,
    to: number,
  ): Promise<{ result?: Log[]; error?: { code: number; message: string }; id: unknown }> =>
    JSON.parse((await ask(gate.port, { body: logsCall(from, to, 'mine') })).text) as { id: unknown };

  test('is read in parts, and joined in the order of the blocks under the id of the call', async () => {
    const held: Arrived[] = [];
    const one = await node((call) => held.push(call));
    const gate = await run([one]);
    const answer = read(gate, 100, 134);
    await waitFor(() => held.length === 4);
    for (const call of held.reverse()) reply(call, { result: logsOf(call) });
    assert.deepEqual(await answer, { jsonrpc: '2.0', id: 'mine', result: logsOf({ from: 100, to: 134 }) });
    assert.deepEqual(one.ranges().sort(), ['100-109', '110-119', '120-129', '130-134']);
  });

  test('is refused where it needs more parts, in a batch, by a filter or by tags', async () => {
    const one = await node();
    const gate = await run([one]);
    for (const body of [
      logsCall(1, 51),
      `[${logsCall(1, 11)}]`,
      logsCall(1, 11).replace('eth_getLogs', 'eth_newFilter'),
      logsCall(1, 11).replace('"0x1"', '"earliest"'),
      logsCall(1, 11).replace('"id":1,', ''),
    ]) {
      const answer = await ask(gate.port, { body });
      assert.deepEqual([answer.status, reasonOf(answer)], [400, 'range_too_large'], body);
    }
    const odd = logsCall(1, 20).replace('"toBlock"', '"toBlock":"0x2","toBlock"');
    assert.equal(reasonOf(await ask(gate.port, { body: odd })), 'bad_request');
    const whole = await run([one], { splitInto: 1 });
    assert.equal(reasonOf(await ask(whole.port, { body: logsCall(1, 11) })), 'range_too_large');
    assert.deepEqual(one.ranges(), []);
    assert.equal((await read(gate, 1, 50)).result?.length, 50);
  });

  test('fails with the error of the part that fails, and the other parts are cancelled', async () => {
    const closed: string[] = [];
    const error = { code: -32602, message: 'invalid topics' };
    const one = await node((call) => {
      call.res.on('close', () => closed.push(`${call.from}`));
      if (call.from === 11) setTimeout(() => reply(call, { error }), 20);
    });
    const gate = await run([one]);
    assert.deepEqual(await read(gate, 1, 30), { jsonrpc: '2.0', id: 'mine', error });
    await waitFor(() => closed.length === 3, { describe: 'the end of all parts' });
  });

  test('each part goes on to another upstream where one does not answer it', async () => {
    const busy = await node((call) => {
      if (call.from % 20 === 1) reply(call, { error: { code: 429, message: 'Too many requests' } });
      else call.res.destroy();
    });
    const good = await node();
    for (let n = 0; n < 10; n++) {
      const gate = await run([busy, good]);
      assert.deepEqual((await read(gate, 1, 40)).result, logsOf({ from: 1, to: 40 }));
    }
    assert.ok(busy.ranges().length > 0);
    const gone = await run([await node((call) => call.res.destroy())]);
    const answer = await ask(gone.port, { body: logsCall(1, 20) });
    assert.deepEqual([answer.status, reasonOf(answer)], [502, 'upstream_unavailable']);
  });

  test('more logs than allowed are an error that names the limit and a smaller range', async () => {
    const gate = await run([await node()], { maxResults: 25 });
    const { error, id } = await read(gate, 100, 149);
    assert.equal(id, 'mine');
    assert.equal(error?.code, -32005);
    const [, from, to] = /at most 25 logs.* from (0x[0-9a-f]+) to (0x[0-9a-f]+)/.exec(error?.message ?? '') ?? [];
    assert.equal(Number(from), 100);
    assert.ok((await read(gate, Number(from), Number(to))).result !== undefined);
    const dense = await run([await node()], { maxResults: 5 });
    assert.match((await read(dense, 100, 119)).error?.message ?? '', /from 0x64 to 0x68\./);
  });

  test('every part costs its units, counts towards the rate, and is given back where no node has worked on it', async () => {
    const meter = new UsageMeter(new FakeClock());
    const one = await node();
    const gate = await run([one], {}, { units: { eth_getLogs: 20 } }, { meter });
    await read(gate, 1, 35);
    const [row] = meter.take(Infinity);
    assert.deepEqual([row?.method, row?.requests, row?.units, row?.errors], ['eth_getLogs', 4, 80, 0]);
    const limits = { ...NO_LIMITS, requestsPerSecond: 5, burst: 5 };
    const limited = await run([one], {}, { limits });
    assert.equal((await read(limited, 1, 30)).result?.length, 30);
    assert.equal(reasonOf(await ask(limited.port, { body: logsCall(1, 30) })), 'rate_limited');
    const short = await run([one], {}, { units: { eth_getLogs: 20 } });
    short.directory.set(KEY, keyView({ app: appView({ quota: { units: 50, window: 'day' } }) }));
    assert.equal(reasonOf(await ask(short.port, { body: logsCall(1, 30) })), 'quota_exceeded');
    assert.equal((await read(short, 1, 20)).result?.length, 20);
    const refusing = await node((call) => reply(call, { error: { code: 429, message: 'Too many requests' } }));
    const free = await run([refusing], {}, { units: { eth_getLogs: 20 } }, { meter });
    const { id } = await read(free, 1, 20);
    assert.equal(id, 'mine');
    // Of parts that were under way it is not known whether a node works on them.
    assert.ok((meter.take(Infinity)[0]?.units ?? 0) <= 40);
  });

  test('parts are read side by side inside the App’s concurrency', async () => {
    for (const [concurrency, most] of [
      [null, 8],
      [2, 2],
      [1, 1],
    ] as const) {
      // Answered once as many are there as may be, or all that are left.
      let held: Arrived[] = [];
      let [arrived, seen] = [0, 0];
      const one = await node((call) => {
        held.push(call);
        arrived += 1;
        seen = Math.max(seen, held.length);
        if (held.length < most && arrived % 12 !== 0) return;
        const all = held;
        held = [];
        setImmediate(() => all.forEach((each) => reply(each, { result: logsOf(each) })));
      });
      const gate = await run([one], { splitInto: 12 }, { limits: { ...NO_LIMITS, concurrency } });
      for (let times = 0; times < 2; times++) assert.equal((await read(gate, 1, 120)).result?.length, 120);
      assert.equal(seen, most);
    }
  });

  test('a client that leaves ends all parts, and gives its places and memory back', async () => {
    const held: Arrived[] = [];
    let closed = 0;
    const one = await node((call) => {
      call.res.on('close', () => (closed += 1));
      held.push(call);
    });
    const gate = await run([one], {}, { limits: { ...NO_LIMITS, concurrency: 3 } });
    for (let times = 1; times <= 3; times++) {
      const body = logsCall(1, 50);
      const headers = { host: HOST, authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
      const leaving = httpRequest({ host: '127.0.0.1', port: gate.port, method: 'POST', headers, agent: false });
      leaving.on('error', () => undefined).end(body);
      await waitFor(() => held.length === times * 3);
      leaving.destroy();
      await waitFor(() => closed === times * 3, { describe: 'the end of the parts' });
    }
  });

  test('the memory of the answers is bounded and given back', async () => {
    const gate = await run([await node()], {}, {}, { maxKeptBytes: 20_000 });
    for (let n = 0; n < 20; n++) assert.equal((await read(gate, 1, 50)).result?.length, 50);
    const small = await run([await node()], {}, {}, { maxKeptBytes: 600 });
    for (let n = 0; n < 3; n++) assert.equal((await read(small, 1, 50)).result, undefined);
    assert.equal((await read(small, 1, 2)).result?.length, 2);
  });

  test('what every upstream refuses is split by what was learned, within the number of parts', async () => {
    const one = await node((call) => {
      if (call.to - call.from + 1 > 200) reply(call, { error: { code: -32000, message: 'block range is too large' } });
      else reply(call, { result: logsOf(call) });
    });
    const gate = await run([one], { maxRange: 1_000, splitInto: 4 });
    assert.match((await read(gate, 1, 400)).error?.message ?? '', /too large/);
    assert.equal((await read(gate, 1, 400)).result?.length, 400);
    assert.deepEqual(one.ranges().slice(1).sort(), ['1-200', '201-400']);
    assert.match((await read(gate, 1, 900)).error?.message ?? '', /too large/, 'that would take too many parts');
  });

  test('fault 456: parts are never of two branches: other upstreams are not asked, and a reorganisation is an error', async () => {
    for (let n = 0; n < 8; n++) {
      const gate = await run([await node(undefined, () => 'a'), await node(undefined, () => 'b')]);
      const { result = [] } = await read(gate, HEAD - 39, HEAD);
      assert.equal(result.length, 40);
      assert.equal(new Set(result.map(({ branch }) => branch)).size, 1);
    }
    let branch = 'a';
    const moving = await node(
      (call, at) => {
        branch = 'b';
        reply(call, { result: logsOf(call, at) });
      },
      () => branch,
    );
    const answer = await ask((await run([moving])).port, { body: logsCall(HEAD - 39, HEAD) });
    assert.deepEqual([answer.status, reasonOf(answer)], [503, 'upstream_unavailable']);
    assert.match(answer.text, /reorganised/);
  });

  test('ends at the newest block, and is empty beyond it', async () => {
    const one = await node();
    const gate = await run([one]);
    assert.deepEqual((await read(gate, HEAD - 14, HEAD + 20)).result, logsOf({ from: HEAD - 14, to: HEAD }));
    assert.deepEqual(one.ranges(), [`${HEAD - 14}-${HEAD - 5}`, `${HEAD - 4}-${HEAD}`]);
    assert.deepEqual((await read(gate, HEAD + 1, HEAD + 20)).result, []);
    assert.equal(one.ranges().length, 2);
  });

  test('what is final is read from any upstream, without a look at the chain', async () => {
    const nodes = [await node(), await node()];
    const gate = await run(nodes, {}, {}, { healthIntervalMs: 20 });
    await waitFor(() => nodes.every(({ seen }) => seen.length >= 2));
    await waitFor(async () => {
      const before = nodes.flatMap(({ seen }) => seen).filter(({ body }) => body.includes('ByNumber')).length;
      assert.equal((await read(gate, 1, 40)).result?.length, 40);
      return nodes.flatMap(({ seen }) => seen).filter(({ body }) => body.includes('ByNumber')).length === before;
    });
  });

  test('a real node: the joined answer is that of one call', async () => {
    const anvil = await startAnvil();
    started.push({ close: () => anvil.stop() });
    const [sender] = await anvil.rpc<[string]>('eth_accounts');
    const contract = `0x${'5'.repeat(40)}`;
    // PUSH1 0, PUSH1 0, LOG0, STOP
    await anvil.rpc('anvil_setCode', [contract, '0x60006000a000']);
    for (let n = 0; n < 25; n++)
      await anvil.rpc('eth_sendTransaction', [{ from: sender, to: contract, gas: '0xffff' }]);
    // Further blocks are empty, so that the answer stays the same.
    await anvil.mine(3);
    const filter = { fromBlock: '0x0', toBlock: hex(35), address: contract };
    const whole = await waitFor(async () => {
      const logs = await anvil.rpc<unknown[]>('eth_getLogs', [filter]);
      return logs.length === 25 ? logs : null;
    });
    const gate = await run([{ url: anvil.url } as FakeNode], { maxRange: 4, splitInto: 10 });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] });
    assert.deepEqual((JSON.parse((await ask(gate.port, { body })).text) as { result: unknown }).result, whole);
  });
});
