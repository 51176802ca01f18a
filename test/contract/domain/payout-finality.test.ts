import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`the finality of payments, on ${engine}`, () => {
    money('a payment is booked with its last confirmation, and not one block earlier', async (till) => {
      const needed = till.eth.policy.spendableConfirmations;
      assert(needed > 1);
      await till.fund('ETH', '2000');
      till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
      const asked = await till.withdraw('0.5');
      await till.payOut();
      till.ethPayments.mine();
      await till.follow();
      for (let confirmations = 1; confirmations < needed; confirmations++) {
        await till.payOut();
        assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST', `${confirmations} of ${needed}`);
        till.eth.mineEmpty(1);
        await till.follow();
        till.clock.advance(61_000);
      }
      await till.payOut();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });
  });
});
