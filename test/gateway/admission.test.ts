import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AppView, GatewayRoute } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import {
  answerRpc,
  appView,
  ask,
  CALL,
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

const SHADOW = 'shadow.gate.example';
const OFF = 'disabled.gate.example';
const NARROW = 'narrow.gate.example';
const CROWD = 'crowd.gate.example';
const batch = (count: number): string => `[${Array.from({ length: count }, () => CALL).join()}]`;
const PERSONAL = '{"jsonrpc":"2.0","id":1,"method":"personal_sign","params":[]}';

bothPaths('admission', (path) => {
  let node: FakeNode;
  let gate: TestGateway;
  let waiting: (() => void)[] | null = null;
  const app = appView().id;

  before(async () => {
    node = await startNode((_req, res, body) => {
      if (waiting === null) answerRpc(res, body);
      else waiting.push(() => answerRpc(res, body));
    });
    const route = (host: string, id: string, changes: Partial<GatewayRoute>): GatewayRoute =>
      routeOf([node.url], { host, id: id as GatewayRoute['id'], ...changes });
    const limits = { requestsPerSecond: 2, burst: 5, concurrency: null };
    gate = await startGateway(
      [
        route(HOST, '1', { limits }),
        route(SHADOW, '2', { limits, admission: 'shadow' }),
        route(OFF, '3', { limits, admission: 'disabled' }),
        route(CROWD, '5', { limits: { requestsPerSecond: 1, burst: 1, concurrency: null } }),
        route(NARROW, '4', { limits: { requestsPerSecond: null, burst: null, concurrency: 2 } }),
      ],
      {},
      path,
    );
  });
  after(async () => {
    await gate.close();
    await node.close();
  });
  const countOf = (route: string, verdict: string, reason: string): number =>
    gate.gateway
      .admissionTally(app)
      .find((one) => one.route === route && one.verdict === verdict && one.reason === reason)?.count ?? 0;

  test('enforce: the burst passes, the next request is 429 with Retry-After, and time gives tokens back', async () => {
    for (let n = 0; n < 5; n++) assert.equal((await ask(gate.port)).status, 200);
    const refused = await ask(gate.port);
    assert.deepEqual([refused.status, reasonOf(refused), refused.headers['retry-after']], [429, 'rate_limited', '1']);
    gate.clock.advance(500);
    assert.equal((await ask(gate.port)).status, 200);
    assert.equal((await ask(gate.port)).status, 429);
  });

  test('limits are of each App', async () => {
    gate.directory.set(OTHER_KEY, keyView({ app: appView({ id: '77' as typeof app }) }));
    assert.equal((await ask(gate.port, { key: OTHER_KEY })).status, 200);
  });

  test('fault 118: an account with many Apps gets ten times the limit of one, and no more', async () => {
    const apps = Array.from({ length: 30 }, (_, n) => `100${n}` as typeof app);
    const askAs = async (changes: Partial<AppView>): Promise<Answer> => {
      gate.directory.set(OTHER_KEY, keyView({ app: appView(changes) }));
      return ask(gate.port, { host: CROWD, key: OTHER_KEY });
    };
    const replies = [];
    for (const id of apps) replies.push(await askAs({ id }));
    assert.equal(replies.filter(({ status }) => status === 200).length, 10);
    assert.match(replies.at(-1)?.text ?? '', /Apps of this account/);
    assert.equal((await askAs({ id: '77' as typeof app, accountId: '2' as AppView['accountId'] })).status, 200);
  });

  test('a batch costs its number of elements', async () => {
    gate.clock.advance(10_000);
    assert.equal((await ask(gate.port, { body: batch(4) })).status, 200);
    const refused = await ask(gate.port, { body: batch(3) });
    assert.deepEqual([refused.status, reasonOf(refused)], [429, 'rate_limited']);
    gate.clock.advance(10_000);
    assert.equal((await ask(gate.port, { body: batch(6) })).status, 429);
  });

  test('shadow: what would be refused passes, and is recorded', async () => {
    for (let n = 0; n < 7; n++) assert.equal((await ask(gate.port, { host: SHADOW })).status, 200);
    assert.equal(countOf(SHADOW, 'would_refuse', 'rate_limited'), 2);
    gate.clock.advance(10_000);
    assert.equal((await ask(gate.port, { host: SHADOW, body: PERSONAL })).status, 200);
    assert.equal(countOf(SHADOW, 'would_refuse', 'method_not_allowed'), 1);
  });

  test('disabled: nothing is evaluated', async () => {
    for (let n = 0; n < 8; n++) assert.equal((await ask(gate.port, { host: OFF })).status, 200);
    assert.equal(countOf(OFF, 'allowed', 'none'), 8);
  });

  test('authentication holds in every mode', async () => {
    for (const host of [SHADOW, OFF]) assert.equal((await ask(gate.port, { host, key: null })).status, 401);
  });

  test('an App may be stricter than the route, never looser', async () => {
    gate.directory.set(
      OTHER_KEY,
      keyView({
        app: appView({
          id: '78' as typeof app,
          admissionMode: 'enforce',
          limits: { requestsPerSecond: 1, burst: 1, concurrency: null },
        }),
      }),
    );
    assert.deepEqual(
      [
        (await ask(gate.port, { host: OFF, key: OTHER_KEY })).status,
        (await ask(gate.port, { host: OFF, key: OTHER_KEY })).status,
      ],
      [200, 429],
    );
    gate.directory.set(OTHER_KEY, keyView({ app: appView({ id: '79' as typeof app, admissionMode: 'disabled' }) }));
    assert.equal((await ask(gate.port, { key: OTHER_KEY, body: PERSONAL })).status, 403);
  });

  test('so many at once and no more; whoever is answered, refused or gone makes room', async () => {
    waiting = [];
    const first = [ask(gate.port, { host: NARROW }), ask(gate.port, { host: NARROW })];
    await waitFor(() => waiting?.length === 2);
    const third = await ask(gate.port, { host: NARROW });
    assert.deepEqual([third.status, reasonOf(third)], [429, 'rate_limited']);
    for (const answer of waiting.splice(0)) answer();
    waiting = null;
    for (const answer of await Promise.all(first)) assert.equal(answer.status, 200);
    for (let n = 0; n < 4; n++) assert.equal((await ask(gate.port, { host: NARROW, body: PERSONAL })).status, 403);
    assert.equal((await ask(gate.port, { host: NARROW })).status, 200);
  });

  test('fault 20: where the evaluation itself fails, enforce refuses and shadow passes', async () => {
    const broken = {
      ...appView(),
      get chains(): never {
        throw new Error('broken');
      },
    };
    gate.directory.set(OTHER_KEY, keyView({ app: broken }));
    assert.equal((await ask(gate.port, { key: OTHER_KEY })).status, 503);
    assert.equal((await ask(gate.port, { key: OTHER_KEY, host: SHADOW })).status, 200);
  });

  test('verdicts, requests, seconds and bytes are measured by route and App', async () => {
    const text = await gate.metrics();
    assert.match(
      text,
      new RegExp(
        `tillgate_gateway_admission_total\\{route="${SHADOW}",app="${app}",mode="shadow",verdict="would_refuse",reason="rate_limited"\\} 2`,
      ),
    );
    assert.match(
      text,
      new RegExp(`tillgate_gateway_requests_total\\{route="${HOST}",app="${app}",status="429"\\} \\d`),
    );
    assert.match(text, new RegExp(`tillgate_gateway_requests_total\\{route="${OFF}",app="none",status="401"\\} 1`));
    assert.match(text, /tillgate_gateway_request_seconds_count\{route="eth.gate.example"\} \d/);
    assert.match(text, new RegExp(`tillgate_gateway_bytes_total\\{route="${HOST}",app="${app}",direction="in"\\} \\d`));
    assert(!text.includes(KEY.slice(4)));
  });
});
