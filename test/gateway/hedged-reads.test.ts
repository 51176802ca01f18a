import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { DEFAULT_READS, DEFAULT_TIMEOUTS, NO_LIMITS, UsageMeter } from '../../core/index.ts';
import type { GatewayRoute, ReadRules, RouteId } from '../../core/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import {
  ask,
  bothPaths,
  HOST,
  KEY,
  keyView,
  OTHER_KEY,
  reasonOf,
  routeOf,
  startGateway,
  startNode,
} from './support.ts';
import type { Answer, FakeNode, TestGateway } from './support.ts';

const [HTTP, OFF] = ['http.gate.example', 'off.gate.example'];
const call = (id: number, method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const newest = (id: number): string => call(id, 'eth_call', { to: '0x1' }, 'latest');
const hex = (n: number): string => `0x${n.toString(16)}`;
const block = (n: number, id = 1): string => call(id, 'eth_getBlockByNumber', hex(n), false);
const BROADCAST = call(1, 'eth_sendRawTransaction', '0x00');

/** A request that waits at a node. */
interface Held {
  readonly node: FakeNode;
  readonly body: string;
  readonly res: ServerResponse;
}

bothPaths('a read whose upstream is slow', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  /** Nodes whose answers the test gives, in the order that they were asked; `now` answers at once. */
  const run = async ({
    nodes: count = 2,
    reads = {},
    changes = {},
    deps = {},
    unhedged = false,
    now = () => false,
  }: {
    nodes?: number;
    reads?: Partial<ReadRules>;
    changes?: Partial<GatewayRoute>;
    deps?: Parameters<typeof startGateway>[1];
    /** Whether there are routes without hedges too. */
    unhedged?: boolean;
    now?: (body: string, res: ServerResponse, index: number) => boolean;
  } = {}): Promise<{ gate: TestGateway; nodes: FakeNode[]; held: Held[] }> => {
    const held: Held[] = [];
    const nodes: FakeNode[] = [];
    for (let index = 0; index < count; index++) {
      const node: FakeNode = await startNode((req, res, body) => {
        res.setHeader('x-echo', req.headers['x-node-key'] ?? '');
        if (!now(body, res, index)) held.push({ node, body, res });
      });
      nodes.push(node);
    }
    const urls = nodes.map(({ url }) => url);
    const upstreams = urls.map((url, index) => ({ url, headers: { 'x-node-key': `secret-of-node-${index}` } }));
    // By their waits alone, so that it is known which node is asked first.
    const rules = { ...DEFAULT_READS, monotonic: false, hedgeAfterMs: 10, ...reads };
    const more = [
      routeOf(urls, { host: HTTP, id: '5' as RouteId, protocol: 'http', reads: rules }),
      routeOf(urls, { host: OFF, id: '6' as RouteId }),
    ];
    const gate = await startGateway(
      [routeOf(urls, { upstreams, reads: rules, ...changes }), ...(unhedged ? more : [])],
      deps,
      path,
    );
    started.push(...nodes, gate);
    return { gate, nodes, held };
  };
  const answer = ({ body, res }: Pick<Held, 'body' | 'res'>, result: unknown): void => {
    const { id } = JSON.parse(body) as { id: unknown };
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const resultOf = ({ text }: Answer): unknown => (JSON.parse(text) as { result: unknown }).result;
  /** Sends a read and waits until two nodes have it. */
  const twice = async (
    { gate, held }: { gate: TestGateway; held: Held[] },
    body = newest(1),
  ): Promise<{ reply: Promise<Answer>; first: Held; second: Held }> => {
    const before = held.length;
    const reply = ask(gate.port, { body });
    await waitFor(() => held.length === before + 2);
    const [first, second] = held.slice(before) as [Held, Held];
    assert.notEqual(first.node, second.node);
    return { reply, first, second };
  };
  const hedges = async (gate: TestGateway, outcome: string): Promise<number> =>
    Number(
      new RegExp(`hedges_total\\{route="${HOST}",outcome="${outcome}"\\} (\\d+)`).exec(await gate.metrics())?.[1] ?? 0,
    );

  test('fault 194: a second one is asked; whoever answers first is heard, and the other request ends', async () => {
    const one = await run();
    const { reply, first, second } = await twice(one);
    const { body } = first;
    assert.equal(second.body, body);
    const long = 'b'.repeat(300_000);
    answer(second, long);
    const won = await reply;
    assert.equal(resultOf(won), long);
    await waitFor(() => first.res.closed);
    assert.equal(second.node.sockets.size, 1);
    assert.equal(await hedges(one.gate, 'won'), 1);

    const next = ask(one.gate.port, { body });
    const again = await waitFor(() => one.held[2]);
    assert.equal(again.node, second.node, 'the slower one is known to be slower');
    const hedge = await waitFor(() => one.held[3]);
    answer(again, 'a');
    const lost = await next;
    assert.equal(resultOf(lost), 'a');
    for (const { headers } of [won, lost])
      assert.equal(headers['x-echo'], undefined, 'no secret of the one that answers');
    await waitFor(() => hedge.res.closed);
    assert.equal(second.node.sockets.size, 1, 'on the same connection');
    assert.equal(await hedges(one.gate, 'lost'), 1);
    assert.doesNotMatch(one.gate.log(), /"level":"error"/);
  });

  test('fault 194: an upstream that fails, or answers that it cannot, waits for the other one', async () => {
    const troubles: ((held: Held) => void)[] = [
      ({ res }) => res.destroy(),
      ({ res }) => res.writeHead(503).end(),
      ({ res }) => res.writeHead(429).end(),
      ({ res }) => res.writeHead(401).end(),
    ];
    const one = await run();
    for (const trouble of troubles)
      for (const which of ['first', 'second'] as const) {
        const { reply, ...two } = await twice(one);
        trouble(two[which]);
        const before = one.gate.log().length;
        await waitFor(() =>
          one.gate
            .log()
            .slice(before - 2000)
            .includes('an upstream failed'),
        );
        answer(two[which === 'first' ? 'second' : 'first'], which);
        const got = await reply;
        assert.deepEqual([got.status, resultOf(got)], [200, which]);
      }
  });

  test('fault 194: an error of the call is an answer; both failing are one refusal, and a third one may be asked', async () => {
    const one = await run();
    const wrong = await twice(one);
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"reverted"}}';
    wrong.second.res.end(error);
    assert.equal((await wrong.reply).text, error);
    for (const order of [['first', 'second'] as const, ['second', 'first'] as const]) {
      const { reply, ...two } = await twice(one);
      for (const which of order) {
        two[which].res.destroy();
        await waitFor(() => one.gate.log().includes(`"upstream":"127.0.0.1:${two[which].node.port}"`));
      }
      assert.equal((await reply).status, 502);
    }
    assert.equal(one.held.length, 6);
    assert.equal(await hedges(one.gate, 'unanswered'), 2);

    const three = await run({ nodes: 3 });
    const failed = await twice(three);
    failed.first.res.destroy();
    failed.second.res.writeHead(503).end();
    const third = await waitFor(() => three.held[2]);
    assert.equal(new Set(three.held.map(({ node }) => node)).size, 3);
    // By the end of a later one it would have been sent to another.
    const later = await twice(three);
    answer(later.first, 'later');
    await later.reply;
    assert.equal(three.held.length, 5, 'no read is sent to a second one twice');
    answer(third, 'third');
    assert.equal(resultOf(await failed.reply), 'third');
  });

  test('fault 195: what may change something, or lives on one node, is sent to one alone, and so is everything where the rule is off', async () => {
    const one = await run({ unhedged: true });
    const single = [
      { body: BROADCAST },
      { body: call(1, 'eth_sendRawTransactionSync', '0x00') },
      { body: call(1, 'eth_newFilter', {}) },
      { body: call(1, 'eth_getFilterChanges', '0x1') },
      { body: call(1, 'eth_getFilterLogs', '0x1') },
      { body: call(1, 'eth_subscribe', 'newHeads') },
      { body: call(1, 'some_method') },
      { body: `[${newest(1)},${BROADCAST}]` },
      { host: OFF, body: newest(2) },
      { host: HTTP, method: 'GET', path: '/wallet/getnowblock' },
      { host: HTTP, body: '{}' },
    ];
    const replies: Promise<Answer>[] = [];
    for (const request of single) {
      replies.push(ask(one.gate.port, request));
      await waitFor(() => one.held.length === replies.length);
    }
    // Two more rounds of what is sent twice: the time of the others is over by then.
    for (let n = 0; n < 2; n++) {
      const { reply, second } = await twice(one, `[${newest(8)},${newest(9)}]`);
      second.res.end('[]');
      assert.equal((await reply).text, '[]');
    }
    assert.equal(one.held.length, single.length + 4);
    for (const { res } of one.held) res.end('{}');
    for (const { status } of await Promise.all(replies)) assert.equal(status, 200);
  });

  test('fault 196: on a slow day a few reads are sent twice, not all of them', async () => {
    const one = await run();
    const replies = Array.from({ length: 25 }, (_, id) => ask(one.gate.port, { body: newest(id) }));
    await waitFor(async () => (await hedges(one.gate, 'over_budget')) + one.held.length === 50);
    assert(one.held.length <= 25 + 10 + 2, String(one.held.length));
    for (const each of one.held) answer(each, 'late');
    for (const reply of replies) assert.equal(resultOf(await reply), 'late');
  });

  test('fault 197: one that is behind is asked second no more than first', async () => {
    const heads = [0x40, 0x42];
    const one = await run({
      deps: { healthIntervalMs: 50 },
      now: (body, res, index) => {
        if (!body.includes('eth_blockNumber')) return false;
        res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: hex(heads[index] as number) }));
        return true;
      },
    });
    await waitFor(async () => (await one.gate.metrics()).split(`upstream_up{route="${HOST}"`).length > 2);
    const reply = ask(one.gate.port, { body: newest(1) });
    await waitFor(async () => (await hedges(one.gate, 'no_upstream')) === 1);
    const only = await waitFor(() => one.held[0]);
    assert.equal(only.node, one.nodes[1]);
    answer(only, 'newest');
    assert.equal(resultOf(await reply), 'newest');
    const old = await twice(one, block(0x10));
    answer(old.second, 'old');
    assert.equal(resultOf(await old.reply), 'old');
  });

  test('fault 197: with nodes of two branches each answer is of one of them as a whole, for all that wait for it', async () => {
    let asked = 0;
    const one = await run({
      reads: { dedupe: true },
      now: (body, res, index) => {
        const calls = JSON.parse(body) as { id: number } | { id: number }[];
        const branch = 'ab'.charAt(index);
        const reply = ({ id }: { id: number }): object => ({ jsonrpc: '2.0', id, result: branch.repeat(5_000) });
        const text = JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls));
        const late = (++asked * 7) % 40;
        setTimeout(() => {
          res.write(text.slice(0, 3_000));
          setTimeout(() => res.end(text.slice(3_000)), late / 4);
        }, late);
        return true;
      },
    });
    const bodies = [
      (n: number) => newest(n),
      (n: number) => block(n % 3, n),
      (n: number) => `[${newest(n)},${block(1)}]`,
    ];
    for (let round = 0; round < 6; round++) {
      const ids = Array.from({ length: 12 }, (_, n) => n);
      const replies = await Promise.all(
        ids.map((n) => ask(one.gate.port, { body: (bodies[n % 3] as (n: number) => string)(n) })),
      );
      for (const [n, { text }] of replies.entries()) {
        const parsed = JSON.parse(text) as { id: number; result: string } | { id: number; result: string }[];
        const all = [parsed].flat();
        assert.equal(all[0]?.id, n);
        const branch = all[0].result.charAt(0);
        for (const { result } of all) assert.equal(result, branch.repeat(5_000));
      }
    }
    assert((await hedges(one.gate, 'won')) + (await hedges(one.gate, 'lost')) > 0);
  });

  test('fault 197: reads that wait for it get its answer, each with its own id', async () => {
    const one = await run({ reads: { dedupe: true } });
    const { reply, first, second } = await twice(one, block(1, 1));
    const follower = ask(one.gate.port, { body: block(1, 2) });
    await waitFor(async () => /shared_reads_total\{[^}]*outcome="joined"\} 1/.test(await one.gate.metrics()));
    answer(second, 'shared');
    const answers = await Promise.all([reply, follower]);
    assert.deepEqual(answers.map(resultOf), ['shared', 'shared']);
    assert.deepEqual(
      answers.map(({ text }) => (JSON.parse(text) as { id: number }).id),
      [1, 2],
    );
    assert.equal(one.held.length, 2);
    await waitFor(() => first.res.closed);
  });

  test('fault 197: an answer is kept only if the node that gave it has the final block', async () => {
    const one = await run({
      nodes: 3,
      reads: { cache: true },
      deps: { healthIntervalMs: 20 },
      now: (body, res, index) => {
        const { method, params } = JSON.parse(body) as { method: string; params: readonly string[] };
        // The last one says no head: it takes no part in what is final, and is on another branch.
        const branch = index === 2 ? 'b' : 'a';
        if (method === 'eth_blockNumber') answer({ body, res }, index === 2 ? 'none' : hex(200));
        else if (method === 'eth_getBlockByNumber') answer({ body, res }, { number: params[0], hash: branch });
        else if (index === 2 || params[0]?.startsWith('quick')) answer({ body, res }, branch);
        else return false;
        return true;
      },
    });
    const hits = async (): Promise<number> =>
      Number(/cached_reads_total\{[^}]*outcome="hit"\} (\d+)/.exec(await one.gate.metrics())?.[1] ?? 0);
    /** @returns which branch the answer is of, and whether a second node or the memory gave it */
    const read = async (account: string): Promise<{ branch: unknown; second: boolean; hit: boolean }> => {
      const before = [await hedges(one.gate, 'won'), await hits(), await hedges(one.gate, 'over_budget')] as const;
      one.held.length = 0;
      let done = false;
      const got = ask(one.gate.port, { body: call(2, 'eth_getBalance', account, '0x10') }).finally(() => (done = true));
      // The first two answer what is not quick only once nobody else will.
      const alone = async (): Promise<boolean> => (await hedges(one.gate, 'over_budget')) > before[2];
      await waitFor(async () => done || one.held.length === 2 || (one.held.length === 1 && (await alone())), {
        intervalMs: 2,
      });
      for (const held of one.held) answer(held, 'a');
      const branch = resultOf(await got);
      return { branch, second: (await hedges(one.gate, 'won')) > before[0], hit: (await hits()) > before[1] };
    };
    let n = 0;
    const isKept = async (account: string): Promise<boolean> => {
      await read(account);
      return (await read(account)).hit;
    };
    await waitFor(() => isKept(`quick${++n}`), { intervalMs: 0 });
    const other = async (): Promise<boolean> => {
      const { branch, second } = await read(`slow${++n}`);
      return second && branch === 'b';
    };
    await waitFor(other, { intervalMs: 0 });
    assert.equal((await read(`slow${n}`)).hit, false, 'what the second node has said is not kept for the first one');
  });

  test('fault 198: it costs what a single one costs, and counts once towards concurrency', async () => {
    const clock = new FakeClock();
    const meter = new UsageMeter(clock);
    const one = await run({
      changes: { units: { eth_call: 3 }, limits: { ...NO_LIMITS, concurrency: 2 } },
      deps: { clock, meter },
    });
    const left = await twice(one);
    const right = await twice(one);
    const third = await ask(one.gate.port, { body: newest(3) });
    assert.deepEqual([third.status, reasonOf(third)], [429, 'rate_limited']);
    for (const { reply, second } of [left, right]) {
      answer(second, 'ok');
      assert.equal((await reply).status, 200);
    }
    const rows = meter.take(10).map(({ requests, units, errors }) => ({ requests, units, errors }));
    assert.deepEqual(rows, [
      { requests: 2, units: 6, errors: 0 },
      { requests: 1, units: 0, errors: 1 },
    ]);
    assert.match(await one.gate.metrics(), /requests_total\{route="[^"]*",app="\d+",status="200"\} 2/);
    const { reply, second } = await twice(one);
    answer(second, 'it is free again');
    assert.equal((await reply).status, 200);
  });

  test('fault 199: a client that leaves ends both; neither upstream nor memory is lost', async () => {
    // One body fits, two do not: what is kept must be given back.
    const body = newest(1);
    const one = await run({ deps: { maxKeptBytes: body.length } });
    for (let n = 0; n < 3; n++) {
      const before = one.held.length;
      const headers = { host: HOST, authorization: `Bearer ${KEY}`, 'content-length': body.length };
      const client = httpRequest({ host: '127.0.0.1', port: one.gate.port, method: 'POST', headers, agent: false });
      client.on('error', () => undefined).end(body);
      await waitFor(() => one.held.length === before + 2);
      client.destroy();
      await waitFor(() => one.held.every(({ res }) => res.closed));
    }
    assert.equal(await hedges(one.gate, 'unanswered'), 3);
    one.gate.directory.set(OTHER_KEY, keyView());
    const { reply, first } = await twice(one, body);
    answer(first, 'ok');
    assert.equal((await reply).status, 200);
  });

  test('fault 199: when both are too slow there is one refusal, and both requests end', async () => {
    const one = await run({ changes: { timeouts: { ...DEFAULT_TIMEOUTS, firstByteMs: 100 } } });
    const { reply, first, second } = await twice(one);
    const { status } = await reply;
    assert.equal(status, 504);
    await waitFor(() => first.res.closed && second.res.closed);
    assert.equal(one.held.length, 2);
    assert.equal(await hedges(one.gate, 'unanswered'), 1);
  });
});
