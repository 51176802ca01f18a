import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { toHex } from 'viem';
import type { EvmChain } from '../../../adapters/chains/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke, receipt } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { brief, evmChain, freshAddress, height, keyOf, pay, watching } from './evm-support.ts';
import { hasty, startProxy } from './rpc-proxy.ts';
import type { Interference } from './rpc-proxy.ts';

describe('an EVM chain sees its own coin', () => {
  let anvil: Anvil;
  let forwarder: DeployedContract;
  let chain: EvmChain;

  before(async () => {
    anvil = await startAnvil();
    forwarder = await deployContract(anvil, 'Forwarder');
    ({ chain } = await evmChain([anvil.url]));
  });

  after(async () => {
    await chain.close();
    await anvil.stop();
  });

  test('a direct payment is found', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    const hash = await pay(anvil, to, 10n ** 18n + 1n);
    const { transfers } = await chain.scan(from, from, watching(to));
    assert.deepEqual(transfers.map(brief), [
      { txid: hash, index: 'value', currency: 'ETH', units: 10n ** 18n + 1n, toKey: keyOf(to), height: from },
    ]);
  });

  test('a thorough scan of former blocks reports the same, and leaves the ordinary scans as they were', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await pay(anvil, to, 5n);
    const once = await chain.scan(from, from, watching(to));
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 300n }));
    assert.deepEqual(await chain.scan(from, from, watching(to), { thorough: true }), once);
    const { transfers } = await chain.scan(from + 1, from + 1, watching(to));
    assert.deepEqual(
      transfers.map(({ index, units }) => [index, units]),
      [[`internal:${keyOf(to)}`, 300n]],
    );
  });

  test('a payment of nothing is nothing', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await pay(anvil, to, 0n);
    assert.deepEqual((await chain.scan(from, from, watching(to))).transfers, []);
  });

  test('coins that a contract sends are found by the balance, and named by the trace', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await pay(anvil, to, 5n);
    const hash = await invoke(anvil, forwarder, 'forward', [to], { value: 300n });
    await receipt(anvil, hash);
    const { transfers } = await chain.scan(from, from + 1, watching(to));
    assert.deepEqual(
      transfers.map(({ index, units }) => [index, units]),
      [
        ['value', 5n],
        [`internal:${keyOf(to)}`, 300n],
      ],
    );
    assert.equal(transfers[1]?.txid, hash);
    assert.equal(transfers[1]?.block.height, from + 1);
    assert.equal(transfers[1]?.from, null);
  });

  test('two contract payments in one block are one transfer for each transaction', async () => {
    const to = freshAddress();
    await anvil.setAutomine(false);
    const from = (await height(anvil)) + 1;
    const hashes = [
      await invoke(anvil, forwarder, 'forward', [to], { value: 3n }),
      await invoke(anvil, forwarder, 'forward', [to], { value: 4n }),
    ];
    await anvil.mine();
    await receipt(anvil, hashes[1] as `0x${string}`);
    await anvil.setAutomine(true);
    const { transfers } = await chain.scan(from, from, watching(to));
    assert.deepEqual(
      transfers.map(({ txid, units }) => [txid, units]),
      [
        [hashes[0], 3n],
        [hashes[1], 4n],
      ],
    );
  });

  test('fault 49: a contract that pays and then reverts has paid nothing', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    const hash = await invoke(anvil, forwarder, 'forwardThenRevert', [to], { value: 300n });
    assert.equal((await receipt(anvil, hash)).status, 'reverted');
    assert.deepEqual((await chain.scan(from, from, watching(to))).transfers, []);
  });

  test('payments of a contract are found in the midst of a long range, each in its own block', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await anvil.mine(20);
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 3n }));
    await anvil.mine(7);
    await pay(anvil, to, 50n);
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 4n }));
    await anvil.mine(12);
    const { transfers } = await chain.scan(from, await height(anvil), watching(to));
    assert.deepEqual(
      transfers.map(({ block, units }) => [block.height - from, units]),
      [
        [20, 3n],
        [28, 50n],
        [29, 4n],
      ],
    );
  });

  test('coins that no transaction sends, such as the fees of a block, are named by their block', async () => {
    const to = freshAddress();
    const coinbase = await anvil.rpc<string>('eth_coinbase');
    await anvil.rpc('anvil_setCoinbase', [to]);
    const from = (await height(anvil)) + 1;
    await pay(anvil, freshAddress(), 1n);
    await anvil.rpc('anvil_setCoinbase', [coinbase]);
    const { blocks, transfers } = await chain.scan(from, from, watching(to));
    const earned = BigInt(await anvil.rpc<string>('eth_getBalance', [to, 'latest']));
    assert.ok(earned > 0n);
    assert.deepEqual(
      transfers.map(({ txid, units }) => [txid, units]),
      [[blocks[0]?.hash, earned]],
    );
  });

  test('what an address spends hides nothing that it gets', async () => {
    const [, to] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [string, `0x${string}`];
    await anvil.setAutomine(false);
    const from = (await height(anvil)) + 1;
    await anvil.rpc('eth_sendTransaction', [{ from: to, to: freshAddress(), value: toHex(10n ** 18n) }]);
    const hash = await invoke(anvil, forwarder, 'forward', [to], { value: 1_000n });
    await anvil.mine();
    await receipt(anvil, hash);
    await anvil.setAutomine(true);
    const { transfers } = await chain.scan(from, from, watching(to));
    assert.deepEqual(
      transfers.map(({ txid, units }) => [txid, units]),
      [[hash, 1_000n]],
    );
  });

  test('a scan that is done again finds again, and one that goes on finds nothing twice', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 8n }));
    const watch = watching(to);
    for (const _ of [1, 2]) assert.equal((await chain.scan(from, from, watch)).transfers.length, 1);
    await anvil.mine();
    assert.deepEqual((await chain.scan(from + 1, from + 1, watch)).transfers, []);
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 2n }));
    assert.deepEqual(
      (await chain.scan(from + 2, from + 2, watch)).transfers.map(({ units }) => units),
      [2n],
    );
  });

  /** A chain behind a proxy that counts the calls that read balances. */
  async function countedChain(
    t: TestContext,
    maxBalanceCalls: number,
    interfere: Interference = () => null,
  ): Promise<{ readonly chain: EvmChain; readonly calls: () => number }> {
    let calls = 0;
    const proxy = await startProxy(anvil.url, (call) => {
      if (call.method === 'eth_getBalance' || call.method === 'eth_call') calls += 1;
      return interfere(call);
    });
    const made = await evmChain([proxy.url], {}, { maxBalanceCalls });
    t.after(async () => {
      await made.chain.close();
      await proxy.stop();
    });
    const read = (): number => {
      const before = calls;
      calls = 0;
      return before;
    };
    return { chain: made.chain, calls: read };
  }

  const noPacks: Interference = ({ method }) =>
    method === 'eth_call' ? { error: { code: -32000, message: 'contract creation is off' } } : null;

  test('with more addresses than one scan may look at, each has its turn', async (t) => {
    const { chain: bounded, calls } = await countedChain(t, 4, noPacks);
    const watched = Array.from({ length: 5 }, freshAddress);
    const watch = watching(...watched);
    const from = (await height(anvil)) + 1;
    await anvil.setAutomine(false);
    for (const to of watched) await invoke(anvil, forwarder, 'forward', [to], { value: 6n });
    await anvil.mine();
    await anvil.setAutomine(true);
    await anvil.mine(3);
    await pay(anvil, watched[4] as string, 1n);
    const found = new Map<string, bigint>();
    await assert.rejects(bounded.scan(from, from, watch), /refused eth_call/);
    for (let at = from; at <= from + 4; at++) {
      calls();
      const { blocks, transfers } = await bounded.scan(at, at, watch);
      // A found balance is read again, and its block searched for.
      if (transfers.length === 0) assert.ok(calls() <= 4);
      for (const { toKey, units, block } of transfers) {
        assert.equal(block.hash, blocks[0]?.hash);
        found.set(toKey, (found.get(toKey) ?? 0n) + units);
      }
    }
    assert.deepEqual([...watched.map((to) => found.get(keyOf(to)))], [6n, 6n, 6n, 6n, 7n]);
  });

  test('fault 90: 100,000 open orders hide no payment of a contract, and cost a bounded number of calls a block', async (t) => {
    const { chain: busy, calls } = await countedChain(t, 250);
    const keys = Array.from({ length: 100_000 }, (_, at) => (0xabcd0000 + at).toString(16).padStart(40, '7'));
    const to = freshAddress();
    const all = new Set([...keys, keyOf(to)]);
    const watch = { has: (key: string) => all.has(key), nativeKeys: () => all };
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 300n }));
    await anvil.mine(3);
    const found: bigint[] = [];
    const spent: number[] = [];
    for (let at = from; at <= from + 3; at++) {
      const { transfers } = await busy.scan(at, at, watch);
      found.push(...transfers.map(({ units }) => units));
      spent.push(calls());
    }
    assert.deepEqual(found, [300n]);
    // 201 calls read all addresses; the first check of each reads two blocks, and the payment's block is searched for.
    assert.ok(
      spent.every((count) => count <= 260),
      String(spent),
    );
    assert.equal(spent.at(-1), 201);
  });

  test('many balances of one call are what the node says of each', async (t) => {
    const { chain: packed } = await countedChain(t, 250);
    const watched = Array.from({ length: 3 }, freshAddress);
    const from = (await height(anvil)) + 1;
    await anvil.setAutomine(false);
    for (const [at, to] of watched.entries())
      await invoke(anvil, forwarder, 'forward', [to], { value: 10n ** BigInt(7 * at) });
    await anvil.mine();
    await anvil.setAutomine(true);
    const { transfers } = await packed.scan(from, from, watching(...watched));
    assert.deepEqual(
      transfers.map(({ toKey, units }) => [toKey, units]),
      watched.map((to, at) => [keyOf(to), 10n ** BigInt(7 * at)]),
    );
  });

  async function hastyChain(t: TestContext, hash: string, times = 1): Promise<EvmChain> {
    const proxy = await startProxy(anvil.url, hasty('eth_getBalance', hash, times));
    const { chain: racing } = await evmChain([proxy.url]);
    t.after(async () => {
      await racing.close();
      await proxy.stop();
    });
    return racing;
  }

  test('fault 56: a payment that the node shows a block too early is found once, in its own block', async (t) => {
    const to = freshAddress();
    await anvil.mine();
    const early = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    const at = await height(anvil);
    await pay(anvil, to, 5n);
    const racing = await hastyChain(t, early.hash);
    const watch = watching(to);
    await assert.rejects(racing.scan(at, at, watch), { code: 'NODE_FAILED', message: /reported in two ways/ });
    assert.deepEqual((await racing.scan(at, at, watch)).transfers, []);
    assert.deepEqual(
      (await racing.scan(at + 1, at + 1, watch)).transfers.map(({ index, units }) => [index, units]),
      [['value', 5n]],
    );
  });

  test('a node that said the same wrong thing twice does not stop the chain once it tells the truth', async (t) => {
    const to = freshAddress();
    await anvil.mine();
    const early = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    const at = await height(anvil);
    await pay(anvil, to, 5n);
    const racing = await hastyChain(t, early.hash, 2);
    const watch = watching(to);
    await racing.scan(at, at, watch);
    await assert.rejects(racing.scan(at + 1, at + 1, watch), { code: 'NODE_FAILED', message: /reported in two ways/ });
    assert.deepEqual(
      (await racing.scan(at + 1, at + 1, watch)).transfers.map(({ index, units }) => [index, units]),
      [['value', 5n]],
    );
  });

  test('coins of a contract are found where the node shows already that they left', async (t) => {
    const [, , to] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [string, string, `0x${string}`];
    const watch = watching(to);
    const at = (await height(anvil)) + 1;
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 30n }));
    const early = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    const spent = await anvil.rpc<`0x${string}`>('eth_sendTransaction', [
      { from: to, to: freshAddress(), value: toHex(10n ** 18n) },
    ]);
    await receipt(anvil, spent);
    const racing = await hastyChain(t, early.hash);
    await assert.rejects(racing.scan(at, at, watch), { code: 'NODE_FAILED' });
    assert.deepEqual(
      (await racing.scan(at, at, watch)).transfers.map(({ units }) => units),
      [30n],
    );
    assert.deepEqual((await racing.scan(at + 1, at + 1, watch)).transfers, []);
  });

  test('without traces the transaction whose input names the address is named', async () => {
    const proxy = await startProxy(anvil.url, ({ method }) =>
      method === 'debug_traceBlockByHash' ? { error: { code: -32601, message: 'the method does not exist' } } : null,
    );
    const traceless = await evmChain([proxy.url]);
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    const hash = await invoke(anvil, forwarder, 'forward', [to], { value: 300n });
    await receipt(anvil, hash);
    const { transfers } = await traceless.chain.scan(from, from, watching(to));
    assert.deepEqual(
      transfers.map(({ txid, units }) => [txid, units]),
      [[hash, 300n]],
    );
    await traceless.chain.close();
    await proxy.stop();
  });

  test('where the coin is not taken, whole blocks are not read', async () => {
    const methods: unknown[] = [];
    const proxy = await startProxy(anvil.url, ({ method, params }) => {
      methods.push([method, params[1]]);
      return null;
    });
    const headersOnly = await evmChain([proxy.url], { 'USDT-ERC20': freshAddress() }, { takesCoin: false });
    const to = freshAddress();
    await pay(anvil, to, 3n);
    const at = await height(anvil);
    assert.deepEqual((await headersOnly.chain.scan(at, at, watching(to))).transfers, []);
    assert.ok(!methods.some((method) => JSON.stringify(method) === '["eth_getBlockByNumber",true]'));
    await headersOnly.chain.close();
    await proxy.stop();
  });
});
