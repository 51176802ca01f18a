import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { TransferId } from '../../../core/index.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;

/** A hot wallet with a float, and a merchant with three ether. */
async function funded(till: MoneyDomain): Promise<void> {
  await till.fund('ETH', '6000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 10n * ETHER);
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`one payment's trouble is its own, on ${engine}`, () => {
    money(
      'fault 89: one payment whose status cannot be read keeps no other from being signed and paid',
      async (till) => {
        await funded(till);
        const first = await till.withdraw('0.5');
        await till.payOut();
        const troubled = (await till.storage.transfers.payoutOf(first.tx_id as TransferId))?.attempts[0]?.txid;
        till.ethPayments.unreadable = ({ attempts }) => attempts.some(({ txid }) => txid === troubled);
        const second = await till.withdraw('0.4');
        await till.settle();
        assert.equal((await till.transfer(second.tx_id)).status, 'CONFIRMED');
        assert.equal((await till.transfer(first.tx_id)).status, 'BROADCAST');
        const alerts = till.events.of('alert').filter(({ subject }) => subject === `transfer ${first.tx_id}`);
        assert.equal(alerts.length, 1, 'one alert, however often it fails');
        till.ethPayments.unreadable = () => false;
        await till.settle();
        assert.equal((await till.transfer(first.tx_id)).status, 'CONFIRMED');
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 2);
      },
    );
  });
});
