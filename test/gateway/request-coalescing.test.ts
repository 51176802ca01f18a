import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DEFAULT_READS, DEFAULT_TIMEOUTS } from '../../core/index.ts';
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

const call = (id: number | string, method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
/** It names its block, so that it may be shared however long it takes. */
const read = (id: number | string): string => call(id, 'eth_call', { to: '0x1' }, '0x10');
const newest = (id: number | string): string => call(id, 'eth_call', { to: '0x1' }, 'latest');

/** A request that waits at the node. */
interface Held {
  readonly id: number | string;
  readonly method: string;
  readonly res: ServerResponse;
}

bothPaths('fault 154: equal reads in flight', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });

  const run = async (
    changes: Parameters<typeof routeOf>[1] = {},
  ): Promise<{ gate: TestGateway; node: FakeNode; held: Held[] }> => {
    const held: Held[] = [];
    const node = await startNode((_req, res, body) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      held.push({ id, method, res });
    });
    const gate = await startGateway(
      [routeOf([node.url], { reads: { ...DEFAULT_READS, dedupe: true }, ...changes })],
      {},
      path,
    );
    started.push(node, gate);
    return { gate, node, held };
  };
  const answer = ({ id, res }: Held, result: string): void =>
    void res
      .setHeader('content-type', 'application/json')
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  const joined = (gate: TestGateway, count: number): Promise<unknown> =>
    waitFor(async () =>
      (await gate.metrics()).includes(`shared_reads_total{route="${HOST}",outcome="joined"} ${count}`),
    );
  /** Sends the first, waits until it is at the node, then sends the others, and waits until they have joined it. */
  const together = async (
    { gate, held }: { gate: TestGateway; held: Held[] },
    first: () => Promise<Answer>,
    ...others: readonly (() => Promise<Answer>)[]
  ): Promise<Promise<Answer>[]> => {
    const before = held.length;
    const answers = [first()];
    await waitFor(() => held.length > before);
    answers.push(...others.map((send) => send()));
    await joined(gate, others.length);
    return answers;
  };

  test('are sent once; each is answered with its own id and the result as it came', async () => {
    const one = await run();
    one.gate.directory.set(OTHER_KEY, keyView());
    const port = one.gate.port;
    const answers = await together(
      one,
      () => ask(port, { body: read(1) }),
      () => ask(port, { body: read('two') }),
      () => ask(port, { body: read(3), key: OTHER_KEY }),
    );
    assert.equal(one.held.length, 1);
    answer(one.held[0] as Held, '[1.0e2, 12345678901234567890]');
    const got = await Promise.all(answers);
    assert.deepEqual(
      got.map(({ status, text }) => [status, text]),
      [1, 'two', 3].map((id) => [
        200,
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":[1.0e2, 12345678901234567890]}`,
      ]),
    );
    assert.equal(new Set(got.map(({ headers }) => headers['x-trace-id'])).size, 3);
    assert.match(await one.gate.metrics(), /shared_reads_total\{[^}]*outcome="answered"\} 2/);
  });

  test('no header of the reply but its type goes to those that waited', async () => {
    const one = await run();
    const answers = await together(
      one,
      () => ask(one.gate.port, { body: read(1) }),
      () => ask(one.gate.port, { body: read(2) }),
    );
    one.held[0]?.res.setHeader('x-of-the-first', 'canary');
    answer(one.held[0] as Held, '"0x1"');
    const [first, second] = await Promise.all(answers);
    assert.equal(first?.headers['x-of-the-first'], 'canary');
    assert.deepEqual(
      [second?.headers['x-of-the-first'], second?.headers['content-type']],
      [undefined, 'application/json'],
    );
  });

  test('an error of the node is shared like a result', async () => {
    const one = await run();
    const answers = await together(
      one,
      () => ask(one.gate.port, { body: read(1) }),
      () => ask(one.gate.port, { body: read(2) }),
    );
    one.held[0]?.res.end('{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"reverted"}}');
    assert.equal(
      (await Promise.all(answers))[1]?.text,
      '{"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"reverted"}}',
    );
  });

  test('a compressed reply is shared without its coding', async () => {
    const one = await run();
    const headers = { 'accept-encoding': 'gzip' };
    const answers = await together(
      one,
      () => ask(one.gate.port, { body: read(1), headers }),
      () => ask(one.gate.port, { body: read(2), headers }),
    );
    one.held[0]?.res.setHeader('content-encoding', 'gzip').end(gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
    const [first, second] = await Promise.all(answers);
    assert.equal(first?.headers['content-encoding'], 'gzip');
    assert.deepEqual(
      [second?.headers['content-encoding'], second?.text],
      [undefined, '{"jsonrpc":"2.0","id":2,"result":"0x1"}'],
    );
  });

  test('the others go on when the first one leaves, and when its reply is not what it should be', async () => {
    for (const spoil of ['leave', 'break', 'wrong id', '500'] as const) {
      const one = await run();
      const leaving = httpRequest({
        host: '127.0.0.1',
        port: one.gate.port,
        method: 'POST',
        agent: false,
        headers: {
          host: HOST,
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          'content-length': read(1).length,
        },
      });
      leaving.on('error', () => undefined).on('response', (response) => response.on('error', () => undefined).resume());
      leaving.end(read(1));
      await waitFor(() => one.held.length === 1);
      const others = [2, 3].map((id) => ask(one.gate.port, { body: read(id), headers: { connection: 'keep-alive' } }));
      await joined(one.gate, 2);
      const [first] = one.held as [Held];
      if (spoil === 'leave') leaving.destroy();
      else if (spoil === 'break')
        first.res
          .writeHead(200, { 'content-length': 1000 })
          .write('{"jsonrpc":"2.0","id":1,"result":"0x', () => first.res.destroy());
      else if (spoil === 'wrong id') first.res.end('{"jsonrpc":"2.0","id":9,"result":"0xbad"}');
      else first.res.writeHead(500).end('{"jsonrpc":"2.0","id":1,"result":"0xbad"}');
      await waitFor(() => one.held.length >= 3);
      for (const each of one.held.slice(1)) answer(each, '"0x2"');
      for (const { text } of await Promise.all(others)) assert.match(text, /"id":[23],"result":"0x2"/);
    }
  });

  test('a reply that is too large to keep is asked for by each', async () => {
    const one = await run();
    const answers = await together(
      one,
      () => ask(one.gate.port, { body: read(1) }),
      () => ask(one.gate.port, { body: read(2) }),
    );
    const large = `"${'x'.repeat(1024 * 1024)}"`;
    answer(one.held[0] as Held, large);
    await waitFor(() => one.held.length === 2);
    answer(one.held[1] as Held, large);
    for (const { text } of await Promise.all(answers))
      assert.equal(text.length, large.length + '{"jsonrpc":"2.0","id":1,"result":}'.length);
  });

  test('one that waits times out by itself, and one that leaves holds nobody up', async () => {
    const one = await run({ timeouts: { ...DEFAULT_TIMEOUTS, connectMs: 2_000, firstByteMs: 2_000 } });
    const answers = await together(
      one,
      () => ask(one.gate.port, { body: read(1) }),
      () => ask(one.gate.port, { body: read(2) }),
    );
    for (const each of await Promise.all(answers)) assert.equal(each.status, 504, reasonOf(each));
  });

  test('what the newest block may change is not shared across a broadcast', async () => {
    const one = await run();
    const first = ask(one.gate.port, { body: newest(1) });
    await waitFor(() => one.held.length === 1);
    const sent = ask(one.gate.port, { body: call(2, 'eth_sendRawTransaction', '0x0') });
    await waitFor(() => one.held.length === 2);
    answer(one.held[1] as Held, '"0xhash"');
    await sent;
    const second = ask(one.gate.port, { body: newest(3) });
    await waitFor(() => one.held.length === 3);
    answer(one.held[0] as Held, '"0x1"');
    answer(one.held[2] as Held, '"0x2"');
    assert.deepEqual(
      (await Promise.all([first, second])).map(({ text }) => (JSON.parse(text) as { result: string }).result),
      ['0x1', '0x2'],
    );
  });

  test('what differs is sent by itself: another header, another parameter, a broadcast, a route without dedupe', async () => {
    const one = await run();
    const { port } = one.gate;
    const sent = [
      ask(port, { body: read(1) }),
      ask(port, { body: read(2), headers: { 'x-of-the-client': '1' } }),
      ask(port, { body: call(3, 'eth_call', { to: '0x2' }, '0x10') }),
      ask(port, { body: call(4, 'eth_sendRawTransaction', '0x0') }),
      ask(port, { body: call(5, 'eth_sendRawTransaction', '0x0') }),
    ];
    await waitFor(() => one.held.length === sent.length);
    for (const each of one.held) answer(each, '"0x1"');
    await Promise.all(sent);
    const off = await run({ reads: { ...DEFAULT_READS, dedupe: false } });
    const both = [ask(off.gate.port, { body: read(1) }), ask(off.gate.port, { body: read(2) })];
    await waitFor(() => off.held.length === 2);
    for (const each of off.held) answer(each, '"0x1"');
    await Promise.all(both);
  });

  test('a key that was revoked gets no answer of another, and each call counts', async () => {
    const one = await run();
    one.gate.directory.set(OTHER_KEY, keyView({ state: 'revoked' }));
    const first = ask(one.gate.port, { body: read(1) });
    await waitFor(() => one.held.length === 1);
    assert.equal((await ask(one.gate.port, { body: read(2), key: OTHER_KEY })).status, 401);
    answer(one.held[0] as Held, '"0x1"');
    assert.equal((await first).status, 200);
  });
});
