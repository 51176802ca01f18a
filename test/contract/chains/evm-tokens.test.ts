import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getAddress } from 'viem';
import type { EvmChain } from '../../../adapters/chains/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke, mint, receipt, transfer } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import type { MemoryLogger } from '../../support/fakes.ts';
import { brief, callAllInOne, evmChain, freshAddress, height, keyOf, watching } from './evm-support.ts';
import { hasty, startProxy } from './rpc-proxy.ts';

describe('an EVM chain sees tokens', () => {
  let anvil: Anvil;
  let token: DeployedContract;
  let twin: DeployedContract;
  let fee: DeployedContract;
  let lying: DeployedContract;
  let refusing: DeployedContract;
  let chain: EvmChain;
  let logger: MemoryLogger;
  let payer: `0x${string}`;

  before(async () => {
    anvil = await startAnvil();
    [payer] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [`0x${string}`];
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    twin = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    fee = await deployContract(anvil, 'FeeToken', ['FEE', 6, 100]);
    lying = await deployContract(anvil, 'LyingToken', ['LIE', 6]);
    refusing = await deployContract(anvil, 'FalseToken', ['NO', 6]);
    for (const one of [token, twin, fee, lying, refusing]) await mint(anvil, one, payer, 1_000_000_000n);
    ({ chain, logger } = await evmChain([anvil.url], {
      'USDT-ERC20': token.address,
      'FEE-ERC20': fee.address,
      'LIE-ERC20': lying.address,
      'NO-ERC20': refusing.address,
    }));
  });

  after(async () => {
    await chain.close();
    await anvil.stop();
  });

  test('an exact transfer is found with its transaction, place, sender and block', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    const hash = await transfer(anvil, token, to, 12_345_678n);
    await receipt(anvil, hash);
    const { blocks, transfers } = await chain.scan(from, from, watching(to));
    assert.deepEqual(transfers.map(brief), [
      { txid: hash, index: '0', currency: 'USDT-ERC20', units: 12_345_678n, toKey: keyOf(to), height: from },
    ]);
    assert.equal(transfers[0]?.from, getAddress(payer));
    assert.deepEqual(transfers[0]?.block, blocks[0]);
    assert.deepEqual(await chain.blockAt(from), blocks[0]);
  });

  test('fault 54: a split payment is one transfer for each of its transactions', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    for (const units of [3n, 4n]) await receipt(anvil, await transfer(anvil, token, to, units));
    const { transfers } = await chain.scan(from, from + 1, watching(to));
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [3n, 4n],
    );
  });

  test('two logs in one transaction are two transfers, told apart by their place in it', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    const hash = await callAllInOne(anvil, token, [
      { functionName: 'mint', args: [to, 5n] },
      { functionName: 'mint', args: [freshAddress(), 1n] },
      { functionName: 'mint', args: [to, 7n] },
    ]);
    const { transfers } = await chain.scan(from, from, watching(to));
    assert.deepEqual(
      transfers.map(({ txid, index, units }) => [txid, index, units]),
      [
        [hash, '0', 5n],
        [hash, '2', 7n],
      ],
    );
  });

  test('fault 87: a mint, and a payment through a contract or by allowance, name no sender', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await mint(anvil, token, to, 1n);
    await callAllInOne(anvil, token, [
      { functionName: 'mint', args: [to, 2n] },
      { functionName: 'mint', args: [to, 3n] },
    ]);
    const [, spender] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [string, `0x${string}`];
    await receipt(anvil, await invoke(anvil, token, 'approve', [spender, 4n]));
    await receipt(anvil, await invoke(anvil, token, 'transferFrom', [payer, to, 4n], { from: spender }));
    await receipt(anvil, await transfer(anvil, token, to, 5n));
    const { transfers } = await chain.scan(from, await height(anvil), watching(to));
    assert.deepEqual(
      transfers.map((one) => [one.units, one.from]),
      [
        [1n, null],
        [2n, null],
        [3n, null],
        [4n, null],
        [5n, getAddress(payer)],
      ],
    );
  });

  test('fault 49: a reverted transfer is nothing', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    const hash = await transfer(anvil, token, to, 10n ** 30n);
    assert.equal((await receipt(anvil, hash)).status, 'reverted');
    assert.deepEqual((await chain.scan(from, from, watching(to))).transfers, []);
  });

  test('fault 49: a token that answers false is nothing', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    assert.equal((await receipt(anvil, await transfer(anvil, refusing, to, 10n))).status, 'success');
    assert.deepEqual((await chain.scan(from, from, watching(to))).transfers, []);
  });

  test('fault 54: of a token that keeps a fee only what arrived counts', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await transfer(anvil, fee, to, 10_000n));
    assert.deepEqual(
      (await chain.scan(from, from, watching(to))).transfers.map(({ units }) => units),
      [9_900n],
    );
    assert.ok(logger.lines.some(({ message }) => message.includes('less of a token arrived')));
  });

  test('several logs of one block share what arrived, in their order', async () => {
    const to = freshAddress();
    await anvil.setAutomine(false);
    const from = (await height(anvil)) + 1;
    await transfer(anvil, fee, to, 10_000n);
    const last = await transfer(anvil, fee, to, 20_000n);
    await anvil.mine();
    await receipt(anvil, last);
    await anvil.setAutomine(true);
    const { transfers } = await chain.scan(from, from, watching(to));
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [10_000n, 19_700n],
    );
  });

  test('a log without a movement is worth nothing', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await transfer(anvil, lying, to, 10_000n));
    assert.deepEqual((await chain.scan(from, from, watching(to))).transfers, []);
  });

  test('fault 56: a payment that the node shows as passed on already counts whole', async (t) => {
    const [, to] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [string, `0x${string}`];
    const at = (await height(anvil)) + 1;
    await receipt(anvil, await transfer(anvil, token, to, 10_000n));
    const early = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await receipt(anvil, await invoke(anvil, token, 'transfer', [freshAddress(), 10_000n], { from: to }));
    const proxy = await startProxy(anvil.url, hasty('eth_call', early.hash));
    const racing = await evmChain([proxy.url], { 'USDT-ERC20': token.address });
    t.after(async () => {
      await racing.chain.close();
      await proxy.stop();
    });
    await assert.rejects(racing.chain.scan(at, at, watching(to)), {
      code: 'NODE_FAILED',
      message: /reported in two ways/,
    });
    assert.deepEqual(
      (await racing.chain.scan(at, at, watching(to))).transfers.map(({ units }) => units),
      [10_000n],
    );
  });

  test('fault 48: a foreign token of the same symbol is nothing', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await transfer(anvil, twin, to, 10_000n));
    assert.deepEqual((await chain.scan(from, from, watching(to))).transfers, []);
  });

  test('a transfer to oneself brings nothing', async () => {
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await transfer(anvil, token, payer, 10_000n));
    const { transfers } = await chain.scan(from, from, { has: (key) => key === keyOf(payer), nativeKeys: () => [] });
    assert.deepEqual(transfers, []);
  });

  test('fault 46: the largest amount that a token can move is exact', async () => {
    const to = freshAddress();
    const rich = await deployContract(anvil, 'TestToken', ['MAX', 18]);
    const own = await evmChain([anvil.url], { 'MAX-ERC20': rich.address });
    const from = (await height(anvil)) + 1;
    await mint(anvil, rich, to, 2n ** 256n - 1n);
    const { transfers } = await own.chain.scan(from, from, watching(to));
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [2n ** 256n - 1n],
    );
    await own.chain.close();
  });

  test('fault 51: after a reorganisation the same payment keeps its name in its new block', async () => {
    const to = freshAddress();
    const first = (await height(anvil)) + 1;
    const other = await transfer(anvil, token, freshAddress(), 1n);
    await receipt(anvil, other);
    const hash = await transfer(anvil, token, to, 77n);
    await receipt(anvil, hash);
    const before = await chain.scan(first, first + 1, watching(to));
    const raw = (one: string): Promise<string> => anvil.rpc('eth_getRawTransactionByHash', [one]);
    // Both are now in one block, where the payment's log has another index.
    await anvil.rpc('anvil_reorg', [
      2,
      [
        [await raw(other), 1],
        [await raw(hash), 1],
      ],
    ]);
    const head = await chain.head();
    const now = await chain.scan(first, head.height, watching(to));
    assert.notEqual(now.blocks[0]?.hash, before.blocks[0]?.hash);
    assert.equal(now.blocks[0]?.parentHash, before.blocks[0]?.parentHash);
    const names = ({ transfers }: typeof now): unknown[] =>
      transfers.map(({ txid, index, units }) => [txid, index, units]);
    assert.deepEqual(names(now), [[hash, '0', 77n]]);
    assert.deepEqual(names(before), names(now));
  });

  test('a thousand blocks are read as one linked range and nothing in them is missed', async () => {
    const to = freshAddress();
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await transfer(anvil, token, to, 1n));
    await anvil.mine(500);
    await receipt(anvil, await transfer(anvil, token, to, 2n));
    await anvil.mine(500);
    await receipt(anvil, await transfer(anvil, token, to, 3n));
    const tokensOnly = await evmChain([anvil.url], { 'USDT-ERC20': token.address }, { takesCoin: false });
    const last = await height(anvil);
    const { blocks, transfers } = await tokensOnly.chain.scan(from, last, watching(to));
    assert.equal(blocks.length, 1_003);
    assert.ok(blocks.every((block, at) => at === 0 || block.parentHash === blocks[at - 1]?.hash));
    assert.deepEqual(
      transfers.map(({ units }) => units),
      [1n, 2n, 3n],
    );
    await tokensOnly.chain.close();
  });

  test('a token taken from someone by allowance counts like any other', async () => {
    const to = freshAddress();
    const [, spender] = (await anvil.rpc<`0x${string}`[]>('eth_accounts')) as [string, `0x${string}`];
    await receipt(anvil, await invoke(anvil, token, 'approve', [spender, 9n]));
    const from = (await height(anvil)) + 1;
    await receipt(anvil, await invoke(anvil, token, 'transferFrom', [payer, to, 9n], { from: spender }));
    assert.deepEqual(
      (await chain.scan(from, from, watching(to))).transfers.map(({ units }) => units),
      [9n],
    );
  });
});
