import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ADMISSION_MODES,
  applyAdmission,
  authenticateKey,
  checkChain,
  DEFAULT_CORS,
  DEFAULT_READS,
  DEFAULT_MAX_BATCH,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_TIMEOUTS,
  effectiveLimits,
  effectiveMode,
  routeLimits,
  isBroadcast,
  MethodPolicy,
  offeredMethods,
  newAppKeyText,
  NO_LIMITS,
  readKey,
  readTarget,
  refuse,
  GatewayRouteTable,
} from '../../../core/index.ts';
import type {
  AdmissionMode,
  AppId,
  AppKeyId,
  AppView,
  GatewayRoute,
  KeyView,
  RefusalReason,
  RouteId,
  RouteProtocol,
} from '../../../core/index.ts';
import { SeededRandom } from '../../support/fakes.ts';

const KEY = newAppKeyText(new SeededRandom('a'));
const OTHER = newAppKeyText(new SeededRandom('b'));
const BROKEN = `${KEY.slice(0, -1)}${KEY.endsWith('0') ? '1' : '0'}`;

const route = (changes: Partial<GatewayRoute> = {}): GatewayRoute => ({
  id: '1' as RouteId,
  host: 'eth.gate.example',
  chain: 'ETH',
  network: 'mainnet',
  protocol: 'jsonrpc',
  upstreams: [],
  admission: 'enforce',
  enabled: true,
  methods: { allow: [], deny: [] },
  limits: NO_LIMITS,
  timeouts: DEFAULT_TIMEOUTS,
  cors: DEFAULT_CORS,
  reads: DEFAULT_READS,
  units: {},
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  maxBatch: DEFAULT_MAX_BATCH,
  plans: [],
  ...changes,
});

const app = (changes: Partial<AppView> = {}): AppView => ({
  id: '2' as AppId,
  accountId: '3' as AppView['accountId'],
  enabled: true,
  accountActive: true,
  chains: new Set(['ETH']),
  admissionMode: null,
  quota: null,
  prepaid: false,
  buyer: null,
  limits: null,
  ...changes,
});

const reasonOf = (value: object): string | null => ('reason' in value ? String(value.reason) : null);

describe('the route table (fault 26)', () => {
  const table = new GatewayRouteTable([route()]);
  const rows = [
    ['eth.gate.example', true],
    ['ETH.Gate.Example', true],
    ['eth.gate.example:8545', true],
    ['eth.gate.example.', false],
    ['eth.gate.example:', false],
    ['eth.gate.example:80:80', false],
    ['eth.gate.example:8x', false],
    [' eth.gate.example', false],
    ['gate.example', false],
    ['', false],
    ['[::1]:80', false],
  ] as const;
  for (const [host, found] of rows) {
    test(`${JSON.stringify(host)} is ${found ? 'served' : 'not served'}`, () => {
      assert.equal(table.find(host) !== null, found);
    });
  }
});

describe('the request target', () => {
  const rows: readonly (readonly [RouteProtocol, string, { pathKey: string | null; rest: string } | RefusalReason])[] =
    [
      ['jsonrpc', '/', { pathKey: null, rest: '/' }],
      ['jsonrpc', `/${KEY}`, { pathKey: KEY, rest: '/' }],
      ['jsonrpc', `/${KEY}/`, { pathKey: KEY, rest: '/' }],
      ['jsonrpc', '/wallet', 'not_found'],
      ['jsonrpc', `/${KEY}/wallet`, 'not_found'],
      ['jsonrpc', '/wallet?a=b', 'not_found'],
      ['jsonrpc', '/?a=b', { pathKey: null, rest: '/?a=b' }],
      ['jsonrpc', `/${KEY}?a=b`, { pathKey: KEY, rest: '/?a=b' }],
      ['websocket', `/${KEY}/?a=b`, { pathKey: KEY, rest: '/?a=b' }],
      ['websocket', '/ws?a=b', 'not_found'],
      ['websocket', `/${KEY}`, { pathKey: KEY, rest: '/' }],
      ['websocket', '/ws', 'not_found'],
      ['http', `/${KEY}/wallet/getnowblock`, { pathKey: KEY, rest: '/wallet/getnowblock' }],
      ['http', '/wallet/getnowblock?visible=true', { pathKey: null, rest: '/wallet/getnowblock?visible=true' }],
      ['http', `/${KEY}?a=%2F`, { pathKey: KEY, rest: '/?a=%2F' }],
      ['http', `/wallet/${KEY}`, { pathKey: null, rest: `/wallet/${KEY}` }],
      ['http', '/tgk_short/x', { pathKey: 'tgk_short', rest: '/x' }],
      ['http', 'http://eth.gate.example/', 'bad_request'],
      ['http', '*', 'bad_request'],
      ['http', '/a#b', 'bad_request'],
      ...[
        '/a/../b',
        '/..',
        '/.',
        '/a/./b',
        '/%2e%2e/b',
        '/a/%2E/b',
        '/.%2e/x',
        '/a/..;/b',
        '/a/..;v=1/b',
        '/%2e%2e%3bx/b',
        '/a/.;',
        '/a%2fb',
        '/a%5Cb',
        '/a\\b',
        '//a',
        '/a//b',
        '/a%00',
        '/é',
        '/a b',
      ].map((target) => ['http', target, 'bad_request'] as const),
      ['http', '/a..b/.well-known/c', { pathKey: null, rest: '/a..b/.well-known/c' }],
      ['http', '/a..;x/b;y/c', { pathKey: null, rest: '/a..;x/b;y/c' }],
    ];
  for (const [protocol, target, expected] of rows) {
    test(`${protocol} ${target.replaceAll(KEY, '<key>')} (fault 24)`, () => {
      const read = readTarget(protocol, target);
      if (typeof expected === 'string') assert.equal(reasonOf(read), expected);
      else assert.deepEqual(read, expected);
    });
  }
});

