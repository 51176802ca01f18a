import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockOfAnswer, isCacheable } from '../../../core/index.ts';
import { BufferBudget } from '../../../host/gateway/buffer-budget.ts';
import { GatewayMetrics } from '../../../host/gateway/gateway-metrics.ts';
import { chainEnd } from '../../../host/gateway/live-route.ts';
import type { LiveRoute } from '../../../host/gateway/live-route.ts';
import { FinalBlock } from '../../../host/gateway/reads/final-block.ts';
import { ResponseCache } from '../../../host/gateway/reads/response-cache.ts';
import { RequestCoalescer } from '../../../host/gateway/reads/request-coalescing.ts';
import { Upstream } from '../../../host/gateway/upstream.ts';
import { MemoryMetrics } from '../../support/fakes.ts';

const HASH = `0x${'ab'.repeat(32)}`;

describe('fault 155: what may be kept', () => {
  for (const [method, params, cacheable] of [
    ['eth_getBlockByNumber', ['0x10', false], true],
    ['eth_getBlockByNumber', ['latest', false], false],
    ['eth_call', [{ to: '0x1' }, '0x10'], true],
    ['eth_call', [{ to: '0x1' }, { blockHash: HASH }], false],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }], true],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2', TOBLOCK: 'latest' }], false],
    ['eth_getLogs', [{ blockHash: HASH }], false],
    ['eth_getBlockByHash', [HASH, false], true],
    ['eth_getBlockByHash', ['latest', false], false],
    ['eth_getTransactionReceipt', [HASH], true],
    ['eth_getTransactionReceipt', { 0: HASH }, false],
    ['eth_gasPrice', [], false],
    ['eth_chainId', undefined, false],
  ] as const)
    test(`${method} ${JSON.stringify(params)}: ${cacheable ? 'yes' : 'no'}`, () =>
      assert.equal(isCacheable(method, params), cacheable));

  for (const [method, params, answer, block] of [
    ['eth_getBlockByNumber', ['0x10', false], '"result":{"number":"0x10"}', 16],
    ['eth_getBlockByNumber', ['0x10', false], '"result":{"number":"0x11"}', null],
    ['eth_getBlockByNumber', ['0x10', false], '"result":null', null],
    ['eth_getBlockByNumber', ['0x10', false], '"error":{"code":1}', null],
    ['eth_call', [{}, '0x10'], '"result":"0x"', 16],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x20' }], '"result":[]', 32],
    ['eth_getTransactionReceipt', [HASH], `"result":{"transactionHash":"${HASH}","blockNumber":"0x10"}`, 16],
    ['eth_getTransactionReceipt', [HASH], '"result":{"transactionHash":"0x1","blockNumber":"0x10"}', null],
    ['eth_getTransactionByHash', [HASH], `"result":{"hash":"${HASH}","blockNumber":null}`, null],
    [
      'eth_getBlockByHash',
      [HASH, true],
      `"result":{"hash":"${HASH.toUpperCase().replace('X', 'x')}","number":"0x10"}`,
      16,
    ],
  ] as const)
    test(`${method} with ${answer}: ${block ?? 'never'}`, () =>
      assert.equal(blockOfAnswer(method, params, answer), block));
});

describe('fault 155: the memory of kept answers', () => {
  const upstream = (): Upstream =>
    new Upstream({ url: 'http://127.0.0.1:1', headers: {} }, { connectMs: 1, firstByteMs: 1, idleMs: 1 }, null, true);
  const finalAt = async (height: number): Promise<FinalBlock> => {
    const node = upstream();
    node.health.checked(height + 64, 0);
    const final = new FinalBlock(64);
    await final.follow([node], 0, () => Promise.resolve(HASH));
    assert.equal(final.height, height);
    return final;
  };

  test('is bounded; what was asked for last stays', async () => {
    const final = await finalAt(100);
    const cache = new ResponseCache(10_000);
    const put = (key: string, size: number): void =>
      cache.put(key, { answer: 'x'.repeat(size), block: 1, final, generation: 0 });
    put('first', 100);
    for (let n = 0; n < 100; n++) {
      put(`k${n}`, 100);
      assert(cache.find('first', final) !== null);
      assert(cache.bytes <= 10_000);
    }
    assert.equal(cache.find('k0', final), null);
    put('huge', 200_000);
    assert.equal(cache.find('huge', final), null);
    assert(cache.find('first', final) !== null, 'one that is too large moves nothing out');
  });

  test('an answer is kept if its block was final when the request was sent, and its node has the final block', async (t) => {
    const node = upstream();
    node.health.checked(164, 0);
    const final = new FinalBlock(64);
    await final.follow([node], 0, () => Promise.resolve(HASH));
    const place = { chain: 'ETH', network: 'mainnet' };
    const kept = { method: 'eth_call', params: [{}, '0x5a'], ...place, final, generation: 0, height: 100 };
    const read = { key: 'k', id: '1', route: 'r', namesBlock: true, flightKey: 'k', kept };
    const metrics = new GatewayMetrics(new MemoryMetrics());
    t.after(() => metrics.close());
    const keeps = (changes: object, from = node): boolean => {
      const cache = new ResponseCache(10_000);
      const reads = new RequestCoalescer({ metrics, budget: new BufferBudget(0), cache, shared: null });
      reads.keep({ ...read, kept: { ...kept, ...changes } }, '"result":"0x1"', from);
      return cache.find('k', final) !== null;
    };
    assert.equal(keeps({}), true);
    assert.equal(keeps({ height: 89 }), false, 'it was not final yet');
    assert.equal(keeps({ generation: 1 }), false, 'what was final changed meanwhile');
    assert.equal(keeps({}, upstream()), false, 'a node that was not asked for the final block');
  });

  test('a chain that changes while it is asked is noticed, whenever that is', async () => {
    for (let at = 0; at < 6; at++) {
      const node = upstream();
      node.health.checked(164, 0);
      const final = new FinalBlock(64);
      let asked = 0;
      const ask = (): Promise<string> => Promise.resolve(asked++ < at ? 'before' : 'after');
      for (let round = 0; round < 5; round++) await final.follow([node], 0, ask);
      assert.equal(final.generation, at === 0 ? 0 : 1, `after ${at} questions`);
      assert.equal(final.height, 100);
    }
  });

  test('fault 443: a cordoned node says neither what is final nor where the chain ends', async () => {
    const [cordoned, ...others] = [upstream(), upstream(), upstream()];
    cordoned.cordoned = true;
    cordoned.health.checked(70, 0);
    for (const { health } of others) health.checked(164, 0);
    const all = [cordoned, ...others];
    const final = new FinalBlock(64);
    await final.follow(all, 0, () => Promise.resolve(HASH));
    assert.equal(final.height, 100);
    cordoned.health.checked(5_000, 0);
    const live = { chain: { finalityBlocks: 64 }, upstreams: all } as unknown as LiveRoute;
    assert.equal(chainEnd(live).head, 164);
  });

  test('gives nothing of a block that is no longer final, or of a route as it was', async () => {
    const cache = new ResponseCache(10_000);
    const [high, low] = [await finalAt(100), await finalAt(100)];
    cache.put('k', { answer: 'x', block: 90, final: high, generation: 0 });
    assert.equal(cache.find('k', high), 'x');
    const lagging = upstream();
    lagging.health.checked(80 + 64, 0);
    await high.follow([lagging], 0, () => Promise.resolve(HASH));
    assert.deepEqual([high.height, cache.find('k', high)], [80, null]);
    assert.equal(cache.find('k', low), null);
  });
});
