import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { connect } from 'node:net';
import { classOfCalls, classOfHttp, DEFAULT_READS, DEFAULT_TIMEOUTS } from '../../core/index.ts';
import type { GatewayRoute } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { answerRpc, ask, bothPaths, HOST, KEY, routeOf, startGateway, startNode } from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const call = (method: string, id = 1): string => JSON.stringify({ jsonrpc: '2.0', id, method, params: [] });

for (const [method, expected] of [
  ['eth_call', 'read'],
  ['getblock', 'read'],
  ['eth_getLogs', 'logs'],
  ['eth_getFilterChanges', 'logs'],
  ['trace_block', 'trace'],
  ['debug_traceTransaction', 'trace'],
  ['eth_sendRawTransaction', 'write'],
  ['sendrawtransaction', 'write'],
  ['eth_subscribe', 'subscribe'],
  ['eth_unsubscribe', 'subscribe'],
  ['eth_newFilter', 'other'],
  ['trace_a_name_of_the_caller', 'other'],
] as const)
  test(`${method} is of the class ${expected}`, () => {
    assert.equal(classOfCalls([method], false), expected);
    assert.equal(classOfCalls([method, 'eth_call'], true), 'batch');
  });

test('requests to HTTP APIs are reads by their method alone', () => {
  assert.deepEqual(['GET', 'HEAD', 'POST'].map(classOfHttp), ['read', 'read', 'other']);
});

bothPaths('the durations of requests to upstreams', (path) => {
  const started: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });
  const nodeThat = async (answer?: Parameters<typeof startNode>[0]): Promise<FakeNode> => {
    const node = await startNode(answer);
    started.push(node);
    return node;
  };
  const run = async (route: GatewayRoute): Promise<TestGateway> => {
    const gate = await startGateway([route], {}, path);
    started.push(gate);
    return gate;
  };
  /** How many requests each class and outcome of a gateway has. */
  const countsOf = async (gate: TestGateway): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    const series =
      /^tillgate_upstream_request_seconds_count\{route="([^"]*)",upstream="([^"]*)",method_class="([^"]*)",outcome="([^"]*)"\} (\d+)$/gm;
    for (const [, route, , methodClass, outcome, count] of (await gate.metrics()).matchAll(series)) {
      assert.equal(route, HOST);
      counts[`${methodClass} ${outcome}`] = (counts[`${methodClass} ${outcome}`] ?? 0) + Number(count);
    }
    return counts;
  };
  const refusing = (error: object) => async () =>
    nodeThat((_req, res) => res.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: 1, error })));

  test('are counted by class and outcome, and a name that a caller invents makes no series', async () => {
    const gate = await run(routeOf([(await nodeThat()).url]));
    const bodies = [
      'eth_call',
      'eth_call',
      'eth_getLogs',
      'trace_block',
      'eth_sendRawTransaction',
      'invented_by_a_caller',
    ];
    for (const method of bodies) await ask(gate.port, { body: call(method) });
    await ask(gate.port, { body: `[${call('eth_call')},${call('eth_getLogs', 2)}]` });
    assert.deepEqual(await countsOf(gate), {
      ...{ 'read succeeded': 2, 'logs succeeded': 1, 'trace succeeded': 1, 'write succeeded': 1 },
      ...{ 'other succeeded': 1, 'batch succeeded': 1 },
    });
    for (let n = 0; n < 100; n++) await ask(gate.port, { body: call('eth_call') });
    assert.equal((await countsOf(gate))['read succeeded'], 102, 'each once');
  });

  for (const [what, outcome, start] of [
    ['an answer that blames the call', 'refused', refusing({ code: -32602, message: 'invalid params' })],
    ['an answer that something is not there', 'refused', refusing({ code: -32000, message: 'missing trie node ab' })],
    ['a fault in an answer', 'fault', refusing({ code: -32603, message: 'internal error' })],
    ['a status of a fault', 'fault', () => nodeThat((_req, res) => res.writeHead(503).end())],
    ['a connection that ends', 'failed', () => nodeThat((req) => req.socket.destroy())],
  ] as const)
    test(`${what} is counted as ${outcome}`, async () => {
      const gate = await run(routeOf([(await start()).url]));
      await ask(gate.port, { body: call('eth_sendRawTransaction') });
      assert.deepEqual(await countsOf(gate), { [`write ${outcome}`]: 1 });
    });

  test('a node that is not there has failed', async () => {
    const node = await startNode();
    await node.close();
    const gate = await run(routeOf([node.url]));
    await ask(gate.port, { body: call('eth_sendRawTransaction') });
    assert.deepEqual(await countsOf(gate), { 'write failed': 1 });
  });

  test('a node that does not answer in time has timed out', async () => {
    const silent = await nodeThat(() => undefined);
    const timeouts = { ...DEFAULT_TIMEOUTS, connectMs: 1_000, firstByteMs: 50 };
    const gate = await run(routeOf([silent.url], { timeouts }));
    assert.equal((await ask(gate.port, { body: call('eth_call') })).status, 504);
    assert.deepEqual(await countsOf(gate), { 'read timeout': 1 });
  });

  test('a request whose client has left, or whose second one was faster, is counted as cancelled', async () => {
    const silent = await nodeThat(() => undefined);
    const gate = await run(routeOf([silent.url]));
    const body = call('eth_call');
    const socket = connect(gate.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST / HTTP/1.1\r\nhost: ${HOST}\r\nauthorization: Bearer ${KEY}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await waitFor(() => silent.seen.length === 1);
    socket.destroy();
    await waitFor(async () => (await countsOf(gate))['read cancelled'] === 1);

    let asked = 0;
    const slowFirst: Parameters<typeof startNode>[0] = (_req, res, text) => {
      asked += 1;
      if (asked === 2) answerRpc(res, text);
    };
    const urls = [(await nodeThat(slowFirst)).url, (await nodeThat(slowFirst)).url];
    const hedged = await run(routeOf(urls, { reads: { ...DEFAULT_READS, monotonic: false, hedgeAfterMs: 5 } }));
    assert.equal((await ask(hedged.port, { body })).status, 200);
    assert.deepEqual(await countsOf(hedged), { 'read succeeded': 1, 'read cancelled': 1 });
  });

  test('requests to an HTTP API are counted too', async () => {
    const node = await nodeThat((_req, res) => res.end('{}'));
    const gate = await run(routeOf([node.url], { protocol: 'http' }));
    await ask(gate.port, { method: 'GET', path: '/wallet/getnowblock' });
    await ask(gate.port, { path: '/wallet/getaccount', body: '{}' });
    assert.deepEqual(await countsOf(gate), { 'read succeeded': 1, 'other succeeded': 1 });
  });

  test('a gateway that gets another host counts under that', async () => {
    const node = await nodeThat();
    const gate = await run(routeOf([node.url]));
    await ask(gate.port);
    gate.setRoutes([routeOf([node.url], { host: 'moved.gate.example' })]);
    await ask(gate.port, { host: 'moved.gate.example' });
    assert.match(
      await gate.metrics(),
      /request_seconds_count\{route="moved\.gate\.example",upstream="[^"]+",method_class/,
    );
  });
});