describe('the key of a request', () => {
  const rows: readonly (readonly [string, readonly string[], string | null, string])[] = [
    ['in the header', [`Bearer ${KEY}`], null, KEY],
    ['in the path', [], KEY, KEY],
    ['in both, equal', [`Bearer ${KEY}`], KEY, KEY],
    ['in both, different (fault 21)', [`Bearer ${KEY}`], OTHER, 'key_mismatch'],
    ['nowhere', [], null, 'key_missing'],
    ['of a wrong checksum', [`Bearer ${BROKEN}`], null, 'key_malformed'],
    ['of a wrong checksum in the path', [], BROKEN, 'key_malformed'],
    ['well-formed in the path beside a malformed header', ['Basic x'], KEY, 'key_malformed'],
    ['after a lower-case scheme (fault 22)', [`bearer ${KEY}`], null, 'key_malformed'],
    ['after two spaces (fault 22)', [`Bearer  ${KEY}`], null, 'key_malformed'],
    ['before trailing text (fault 22)', [`Bearer ${KEY} x`], null, 'key_malformed'],
    ['without a scheme', [KEY], null, 'key_malformed'],
    ['of an empty header', [''], null, 'key_malformed'],
    ['in two headers (fault 8)', [`Bearer ${KEY}`, `Bearer ${KEY}`], null, 'bad_request'],
  ];
  for (const [what, header, path, expected] of rows) {
    test(`${what}: ${expected === KEY ? 'read' : expected}`, () => {
      const read = readKey(header, path);
      assert.equal('key' in read ? read.key : reasonOf(read), expected);
    });
  }
});

describe('a key against its App and account', () => {
  const now = 1_000;
  const states = { active: null, grace: 2_000, revoked: null, expired: 500 } as const;
  const expectedOf = (state: keyof typeof states, enabled: boolean, accountActive: boolean): string | null => {
    if (state === 'revoked') return 'key_revoked';
    if (state === 'expired') return 'key_expired';
    if (!accountActive) return 'account_inactive';
    return enabled ? null : 'app_inactive';
  };
  for (const state of Object.keys(states) as (keyof typeof states)[]) {
    for (const enabled of [true, false]) {
      for (const accountActive of [true, false]) {
        const expected = expectedOf(state, enabled, accountActive);
        test(`${state}, App ${enabled ? 'on' : 'off'}, account ${accountActive ? 'active' : 'inactive'}: ${expected ?? 'accepted'} (fault 17)`, () => {
          const stored = state === 'expired' ? 'grace' : state;
          const key: KeyView = {
            id: '9' as AppKeyId,
            state: stored,
            expiresAt: states[state],
            rules: null,
            app: app({ enabled, accountActive }),
          };
          assert.equal(reasonOf(authenticateKey(key, now)), expected);
        });
      }
    }
  }

  test('an unknown key is key_unknown', () => {
    assert.equal(reasonOf(authenticateKey(null, now)), 'key_unknown');
  });
});

