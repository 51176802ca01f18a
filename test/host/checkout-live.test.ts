import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TillgateError } from '../../core/index.ts';
import type { OrderId } from '../../core/index.ts';
import { EventStreams } from '../../host/checkout/event-streams.ts';
import { LiveOrders } from '../../host/checkout/order-subscriptions.ts';
import type { LiveOrdersDeps } from '../../host/checkout/order-subscriptions.ts';
import { OtherInstances } from '../../host/checkout/cross-instance-updates.ts';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { FakeClock, MemoryLogger } from '../support/fakes.ts';
import { waitFor } from '../support/wait.ts';
import { changed, SAMPLES } from './checkout-samples.ts';
import { Merchant } from './merchant.ts';
import { freshDirectory } from './till-process.ts';

interface Seen {
  readonly text: () => string;
  readonly over: () => boolean;
  cancel(): void;
}

async function listenTo(url: string): Promise<Seen & { readonly status: number; readonly type: string | null }> {
  const abort = new AbortController();
  const reply = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal: abort.signal });
  let text = '';
  let over = reply.body === null;
  const read = async (): Promise<void> => {
    for await (const chunk of reply.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  };
  void read().then(
    () => (over = true),
    () => (over = true),
  );
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    text: () => text,
    over: () => over,
    cancel: () => abort.abort(),
  };
}

/** A sandbox host for the tests of a suite, started before and stopped after them. */
function payersHost() {
  const directory = freshDirectory();
  let host: Host;
  let url: string;
  let merchant: Merchant;
  before(async () => {
    host = createHost(
      {
        mode: 'sandbox',
        listen: { port: 0 },
        orders: { timeoutSeconds: 600 },
        plugins: [{ use: 'sandbox', options: { confirmations: 1, pollIntervalMs: 50 } }],
      },
      { directory: directory.path },
    );
    await host.start();
    url = host.url.replace('localhost', '127.0.0.1');
    assert.ok(host.demo !== null);
    merchant = new Merchant(url, host.demo);
  });
  after(async () => {
    await host.stop();
    directory.remove();
  });

  async function order(): Promise<{ readonly page: string; readonly id: string }> {
    const { data } = await merchant.payInfo('http://127.0.0.1:9/nobody');
    return { page: `${url}${new URL(String(data['pay_url'])).pathname}`, id: String(data['order_id']) };
  }

  return {
    get host() {
      return host;
    },
    get url() {
      return url;
    },
    get merchant() {
      return merchant;
    },
    order,
  };
}

describe('the event stream of an order', () => {
  const till = payersHost();

  test('tells the state at once and at each change, and ends with the last; after it there is nothing to follow', async () => {
    const { page, id } = await till.order();
    const stream = await listenTo(`${page}/events`);
    assert.deepEqual([stream.status, stream.type], [200, 'text/event-stream; charset=utf-8']);
    await waitFor(() => stream.text().includes('"status":"PENDING"'), { describe: 'the first state' });
    const { data } = (await (await fetch(`${page}/state`)).json()) as { data: unknown };
    assert.ok(stream.text().includes(`event: state\ndata: ${JSON.stringify(data)}\n\n`), 'the record of /state');
    await till.merchant.pay(id);
    await waitFor(() => stream.over(), { timeoutMs: 20_000, describe: 'the end of the stream' });
    assert.match(stream.text(), /"status":"SUCCESS"/);
    assert.equal((await listenTo(`${page}/events`)).status, 204);
  });

  test('an unknown order has none; HEAD begins none; one order has a bounded number', async () => {
    assert.equal((await listenTo(`${till.url}/checkout/${'0'.repeat(32)}/events`)).status, 404);
    const { page } = await till.order();
    assert.equal((await fetch(`${page}/events`, { method: 'HEAD' })).status, 200);
    const open = await Promise.all(Array.from({ length: 16 }, () => listenTo(`${page}/events`)));
    await waitFor(() => open.every(({ text }) => text().includes('event: state')), { describe: 'sixteen streams' });
    const refused = await listenTo(`${page}/events`);
    assert.equal(refused.status, 429);
    for (const { cancel } of open) cancel();
    await waitFor(
      async () => {
        const again = await listenTo(`${page}/events`);
        again.cancel();
        return again.status === 200;
      },
      { describe: 'room for another one' },
    );
  });
});

describe('a server with payers', () => {
  const till = payersHost();

  test('fault 75: a server that stops ends every stream and does not wait for payers', async () => {
    const { page } = await till.order();
    const stream = await listenTo(`${page}/events`);
    const began = performance.now();
    await till.host.stop();
    await waitFor(() => stream.over(), { describe: 'the end of the stream' });
    assert.ok(performance.now() - began < 5000, 'within the drain');
  });
});

