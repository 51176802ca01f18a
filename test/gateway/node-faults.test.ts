import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import { keccak256 } from 'viem';
import { DEFAULT_READS } from '../../core/index.ts';
import { answerRpc, ask, bothPaths, reasonOf, routeOf, startGateway, startNode, HOST, KEY } from './support.ts';
import type { Answer, FakeNode, TestGateway } from './support.ts';
import { RECORDED_ERRORS } from './recorded-answers.ts';
import { waitFor } from '../support/wait.ts';

type AnswerOf = NonNullable<Parameters<typeof startNode>[0]>;

const BALANCE = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x00","0x10"]}';
const CALL_NEWEST = '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest"]}';
const BROADCAST = '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x00"]}';
const TRACE = '{"jsonrpc":"2.0","id":1,"method":"trace_block","params":["0x10"]}';
/** The good node is slow: a refusal must not look like a quick answer. */
const GOOD_MS = 5;

interface RpcError {
  readonly code: number;
  readonly message: string;
}
const rpcError = (error: RpcError): string => JSON.stringify({ jsonrpc: '2.0', id: 1, error });
const answering =
  (status: number, text: string, headers: Record<string, string> = {}): AnswerOf =>
  (_req: IncomingMessage, res: ServerResponse) =>
    void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);

/** A reply with its body as it was sent. */
function fetchRaw(port: number, body: string): Promise<{ status: number; coding: string | undefined; body: Buffer }> {
  const headers = { host: HOST, authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          coding: response.headers['content-encoding'],
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

bothPaths('a node that does not answer', (path) => {
  const started: { close(): Promise<void> }[] = [];
  const nodeThat = async (answer?: AnswerOf): Promise<FakeNode> => {
    const node = await startNode(answer);
    started.push(node);
    return node;
  };
  const good = (): Promise<FakeNode> =>
    nodeThat((_req, res, body) => void setTimeout(() => answerRpc(res, body), GOOD_MS));
  const run = async (
    nodes: readonly FakeNode[],
    changes: Parameters<typeof routeOf>[1] = {},
    deps: Parameters<typeof startGateway>[1] = {},
  ): Promise<TestGateway> => {
    const gate = await startGateway(
      [
        routeOf(
          nodes.map(({ url }) => url),
          { reads: DEFAULT_READS, ...changes },
        ),
      ],
      deps,
      path,
    );
    started.push(gate);
    return gate;
  };
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });
  after(() => assert.equal(started.length, 0));
  const readsOf = async (gate: TestGateway, body: string, times = 20): Promise<string[]> => {
    const answers: string[] = [];
    for (let n = 0; n < times; n++) {
      const { status, text } = await ask(gate.port, { body });
      answers.push(`${status} ${text}`);
    }
    return [...new Set(answers)];
  };
  const RIGHT = ['200 {"jsonrpc":"2.0","id":1,"result":"0x10"}'];

  for (const status of [401, 402, 403, 407, 408, 429, 500, 502, 503, 504, 520])
    test(`fault 421: a client sees nothing of a quick ${status} beside a good node`, async () => {
      const bad = await nodeThat(answering(status, rpcError({ code: -32603, message: 'Internal error' })));
      const gate = await run([await good(), bad]);
      assert.deepEqual(await readsOf(gate, CALL_NEWEST), RIGHT);
    });

  for (const { by, code, message, kind } of RECORDED_ERRORS.filter(({ family }) => family === 'evm'))
    test(`fault 421: ${by}: ${message.slice(0, 50)}`, async () => {
      const bad = await nodeThat(answering(200, rpcError({ code, message })));
      const gate = await run([await good(), bad]);
      const seen = await readsOf(gate, message.includes('trace_') ? TRACE : BALANCE);
      if (kind !== 'caller') assert.deepEqual(seen, RIGHT);
      // What every node would say is passed on, and moves nobody's score.
      else assert.ok(seen.some((answer) => answer.includes(JSON.stringify(message))));
    });

  test('fault 421: a compressed error, an error in a batch, and a page in place of an answer', async () => {
    const error = rpcError({ code: -32000, message: 'missing trie node' });
    const batch = `[${BALANCE},${BALANCE.replace('"id":1', '"id":2')}]`;
    const kinds: readonly (readonly [AnswerOf, string])[] = [
      [(_req, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(error)), BALANCE],
      [
        (_req, res) =>
          void res.writeHead(200).end(`[{"jsonrpc":"2.0","id":1,"result":"0x0"},${error.replace('"id":1', '"id":2')}]`),
        batch,
      ],
      [answering(200, '<html>The service is not available.</html>', { 'content-type': 'text/html' }), BALANCE],
      [
        (_req, res) =>
          void res.writeHead(200).write(error.slice(0, 20), () => setTimeout(() => res.end(error.slice(20)), 5)),
        BALANCE,
      ],
    ];
    for (const [answer, body] of kinds) {
      const gate = await run([await good(), await nodeThat(answer)]);
      for (const seen of await readsOf(gate, body, 10)) assert.doesNotMatch(seen, /trie|html/);
    }
  });

  test('where no node can answer the caller sees why, but never that the gateway’s own key is wrong', async () => {
    const error = rpcError({ code: -32000, message: 'missing trie node' });
    const pruned = await nodeThat(answering(200, error));
    const both = await run([pruned, await nodeThat(answering(200, error))]);
    assert.deepEqual(await readsOf(both, BALANCE, 4), [`200 ${error}`]);
    const refusing = await nodeThat(answering(403, error));
    const answer = await ask((await run([refusing])).port, { body: BALANCE });
    assert.deepEqual([answer.status, reasonOf(answer)], [502, 'upstream_unavailable']);
    // The answer of the first one is kept for the case that the second one is of no use.
    const gone = await nodeThat((req) => void req.socket.destroy());
    for (let n = 0; n < 5; n++)
      assert.deepEqual(await readsOf(await run([pruned, gone]), BALANCE, 1), [`200 ${error}`]);
  });

  test('a broadcast goes on only where a node has refused it, and to each node once', async () => {
    for (const [answer, statuses] of [
      [answering(429, rpcError({ code: 429, message: 'slow down' })), [200]],
      [answering(200, rpcError({ code: -32600, message: 'Must be authenticated!' })), [200]],
      [answering(503, ''), [200, 503]],
      [answering(200, rpcError({ code: -32603, message: 'Internal error' })), [200]],
    ] as const) {
      const [ok, bad] = [await good(), await nodeThat(answer)];
      const gate = await run([ok, bad]);
      for (let n = 0; n < 6; n++)
        assert.ok((statuses as readonly number[]).includes((await ask(gate.port, { body: BROADCAST })).status));
      const sent = ok.seen.length + bad.seen.length;
      if (statuses.length === 2) assert.equal(sent, 6, 'what may have been executed is sent once');
      else assert.ok(sent <= 12);
    }
  });

  test('fault 463: a node that has a broadcast already, from one that refused it, is a success with its hash', async () => {
    const raw = '0x02f86b0180843b9aca00';
    const broadcast = (id: string, params: readonly string[]): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"eth_sendRawTransaction","params":${JSON.stringify(params)}}`;
    const known = rpcError({ code: -32000, message: 'already known' });
    let refusals = 0;
    const node = (): Promise<FakeNode> =>
      nodeThat((req, res, body) => {
        refusals -= 1;
        if (refusals >= 0) answering(429, '')(req, res, body);
        else answering(200, known)(req, res, body);
      });
    const gate = await run([await node(), await node()]);
    const answerAfter = async (count: number, body: string): Promise<Answer> => {
      refusals = count;
      return ask(gate.port, { body });
    };
    const reply = await answerAfter(1, broadcast('"a b"', [raw]));
    assert.equal(reply.text, `{"jsonrpc":"2.0","id":"a b","result":"${keccak256(raw)}"}`);
    assert.equal(reply.headers['content-length'], String(reply.text.length));
    assert.equal(
      (await answerAfter(0, broadcast('1', [raw]))).text,
      known,
      'the only node that was asked speaks for itself',
    );
    const blobs = `0x03${raw.slice(4)}` as const;
    for (const params of [[], ['0x'], ['0x0'], ['00'], [blobs]])
      assert.equal((await answerAfter(1, broadcast('1', params))).text, known, String(params));
  });

  test('fault 420: a node is not asked again for what it does not have, and the operator sees it', async () => {
    const pruned = await nodeThat(answering(200, rpcError({ code: -32000, message: 'missing trie node' })));
    const gate = await run([await good(), pruned]);
    assert.deepEqual(await readsOf(gate, BALANCE, 30), RIGHT);
    assert.ok(pruned.seen.length <= 1, `${pruned.seen.length} requests`);
    const metrics = await gate.metrics();
    if (pruned.seen.length === 1)
      assert.match(
        metrics,
        /tillgate_upstream_faults_total\{route="eth\.gate\.example",upstream="[^"]+",reason="no_state"\} 1/,
      );
  });

  test('fault 422: an App’s own bad calls move no upstream’s score', async () => {
    const reverts = rpcError({ code: 3, message: 'execution reverted' });
    const node = await nodeThat((_req, res, body) => {
      if (body === BALANCE) answerRpc(res, body);
      else answering(200, reverts)(_req, res, body);
    });
    const gate = await run([node]);
    await readsOf(gate, BALANCE, 5);
    const before = gate.gateway.upstreamHealth(routeOf([node.url]))[0];
    await readsOf(gate, CALL_NEWEST, 50);
    const view = gate.gateway.upstreamHealth(routeOf([node.url]))[0];
    assert.deepEqual(
      [view?.state, view?.errorRate, view?.latencyMs],
      [before?.state, before?.errorRate, before?.latencyMs],
    );
  });

  test('a compressed result, one that is broken, and one in a coding that is not known here arrive as they were sent', async () => {
    const result = gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    const large = gzipSync(`{"jsonrpc":"2.0","id":1,"result":"0x${randomBytes(20_000).toString('hex')}"}`);
    for (const [coding, body] of [
      ['gzip', result],
      ['gzip', large],
      ['gzip', result.subarray(0, 20)],
      ['zstd', result],
    ] as const) {
      const node = await nodeThat((_req, res) => void res.writeHead(200, { 'content-encoding': coding }).end(body));
      const gate = await run([node]);
      const reply = await fetchRaw(gate.port, BALANCE);
      assert.deepEqual([reply.status, reply.coding, reply.body.equals(body)], [200, coding, true]);
    }
  });

  test('a client that leaves while an answer is decoded gets nothing, and nothing breaks', async () => {
    const result = gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    const node = await nodeThat((_req, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(result));
    const gate = await run([node]);
    for (let n = 0; n < 30; n++) {
      const socket = connect(gate.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST / HTTP/1.1\r\nhost: ${HOST}\r\nauthorization: Bearer ${KEY}\r\ncontent-length: ${BALANCE.length}\r\n\r\n${BALANCE}`,
      );
      await waitFor(() => node.seen.length === n + 1, { intervalMs: 1 });
      socket.destroy();
    }
    assert.equal((await fetchRaw(gate.port, BALANCE)).status, 200);
    assert.doesNotMatch(gate.log(), /"level":"error"/);
  });

  test('fault 424: nodes that all fail get a fifth more requests, and not twice as many', async () => {
    const [one, other] = [await nodeThat(answering(503, '')), await nodeThat(answering(503, ''))];
    const gate = await run([one, other]);
    const reads = 1_500;
    const client = async (): Promise<void> => {
      for (let n = 0; n < reads / 50; n++) await ask(gate.port, { body: BALANCE });
    };
    await Promise.all(Array.from({ length: 50 }, client));
    const sent = one.seen.length + other.seen.length;
    assert.ok(sent > reads && sent < reads * 1.25 + 501, `${sent} requests`);
  });

  test('a result that comes in pieces is passed on as it comes', async () => {
    const ends: (() => unknown)[] = [];
    const node = await nodeThat((_req, res) => {
      res.writeHead(200).write('{"jsonrpc":"2.0","id":1,"result":"0x');
      ends.push(() => res.end('1"}'));
    });
    const gate = await run([node]);
    const answer = ask(gate.port, { body: BALANCE });
    const [end] = await waitFor(() => ends.length > 0 && ends, { describe: 'the call to arrive' });
    await pause(50);
    end?.();
    assert.equal((await answer).text, '{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });
});