describe('admission', () => {
  for (const onRoute of ADMISSION_MODES) {
    for (const onApp of [null, ...ADMISSION_MODES]) {
      const strictest = ADMISSION_MODES.findLast((mode) => mode === onRoute || mode === onApp);
      test(`route ${onRoute}, App ${onApp ?? 'as the route'}: ${strictest ?? ''}`, () => {
        assert.equal(effectiveMode(route({ admission: onRoute }), app({ admissionMode: onApp })), strictest);
      });
    }
  }

  test('of each limit the smaller holds', () => {
    const narrow = routeLimits(route({ limits: { requestsPerSecond: 10, burst: null, concurrency: 4 } }), 3);
    const limits = effectiveLimits(narrow, app({ limits: { requestsPerSecond: 20, burst: 5, concurrency: 2 } }));
    assert.deepEqual(limits.app, { requestsPerSecond: 10, burst: 5, concurrency: 2 });
    assert.deepEqual(
      limits.account,
      { requestsPerSecond: 30, burst: null, concurrency: 12 },
      'whatever the App asks for',
    );
    assert.deepEqual(effectiveLimits(routeLimits(route(), 3), app()), { app: NO_LIMITS, account: NO_LIMITS });
  });

  const refusal = refuse('rate_limited', { retryAfterSeconds: 2 });
  const rows: readonly (readonly [AdmissionMode, 'passes' | 'refuses' | 'throws', string, string | null])[] = [
    ['disabled', 'refuses', 'allowed', null],
    ['disabled', 'throws', 'allowed', null],
    ['shadow', 'passes', 'allowed', null],
    ['shadow', 'refuses', 'would_refuse', 'rate_limited'],
    ['shadow', 'throws', 'would_refuse', 'upstream_unavailable'],
    ['enforce', 'passes', 'allowed', null],
    ['enforce', 'refuses', 'refused', 'rate_limited'],
    ['enforce', 'throws', 'refused', 'upstream_unavailable'],
  ];
  for (const [mode, finding, verdict, reason] of rows) {
    test(`${mode}, the evaluation ${finding}: ${verdict} (fault 20)`, () => {
      const result = applyAdmission(mode, () => {
        if (finding === 'throws') throw new Error('broken');
        return finding === 'refuses' ? refusal : null;
      });
      assert.deepEqual([result.verdict, result.refusal?.reason ?? null], [verdict, reason]);
    });
  }

  test('a route of a chain that the App does not have is route_disabled', () => {
    assert.equal(checkChain(route(), app()), null);
    assert.equal(checkChain(route({ chain: 'BTC' }), app())?.reason, 'route_disabled');
  });
});

describe('the method policy (fault 27)', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[], boolean])[] = [
    ['eth_getBalance', [], [], true],
    ['eth_subscribe', [], [], true],
    ['personal_unlockAccount', [], [], false],
    ['PERSONAL_sign', ['*'], [], false],
    ['debug_traceBlock', [], [], false],
    ['dumpprivkey', ['*'], [], false],
    ['stop', ['*'], [], false],
    ['eth_sendRawTransaction', [], [], true],
    ['eth_sendTransaction', ['eth_*'], [], false],
    ['eth_sendTransaction', ['eth_sendTransaction'], [], true],
    ['ETH_sendTransaction', ['eth_sendTransaction'], [], false],
    ['debug_traceCall', ['debug_*'], [], true],
    ['eth_call', ['eth_*'], [], true],
    ['ETH_call', ['eth_*'], [], false],
    ['eth_Call', ['eth_call'], [], false],
    ['net_version', ['eth_*'], [], false],
    ['eth_call', ['eth_*'], ['eth_call'], false],
    ['ETH_CALL', ['*'], ['eth_call'], false],
    ['eth_call', [], ['eth_*'], false],
    ['trace_block', [], [], false],
    ['trace_block', ['*'], [], true],
    ['my_own', ['*'], [], true],
    ['', ['*'], [], true],
  ];
  for (const [method, allow, deny, expected] of rows) {
    test(`${method || '(empty)'} with allow [${allow.join()}] and deny [${deny.join()}] is ${expected ? 'allowed' : 'refused'}`, () => {
      assert.equal(new MethodPolicy({ allow, deny }, offeredMethods('evm')).allows(method), expected);
    });
  }

  const open = { allow: [], deny: [] };
  for (const [method, evm, bitcoin, unknown] of [
    ['eth_call', true, false, true],
    ['getblock', false, true, true],
    ['sendrawtransaction', false, true, true],
    ['Eth_call', false, false, false],
    ['eth_unheardOf', false, false, false],
    ['trace_filter', false, false, false],
    ['txpool_content', false, false, false],
    ['getpeerinfo', false, false, false],
    ['scantxoutset', false, false, false],
  ] as const) {
    test(`fault 150: a route without methods takes ${method} by its chain's family: ${[evm, bitcoin, unknown].join()}`, () => {
      const takes = (family: 'evm' | 'bitcoin' | null) => new MethodPolicy(open, offeredMethods(family)).allows(method);
      assert.deepEqual([takes('evm'), takes('bitcoin'), takes(null)], [evm, bitcoin, unknown]);
    });
  }

  test('what is offered without being named is never administrative', () => {
    for (const method of offeredMethods(null))
      assert(new MethodPolicy(open, offeredMethods(null)).allows(method), method);
  });

  test('knows what must not be sent twice', () => {
    assert.deepEqual(['eth_sendRawTransaction', 'sendrawtransaction', 'eth_call'].map(isBroadcast), [
      true,
      true,
      false,
    ]);
  });
});
