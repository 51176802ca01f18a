import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import type { WebSocketServer } from 'ws';
import type { RawData } from 'ws';
import { KeyRules, restrictedBy } from '../../core/index.ts';
import type { GatewayRoute, KeyOptions, KeyView, RouteId } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import {
  appView,
  ask,
  bothPaths,
  HOST,
  KEY,
  keyView,
  reasonOf,
  routeOf,
  startGateway,
  startNode,
  answeringSockets,
} from './support.ts';
import type { Answer, Ask, FakeNode, TestGateway } from './support.ts';

const [WS, HTTP, SHADOW, OFF] = ['ws.gate.example', 'http.gate.example', 'shadow.gate.example', 'off.gate.example'];
const ROUTES = { jsonrpc: HOST, http: HTTP, shadow: SHADOW, disabled: OFF };
const APP = 'https://app.example';
const call = (method: string, id = 1): string => JSON.stringify({ jsonrpc: '2.0', id, method, params: [] });
const batch = (...methods: string[]): string => `[${methods.map((method) => call(method)).join()}]`;

interface Client {
  readonly socket: WebSocket;
  readonly got: string[];
  closed: { readonly code: number; readonly reason: string } | null;
}

bothPaths(
  'a key with restrictions',
  (path) => {
    let node: FakeNode;
    let sockets: WebSocketServer;
    let gate: TestGateway;
    let hops = 0;

    beforeEach(async () => {
      hops = 0;
      node = await startNode();
      sockets = answeringSockets(node);
      const route = (host: string, id: string, changes: Partial<GatewayRoute> = {}): GatewayRoute =>
        routeOf([node.url], { host, id: id as RouteId, units: { eth_getLogs: 20, eth_chainId: 0 }, ...changes });
      gate = await startGateway(
        [
          route(HOST, '1', { methods: { allow: ['eth_*', 'debug_traceCall'], deny: ['eth_newFilter'] } }),
          route(WS, '2', { protocol: 'websocket', upstreams: [{ url: node.url.replace('http', 'ws'), headers: {} }] }),
          route(HTTP, '3', { protocol: 'http' }),
          route(SHADOW, '4', { admission: 'shadow' }),
          route(OFF, '5', { admission: 'disabled' }),
        ],
        { trustedHops: () => hops },
        path,
      );
    });
    afterEach(async () => {
      await gate.close();
      for (const socket of sockets.clients) socket.terminate();
      await node.close();
    });

    const restrict = (options: KeyOptions, changes: Partial<KeyView> = {}): void => {
      const restrictions = restrictedBy(null, options);
      const rules = restrictions === null ? null : new KeyRules(restrictions);
      gate.directory.set(KEY, keyView({ rules, expiresAt: options.expiresAt ?? null, ...changes }));
    };
    /** The status, and the reason of a refusal. */
    const outcome = (answer: Answer): string =>
      answer.status === 200 ? '200' : `${answer.status} ${reasonOf(answer)}`;
    const from = async (headers: Record<string, string>, more: Ask = {}): Promise<string> =>
      outcome(await ask(gate.port, { headers, ...more }));
    const get = (host: string): Ask => (host === HTTP ? { host, method: 'GET' } : { host });
    const open = async (headers: Record<string, string> = {}): Promise<Client> => {
      const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/`, {
        headers: { host: WS, authorization: `Bearer ${KEY}`, ...headers },
      });
      const client: Client = { socket, got: [], closed: null };
      socket.on('message', (data: RawData) => client.got.push((data as Buffer).toString()));
      socket.on('close', (code, reason) => (client.closed = { code, reason: reason.toString() }));
      await new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      });
      return client;
    };
    const answered = async (client: Client, message: string): Promise<string> => {
      const before = client.got.length;
      client.socket.send(message);
      await waitFor(() => client.got.length > before);
      return client.got[before] as string;
    };

    test('fault 435: it calls its own methods alone, each of a batch, and none that the route refuses', async () => {
      restrict({
        methods: ['eth_getBlock*', 'eth_call', 'eth_newFilter', 'eth_sendTransaction', 'web3_sha3', 'debug_*'],
      });
      const asked = async (body: string, host = HOST): Promise<string> => outcome(await ask(gate.port, { host, body }));
      const refused = '403 method_not_allowed';
      for (const method of ['eth_call', 'eth_getBlockByNumber', 'debug_traceCall'])
        assert.equal(await asked(call(method)), '200', method);
      for (const method of ['eth_chainId', 'ETH_CALL', 'eth_newFilter', 'eth_sendTransaction', 'web3_sha3', 'debug_x'])
        assert.equal(await asked(call(method)), refused, method);
      assert.equal(await asked(batch('eth_call', 'eth_getBlockByHash')), '200');
      assert.equal(await asked(batch('eth_call', 'eth_chainId')), refused);
      const { text } = await ask(gate.port, { body: call('eth_chainId') });
      assert.match(text, /The method eth_chainId is not allowed for this key\./);
      assert.equal(node.seen.filter(({ body }) => body.includes('eth_chainId')).length, 0);
    });

    test('fault 435: its methods hold whatever the mode of the route; on HTTP routes they are those of HTTP', async () => {
      restrict({ methods: ['eth_call'] });
      for (const host of [SHADOW, OFF]) {
        assert.equal(await from({}, { host, body: call('eth_call') }), '200');
        assert.equal(await from({}, { host, body: call('eth_chainId') }), '403 method_not_allowed');
      }
      assert.equal(await from({}, get(HTTP)), '403 method_not_allowed');
      restrict({ methods: ['eth_call', 'GET'] });
      assert.equal(await from({}, { host: HTTP, method: 'GET', path: '/wallet' }), '200');
      assert.equal(await from({}, { host: HTTP, method: 'POST', body: '{}' }), '403 method_not_allowed');
    });

    test('fault 436: it is accepted from its networks alone, in every mode', async () => {
      for (const host of Object.values(ROUTES)) {
        restrict({ networks: ['10.0.0.0/8', '127.0.0.0/24', '2001:db8::/32'] });
        assert.equal(await from({}, get(host)), '200', host);
        restrict({ networks: ['10.0.0.0/8', '127.0.1.0/24', '::/0'] });
        assert.equal(await from({}, get(host)), '403 address_not_allowed', host);
      }
      assert.equal(await from({ 'x-forwarded-for': '10.0.0.1' }), '403 address_not_allowed');
    });

    test('fault 436: behind a proxy of the operator it is the address that the proxy wrote, mapped into IPv6 or not', async () => {
      hops = 1;
      restrict({ networks: ['203.0.113.0/24', '2001:db8::/32'] });
      const of = (value: string): Promise<string> => from({ 'x-forwarded-for': value });
      for (const allowed of [
        '203.0.113.9',
        '10.0.0.1, 203.0.113.9',
        '::ffff:203.0.113.9',
        '::ffff:cb00:7109',
        '2001:DB8::1',
      ])
        assert.equal(await of(allowed), '200', allowed);
      for (const foreign of ['203.0.114.9', '203.0.113.9, 10.0.0.1', '2001:db9::1', '::203.0.113.9', 'unknown', ''])
        assert.equal(await of(foreign), '403 address_not_allowed', foreign);
      assert.equal(await from({}), '403 address_not_allowed', 'the proxy is no client');
    });

    test('fault 437: it is accepted with its origins alone; a request without one is refused', async () => {
      for (const host of Object.values(ROUTES)) {
        restrict({ origins: ['https://other.example', APP] });
        assert.equal(await from({ origin: APP }, get(host)), '200', host);
        for (const origin of [
          'https://evil.example',
          'https://app.example.evil.example',
          'HTTPS://app.example',
          'null',
        ])
          assert.equal(await from({ origin }, get(host)), '403 origin_not_allowed', origin);
        assert.equal(await from({}, get(host)), '403 origin_not_allowed');
      }
      const { headers } = await ask(gate.port, { headers: { origin: 'https://evil.example' } });
      assert.equal(headers['access-control-allow-origin'], '*', 'the page can read why');
    });

    test('fault 438: it is refused from its end on, and says before when that is', async () => {
      const end = gate.clock.now() + 1000;
      restrict({ expiresAt: end });
      gate.clock.advance(999);
      const { status, headers } = await ask(gate.port);
      assert.deepEqual([status, headers['x-key-expires']], [200, new Date(end).toISOString()]);
      gate.clock.advance(1);
      assert.equal(await from({}), '401 key_expired');
    });

    test('fault 439: its units of a minute are those of all routes, by the weight of each call; then it is 429', async () => {
      restrict({ unitsPerMinute: 24 });
      assert.equal(await from({}, { body: batch('eth_getLogs', 'eth_call') }), '200');
      assert.equal(await from({}, get(HTTP)), '200');
      const refused = await ask(gate.port, { body: batch('eth_call', 'eth_call', 'eth_call') });
      assert.deepEqual([refused.status, reasonOf(refused), refused.headers['retry-after']], [429, 'rate_limited', '3']);
      assert.match(refused.text, /units per minute/);
      assert.equal(await from({}, { body: call('eth_chainId') }), '200', 'what costs nothing');
      assert.equal(await from({}, { body: batch('eth_call', 'eth_call') }), '200');
      assert.equal(await from({}, get(HTTP)), '429 rate_limited');
      assert.equal(await from({}, { host: SHADOW }), '200', 'shadow records it');
      assert.equal(await from({}, { host: OFF }), '200', 'disabled does not ask');
      const shadow = gate.gateway.admissionTally(appView().id).find(({ route }) => route === SHADOW);
      assert.deepEqual([shadow?.verdict, shadow?.reason], ['would_refuse', 'rate_limited']);
      gate.clock.advance(2_500);
      assert.equal(await from({}), '200');
      assert.equal(await from({}), '429 rate_limited');
    });

    test('fault 439: what the App’s own limit refuses costs the key nothing', async () => {
      const app = appView({ limits: { requestsPerSecond: 1, burst: 2, concurrency: null } });
      restrict({ unitsPerMinute: 4 }, { app });
      for (let n = 0; n < 5; n++) await ask(gate.port, { body: batch('eth_call', 'eth_call', 'eth_call') });
      gate.clock.advance(2_000);
      assert.equal(await from({}, { body: batch('eth_call', 'eth_call') }), '200');
      gate.clock.advance(2_000);
      assert.equal(await from({}, { body: batch('eth_call', 'eth_call') }), '200');
    });

    test('fault 440: a WebSocket is held to them with each message, and closed when its place is no longer allowed', async () => {
      const refused = /Unexpected server response: 403/;
      restrict({ networks: ['10.0.0.0/8'] });
      await assert.rejects(open(), refused);
      restrict({ origins: [APP] });
      await assert.rejects(open(), refused);
      restrict({ networks: ['127.0.0.1/32'], origins: [APP], methods: ['eth_call'], unitsPerMinute: 2 });
      const client = await open({ origin: APP });
      assert.equal(await answered(client, call('eth_call')), 'answered');
      assert.match(await answered(client, call('eth_chainId')), /"reason":"method_not_allowed"/);
      assert.equal(await answered(client, call('eth_call')), 'answered');
      assert.match(await answered(client, call('eth_call')), /"reason":"rate_limited"/);
      restrict({ origins: [APP], methods: ['eth_chainId'] });
      assert.match(await answered(client, call('eth_call')), /"reason":"method_not_allowed"/);
      assert.equal(client.closed, null);
      for (const [options, code, reason] of [
        [{ networks: ['10.0.0.0/8'] }, 4403, 'address_not_allowed'],
        [{ origins: ['https://other.example'] }, 4403, 'origin_not_allowed'],
        [{ expiresAt: 1 }, 4401, 'key_expired'],
      ] as const) {
        restrict({});
        const one = await open({ origin: APP });
        restrict(options);
        await waitFor(() => one.closed !== null);
        assert.deepEqual(one.closed, { code, reason });
      }
      client.socket.close();
    });

    test('fault 440: no message passes from where the key is no longer allowed, even before the connection is closed', async () => {
      let messages = 0;
      for (const socket of sockets.clients) socket.terminate();
      sockets.on('connection', (socket) => socket.on('message', () => (messages += 1)));
      const client = await open();
      const rules = new KeyRules({ methods: [], networks: ['10.0.0.0/8'], origins: [], unitsPerMinute: null });
      gate.directory.keys.set(KEY, keyView({ rules }));
      client.socket.send(call('eth_call'));
      await waitFor(() => client.closed !== null);
      assert.deepEqual([client.closed?.code, messages], [4403, 0]);
    });

    test('fault 440: a WebSocket is closed at the end of its key by nothing but the time', async () => {
      restrict({ expiresAt: gate.clock.now() + 1000 });
      const client = await open();
      gate.clock.advance(1000);
      await waitFor(() => client.closed !== null);
      assert.deepEqual(client.closed, { code: 4401, reason: 'key_expired' });
    });
  },
  ['mixed'],
);
