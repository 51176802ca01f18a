import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseTransaction } from 'viem';
import { present } from '../../../core/index.ts';
import type { SignedTransaction } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { burnerOf } from '../../support/gas-burner.ts';
import { fund, minedOutcome, payingChain, payoutOf } from './evm-paying.ts';
import type { PayingChain, Signed } from './evm-paying.ts';

const RECEIVER = '0x00000000000000000000000000000000c0de0001';

describe('fault 81: a nonce that no node takes is used by a payment of nothing to oneself', () => {
  let anvil: Anvil;
  let till: PayingChain;
  /** The chain of an earlier release, which signed without a gas limit. */
  let former: PayingChain;
  before(async () => {
    anvil = await startAnvil();
    till = await payingChain([anvil.url]);
    former = await payingChain([anvil.url], {}, {}, { maxGas: 30_000_000n });
    await fund(anvil, till.hot);
    await anvil.rpc('anvil_setCode', [RECEIVER, burnerOf(24_700_000)]);
  });
  after(async () => {
    await Promise.all([till.chain.close(), former.chain.close()]);
    await anvil.stop();
  });

  const cancelling = (signed: Signed, replaces: SignedTransaction = signed): Promise<SignedTransaction> => {
    const cancel = present(till.payments.cancel, 'cancelling').bind(till.payments);
    return cancel({ source: till.hot, coins: [], nonce: signed.nonce, replaces });
  };

  test('more gas than a block takes is refused by the node, its cancel is mined, and the nonces behind it go on', async () => {
    const stuck = await former.sign({ to: RECEIVER });
    await anvil.rpc('evm_setBlockGasLimit', ['0xe4e1c0']);
    await anvil.mine();
    await assert.rejects(till.payments.broadcast(stuck), /gas|reason/);
    const behind = await till.sign({ to: '0x00000000000000000000000000000000c0de0007' }, { nonce: stuck.nonce + 1 });
    await till.payments.broadcast(behind);
    await anvil.mine();
    assert.equal((await till.payments.outcome(behind.payout)).kind, 'pending');
    const cancel = await cancelling(stuck);
    const { to, value, gas, nonce, data } = parseTransaction(cancel.raw as `0x${string}`);
    assert.deepEqual(
      [to?.toLowerCase(), value ?? 0n, gas, nonce, data],
      [till.hot.address.toLowerCase(), 0n, 21_000n, stuck.nonce, undefined],
    );
    await till.payments.broadcast(cancel);
    await anvil.mine();
    const outcome = await minedOutcome(till.payments, payoutOf(till.hot, stuck.nonce, [stuck, cancel]));
    assert.deepEqual([outcome.txid, outcome.succeeded], [cancel.txid, true]);
    assert.equal(outcome.feeUnits, cancel.feeUnits);
    assert.equal((await till.payments.outcome(behind.payout)).kind, 'mined');
    await anvil.rpc('evm_setBlockGasLimit', ['0x1c9c380']);
  });

  test('it outbids what waits, also above the limit of the gas price, and one of both is mined', async () => {
    await anvil.setAutomine(false);
    const signed = await till.sign({ to: '0x00000000000000000000000000000000c0de0002' });
    await till.payments.broadcast(signed);
    const strict = await payingChain([anvil.url], {}, {}, { maxGasPrice: 1n });
    const cancel = await present(strict.payments.cancel, 'cancelling').call(strict.payments, {
      ...{ source: till.hot, coins: [], nonce: signed.nonce, replaces: signed },
    });
    await till.payments.broadcast(cancel);
    await anvil.mine();
    const outcome = await minedOutcome(till.payments, payoutOf(till.hot, signed.nonce, [signed, cancel]));
    assert.equal(outcome.txid, cancel.txid);
    const second = await cancelling(signed, cancel);
    assert.ok(second.feeUnits > cancel.feeUnits);
    await strict.chain.close();
    await anvil.setAutomine(true);
  });
});
