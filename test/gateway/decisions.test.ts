import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  AdmissionTally,
  AppLimits,
  AppUse,
  chooseUpstream,
  isRead,
  isRefusal,
  isSafeLocation,
  NO_LIMITS,
  readHead,
  readJsonRpc,
  refuse,
  REFUSALS,
  replyHeaders,
  requestHeaders,
  UpstreamHealth,
} from '../../core/index.ts';
import { refusalResponse } from '../../host/gateway/refusal-response.ts';
import type { AccountId, AdmissionVerdict, AppId, Choosable, RefusalReason, RouteId } from '../../core/index.ts';

describe('fault 375: reading JSON-RPC', () => {
  const rows: readonly (readonly [
    string,
    readonly string[] | 'bad_request' | 'batch_too_large',
    (string | null)[]?,
  ])[] = [
    ['{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[]}', ['eth_call'], ['1']],
    ['{"method":"a","id": "x\\"}{,]" ,"params":{"id":2,"method":"b","method":"c"}}', ['a'], ['"x\\"}{,]"']],
    ['{"method":"a","params":["\\\\"],"id":-1.5e3}', ['a'], ['-1.5e3']],
    ['{"id":12345678901234567890,"method":"a"}', ['a'], ['12345678901234567890']],
    ['{"id":null,"method":"a"}', ['a'], ['null']],
    ['{"method":"a"}', ['a'], [null]],
    [' [ {"method":"a","id":1} ,\n{"id":2,"method":"b","params":[[{"id":9}]]}] ', ['a', 'b'], ['1', '2']],
    ['{"\\u006dethod":"a"}', ['a'], [null]],
    ['{"Method":"a"}', 'bad_request'],
    ['{"method":"a","method":"a"}', 'bad_request'],
    ['{"method":"a","ID":7}', 'bad_request'],
    ['{"method":"a","ID":{}}', 'bad_request'],
    ['{"method":"a","\\u0069d":7}', ['a'], ['7']],
    ['{"method":"a","METHOD":"b"}', 'bad_request'],
    // Go folds U+017F to s and U+212A to k.
    ['{"method":"a","params":[],"param\u017f":[]}', 'bad_request'],
    ['{"method":"a","params":[],"param\\u017f":[]}', 'bad_request'],
    ['[{"method":"a","param\u017f":[]}]', 'bad_request'],
    ['{"method":"a","networkId":1}', 'bad_request'],
    ['{"method":"a","__proto__":{}}', 'bad_request'],
    ['{"method":"a","m\\u0065thod":"b"}', 'bad_request'],
    ['[{"method":"a"},{"method":"a","id":1,"Id":2}]', 'bad_request'],
    ['{"method":"a","id":{}}', 'bad_request'],
    ['{"method":"a","id":[1]}', 'bad_request'],
    ['{"method":"a","id":true}', 'bad_request'],
    [`{"method":"a","id":"${'x'.repeat(300)}"}`, 'bad_request'],
    ['{"method":""}', 'bad_request'],
    ['{"method":"a b"}', 'bad_request'],
    ['{"method":"personal\\u005fsign\\u0000"}', 'bad_request'],
    ['{"method":"\u212Aey"}', 'bad_request'],
    ['{"method":["a"]}', 'bad_request'],
    ['{"__proto__":{"method":"a"}}', 'bad_request'],
    ['[null]', 'bad_request'],
    ['[]', 'bad_request'],
    ['null', 'bad_request'],
    ['', 'bad_request'],
    ['{"method":"a"}{}', 'bad_request'],
    ['\ufeff{"method":"a"}', 'bad_request'],
    [`{"method":"a",${Array.from({ length: 20 }, (_, n) => `"k${n}":1`).join()}}`, 'bad_request'],
    [`[${'{"method":"a"},'.repeat(4)}{"method":"a"}]`, 'batch_too_large'],
  ];
  for (const [text, expected, ids] of rows) {
    test(`${JSON.stringify(text).slice(0, 80)}: ${typeof expected === 'string' ? expected : expected.join()}`, () => {
      const read = readJsonRpc(text, 4);
      if (typeof expected === 'string') assert.equal(isRefusal(read) ? read.reason : read, expected);
      else {
        const elements = [JSON.parse(text)].flat() as readonly { params?: unknown }[];
        const params = elements.map((element) => element.params);
        assert.deepEqual(read, { batch: text.trim().startsWith('['), text, methods: expected, params, ids });
      }
    });
  }

  test('whatever passes has exactly the methods that any reader finds, whichever of two equal names it takes', () => {
    const name = fc.constantFrom(
      'method',
      'Method',
      'METHOD',
      'm\\u0065thod',
      'id',
      'params',
      'param\u017f',
      'jsonrpc',
      'x',
    );
    const value = fc.constantFrom('"eth_call"', '"personal_sign"', '1', '{"method":"x"}', '["}"]', '"\\\\"');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (members) => {
        const read = readJsonRpc(`{${members.map(([key, text]) => `"${key}":${text}`).join()}}`, 1);
        if (isRefusal(read)) return;
        const methods = members
          .filter(([key]) => (JSON.parse(`"${key}"`) as string).toLowerCase() === 'method')
          .map(([, text]) => JSON.parse(text) as unknown);
        assert.deepEqual(methods, read.methods);
        const names = members.map(([key]) => JSON.parse(`"${key}"`) as string);
        assert(names.every((each) => ['jsonrpc', 'id', 'method', 'params'].includes(each)));
        assert.equal(new Set(names).size, names.length);
      }),
    );
  });

  test('a deep or large body takes time in proportion to its length', () => {
    assert(!isRefusal(readJsonRpc(`{"method":"a","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 1)));
    const backslashes = `{"method":"a","params":["${'\\\\'.repeat(500_000)}"]}`;
    const start = performance.now();
    assert(!isRefusal(readJsonRpc(backslashes, 1)));
    assert(performance.now() - start < 5_000);
  });
});

describe('reading a head', () => {
  const rows: readonly (readonly [string, string, string, readonly string[], string | null])[] = [
    ['a plain POST', 'POST', '1.1', ['Host', 'a', 'Content-Length', '5'], null],
    ['chunks', 'POST', '1.1', ['Transfer-Encoding', 'Chunked'], null],
    ['both', 'POST', '1.1', ['Transfer-Encoding', 'chunked', 'Content-Length', '5'], 'ambiguous'],
    ['chunks in HTTP/1.0', 'POST', '1.0', ['Transfer-Encoding', 'chunked'], 'ambiguous'],
    ['another coding', 'POST', '1.1', ['transfer-encoding', 'gzip, chunked'], 'only supported transfer coding'],
    ['two hosts', 'POST', '1.1', ['Host', 'a', 'HOST', 'a'], 'host is repeated'],
    ['two lengths', 'POST', '1.1', ['Content-Length', '5', 'content-length', '5'], 'content-length is repeated'],
    ['a long length', 'POST', '1.1', ['Content-Length', '9'.repeat(16)], 'malformed'],
    ['a GET with a length of 0', 'GET', '1.1', ['Content-Length', '0'], null],
    ['a GET with a body', 'GET', '1.1', ['Content-Length', '1'], 'must not have a body'],
    ['a repeated harmless header', 'POST', '1.1', ['Accept', 'a', 'Accept', 'b'], null],
  ];
  for (const [what, method, version, headers, problem] of rows) {
    test(`${what}: ${problem ?? 'taken'}`, () => {
      const head = readHead(method, version, headers);
      assert.equal(isRefusal(head), problem !== null);
      if (problem !== null && isRefusal(head)) assert(head.message.includes(problem), head.message);
    });
  }
});

describe('headers', () => {
  const own = { names: new Set(['x-own']), pairs: ['x-own', 'ours'] };
  test('what is listed by Connection goes, except what is our own', () => {
    assert.deepEqual(
      requestHeaders(
        ['Connection', 'x-own,, X-A ,close', 'X-A', '1', 'X-B', '2', 'X-Own', 'theirs', 'X-Key', 'a SECRET b'],
        'SECRET',
        own,
        '1.1',
      ),
      ['x-b', '2', 'via', '1.1 tillgate', 'x-own', 'ours'],
    );
  });
  test('Via names the version of the request and no host; the upstream may have one of its own', () => {
    assert.deepEqual(requestHeaders(['Via', '1.1 inner.example'], 'SECRET', own, '1.0'), [
      'via',
      '1.0 tillgate',
      'x-own',
      'ours',
    ]);
    const named = { names: new Set(['via']), pairs: ['via', '1.1 shop'] };
    assert.deepEqual(requestHeaders([], 'SECRET', named, '1.1'), ['via', '1.1 shop']);
  });
  test('Link is kept for the pages of a list, unless it names the upstream or holds its secret', () => {
    const source = { hostname: 'node.example', secrets: ['ProviderSecret1'] };
    const kept = (link: string): boolean => replyHeaders(['Link', link], source).length > 0;
    assert.deepEqual(
      ['</blocks?page=2>; rel="next"', '<https://node.example/blocks>', '</v3/ProviderSecret1/x>'].map(kept),
      [true, false, false],
    );
  });
  test('a reply keeps the names as they were written', () => {
    assert.deepEqual(
      replyHeaders(['X-B', '2', 'SET-COOKIE', 'a', 'Connection', 'X-C', 'x-c', '1'], { hostname: 'n', secrets: [] }),
      ['X-B', '2'],
    );
  });
  for (const [location, safe] of [
    ['https://a.example/', true],
    ['https://node.example/x', false],
    ['/x', false],
    ['http://localhost/', false],
    ['http://[::1]/', false],
    ['ftp://a.example/', false],
  ] as const) {
    test(`Location ${location} is ${safe ? 'kept' : 'dropped'}`, () =>
      assert.equal(isSafeLocation(location, { hostname: 'node.example', secrets: [] }), safe));
  }
});

describe('refusals', () => {
  const statuses: Readonly<Record<RefusalReason, number>> = {
    bad_request: 400,
    http_method_not_allowed: 405,
    not_found: 404,
    key_missing: 401,
    key_malformed: 401,
    key_unknown: 401,
    key_revoked: 401,
    key_expired: 401,
    key_mismatch: 401,
    app_inactive: 403,
    account_inactive: 403,
    route_disabled: 403,
    address_not_allowed: 403,
    origin_not_allowed: 403,
    method_not_allowed: 403,
    quota_exceeded: 429,
    payment_pending: 202,
    rate_limited: 429,
    body_too_large: 413,
    range_too_large: 400,
    batch_too_large: 400,
    upstream_unavailable: 502,
    upstream_timeout: 504,
  };
  for (const reason of Object.keys(REFUSALS) as RefusalReason[]) {
    test(`${reason} is ${statuses[reason]} with its headers`, () => {
      const { status, headers } = refusalResponse(refuse(reason), 'jsonrpc', 'trace');
      const names = headers.filter((_, at) => at % 2 === 0);
      assert.equal(status, statuses[reason]);
      assert.equal(names.includes('WWW-Authenticate'), status === 401);
      assert.equal(names.includes('Allow'), status === 405);
      assert.equal(names.includes('Retry-After'), status === 429);
    });
  }
});

describe('limits', () => {
  const limits = { app: { requestsPerSecond: 10, burst: 20, concurrency: 2 }, account: NO_LIMITS };
  const of = (id: string) => ({ id: id as AppId, accountId: `of ${id}` as AccountId, buyer: null });
  test('never more than the burst and the rate allow, in any window', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(500), fc.integer({ min: 1, max: 25 })), { maxLength: 60 }), (steps) => {
        const use = new AppUse(0);
        let now = 0;
        let taken = 0;
        for (const [ms, count] of steps) {
          now += ms;
          if (use.charge(limits, count, now) === null) taken += count;
        }
        assert(taken <= 20 + (now * 10) / 1000 + 1e-6);
      }),
    );
  });
  test('Retry-After is long enough', () => {
    const use = new AppUse(0);
    assert.equal(use.charge(limits, 20, 0), null);
    const refusal = use.charge(limits, 15, 0);
    assert.equal(refusal?.retryAfterSeconds, 2);
    assert.equal(use.charge(limits, 15, 2000), null);
  });
  test('a clock that goes back gives nothing', () => {
    const use = new AppUse(10_000);
    use.charge(limits, 20, 10_000);
    assert.equal(use.charge(limits, 1, 0)?.reason, 'rate_limited');
    assert.equal(use.charge(limits, 1, 10_000)?.reason, 'rate_limited');
  });
  test('concurrency', () => {
    const use = new AppUse(0);
    use.enter();
    assert.equal(use.checkConcurrency(limits), null);
    use.enter();
    assert.equal(use.checkConcurrency(limits)?.reason, 'rate_limited');
    use.leave();
    assert.equal(use.checkConcurrency(limits), null);
  });
  test('of an account hold for all its Apps together, and no refused request uses up either', () => {
    const all = new AppLimits();
    const both = { app: { ...limits.app, burst: 10 }, account: { requestsPerSecond: 20, burst: 20, concurrency: 3 } };
    const apps = ['1', '2', '3'].map((id) =>
      all.of({ id: id as AppId, accountId: '9' as AccountId, buyer: null }, '1' as RouteId, 0),
    );
    const [one, two, three] = apps;
    assert(one !== undefined && two !== undefined && three !== undefined);
    assert.equal(one.charge(both, 10, 0), null);
    assert.equal(one.charge(both, 1, 0)?.reason, 'rate_limited');
    assert.equal(two.charge(both, 9, 0), null);
    assert.match(three.charge(both, 2, 0)?.message ?? '', /Apps of this account/);
    assert.equal(three.charge(both, 1, 0), null, 'the last token of the account');
    assert.equal(two.charge(both, 1, 0)?.retryAfterSeconds, 1);
    assert.equal(two.charge(both, 1, 50), null, 'the App has lost none to the refusal');
    for (const app of [one, two, three]) app.enter();
    assert.match(one.checkConcurrency(both)?.message ?? '', /account/);
    three.leave();
    assert.equal(one.checkConcurrency(both), null);
    const stranger = all.of({ id: '4' as AppId, accountId: '8' as AccountId, buyer: null }, '1' as RouteId, 0);
    assert.equal(stranger.charge(both, 10, 0), null);
  });
  test('fault 377: Apps that were bought at the gate share limits with Apps of their buyer, not with those of other buyers', () => {
    const all = new AppLimits();
    const both = { app: { ...limits.app, burst: 10 }, account: { requestsPerSecond: 20, burst: 20, concurrency: 3 } };
    const boughtBy = (id: string, buyer: string) =>
      all.of({ id: id as AppId, accountId: '9' as AccountId, buyer }, '1' as RouteId, 0);
    for (const id of ['1', '2']) assert.equal(boughtBy(id, '0xaa').charge(both, 10, 0), null);
    assert.match(boughtBy('3', '0xaa').charge(both, 1, 0)?.message ?? '', /this account or buyer/);
    assert.equal(boughtBy('4', '0xbb').charge(both, 10, 0), null);
  });
  test('fault 28: the number of buckets is bounded, and one that is in use is not forgotten before idle ones', () => {
    const all = new AppLimits(20);
    const busy = all.of(of('busy'), '1' as RouteId, 0);
    busy.enter();
    for (let n = 0; n < 9; n++) all.of(of(String(n)), '1' as RouteId, 0);
    all.of(of('new'), '1' as RouteId, 61_000);
    assert(all.size <= 20);
    assert.equal(all.of(of('busy'), '1' as RouteId, 61_000), busy);
    for (let n = 0; n < 1000; n++) all.of(of(`m${n}`), '1' as RouteId, 61_000);
    assert.equal(all.size, 20);
  });
});

describe("an upstream's health", () => {
  const steps: readonly (readonly [string, (health: UpstreamHealth) => void, number, 'up' | 'down' | 'trial'])[] = [
    ['nothing is known', () => undefined, 0, 'up'],
    ['the first check failed', (h) => h.checkFailed(0), 0, 'down'],
    [
      'one check failed after a success',
      (h) => {
        h.checked(5, 0);
        h.checkFailed(0);
      },
      0,
      'up',
    ],
    [
      'two did',
      (h) => {
        h.checked(5, 0);
        h.checkFailed(0);
        h.checkFailed(0);
      },
      0,
      'down',
    ],
    [
      'four requests failed',
      (h) => {
        for (let n = 0; n < 4; n++) {
          h.started(0);
          h.failed(0);
        }
      },
      0,
      'up',
    ],
    ['five did', (h) => fail(h, 5), 999, 'down'],
    ['five did, a second ago', (h) => fail(h, 5), 1000, 'trial'],
    [
      'the trial is under way',
      (h) => {
        fail(h, 5);
        h.started(1000);
      },
      1000,
      'down',
    ],
    [
      'the trial failed: the pause doubles',
      (h) => {
        fail(h, 5);
        h.started(1000);
        h.failed(1000);
      },
      2999,
      'down',
    ],
    [
      'its pause is over',
      (h) => {
        fail(h, 5);
        h.started(1000);
        h.failed(1000);
      },
      3000,
      'trial',
    ],
    [
      'the trial was given up by its client',
      (h) => {
        fail(h, 5);
        h.started(1000);
        h.abandoned();
      },
      1000,
      'trial',
    ],
    [
      'the trial succeeded',
      (h) => {
        fail(h, 5);
        h.started(1000);
        h.succeeded(1, 0);
      },
      1000,
      'up',
    ],
    [
      'a check succeeded',
      (h) => {
        fail(h, 5);
        h.checked(1, 0);
      },
      0,
      'up',
    ],
    [
      'a success came between',
      (h) => {
        fail(h, 4);
        h.started(0);
        h.succeeded(1, 0);
        fail(h, 4);
      },
      0,
      'up',
    ],
  ];
  function fail(health: UpstreamHealth, times: number): void {
    for (let n = 0; n < times; n++) {
      health.started(0);
      health.failed(0);
    }
  }
  for (const [what, act, at, state] of steps) {
    test(`${what}: ${state}`, () => {
      const health = new UpstreamHealth();
      act(health);
      assert.equal(health.state(at), state);
    });
  }

  const upstream = (act: (health: UpstreamHealth) => void = () => undefined): Choosable => {
    const health = new UpstreamHealth();
    act(health);
    return { health, cordoned: false };
  };
  const choose = (all: readonly Choosable[], excluded: readonly Choosable[] = []): Choosable | null =>
    chooseUpstream(all, excluded, { lacks: null, now: 0, block: 1, maxLag: 10, headLag: 1, draw: () => 0 });

  test('the choice: never one that is down or excluded, one that lags only in need, of two the cheaper', () => {
    const down = upstream((h) => h.checkFailed(0));
    const lagging = upstream((h) => h.checked(89, 0));
    const near = upstream((h) => h.checked(90, 0));
    const head = upstream((h) => h.checked(100, 0));
    const slow = upstream((h) => {
      h.started(0);
      h.succeeded(500, 0);
      h.checked(100, 0);
    });
    assert.equal(choose([down]), null);
    assert.equal(choose([]), null);
    assert.equal(choose([down, lagging]), lagging);
    assert.notEqual(choose([lagging, head, near]), lagging);
    assert.equal(choose([slow, head]), head);
    assert.equal(choose([slow, head], [head]), slow);
    assert.equal(choose([head], [head]), null);
  });
});

describe('what may be asked twice', () => {
  for (const [method, read] of [
    ['eth_call', true],
    ['eth_getLogs', true],
    ['ETH_CALL', false],
    ['getblock', true],
    ['eth_sendRawTransaction', false],
    ['sendrawtransaction', false],
    ['eth_newFilter', false],
    ['eth_getFilterChanges', false],
    ['eth_subscribe', false],
    ['getnewaddress', false],
    ['evm_mine', false],
    ['anything_else', false],
  ] as const) {
    test(`${method}: ${read ? 'yes' : 'no'}`, () => assert.equal(isRead(method), read));
  }
});

test('the tally counts by route and reason and is bounded', () => {
  const tally = new AdmissionTally(2);
  const refused: AdmissionVerdict = { mode: 'enforce', verdict: 'refused', refusal: refuse('rate_limited') };
  for (const app of ['a', 'a', 'b', 'c']) tally.add(app as AppId, 'r', refused);
  assert.deepEqual(tally.of('a' as AppId), []);
  tally.add('c' as AppId, 'r', refused);
  assert.deepEqual(tally.of('c' as AppId), [
    { route: 'r', mode: 'enforce', verdict: 'refused', reason: 'rate_limited', count: 2 },
  ]);
});
