import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Allowance, AppLimits, PrepaidBalances, Quotas, UsageMeter } from '../../core/index.ts';
import type { AccountId, AppId, GatewayRoute } from '../../core/index.ts';
import { PlainCall } from '../../host/gateway/fast-path/index.ts';
import { FakeClock } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { answerRpc, appView, ask, bothPaths, HOST, KEY, keyView, OTHER_KEY, reasonOf, routeOf } from './support.ts';
import { startGateway, startNode } from './support.ts';
import type { Answer, Ask, FakeNode, TestGateway } from './support.ts';

const HOUR_MS = 3_600_000;
const call = (method: string, params: readonly unknown[] = []): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });

/** How many calls were answered without an exchange. */
let plain = 0;
const { onWholeResponseEnd } = PlainCall.prototype;
PlainCall.prototype.onWholeResponseEnd = function (this: PlainCall): void {
  plain += 1;
  onWholeResponseEnd.call(this);
};

const RESULT = '{"id":7,"result":1}';
const LENGTH = { 'content-length': RESULT.length };
type Answering = (res: ServerResponse, body: string, req: IncomingMessage) => void;

bothPaths('calls over one connection', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  let agent: Agent;
  let clock: FakeClock;
  let meter: UsageMeter;
  let answer: Answering;
  const route = (changes: Partial<GatewayRoute> = {}): GatewayRoute =>
    routeOf([node.url], { methods: { allow: ['eth_*'], deny: ['eth_accounts'] }, units: { eth_call: 3 }, ...changes });

  beforeEach(async () => {
    answer = (res, body) => answerRpc(res, body);
    node = await startNode((req, res, body) => answer(res, body, req));
    clock = new FakeClock();
    meter = new UsageMeter(clock);
    const allowance = new Allowance(new Quotas(clock), new PrepaidBalances(() => ''));
    gate = await startGateway([route()], { clock, meter, allowance }, path);
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // The first ones of a connection are read as a whole.
    for (const method of ['eth_chainId', 'eth_gasPrice', 'eth_chainId']) await say(call(method));
    meter.take(100);
    plain = 0;
  });
  afterEach(async () => {
    agent.destroy();
    await gate.close();
    await node.close();
  });
  const say = (body: string, more: Ask = {}): Promise<Answer> => ask(gate.port, { ...more, body, agent });
  const counted = () =>
    meter.take(100).map(({ method, requests, units, errors, bytesIn, bytesOut }) => ({
      ...{ method, requests, units, errors, bytesIn, bytesOut },
    }));
  const countOf = async (series: string): Promise<number> =>
    Number(new RegExp(`^${series} (\\d+)$`, 'm').exec(await gate.metrics())?.[1] ?? 0);
  /** On the other path there are none. */
  const assertPlain = (count: number): void => assert.equal(plain, path === 'fast' ? count : 0);

  test('are answered like any other, in one piece and without a trace of the key', async () => {
    const body = call('eth_getBalance', ['0xab', 'latest']);
    const { status, headers, text } = await say(body);
    assert.deepEqual([status, JSON.parse(text)], [200, { jsonrpc: '2.0', id: 7, result: '0x10' }]);
    assert.deepEqual([headers['content-length'], headers['x-trace-id']?.length], [String(text.length), 32]);
    const seen = node.seen.at(-1);
    assert.equal(seen?.body, body);
    assert.deepEqual([seen?.headers['content-type'], seen?.headers['via']], ['application/json', '1.1 tillgate']);
    assert.ok(!JSON.stringify(seen).includes(KEY));
    assertPlain(1);
  });

  test('fault 523: a key, an App, a route or its nodes that changed are refused at the next call', async () => {
    const cases: readonly (readonly [string, () => void, string])[] = [
      ['revoked', () => gate.directory.set(KEY, keyView({ state: 'revoked' })), 'key_revoked'],
      ['unknown', () => void gate.directory.keys.delete(KEY), 'key_unknown'],
      [
        'of an inactive App',
        () => gate.directory.set(KEY, keyView({ app: appView({ enabled: false }) })),
        'app_inactive',
      ],
      ['not sure', () => (gate.directory.ready = false), 'upstream_unavailable'],
      ['a disabled route', () => gate.setRoutes([route({ enabled: false })]), 'route_disabled'],
      [
        'another method',
        () => gate.setRoutes([route({ methods: { allow: ['net_*'], deny: [] } })]),
        'method_not_allowed',
      ],
      ['no node in use', () => gate.setRoutes([route()], [node.url]), 'upstream_unavailable'],
    ];
    for (const [what, change, reason] of cases) {
      gate.directory.set(KEY, keyView());
      gate.directory.ready = true;
      gate.setRoutes([route()]);
      for (let n = 0; n < 2; n++) assert.equal((await say(call('eth_chainId'))).status, 200, what);
      const asked = node.seen.length;
      change();
      assert.equal(reasonOf(await say(call('eth_chainId'))), reason, what);
      assert.equal(node.seen.length, asked, what);
    }
    assert.ok(path !== 'fast' || plain >= cases.length, `${plain}`);
  });

  test('fault 523: a key in its grace is refused at the millisecond at which that ends', async () => {
    gate.directory.set(KEY, keyView({ state: 'grace', expiresAt: clock.now() + 1_000 }));
    for (let n = 0; n < 2; n++) await say(call('eth_chainId'));
    clock.advance(999);
    const last = await say(call('eth_chainId'));
    assert.deepEqual([last.status, typeof last.headers['x-key-expires']], [200, 'string']);
    assertPlain(3);
    clock.advance(1);
    assert.equal(reasonOf(await say(call('eth_chainId'))), 'key_expired');
  });

  test('fault 523: the methods of the route, the rate and the quota hold for each call', async () => {
    assert.equal(reasonOf(await say(call('eth_accounts'))), 'method_not_allowed');
    assert.equal(reasonOf(await say('{"id":1,"method":"eth_call","method":"eth_accounts"}')), 'bad_request');
    gate.setRoutes([route({ limits: { requestsPerSecond: 1, burst: 4, concurrency: null } })]);
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await say(call('eth_chainId'))).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
    gate.setRoutes([route()]);
    gate.directory.set(KEY, keyView({ app: appView({ quota: { units: 10, window: 'day' } }) }));
    const paid = [];
    for (let n = 0; n < 5; n++) paid.push((await say(call('eth_call'))).status);
    assert.deepEqual(paid, [200, 200, 200, 429, 429]);
    assert.ok(path !== 'fast' || plain > 3, `${plain}`);
  });

  test('fault 523: what is counted for a limit is counted where it is looked up, also after that made room', async (t) => {
    const limiter = new AppLimits(2);
    const own = await startGateway(
      [route({ limits: { requestsPerSecond: 100, burst: 100, concurrency: null } })],
      { clock, limiter },
      path,
    );
    t.after(() => own.close());
    const other = appView({ id: '78' as AppId, accountId: '79' as AccountId });
    own.directory.set(OTHER_KEY, keyView({ app: other }));
    const body = call('eth_chainId');
    for (let n = 0; n < 3; n++) await ask(own.port, { body, agent });
    assert.equal(limiter.find(appView().id, route().id)?.taken, 3);
    // Takes both places: that of the App and that of its account.
    await ask(own.port, { body, key: OTHER_KEY });
    assert.equal(limiter.find(appView().id, route().id), undefined);
    await ask(own.port, { body, agent });
    assert.equal(limiter.find(appView().id, route().id)?.taken, 1);
  });

  test('fault 524: each is counted once, in its hour, however often the counts are stored', async () => {
    const [cheap, dear] = [call('eth_chainId'), call('eth_call')];
    let size = 0;
    for (const body of [cheap, dear, dear]) size = (await say(body)).text.length;
    const bytes = (body: string, count: number) => ({ bytesIn: count * body.length, bytesOut: count * size });
    assert.deepEqual(counted(), [
      { method: 'eth_chainId', requests: 1, units: 1, errors: 0, ...bytes(cheap, 1) },
      { method: 'eth_call', requests: 2, units: 6, errors: 0, ...bytes(dear, 2) },
    ]);
    await say(dear);
    clock.advance(HOUR_MS);
    await say(dear);
    const rows = meter.take(100);
    assert.deepEqual(
      rows.map(({ units, bytesIn }) => [units, bytesIn]),
      [1, 1].map(() => [3, dear.length]),
    );
    assert.equal((rows[1]?.hour ?? 0) - (rows[0]?.hour ?? 0), HOUR_MS);
    assertPlain(5);
    const labels = `route="${HOST}",app="${appView().id}"`;
    assert.equal(await countOf(`tillgate_gateway_requests_total\\{${labels},status="200"\\}`), 8);
    assert.equal(await countOf(`tillgate_gateway_request_seconds_count\\{route="${HOST}"\\}`), 8);
    assert.equal(gate.gateway.admissionTally(appView().id)[0]?.count, 8);
    assert.ok(gate.directory.uses.length >= 8);
  });

  const answers: readonly (readonly [string, Answering, status: number])[] = [
    [
      'in two pieces',
      (res) => void (res.writeHead(200), res.write('{"id":7,'), setImmediate(() => res.end('"result":1}'))),
      200,
    ],
    ['of unknown length', (res) => void (res.writeHead(200).write('{"id":7,"result":1}'), res.end()), 200],
    ['an error of the call', (res) => res.end('{"id":7,"error":{"code":3,"message":"execution reverted"}}'), 200],
    ['an error of the node', (res) => res.end('{"id":7,"error":{"code":-32005,"message":"limit exceeded"}}'), 200],
    ['status 500', (res) => res.writeHead(500, LENGTH).end(RESULT), 500],
    ['status 401', (res) => res.writeHead(401, LENGTH).end(RESULT), 502],
    ['status 201', (res) => res.writeHead(201, LENGTH).end(RESULT), 201],
    ['of an unknown coding', (res) => res.writeHead(200, { ...LENGTH, 'content-encoding': 'own' }).end(RESULT), 200],
    ['compressed', (res) => res.setHeader('content-encoding', 'gzip').end(gzipSync('{"id":7,"result":1}')), 200],
    ['no answer', (res) => void res.destroy(), 502],
    ['a long one', (res) => res.end(JSON.stringify({ id: 7, result: 'x'.repeat(100_000) })), 200],
    ['nothing', (res) => res.end(), 200],
  ];
  for (const [what, given, status] of answers)
    test(`fault 525: an answer that is not the usual one is judged and counted as ever: ${what}`, async () => {
      answer = (res, body, req) => (body.includes('eth_call') ? given(res, body, req) : answerRpc(res, body));
      const body = call('eth_call');
      const got = await say(body);
      assert.equal(got.status, status);
      assertPlain(0);
      const errors = status >= 400 ? 1 : 0;
      const [row, none] = counted();
      assert.deepEqual([row?.method, row?.requests, row?.errors, row?.bytesIn], ['eth_call', 1, errors, body.length]);
      assert.equal(none, undefined);
      answer = (res, text) => answerRpc(res, text);
      assert.equal((await say(call('eth_chainId'))).status, 200);
      // What the App and the node have under way was given back.
      gate.setRoutes([route({ limits: { requestsPerSecond: null, burst: null, concurrency: 1 } })]);
      for (let n = 0; n < 3; n++) assert.equal((await say(call('eth_chainId'))).status, 200);
    });

  const silent: Answering = (res, body) => {
    if (!body.includes('eth_call')) answerRpc(res, body);
  };

  test('fault 525: a node that does not answer in time ends the call and its place', async () => {
    const timeouts = { connectMs: 10_000, firstByteMs: 200, idleMs: 10_000 };
    gate.setRoutes([route({ timeouts, limits: { requestsPerSecond: null, burst: null, concurrency: 1 } })]);
    for (let n = 0; n < 2; n++) await say(call('eth_chainId'));
    answer = silent;
    const slow = await say(call('eth_call'));
    assert.deepEqual([slow.status, reasonOf(slow)], [504, 'upstream_timeout']);
    assert.equal((await say(call('eth_chainId'))).status, 200);
  });

  test('fault 525: a client that leaves ends its call, which until then counts for the concurrency', async (t) => {
    const other = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => other.destroy());
    const sayToo = (): Promise<Answer> => ask(gate.port, { body: call('eth_chainId'), agent: other });
    const held: (() => void)[] = [];
    // Two at once, so that a connection to the node is left for the second call below.
    answer = (res, body) => {
      held.push(() => answerRpc(res, body));
      if (held.length === 2) for (const reply of held) reply();
    };
    await Promise.all([say(call('eth_chainId')), sayToo()]);
    answer = silent;
    gate.setRoutes([route({ limits: { requestsPerSecond: null, burst: null, concurrency: 1 } })]);
    for (let n = 0; n < 2; n++)
      assert.deepEqual([(await say(call('eth_chainId'))).status, (await sayToo()).status], [200, 200]);
    const asked = node.seen.length;
    const left = say(call('eth_call')).catch((error: unknown) => error);
    await waitFor(() => node.seen.length > asked, { describe: 'the call' });
    assert.equal(reasonOf(await sayToo()), 'rate_limited');
    agent.destroy();
    assert.ok((await left) instanceof Error);
    await waitFor(async () => (await sayToo()).status === 200, { describe: 'the place of the call' });
    const labels = `route="${HOST}",app="${appView().id}",status="499"`;
    assert.equal(await countOf(`tillgate_gateway_requests_total\\{${labels}\\}`), 1);
  });

  test('fault 532: a header that varies is forwarded, unless it holds the key or a name that is kept back', async () => {
    const sent: (readonly [string, string])[] = [
      ['x-request-id', 'a'],
      ['x-request-id', 'b'],
      ['x-request-id', 'c'],
      ['x-request-id', `d ${KEY}`],
      ['x-request-id', ''],
      ['x-forwarded-for', '10.0.0.1'],
      ['x-forwarded-for', '10.0.0.2'],
      ['x-forwarded-for', '10.0.0.3'],
    ];
    const arrived = [];
    for (const [name, value] of sent) {
      assert.equal((await say(call('eth_chainId'), { headers: { [name]: value } })).status, 200);
      arrived.push(node.seen.at(-1)?.headers[name]);
    }
    assert.deepEqual(arrived, ['a', 'b', 'c', undefined, '', undefined, undefined, undefined]);
    assert.ok(path !== 'fast' || plain >= 2, `${plain}`);
  });

  test('are answered in order when they come together, and one that comes in pieces is read as ever', async (t) => {
    const socket = connect(gate.port, '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    let got = '';
    socket.setEncoding('latin1').on('data', (text: string) => (got += text));
    const request = (id: number): string => {
      const body = `{"id":${id},"method":"eth_chainId"}`;
      return `POST / HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    for (let n = 1; n <= 8; n++) {
      const before = plain;
      const two = request(2 * n) + request(2 * n + 1);
      const cut = n % 2 === 0 ? two.indexOf('\r\n\r\n') + 10 : two.length;
      socket.write(two.slice(0, cut));
      if (cut < two.length) setImmediate(() => socket.write(two.slice(cut)));
      await waitFor(() => got.split('"result"').length === 2 * n + 1, { describe: `${2 * n} answers` });
      if (n === 7) assertPlain(before + 2);
    }
    const ids = [...got.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      Array.from({ length: 16 }, (_, n) => n + 2),
    );
  });
});
