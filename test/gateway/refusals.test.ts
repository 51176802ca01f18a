import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { GatewayRoute, KeyView } from '../../core/index.ts';
import { START } from '../support/fakes.ts';
import {
  appView,
  ask,
  bothPaths,
  HOST,
  KEY,
  keyView,
  messageOf,
  OTHER_KEY,
  reasonOf,
  routeOf,
  startGateway,
  startNode,
  UNKNOWN_KEY,
} from './support.ts';
import type { Ask, FakeNode, TestGateway } from './support.ts';

const HTTP = 'tron.gate.example';
const OFF = 'off.gate.example';
const WS = 'ws.gate.example';
const SMALL = 'small.gate.example';
const BTC = 'btc.gate.example';
const broken = `${KEY.slice(0, -1)}${KEY.endsWith('0') ? '1' : '0'}`;

bothPaths('what the gateway refuses, and how', (path) => {
  let node: FakeNode;
  let gate: TestGateway;

  before(async () => {
    node = await startNode();
    const route = (host: string, id: string, changes: Partial<GatewayRoute> = {}): GatewayRoute =>
      routeOf([node.url], { host, id: id as GatewayRoute['id'], ...changes });
    gate = await startGateway(
      [
        route(HOST, '1'),
        route(HTTP, '2', { protocol: 'http' }),
        route(OFF, '3', { enabled: false }),
        route(WS, '4', { protocol: 'websocket' }),
        route(SMALL, '5', { maxBodyBytes: 100, maxBatch: 2 }),
        route(BTC, '6', { chain: 'BTC' }),
      ],
      {},
      path,
    );
    gate.directory.keys.set(OTHER_KEY, keyView());
  });
  after(async () => {
    await gate.close();
    await node.close();
  });

  const rpc = (...methods: string[]): string =>
    JSON.stringify(methods.map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] })));
  const rows: readonly (readonly [string, Ask, number, string, Readonly<Record<string, string>>?])[] = [
    ['a GET on a JSON-RPC route', { method: 'GET' }, 405, 'http_method_not_allowed', { allow: 'POST' }],
    [
      'a PUT on an HTTP route',
      { method: 'PUT', host: HTTP },
      405,
      'http_method_not_allowed',
      { allow: 'GET, HEAD, POST' },
    ],
    ['a POST on a WebSocket route', { host: WS }, 405, 'http_method_not_allowed', { allow: 'GET' }],
    ['a plain GET on a WebSocket route', { method: 'GET', host: WS }, 400, 'bad_request'],
    ['the wrong method before the missing key', { method: 'DELETE', key: null }, 405, 'http_method_not_allowed'],
    ['a foreign path on a JSON-RPC route, before the missing key', { path: '/wallet', key: null }, 404, 'not_found'],
    ['dot segments (fault 24)', { host: HTTP, path: '/a/../b' }, 400, 'bad_request'],
    [
      'an encoded separator behind the key (fault 24)',
      { host: HTTP, path: `/${KEY}/..%2fadmin`, key: null },
      400,
      'bad_request',
    ],
    ['a backslash (fault 24)', { host: HTTP, path: '/a\\b' }, 400, 'bad_request'],
    ['doubled slashes (fault 24)', { host: HTTP, path: `/${KEY}//x`, key: null }, 400, 'bad_request'],
    ['an absolute-form target', { host: HTTP, path: `http://${HTTP}/a` }, 400, 'bad_request'],
    [
      'a repeated Authorization (fault 8)',
      { key: null, headers: { authorization: [`Bearer ${KEY}`, `Bearer ${KEY}`] } },
      400,
      'bad_request',
    ],
    ['the key in the rest of the target', { host: HTTP, path: `/x?key=${KEY}` }, 400, 'bad_request'],
    ['no key', { key: null }, 401, 'key_missing', { 'www-authenticate': 'Bearer' }],
    [
      'no key on an HTTP route',
      { host: HTTP, path: '/wallet/getnowblock', key: null },
      401,
      'key_missing',
      { 'www-authenticate': 'Bearer' },
    ],
    [
      'bearer in lower case (fault 22)',
      { key: null, headers: { authorization: `bearer ${KEY}` } },
      401,
      'key_malformed',
    ],
    ['two spaces (fault 22)', { key: null, headers: { authorization: `Bearer  ${KEY}` } }, 401, 'key_malformed'],
    ['trailing text (fault 22)', { key: null, headers: { authorization: `Bearer ${KEY} x` } }, 401, 'key_malformed'],
    ['a key of a wrong length (fault 19)', { key: KEY.slice(0, -1) }, 401, 'key_malformed'],
    ['a key of a wrong checksum', { key: broken }, 401, 'key_malformed'],
    ['a malformed key in the path', { path: '/tgk_x', key: null }, 401, 'key_malformed'],
    ['an unknown key', { key: UNKNOWN_KEY }, 401, 'key_unknown', { 'www-authenticate': 'Bearer' }],
    ['two different valid keys (fault 21)', { path: `/${OTHER_KEY}` }, 401, 'key_mismatch'],
    ['a route that is off', { host: OFF }, 403, 'route_disabled'],
    ['a chain that the App does not have', { host: BTC }, 403, 'route_disabled'],
    ['a body over the limit', { host: SMALL, body: 'x'.repeat(101) }, 413, 'body_too_large'],
    ['a batch over the cap (fault 28)', { host: SMALL, body: '[1,2,3]' }, 400, 'batch_too_large'],
    ['an empty batch', { body: '[]' }, 400, 'bad_request'],
    ['no body', { body: '' }, 400, 'bad_request'],
    ['half a body', { body: '{"jsonrpc"' }, 400, 'bad_request'],
    [
      'a body that is not UTF-8',
      {
        body: Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_'),
          Buffer.from([0xff]),
          Buffer.from('"}'),
        ]),
      },
      400,
      'bad_request',
    ],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 400, 'bad_request'],
    ['a method that is no text', { body: '{"jsonrpc":"2.0","id":1,"method":7}' }, 400, 'bad_request'],
    ['a scalar', { body: '"eth_blockNumber"' }, 400, 'bad_request'],
    ['an array in a batch', { body: '[["personal_sign"]]' }, 400, 'bad_request'],
    [
      'two methods in one object (fault 27)',
      { body: '{"method":"eth_call","id":1,"method":"personal_sign"}' },
      400,
      'bad_request',
    ],
    [
      'two methods that differ in case (fault 27)',
      { body: '{"method":"eth_call","id":1,"Method":"personal_sign"}' },
      400,
      'bad_request',
    ],
    [
      'two methods, one of them escaped (fault 27)',
      { body: '{"method":"eth_call","id":1,"\\u006dethod":"personal_sign"}' },
      400,
      'bad_request',
    ],
    ['an administrative method (fault 27)', { body: rpc('personal_sign').slice(1, -1) }, 403, 'method_not_allowed'],
    [
      'an administrative method hidden in a batch (fault 27)',
      { body: rpc('eth_call', 'eth_call', 'debug_traceBlock', 'eth_call') },
      403,
      'method_not_allowed',
    ],
    ['a wallet method', { body: rpc('dumpprivkey') }, 403, 'method_not_allowed'],
    ['stop', { body: rpc('stop') }, 403, 'method_not_allowed'],
    [
      'a body on a GET',
      { method: 'GET', host: HTTP, headers: { 'content-length': '5' }, body: 'hello' },
      400,
      'bad_request',
    ],
    ['another expectation', { headers: { expect: 'miracles' } }, 400, 'bad_request'],
  ];
  for (const [what, request, status, reason, headers = {}] of rows) {
    test(`${what}: ${status} ${reason}`, async () => {
      const asked = node.seen.length;
      const answer = await ask(gate.port, request);
      assert.equal(answer.status, status, answer.text);
      assert.equal(reasonOf(answer), reason);
      assert.match(String(answer.headers['x-trace-id']), /^[0-9a-f]{32}$/);
      for (const [name, value] of Object.entries(headers)) assert.equal(answer.headers[name], value);
      assert.equal(node.seen.length, asked, 'nothing may reach the upstream');
      assert(!answer.text.includes(KEY));
    });
  }

  test('on a JSON-RPC route a refusal is a JSON-RPC error, member for member', async () => {
    const { text, headers } = await ask(gate.port, { key: null });
    const trace_id = headers['x-trace-id'];
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(text), {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: messageOf('key_missing'), data: { reason: 'key_missing', trace_id } },
    });
  });

  test('an unreadable JSON-RPC body is -32700, a batch over the cap -32600', async () => {
    const codeOf = async (request: Ask): Promise<number> =>
      (JSON.parse((await ask(gate.port, request)).text) as { error: { code: number } }).error.code;
    assert.equal(await codeOf({ body: '{' }), -32700);
    assert.equal(await codeOf({ host: SMALL, body: '[1,2,3]' }), -32600);
  });

  test("fault 69: of a method's name no more than its beginning is repeated", async () => {
    const messageFor = async (method: string): Promise<string> =>
      (JSON.parse((await ask(gate.port, { body: rpc(method) })).text) as { error: { message: string } }).error.message;
    assert.equal(await messageFor('debug_x'), 'The method debug_x is not allowed on this gateway.');
    assert.equal(
      await messageFor(`debug_${'x'.repeat(100)}`),
      `The method debug_${'x'.repeat(58)} is not allowed on this gateway.`,
    );
    assert(!(await messageFor(`debug_${'x'.repeat(1000)}`)).includes('debug_'));
  });

  test('on an HTTP route a refusal has the other form', async () => {
    const { text, headers } = await ask(gate.port, { host: HTTP, path: '/x', key: null });
    assert.deepEqual(JSON.parse(text), {
      error: { code: 'key_missing', message: messageOf('key_missing'), trace_id: headers['x-trace-id'] },
    });
  });

  test('a host that is not served never comes to the gateway (fault 26)', async () => {
    for (const host of ['other.example', `${HOST}.`, `${HOST}:80:80`, `x.${HOST}`]) {
      const answer = await ask(gate.port, { host, headers: { 'x-forwarded-host': HOST } });
      assert.equal(answer.headers['x-from'], 'the application', host);
    }
    assert.equal((await ask(gate.port, { host: `${HOST.toUpperCase()}:8545` })).status, 200);
  });

  const states: readonly (readonly [string, Partial<KeyView>, number, string])[] = [
    ['revoked', { state: 'revoked' }, 401, 'key_revoked'],
    [
      'revoked, of a disabled account',
      { state: 'revoked', app: appView({ accountActive: false }) },
      401,
      'key_revoked',
    ],
    ['in grace until a millisecond ago (fault 16)', { state: 'grace', expiresAt: START }, 401, 'key_expired'],
    ['of a disabled App (fault 17)', { app: appView({ enabled: false }) }, 403, 'app_inactive'],
    ['of a disabled account (fault 17)', { app: appView({ accountActive: false }) }, 403, 'account_inactive'],
  ];
  for (const [what, view, status, reason] of states) {
    test(`a key ${what}: ${status} ${reason}`, async () => {
      gate.directory.keys.set(OTHER_KEY, keyView(view));
      const answer = await ask(gate.port, { key: OTHER_KEY });
      assert.deepEqual([answer.status, reasonOf(answer)], [status, reason]);
    });
  }

  test('a revocation holds for the next request (fault 14)', async () => {
    gate.directory.set(OTHER_KEY, keyView());
    assert.equal((await ask(gate.port, { key: OTHER_KEY })).status, 200);
    gate.directory.set(OTHER_KEY, keyView({ state: 'revoked' }));
    assert.equal((await ask(gate.port, { key: OTHER_KEY })).status, 401);
  });

  test('a key in grace passes, and every reply says when it ends', async () => {
    gate.directory.set(OTHER_KEY, keyView({ state: 'grace', expiresAt: START + 1 }));
    const passed = await ask(gate.port, { key: OTHER_KEY });
    assert.deepEqual([passed.status, passed.headers['x-key-expires']], [200, '2026-03-01T12:00:00.001Z']);
    const refused = await ask(gate.port, { key: OTHER_KEY, body: '{' });
    assert.deepEqual([refused.status, refused.headers['x-key-expires']], [400, '2026-03-01T12:00:00.001Z']);
    assert.equal((await ask(gate.port)).headers['x-key-expires'], undefined);
  });

  test('while the directory is not sure, nothing passes', async () => {
    gate.directory.ready = false;
    const answer = await ask(gate.port);
    gate.directory.ready = true;
    assert.deepEqual(
      [answer.status, reasonOf(answer), answer.headers['retry-after']],
      [503, 'upstream_unavailable', '1'],
    );
  });

  test('each use of a key is noted', async () => {
    gate.directory.uses.length = 0;
    await ask(gate.port);
    assert.deepEqual(gate.directory.uses, [[keyView().id, START]]);
  });
});
