import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chooseSecond, DEFAULT_TIMEOUTS, RequestBudget, UpstreamHealth } from '../../../core/index.ts';
import type { Choice, Choosable } from '../../../core/index.ts';
import { HedgedRequest } from '../../../host/gateway/reads/hedged-request.ts';
import { UpstreamRequest } from '../../../host/gateway/upstream-request.ts';
import type { UpstreamResponseHandler } from '../../../host/gateway/upstream-request.ts';
import { Upstream } from '../../../host/gateway/upstream.ts';
import { waitFor } from '../../support/wait.ts';

/** For tests in which it does not matter how a request is judged. */
const UNJUDGED = { judged: () => undefined };

test('fault 196: at most a tenth of the reads is sent twice, but for the first few', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 2000 }), (events) => {
      const budget = new RequestBudget(10, 10);
      let [reads, hedges] = [0, 0];
      for (const slow of events) {
        budget.count();
        reads += 1;
        if (slow && budget.take()) hedges += 1;
      }
      assert(hedges <= 10 + reads / 10, `${hedges} of ${reads}`);
    }),
  );
  const budget = new RequestBudget(10, 10);
  for (let n = 0; n < 10_000; n++) budget.count();
  let saved = 0;
  while (budget.take()) saved += 1;
  assert.equal(saved, 10, 'what was not needed for long is not saved up');
  for (let n = 0; n < 9; n++) budget.count();
  assert.equal(budget.take(), false);
  budget.count();
  assert.equal(budget.take(), true);
});

describe('fault 197: the second upstream', () => {
  const at = (head: number | null, cordoned = false): Choosable => {
    const health = new UpstreamHealth();
    health.checked(head, 0);
    return { health, cordoned };
  };
  const NEWEST: Choice = { lacks: null, now: 0, block: Infinity, maxLag: 10, headLag: 1, draw: () => 0 };
  const [first, abreast, behind, far, down] = [at(1000), at(999), at(998), at(989), at(1000)];
  down.health.checkFailed(0);
  down.health.checkFailed(0);
  const chosen = (others: readonly Choosable[], changes: Partial<Choice> = {}) =>
    chooseSecond([first, ...others], first, { ...NEWEST, ...changes });

  test('has the block as the first one has: it is not behind that, not down, and not the first one', () => {
    assert.equal(chosen([abreast]), abreast);
    assert.equal(chosen([behind]), null);
    assert.equal(chosen([behind], { headLag: 2 }), behind);
    assert.equal(chosen([behind], { block: 998 }), behind);
    assert.equal(chosen([behind], { block: 999 }), null);
    assert.equal(chosen([far], { block: 5 }), null);
    assert.equal(chosen([down]), null);
    assert.equal(chosen([down], { now: 1e9 }), null, 'nor one that is only tried');
    assert.equal(chosen([]), null);
    assert.equal(chosen([at(1000, true)]), null, 'fault 443: nor one that is cordoned');
  });

  test('is the cheaper of those', () => {
    const [slow, quick] = [at(1000), at(1000)];
    slow.health.started(0);
    slow.health.succeeded(500, 0);
    quick.health.started(0);
    quick.health.succeeded(5, 0);
    for (let n = 0; n < 2; n++) assert.equal(chosen([slow, quick], { draw: (below) => n % below }), quick);
  });
});

test('fault 194: an upstream that was slower is known to be slow, and has not failed', () => {
  const [slow, quick, failing] = [new UpstreamHealth(), new UpstreamHealth(), new UpstreamHealth()];
  for (let now = 0; now < 1000; now++) {
    for (const health of [slow, quick, failing]) health.started(now);
    slow.outpaced(100, now);
    quick.succeeded(99, now);
    failing.erred(99, now);
  }
  assert.equal(slow.state(1000), 'up');
  assert(slow.cost(1000) > quick.cost(1000), 'slower');
  assert(slow.cost(1000) < failing.cost(1000), 'but without errors');
  const before = failing.cost(1000);
  failing.started(1000);
  failing.outpaced(1, 1000);
  assert(
    Math.abs(failing.cost(1000) - before) < 1e-6,
    'to be slower makes up for no error, and a short wait says nothing',
  );
  slow.started(1000);
  assert(slow.cost(1000) < failing.cost(1000) * 2, 'none of them counts as running');
});

test('fault 194: the request of the slower one ends as slow, not as failed, and reports nothing', () => {
  let aborted = 0;
  class PlainRequest extends UpstreamRequest {
    readonly requestSent = true;
    readonly queued = false;
    start(): void {
      aborted = 0;
    }
    resume(): void {
      aborted = 0;
    }
    protected abort(): void {
      aborted += 1;
    }
  }
  const [slow, failing] = [new UpstreamHealth(), new UpstreamHealth()];
  const handler = {} as UpstreamResponseHandler;
  new PlainRequest(slow, handler).outpace();
  assert.equal(aborted, 1);
  new PlainRequest(failing, handler).expire();
  const now = performance.now();
  assert(slow.cost(now) > new UpstreamHealth().cost(now), 'slow');
  assert(slow.cost(now) < failing.cost(now) / 2, 'not failed');
});