describe('the orders on show', () => {
  function fixture() {
    const clock = new FakeClock();
    const state = { current: SAMPLES.waiting, reads: 0, looks: 0, changedAt: SAMPLES.waiting.view.order.updatedAt };
    const listeners = new Map<string, (event: never) => void>();
    const deps: LiveOrdersDeps = {
      orderQueries: {
        checkout: async (token) => {
          state.reads += 1;
          if (token !== 'waiting') throw new TillgateError('NOT_FOUND', 'There is no such order.');
          return state.current.view;
        },
      },
      storage: {
        transfers: { refundOf: async () => null },
        links: { find: async () => null },
        shopOrders: { find: async () => null },
        orders: {
          changedAt: async (ids) => {
            state.looks += 1;
            return new Map(ids.map((id) => [id, state.changedAt]));
          },
        },
        deposits: { byOrders: async () => [] },
        unconfirmedPayments: { live: async () => [] },
        chains: { states: async () => [] },
      },
      assets: { find: () => undefined as never },
      events: {
        emit: () => undefined,
        on: (name, listener) => {
          listeners.set(name, listener);
          return () => listeners.delete(name);
        },
      },
      clock,
      logger: new MemoryLogger(),
    };
    const paid = (): void => listeners.get('order.payment')?.({ orderId: state.current.view.order.id } as never);
    return { live: new LiveOrders(deps), state, clock, deps, paid };
  }

  test('many pages of one order in the same moment are one read; later ones only ask whether it changed', async () => {
    const { live, state, clock } = fixture();
    const [one, other] = await Promise.all([live.read('waiting'), live.read('waiting')]);
    assert.equal(state.reads, 1);
    assert.equal(one, other);
    clock.advance(1000);
    assert.equal(await live.read('waiting'), one, 'the same, so that what was rendered of it still holds');
    assert.deepEqual([state.reads, state.looks], [1, 1]);
    clock.advance(1000);
    state.changedAt += 1;
    await live.read('waiting');
    assert.equal(state.reads, 2);
    live.close();
  });

  test('an event of this process is seen at once, in pages and by whoever watches', async () => {
    const { live, state, paid } = fixture();
    const told: string[] = [];
    const { end } = await live.watch('waiting', ({ view }) => told.push(view.received));
    state.current = changed(SAMPLES.waiting, { view: { received: '4', remaining: '9.5', seen: true } });
    paid();
    assert.equal((await live.read('waiting')).view.received, '4');
    await waitFor(() => told.length === 1, { describe: 'the watcher to be told' });
    paid();
    await live.read('waiting');
    assert.deepEqual(told, ['4'], 'what looks the same is not told again');
    end();
    live.close();
  });

  test('unknown tokens are never kept', async () => {
    const { live, state } = fixture();
    for (let n = 0; n < 3; n++) await assert.rejects(live.read('other'), { code: 'NOT_FOUND' });
    assert.equal(state.reads, 3);
    live.close();
  });

  test('what another instance did is noticed by the slow look', async () => {
    const { deps, state } = fixture();
    const others = new OtherInstances(deps.storage);
    const { order } = SAMPLES.waiting.view;
    assert.deepEqual(await others.changed([order]), []);
    state.changedAt += 1;
    assert.deepEqual(
      (await others.changed([order])).map(({ id }): OrderId => id),
      [order.id],
    );
    assert.deepEqual(await others.changed([order]), []);
    const at = (height: number) => [
      {
        chain: 'ETH',
        identity: '',
        cursor: { height, hash: '', parentHash: '', time: 0 },
        rereadHeight: null,
        caughtUpAt: null,
        haltedReason: null,
        trouble: null,
        readAt: null,
      },
    ];
    assert.deepEqual(
      [others.movedChains(at(1)).size, others.movedChains(at(1)).size, others.movedChains(at(2)).size],
      [1, 0, 1],
    );
  });

  test('a client has a bounded number of streams, and one that does not read is let go', async () => {
    const { live, clock } = fixture();
    const streams = new EventStreams(live, clock, { perOrder: 5, perClient: 2, inAll: 3 });
    let ended = 0;
    const sink = (reads: boolean) => ({ write: () => reads, end: () => (ended += 1) as never });
    const first = await streams.open('waiting', 'a', {});
    const closers = [first.stream?.(sink(true)), (await streams.open('waiting', 'a', {})).stream?.(sink(true))];
    await assert.rejects(streams.open('waiting', 'a', {}), { code: 'RATE_LIMITED' });
    const third = (await streams.open('waiting', 'b', {})).stream?.(sink(false));
    await waitFor(() => ended === 1, { describe: 'the one that does not read to be let go' });
    await assert.rejects(streams.open('waiting', 'c', {}), { code: 'RATE_LIMITED' });
    third?.();
    closers[0]?.();
    assert.equal((await streams.open('waiting', 'a', {})).status, 200);
    streams.close();
    assert.equal(ended, 2, 'the one that is left');
    await assert.rejects(streams.open('waiting', 'd', {}), { code: 'NOT_READY' });
    live.close();
  });
});
