import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import { agreeEvmPrice } from '../../../adapters/chains/evm/agree-price.ts';
import { startOpStack } from '../../support/op-stack.ts';
import type { OpStackNode } from '../../support/op-stack.ts';
import { deployContract, mint, receipt } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { fund, minedOutcome, payingChain } from './evm-paying.ts';
import type { PayingChain } from './evm-paying.ts';
import { freshAddress } from './evm-support.ts';

const ETHER = 10n ** 18n;
const OPTIONS = { chainId: 8453, layerOneFee: 'op-stack' } as const;

describe('payments on a chain that charges for its first layer', () => {
  let node: OpStackNode;
  let till: PayingChain;
  let token: DeployedContract;
  let next = 0;

  before(async () => {
    node = await startOpStack({ chainId: 8453 });
    token = await deployContract(node.anvil, 'TestToken', ['USDT', 6]);
    till = await payingChain([node.url], { 'USDT-ERC20': token.address }, OPTIONS);
    await fund(node.anvil, till.hot);
  });

  after(async () => {
    await till.chain.close();
    await node.stop();
  });

  const held = async (address: string): Promise<bigint> =>
    BigInt(await node.anvil.rpc<string>('eth_getBalance', [address, 'latest']));
  const priced = (units: bigint, currency = 'ETH') =>
    till.payments.price({
      source: till.hot,
      lines: [{ to: freshAddress(), currency, units }],
      coins: [],
      replaces: null,
    });

  test('an estimate has both parts, and the price by gas alone would be too little', async () => {
    const { feeUnits, terms } = await priced(1n);
    const { gas, price, beside } = JSON.parse(terms) as Record<'gas' | 'price' | 'beside', string>;
    assert.equal(feeUnits, BigInt(gas) * BigInt(price) + BigInt(beside));
    assert.ok(BigInt(beside) >= node.layerOneFee() && node.layerOneFee() > 0n);
  });

  test('a sweep of everything is mined, and its outcome is to the wei what the address paid', async () => {
    const source = await till.deposit((next += 1));
    await node.anvil.rpc('anvil_setBalance', [source.address, `0x${ETHER.toString(16)}`]);
    const lines = [{ to: till.hot.address, currency: 'ETH', units: ETHER / 2n }];
    const { feeUnits } = await till.payments.price({ source, lines, coins: [], replaces: null });
    const units = ETHER - feeUnits;
    const sweep = await till.sign({ to: till.hot.address, units }, { source });
    assert.equal(sweep.feeUnits, feeUnits);
    await till.payments.broadcast(sweep);
    const outcome = await minedOutcome(till.payments, sweep.payout);
    assert.equal(outcome.feeUnits, ETHER - units - (await held(source.address)));
    assert.ok(outcome.succeeded && outcome.feeUnits <= feeUnits);
  });

  test('tokens too', async () => {
    await mint(node.anvil, token, till.hot.address as `0x${string}`, 900n);
    const before = await held(till.hot.address);
    const payment = await till.sign({ to: freshAddress(), currency: 'USDT-ERC20', units: 900n });
    await till.payments.broadcast(payment);
    const outcome = await minedOutcome(till.payments, payment.payout);
    assert.equal(outcome.feeUnits, before - (await held(till.hot.address)));
  });

  test('fault 243: a fee of the first layer that rises between estimate and signature is in the price that is signed', async () => {
    const before = await priced(1n);
    await node.raise(50n, true);
    try {
      const risen = await priced(1n);
      assert.ok(risen.feeUnits > before.feeUnits + (40n * node.layerOneFee()) / 50n);
      // The real fee is the one in the contract: a payment at the old price would be short.
      assert.ok(before.feeUnits < node.layerOneFee());
    } finally {
      await node.raise(1n, true);
    }
  });

  test('fault 244: where the chain’s contract does not tell, nothing is priced', async () => {
    const { startAnvil } = await import('../../support/anvil.ts');
    const plain = await startAnvil({ chainId: 8453 });
    const other = await payingChain([plain.url], {}, OPTIONS);
    await fund(plain, other.hot);
    const lines = [{ to: freshAddress(), currency: 'ETH', units: 1n }];
    await assert.rejects(
      other.payments.price({ source: other.hot, lines, coins: [], replaces: null }),
      (error: unknown) => isTillgateError(error, 'NODE_FAILED') && error.message.includes('first layer'),
    );
    await other.chain.close();
    await plain.stop();
  });

  test('fault 244: a receipt without the first layer’s fee is not booked', async () => {
    const plain = await payingChain([node.anvil.url], {}, OPTIONS);
    const payment = await plain.sign({ to: freshAddress(), units: 5n });
    await plain.payments.broadcast(payment);
    await receipt(node.anvil, payment.txid as `0x${string}`);
    await assert.rejects(
      plain.payments.outcome(payment.payout),
      (error: unknown) => isTillgateError(error, 'NODE_FAILED') && error.message.includes('first layer'),
    );
    assert.equal((await minedOutcome(till.payments, payment.payout)).succeeded, true);
    await plain.chain.close();
  });

  test('a node that invents a fee of the first layer is not agreed with', () => {
    const terms = (beside: number): string =>
      JSON.stringify({ type: 'eip1559', gas: '21000', price: '7', beside: `${beside}` });
    const by = (...besides: readonly number[]) =>
      agreeEvmPrice(besides.map((beside) => ({ feeUnits: 0n, coins: [], terms: terms(beside) })));
    assert.equal(by(10, 12)?.feeUnits, 21_000n * 7n + 12n);
    assert.equal(by(10, 101), null);
    assert.equal(by(0, 1), null);
  });
});