describe('fault 199: two requests for one read', () => {
  class FakeRequest extends UpstreamRequest {
    requestSent = false;
    readonly queued = false;
    ended = '';
    start(): void {
      this.requestSent = true;
    }
    resume(): void {
      this.ended += 'resumed ';
    }
    override cancel(): void {
      this.ended += 'cancelled ';
    }
    override expire(): void {
      this.ended += 'expired ';
    }
    override outpace(): void {
      this.ended += 'outpaced ';
    }
    get events(): UpstreamResponseHandler {
      return this.handler;
    }
    protected abort(): void {
      this.ended += 'aborted ';
    }
  }

  const upstreamOf = (host: string): Upstream =>
    new Upstream({ url: `http://${host}`, headers: {} }, DEFAULT_TIMEOUTS, null, true);

  const started = (fails = false) => {
    const names = [upstreamOf('first'), upstreamOf('second')] as const;
    const requests: FakeRequest[] = [];
    const events: string[] = [];
    const handlerOf = ({ host }: Upstream): UpstreamResponseHandler => ({
      onUpstreamConnect: () => void events.push('connected'),
      onResponseHeaders: (status) => void events.push(`${host} ${status}`),
      onResponseData: () => true,
      onResponseIdle: () => undefined,
      retainsChunks: false,
      onResponseEnd: () => void events.push(`${host} ended`),
      onResponseError: ({ reason, requestSent }) => void events.push(`${host} ${reason} ${String(requestSent)}`),
    });
    const hedged = new HedgedRequest(
      {
        handlerOf,
        newRequest: (_, handler) => {
          const request = new FakeRequest(new UpstreamHealth(), handler);
          requests.push(request);
          return request;
        },
        outgoing: () => ({ path: '/', method: 'POST', headers: [], body: null, contentLength: null }),
        second: () => {
          if (fails) throw new Error('planted');
          return names[1];
        },
        onOneFailed: ({ host }, reason) => void events.push(`${host} failed by ${reason}`),
        onHedgeEnded: ({ host }, failed, outcome) => void events.push(`${host} ${outcome} ${failed?.host ?? ''}`),
        abort: (error) => void events.push(String(error)),
      },
      names[0],
      1,
    );
    hedged.start();
    return { hedged, requests, events };
  };
  const both = async () => {
    const made = started();
    await waitFor(() => made.requests.length === 2);
    const [first, second] = made.requests as [FakeRequest, FakeRequest];
    return { ...made, first, second };
  };
  const lost = { reason: 'ECONNRESET', requestSent: true };

  test('have one time limit: that of the one that connected first, which alone is blamed for it', async () => {
    for (const blamed of ['first', 'second'] as const) {
      const { hedged, first, second, events } = await both();
      const other = blamed === 'first' ? second : first;
      const late = blamed === 'first' ? first : second;
      late.events.onUpstreamConnect();
      other.events.onUpstreamConnect();
      assert.deepEqual(events, ['connected']);
      hedged.expire();
      assert.deepEqual([late.ended, other.ended], ['expired ', 'outpaced ']);
    }
  });

  test('end together when the client leaves', async () => {
    const { hedged, first, second, events } = await both();
    hedged.cancel();
    assert.deepEqual([first.ended, second.ended], ['cancelled ', 'cancelled ']);
    assert.deepEqual(events, ['first unanswered second']);
  });

  test('the answer is of the one that begins it, and the end of the other one says nothing', async () => {
    const { first, second, events } = await both();
    second.events.onResponseHeaders(200, [], null, UNJUDGED);
    assert.deepEqual([first.ended, second.ended], ['outpaced ', '']);
    second.events.onResponseEnd();
    assert.deepEqual(events, ['second won ', 'second 200', 'second ended']);
  });

  test('one that breaks off behind its head fails as a single one does, and is counted once', async () => {
    const { first, second, events } = await both();
    first.events.onResponseHeaders(200, [], null, UNJUDGED);
    first.events.onResponseError(lost);
    assert.equal(second.ended, 'outpaced ');
    assert.deepEqual(events, ['first lost ', 'first 200', 'first ECONNRESET true']);
  });

  test('both fail once; an error status waits for the other', async () => {
    for (const status of [401, 403, 407, 408, 429, 502, 503, 504]) {
      const { first, second, events } = await both();
      first.events.onResponseHeaders(status, [], null, UNJUDGED);
      assert.equal(first.ended, 'cancelled ');
      second.events.onResponseError({ reason: 'ECONNREFUSED', requestSent: false });
      assert.deepEqual(events, [`first failed by ${status}`, 'second unanswered first', 'second ECONNREFUSED true']);
    }
  });

  test('an answer by an error of the request is an answer', async () => {
    for (const status of [400, 404, 500]) {
      const { first, second, events } = await both();
      first.events.onResponseHeaders(status, [], null, UNJUDGED);
      assert.equal(second.ended, 'outpaced ');
      assert.deepEqual(events, ['first lost ', `first ${status}`]);
    }
  });

  test('there is no second one once the first has answered, failed or ended', async () => {
    const ends: ((made: ReturnType<typeof started>) => void)[] = [
      ({ requests: [first] }) => first?.events.onResponseHeaders(503, [], null, UNJUDGED),
      ({ requests: [first] }) => first?.events.onResponseError(lost),
      ({ hedged }) => hedged.cancel(),
      ({ hedged }) => hedged.expire(),
    ];
    const ended = ends.map((end) => {
      const made = started();
      end(made);
      return made;
    });
    // Its timer began after theirs.
    await both();
    for (const { requests } of ended) assert.equal(requests.length, 1);
  });

  test('an error of the gateway in the timer ends the request alone', async () => {
    const { events } = started(true);
    await waitFor(() => events.length > 0);
    assert.deepEqual(events, ['Error: planted']);
  });
});
