import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_CONNECTIONS } from '../../host/gateway/upstream-request.ts';
import { freePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait.ts';
import {
  answerRpc,
  ask,
  bothPaths,
  CALL,
  keyView,
  OTHER_KEY,
  reasonOf,
  routeOf,
  startGateway,
  startNode,
} from './support.ts';
import type { FakeNode, TestGateway } from './support.ts';

const READ = CALL;
const BROADCAST = '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x00"]}';
const UNKNOWN = '{"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[]}';

bothPaths('several upstreams', (path) => {
  const started: { close(): Promise<void> }[] = [];
  let good: FakeNode;
  const run = async (
    urls: readonly string[],
    changes: Parameters<typeof routeOf>[1] = {},
    deps: Parameters<typeof startGateway>[1] = {},
  ): Promise<TestGateway> => {
    const gate = await startGateway([routeOf(urls, changes)], deps, path);
    started.push(gate);
    return gate;
  };
  const nodeThat = async (answer: Parameters<typeof startNode>[0]): Promise<FakeNode> => {
    const node = await startNode(answer);
    started.push(node);
    return node;
  };
  beforeEach(async () => {
    good = await nodeThat(undefined);
  });
  afterEach(async () => {
    for (const one of started.splice(0).reverse()) await one.close();
  });
  after(() => assert.equal(started.length, 0));

  test('a dial that fails goes on to the next upstream, whatever the method', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const { port } = await run([dead, good.url]);
    for (let n = 0; n < 10; n++)
      assert.equal((await ask(port, { body: n % 2 === 0 ? BROADCAST : UNKNOWN })).status, 200);
    assert.equal(good.seen.length, 10);
  });

  test('a read whose upstream dies is asked of another; a broadcast, and what is not known to be a read, never', async () => {
    const dying = await nodeThat((req) => req.socket.destroy());
    for (const [body, statuses] of [
      [READ, [200]],
      [BROADCAST, [200, 502]],
      [UNKNOWN, [200, 502]],
      [`[${READ},${BROADCAST}]`, [200, 502]],
    ] as const) {
      const { port } = await run([dying.url, good.url]);
      const asked = { dying: dying.seen.length, good: good.seen.length };
      const got = new Set<number>();
      for (let n = 0; n < 4; n++) got.add((await ask(port, { body })).status);
      assert(
        [...got].every((status) => (statuses as readonly number[]).includes(status)),
        `${body} ${[...got].join()}`,
      );
      const sent = dying.seen.length - asked.dying + good.seen.length - asked.good;
      if (body !== READ) assert.equal(sent, 4, 'each was sent exactly once');
    }
  });

  test('a lone upstream whose kept connection closed is asked once more for a read, never for a broadcast', async () => {
    let requests = 0;
    const flaky = await nodeThat((req, res, body) => {
      requests += 1;
      if (requests % 2 === 1) req.socket.destroy();
      else answerRpc(res, body);
    });
    const { port } = await run([flaky.url]);
    assert.equal((await ask(port, { body: READ })).status, 200);
    requests = 0;
    assert.equal((await ask(port, { body: BROADCAST })).status, 502);
    assert.equal(requests, 1);
  });

  test('a read that one upstream answers with 503 is asked of another', async () => {
    const busy = await nodeThat((_req, res) => res.writeHead(503).end());
    const { port } = await run([busy.url, good.url]);
    for (let n = 0; n < 6; n++) assert.equal((await ask(port)).status, 200);
    const lone = await run([busy.url]);
    assert.equal((await ask(lone.port)).status, 503);
  });

  test('502 after an attempt failed; 503 with Retry-After once no upstream is known to be up', async () => {
    const { port } = await run([`http://127.0.0.1:${await freePort()}`]);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await ask(port)).status);
    assert.deepEqual(statuses, [502, 502, 502, 502, 502, 503]);
    const answer = await ask(port);
    assert.deepEqual(
      [answer.status, reasonOf(answer), answer.headers['retry-after']],
      [503, 'upstream_unavailable', '1'],
    );
  });

  test('a circuit that opened closes again when the upstream is back', async () => {
    const node = await nodeThat(undefined);
    const { port } = await run([node.url]);
    await node.close();
    await waitFor(async () => (await ask(port, { body: BROADCAST })).status === 503);
    node.server.listen(node.port, '127.0.0.1');
    await waitFor(async () => (await ask(port, { body: BROADCAST })).status === 200, { intervalMs: 100 });
  });

  for (const [what, trouble] of [
    ['is answered by 503', (_req: IncomingMessage, res: ServerResponse) => void res.writeHead(503).end()],
    ['breaks its connections', (req: IncomingMessage) => void req.socket.destroy()],
    ['is never answered', () => undefined],
  ] as const)
    test(`fault 126: an App whose requests it ${what} takes the upstream from nobody`, async () => {
      const node = await nodeThat((req, res, body) => {
        if (body === BROADCAST) trouble(req, res);
        else answerRpc(res, body);
      });
      const timeouts = { connectMs: 10_000, firstByteMs: 2000, idleMs: 10_000 };
      const gate = await run([node.url], { timeouts });
      gate.directory.set(OTHER_KEY, keyView());
      const statuses = new Set<number>();
      const read = async (times: number): Promise<void> => {
        for (let n = 0; n < times; n++) statuses.add((await ask(gate.port, { key: OTHER_KEY, body: READ })).status);
      };
      for (let round = 0; round < 3; round++) {
        const bad = Array.from({ length: 40 }, () => ask(gate.port, { body: BROADCAST }));
        await read(10);
        await Promise.all(bad);
        await read(15);
      }
      assert.deepEqual([...statuses], [200]);
      assert.equal(node.seen.filter(({ body }) => body === READ).length, 75);
    });

  test('fault 140: an App whose slow calls have all connections does not open the circuit for others', async () => {
    const held: ServerResponse[] = [];
    const node = await nodeThat((_req, res, body) => {
      if (body === BROADCAST) held.push(res);
      else answerRpc(res, body);
    });
    const gate = await run([node.url], { timeouts: { connectMs: 3000, firstByteMs: 60_000, idleMs: 60_000 } });
    gate.directory.set(OTHER_KEY, keyView());
    const slow = Array.from({ length: MAX_CONNECTIONS }, () => ask(gate.port, { body: BROADCAST }));
    await waitFor(() => held.length === MAX_CONNECTIONS);
    const read = () => ask(gate.port, { key: OTHER_KEY, body: READ });
    const late = await Promise.all(Array.from({ length: 6 }, read));
    for (const answer of [...late, await read()]) assert.equal(reasonOf(answer), 'upstream_timeout');
    for (const res of held) res.end('{"jsonrpc":"2.0","id":1,"result":"0x0"}');
    for (const { status } of await Promise.all(slow)) assert.equal(status, 200);
    assert.equal((await read()).status, 200);
  });

  test('health checks ask for the head, keep what lags in reserve, and tell the metrics', async () => {
    const behind = await nodeThat((_req, res) => res.end('{"jsonrpc":"2.0","id":1,"result":"0x10"}'));
    const ahead = await nodeThat((_req, res) => res.end('{"jsonrpc":"2.0","id":1,"result":"0x50"}'));
    const deadPort = await freePort();
    const gate = await run(
      [behind.url, ahead.url, `http://127.0.0.1:${deadPort}/v3/SecretOfTheProvider`],
      {},
      { healthIntervalMs: 50 },
    );
    const shown = async (port: number, value: number): Promise<boolean> =>
      (await gate.metrics()).includes(
        `tillgate_gateway_upstream_up{route="eth.gate.example",upstream="127.0.0.1:${port}"} ${value}`,
      );
    for (const [port, value] of [
      [deadPort, 0],
      [ahead.port, 1],
      [behind.port, 1],
    ] as const)
      await waitFor(() => shown(port, value));
    assert(ahead.seen.every(({ body }) => body.includes('eth_blockNumber')));
    for (let n = 0; n < 10; n++) await ask(gate.port, { body: UNKNOWN });
    assert.equal(ahead.seen.filter(({ body }) => body === UNKNOWN).length, 10);
    assert.equal(behind.seen.filter(({ body }) => body === UNKNOWN).length, 0);
    assert(gate.log().includes('an upstream is down'));
    assert(!(gate.log() + (await gate.metrics())).includes('SecretOfTheProvider'));
  });

  test('Bitcoin-like nodes are asked for getblockcount, HTTP ones for a head', async () => {
    const node = await nodeThat((req, res) =>
      res.end(req.method === 'HEAD' ? '' : '{"result":100,"error":null,"id":1}'),
    );
    const gate = await startGateway(
      [
        routeOf([node.url], { chain: 'BTC' }),
        routeOf([node.url], { host: 'tron.gate.example', protocol: 'http', chain: 'TRX', id: '4' as never }),
      ],
      { healthIntervalMs: 50 },
      path,
    );
    started.push(gate);
    await waitFor(
      () =>
        node.seen.some(({ body }) => body.includes('getblockcount')) &&
        node.seen.some(({ method }) => method === 'HEAD'),
    );
  });

  test('the quicker of two is asked more often', async () => {
    const slow = await nodeThat((_req, res, body) => setTimeout(() => answerRpc(res, body), 1000));
    const { port } = await run([slow.url, good.url]);
    for (let n = 0; n < 30; n++) await ask(port);
    assert(good.seen.length > slow.seen.length * 2, `${good.seen.length} : ${slow.seen.length}`);
  });
});
