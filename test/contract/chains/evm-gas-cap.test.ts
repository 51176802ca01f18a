import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseTransaction } from 'viem';
import { isTillgateError } from '../../../core/index.ts';
import type { SignedTransaction } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { burnerOf, REFUSER } from '../../support/gas-burner.ts';
import { fund, minedOutcome, payingChain } from './evm-paying.ts';
import type { PayingChain } from './evm-paying.ts';

const unpayable = (error: unknown): boolean => isTillgateError(error, 'DESTINATION_UNPAYABLE');

describe('fault 80: the gas of a payment has a limit', () => {
  let anvil: Anvil;
  let till: PayingChain;
  let next = 0;
  before(async () => {
    anvil = await startAnvil();
    till = await payingChain([anvil.url]);
    await fund(anvil, till.hot);
  });
  after(async () => {
    await till.chain.close();
    await anvil.stop();
  });

  async function contract(code: string): Promise<string> {
    const address = `0x${(0xc0de0000 + (next += 1)).toString(16).padStart(40, '0')}`;
    await anvil.rpc('anvil_setCode', [address, code]);
    return address;
  }
  const gasOf = ({ raw }: SignedTransaction): bigint => parseTransaction(raw as `0x${string}`).gas ?? 0n;

  test('a receiver that needs 24.7 million, 5 million or 310,000 gas, or refuses the coins, is not paid', async () => {
    for (const gas of [24_700_000, 5_000_000, 310_000])
      await assert.rejects(till.sign({ to: await contract(burnerOf(gas)) }), unpayable, `${gas} gas`);
    await assert.rejects(till.sign({ to: await contract(REFUSER) }), unpayable);
  });

  test('a contract within the limit is paid, and never with a higher limit than is allowed', async () => {
    const signed = await till.sign({ to: await contract(burnerOf(260_000)) });
    assert.equal(gasOf(signed), 300_000n);
    await till.payments.broadcast(signed);
    assert.ok((await minedOutcome(till.payments, signed.payout)).succeeded);
  });

  test('the operator can allow more, up to what a block takes', async () => {
    const more = await payingChain([anvil.url], {}, {}, { maxGas: 6_000_000n });
    const to = await contract(burnerOf(5_000_000));
    assert.equal(gasOf(await more.sign({ to })), 6_000_000n);
    await anvil.rpc('evm_setBlockGasLimit', ['0x4c4b40']);
    await anvil.mine();
    await assert.rejects(more.sign({ to }), unpayable);
    await anvil.rpc('evm_setBlockGasLimit', ['0x1c9c380']);
    await anvil.mine();
    await more.chain.close();
  });

  test('a replacement of what an earlier release signed without a limit has one', async () => {
    const generous = await payingChain([anvil.url], {}, {}, { maxGas: 30_000_000n });
    const to = await contract(burnerOf(5_000_000));
    const former = await generous.sign({ to });
    assert.ok(gasOf(former) > 5_000_000n);
    await assert.rejects(till.sign({ to }, { nonce: former.nonce, replaces: former }), unpayable);
    await anvil.rpc('anvil_setCode', [to, '0x']);
    assert.equal(gasOf(await till.sign({ to }, { nonce: former.nonce, replaces: former })), 300_000n);
    await generous.chain.close();
  });
});
