import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { isTillgateError } from '../../../core/index.ts';
import type { PayoutOutcome } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { receipt } from '../../support/contracts.ts';
import { fund, payingChain, tillAccount } from './evm-paying.ts';
import type { PayingChain, Signed } from './evm-paying.ts';
import { freshAddress, height, keyOf } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';
import type { Interference, RpcProxy } from './rpc-proxy.ts';

type Fields = Record<string, unknown>;
const GWEI = 1_000_000_000n;
const quantity = (value: number): string => `0x${value.toString(16)}`;

describe('an EVM node that lies about payments', () => {
  let anvil: Anvil;
  let proxy: RpcProxy;
  let lie: Interference = () => null;
  /** The till on the honest node; the other one is on the lying node. */
  let honest: PayingChain;
  let deceived: PayingChain;

  before(async () => {
    anvil = await startAnvil();
    proxy = await startProxy(anvil.url, (call) => lie(call));
    honest = await payingChain([anvil.url]);
    deceived = await payingChain([proxy.url]);
    await fund(anvil, honest.hot);
    await anvil.mine(40);
  });

  beforeEach(() => {
    lie = () => null;
  });

  after(async () => {
    await honest.chain.close();
    await deceived.chain.close();
    await proxy.stop();
    await anvil.stop();
  });

  async function mined(): Promise<Signed> {
    const signed = await honest.sign({ to: freshAddress() });
    await honest.payments.broadcast(signed);
    await receipt(anvil, signed.txid as `0x${string}`);
    return signed;
  }

  /** The outcome of a payment that a lying node reports. */
  async function outcomeUnder(signed: Signed, told: Interference): Promise<PayoutOutcome> {
    lie = told;
    return deceived.payments.outcome(signed.payout);
  }

  function assertUnclear(outcome: PayoutOutcome, words: RegExp): void {
    assert.equal(outcome.kind, 'unclear', JSON.stringify(outcome));
    assert.match((outcome as { reason: string }).reason, words);
  }

  /** Blocks with changed transactions: in full, or only their hashes. */
  const blocksWith = async (at: number, transactions: readonly unknown[]): Promise<Interference> => {
    const block = await anvil.rpc<Fields>('eth_getBlockByNumber', [quantity(at), true]);
    return ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === quantity(at) && params[1] === true
        ? { result: { ...block, transactions } }
        : null;
  };
  const hidingReceipts: Interference = ({ method }) =>
    method === 'eth_getTransactionReceipt' ? { result: null } : null;
  const all =
    (...lies: readonly Interference[]): Interference =>
    (call) =>
      lies.map((one) => one(call)).find((answer) => answer !== null) ?? null;

  test('fault 42: a payment whose receipt is hidden is waited for at first, and then a person is asked', async () => {
    const signed = await mined();
    assert.deepEqual(await outcomeUnder(signed, hidingReceipts), { kind: 'pending' });
    await anvil.mine(3);
    assertUnclear(await outcomeUnder(signed, hidingReceipts), /holds 0x.* shows no receipt/);
    assert.equal((await outcomeUnder(signed, () => null)).kind, 'mined');
  });

  test('fault 42: a nonce that is only said to be used is no conflict, however high', async () => {
    const signed = await honest.sign({ to: freshAddress() });
    const raise =
      (by: number, onlyAt: number | null): Interference =>
      ({ method, params }) =>
        method === 'eth_getTransactionCount' && (onlyAt === null || params[1] === quantity(onlyAt))
          ? { result: quantity(signed.nonce + by) }
          : null;
    assertUnclear(await outcomeUnder(signed, raise(1, null)), /no block shows by what/);
    assertUnclear(await outcomeUnder(signed, raise(5, await height(anvil))), /holds no such transaction/);
    assert.deepEqual(await outcomeUnder(signed, () => null), { kind: 'missing' });
  });

  test('fault 42: a node that forgot everything has a payment missing, to be sent again', async () => {
    const signed = await mined();
    const forgot: Interference = all(hidingReceipts, ({ method }) => {
      if (method === 'eth_getTransactionByHash') return { result: null };
      return method === 'eth_getTransactionCount' ? { result: quantity(signed.nonce) } : null;
    });
    assert.deepEqual(await outcomeUnder(signed, forgot), { kind: 'missing' });
  });

  test('fault 41: a conflict is believed only of a transaction that our key signed for this chain', async () => {
    const signed = await mined();
    await anvil.mine(5);
    const at = (await height(anvil)) - 5;
    const real = await anvil.rpc<Fields>('eth_getTransactionByHash', [signed.txid]);
    const foreign = privateKeyToAccount(`0x${'11'.repeat(32)}`);
    const request = {
      type: 'eip1559',
      chainId: anvil.chainId,
      nonce: signed.nonce,
      to: freshAddress(),
      value: 3n,
      gas: 21_000n,
      maxFeePerGas: 50n * GWEI,
      maxPriorityFeePerGas: GWEI,
    } as const;
    const forgeries: readonly (readonly [string, Fields])[] = [
      ['another value under the old signature', { ...real, value: '0x7', hash: `0x${'ab'.repeat(32)}` }],
      ['another hash', { ...real, hash: `0x${'cd'.repeat(32)}` }],
      ['an unknown kind', { ...real, type: '0x7f', hash: `0x${'ef'.repeat(32)}` }],
      ['no signature', { ...real, r: undefined, hash: `0x${'12'.repeat(32)}` }],
      ['another key', await rpcForm(await foreign.signTransaction(request), foreign.address, honest.hot.address)],
      [
        'another chain',
        {
          ...(await rpcForm(await tillAccount().signTransaction({ ...request, chainId: 5 }), null, honest.hot.address)),
          chainId: quantity(anvil.chainId),
        },
      ],
    ];
    for (const [what, forged] of forgeries) {
      const outcome = await outcomeUnder(signed, all(hidingReceipts, await blocksWith(at, [forged])));
      assert.equal(outcome.kind, 'unclear', `${what}: ${JSON.stringify(outcome)}`);
    }
    assertUnclear(
      await outcomeUnder(signed, all(hidingReceipts, await blocksWith(at, []))),
      /holds no such transaction/,
    );
  });

  test('fault 51: a receipt counts only while its block is on the present chain and lists the transaction', async () => {
    const signed = await mined();
    const at = await height(anvil);
    const real = await anvil.rpc<Fields>('eth_getTransactionReceipt', [signed.txid]);
    const block = await anvil.rpc<Fields>('eth_getBlockByNumber', [quantity(at), false]);
    const receiptOf =
      (changes: Fields): Interference =>
      ({ method }) =>
        method === 'eth_getTransactionReceipt' ? { result: { ...real, ...changes } } : null;
    assert.notEqual((await outcomeUnder(signed, receiptOf({ blockHash: `0x${'3'.repeat(64)}` }))).kind, 'mined');
    const unlisted: Interference = ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === quantity(at) && params[1] === false
        ? { result: { ...block, transactions: [] } }
        : null;
    assert.notEqual((await outcomeUnder(signed, unlisted)).kind, 'mined');
    assertUnclear(await outcomeUnder(signed, receiptOf({ from: freshAddress() })), /another sender/);
    lie = receiptOf({ transactionHash: `0x${'4'.repeat(64)}` });
    await assert.rejects(deceived.payments.outcome(signed.payout), (error: unknown) =>
      isTillgateError(error, 'NODE_FAILED'),
    );
  });

  test('fault 39: a refusal of what the node has taken is a success, and a wrong id is none', async () => {
    const lost = await honest.sign({ to: freshAddress() });
    await anvil.rpc('eth_sendRawTransaction', [lost.raw]);
    lie = ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'already known' } } : null;
    await deceived.payments.broadcast(lost);
    const other = await honest.sign({ to: freshAddress() });
    lie = ({ method }) => (method === 'eth_sendRawTransaction' ? { result: lost.txid } : null);
    await assert.rejects(
      deceived.payments.broadcast(other),
      (error: unknown) => isTillgateError(error, 'NODE_FAILED') && /the id of another/.test(error.message),
    );
  });

  test('fault 73: what a node says of a refusal is not repeated', async () => {
    const signed = await honest.sign({ to: freshAddress() });
    for (const [said, told] of [
      ['nonce too low: s3cr3t', /its nonce was used/],
      ['replacement transaction underpriced', /price is too low/],
      ['INTERNAL_ERROR: insufficient funds', /holds too little/],
      ['s3cr3t '.repeat(10_000), /unknown reason/],
    ] as const) {
      lie = ({ method }) => (method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: said } } : null);
      await assert.rejects(deceived.payments.broadcast(signed), (error: unknown) => {
        assert.ok(isTillgateError(error, 'NODE_FAILED'));
        assert.match(error.message, told);
        assert.doesNotMatch(error.message, /s3cr3t/);
        return true;
      });
    }
  });

  test('a node without fee history or advice still lets a payment be priced, within bounds', async () => {
    const line = { to: freshAddress(), currency: 'ETH', units: 1n };
    const price = async (told: Interference): Promise<bigint> => {
      lie = told;
      const { terms } = await deceived.payments.price({
        source: deceived.hot,
        lines: [line],
        coins: [],
        replaces: null,
      });
      return BigInt((JSON.parse(terms) as { price: string }).price);
    };
    const refuse =
      (...methods: readonly string[]): Interference =>
      ({ method }) =>
        methods.includes(method) ? { error: { code: -32601, message: 'no such method' } } : null;
    const usual = await price(() => null);
    for (const told of [
      refuse('eth_feeHistory'),
      refuse('eth_maxPriorityFeePerGas'),
      refuse('eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_gasPrice'),
    ]) {
      const found = await price(told);
      assert.ok(found > usual / 4n && found < usual * 4n, `${found} instead of ${usual}`);
    }
    const greedy = await price(({ method }) =>
      method === 'eth_maxPriorityFeePerGas' ? { result: '0xffffffffffffffffff' } : null,
    );
    assert.ok(greedy <= usual + 50n * GWEI, `${greedy}`);
  });

  test('fault 45: what no node may say fails, and nothing is priced', async () => {
    for (const told of [
      { eth_feeHistory: { baseFeePerGas: [] } },
      { eth_maxPriorityFeePerGas: -1 },
      { eth_getCode: null, eth_estimateGas: 'much' },
    ]) {
      lie = ({ method }) => (Object.hasOwn(told, method) ? { result: told[method as keyof typeof told] } : null);
      const line = { to: freshAddress(), currency: 'ETH', units: 1n };
      await assert.rejects(
        deceived.payments.price({ source: deceived.hot, lines: [line], coins: [], replaces: null }),
        (error: unknown) => isTillgateError(error, 'NODE_FAILED'),
      );
    }
  });

  /** A signed transaction in a node's JSON form, with the claimed sender. */
  async function rpcForm(raw: string, payer: string | null, claimed: string): Promise<Fields> {
    const { keccak256, parseTransaction } = await import('viem');
    assert.notEqual(payer === null ? null : keyOf(payer), keyOf(claimed));
    const { r, s, yParity, to, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(
      raw as `0x02${string}`,
    );
    const hex = (one: bigint | number | undefined): string => `0x${(one ?? 0).toString(16)}`;
    return {
      ...{
        type: '0x2',
        hash: keccak256(raw as `0x${string}`),
        from: claimed,
        nonce: hex(nonce),
        to,
        value: hex(value),
        gas: hex(gas),
        input: '0x',
      },
      ...{
        maxFeePerGas: hex(maxFeePerGas),
        maxPriorityFeePerGas: hex(maxPriorityFeePerGas),
        accessList: [],
        r,
        s,
        v: hex(yParity),
        yParity: hex(yParity),
      },
    };
  }
});
