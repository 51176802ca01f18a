import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import type { ChainAdapter, ChainSimulator } from '../../core/index.ts';
import { assertError, dataOf } from '../support/http.ts';
import { ADDRESS, ORDER, ORDER_ID, startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

describe('the sandbox', () => {
  let edge: FakeEdge;
  const done: string[] = [];
  const simulator: ChainSimulator = {
    async pay(address, currency, units) {
      done.push(`${address} ${currency} ${units}`);
      return '0xhash';
    },
    async mine(count) {
      done.push(`mine ${count}`);
    },
  };
  const chain = (code: string, simulated: boolean) =>
    ({ code, simulator: simulated ? simulator : null }) as unknown as ChainAdapter;
  const chains = new Map([
    ['ETH', chain('ETH', true)],
    ['BTC', chain('BTC', true)],
    ['LTC', chain('LTC', false)],
  ]);
  before(async () => {
    edge = await startFakeEdge({ deps: { chains } });
  });
  after(() => edge.close());

  const pay = async (body: unknown): Promise<string | undefined> => {
    assert.deepEqual(dataOf(await edge.client.post('/sandbox/v1/pay', body)), { tx_hash: '0xhash' });
    return done.at(-1);
  };

  test('pays what is still due, or an amount given as a number or as text', async () => {
    assert.equal(await pay({ order_id: ORDER_ID }), `${ADDRESS} USDT-ERC20 25000000`);
    assert.equal(await pay({ order_id: ORDER_ID, amount: '0.5' }), `${ADDRESS} USDT-ERC20 500000`);
    assert.equal(await pay(`{"order_id":"${ORDER_ID}","amount":1e-6}`), `${ADDRESS} USDT-ERC20 1`);
  });

  test('refuses unreadable amounts, more decimals than the coin has, and unknown orders', async () => {
    for (const amount of [0, -1, '', 'x', '0.0000001', null, true]) {
      assertError(await edge.client.post('/sandbox/v1/pay', { order_id: ORDER_ID, amount }), 40001);
    }
    for (const id of ['1', 'x', '1530217733414239999', "1' OR 1"])
      assertError(await edge.client.post('/sandbox/v1/pay', { order_id: id }), 40400);
    assertError(await edge.client.post('/sandbox/v1/pay', { order_id: 1530217733414232064 }), 40001);
    assertError(await edge.client.post('/sandbox/v1/pay', {}), 40001);
  });

  test('an order without a coin is 40900, one on a real chain 40002', async () => {
    for (const [payment, code] of [
      [null, 40900],
      [{ ...ORDER.payment!, chain: 'LTC' }, 40002],
    ] as const) {
      const host = await startFakeEdge({ deps: { chains, orders: { find: async () => ({ ...ORDER, payment }) } } });
      try {
        assertError(await host.client.post('/sandbox/v1/pay', { order_id: ORDER_ID }), code);
      } finally {
        await host.close();
      }
    }
  });

  test('mines on one simulated chain, or on all', async () => {
    assert.deepEqual(dataOf(await edge.client.post('/sandbox/v1/blocks', { chain: 'BTC', count: 2 })), {
      chains: ['BTC'],
      count: 2,
    });
    assert.deepEqual(dataOf(await edge.client.post('/sandbox/v1/blocks', { count: 3 })), {
      chains: ['ETH', 'BTC'],
      count: 3,
    });
    assert.deepEqual(done.slice(-3), ['mine 2', 'mine 3', 'mine 3']);
    for (const count of [0, -1, 1.5, 1001, '3', null])
      assertError(await edge.client.post('/sandbox/v1/blocks', { count }), 40001);
    assertError(await edge.client.post('/sandbox/v1/blocks', { chain: 'LTC', count: 1 }), 40002);
    assertError(await edge.client.post('/sandbox/v1/blocks', { chain: 'DOGE', count: 1 }), 40002);
  });

  test('does not exist outside sandbox mode, in the document neither', async () => {
    const production = await startFakeEdge({ settings: { sandbox: false } });
    try {
      assertError(await production.client.post('/sandbox/v1/pay', { order_id: ORDER_ID }), 40400);
      assertError(await production.client.post('/sandbox/v1/blocks', { count: 1 }), 40400);
      assert.doesNotMatch((await production.client.get('/openapi.json')).text, /sandbox/i);
    } finally {
      await production.close();
    }
  });
});
