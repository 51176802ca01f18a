import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { formatUnits, obtainedUnits, present, reconcile } from '../../../core/index.ts';
import type { PayingChain } from '../../../core/index.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const FLOAT = ETHER / 10n;

/** One currency of the comparison of chain and books. */
async function compared(till: MoneyDomain, currency: string) {
  const lines = await reconcile(till.eth as PayingChain, till);
  return present(
    lines.find((line) => line.currency === currency),
    `a line of ${currency}`,
  );
}

/** What the chain shows beyond the books. */
async function surplus(till: MoneyDomain, currency = 'ETH'): Promise<bigint> {
  const { onChain, expected } = await compared(till, currency);
  return onChain - expected;
}

async function booked(till: MoneyDomain, account: string, currency = 'ETH'): Promise<bigint> {
  const balances = await till.storage.ledger.balances(account);
  return balances.find((balance) => balance.account === account && balance.currency === currency)?.units ?? 0n;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`gas at deposit addresses on ${engine}`, () => {
    money('fault 79: what a token sweep leaves is booked, compared and used by the next one', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      ethPayments.fund(ethPayments.hotAddress, 'ETH', FLOAT);
      await till.fund('ETH', '2000');
      const addresses: string[] = [];
      for (let order = 0; order < 3; order++)
        addresses.push(present((await till.fund('USDT-ERC20', '500')).payment, 'a payment').address);
      await till.settle();
      assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'USDT-ERC20').length, 3);
      const left = await Promise.all(addresses.map((address) => ethPayments.balance(address, 'ETH')));
      assert.deepEqual(left, Array(3).fill(ethPayments.fee / 4n), 'a quarter of the gas is not used');
      assert.equal(await booked(till, 'gas:ETH'), -left.reduce((sum, units) => sum + units, 0n));
      assert.equal(await surplus(till), FLOAT, 'every wei on chain is in the books');
      assert.equal((await compared(till, 'ETH')).shortfall, 0n);
      const [address] = addresses;
      assert(address !== undefined);
      till.eth.mine({ to: address, currency: 'USDT-ERC20', units: 10n ** 9n, txid: 'paid-again', from: 'eth-payer' });
      till.eth.mineEmpty(till.eth.policy.spendableConfirmations + 4);
      await till.follow();
      await till.settle();
      assert.deepEqual(ethPayments.paidTo(address, 'ETH'), [(ethPayments.fee * 5n) / 4n, ethPayments.fee]);
      assert.equal(await ethPayments.balance(address, 'ETH'), ethPayments.fee / 4n, 'only what was missing was sent');
      assert.equal(await surplus(till), FLOAT);
      assert.equal(await till.storage.transfers.payoutStop('ETH'), null);
    });

    money('fault 79: gas that is gone from its address is missing money', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      ethPayments.fund(ethPayments.hotAddress, 'ETH', FLOAT);
      const { payment } = await till.fund('USDT-ERC20', '500');
      await till.settle();
      assert(payment !== null);
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -FLOAT);
      const before = (await compared(till, 'ETH')).shortfall;
      ethPayments.fund(payment.address, 'ETH', -1n);
      assert.equal((await compared(till, 'ETH')).shortfall, before + 1n);
    });

    money('coins of a payer that are not spendable yet are no gas for the tokens beside them', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      ethPayments.fund(ethPayments.hotAddress, 'ETH', FLOAT);
      const { payment } = await till.fund('USDT-ERC20', '500');
      assert(payment !== null);
      till.eth.mine({ to: payment.address, currency: 'ETH', units: ETHER, txid: 'paid-coins', from: 'eth-payer' });
      await till.follow();
      await till.payOut();
      assert.deepEqual(
        [...ethPayments.sent.values()].map(({ content }) => content.source),
        [ethPayments.hotAddress],
        'gas is sent before anything leaves the address',
      );
      await till.settle();
      assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'ETH'), [ETHER - ethPayments.fee]);
      assert.equal(await surplus(till), FLOAT);
    });
  });

  describe(`the comparison of chain and books on ${engine}`, () => {
    money('every payment leaves the books as the chain is, to the unit', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 7n * 10n ** 12n;
      ethPayments.fund(ethPayments.hotAddress, 'ETH', FLOAT);
      await till.fund('ETH', '2000');
      await till.fund('USDT-ERC20', '100');
      const coins = await till.withdraw('0.25');
      const tokens = await till.withdraw('60', 'USDT-ERC20');
      await till.settle();
      assert.equal((await till.transfer(tokens.tx_id)).status, 'CONFIRMED');
      const paid = await till.transfer(coins.tx_id);
      assert.deepEqual(ethPayments.paidTo(PAYEE.ETH, 'ETH'), [obtainedUnits(paid)]);
      assert.equal(await surplus(till), FLOAT);
      assert.equal(await surplus(till, 'USDT-ERC20'), 0n);
      const spent = [...ethPayments.sent.values()].reduce((sum, { content }) => sum + BigInt(content.fee), 0n);
      assert.equal(await booked(till, 'fees:network'), paid.feeUnits - spent, 'each fee lowers what is left of them');
    });

    money('a sweep that is signed and not mined hides no missing money', async (till) => {
      const { ethPayments } = till;
      await till.fund('ETH', '2000');
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('1.5');
      await till.payOut();
      till.eth.mineEmpty(1);
      await till.follow();
      await till.payOut();
      const taken = await till.storage.transfers.inFlight('ETH');
      assert.ok(taken.some(({ sourceAddress, units }) => sourceAddress !== ethPayments.hotAddress && units > 0n));
      assert.equal((await compared(till, 'ETH')).shortfall, 0n);
      ethPayments.fund(ethPayments.hotAddress, 'ETH', -ETHER / 2n);
      const { shortfall, inFlight } = await compared(till, 'ETH');
      assert.equal(shortfall, ETHER / 2n - inFlight);
      assert.ok(inFlight < ETHER / 100n, 'only the fees of sweeps may have gone');
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
    });
  });

  describe(`payments that fail on chain, on ${engine}`, () => {
    money('fault 80: a receiver that fails on purpose pays for each of its failures', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = ETHER / 1_000n;
      await till.fund('ETH', '2000');
      await till.fund('ETH', '2000');
      ethPayments.reverts = ({ to }) => to === PAYEE.ETH;
      for (let attempt = 0; attempt < 6; attempt++) {
        const asked = await till.withdraw('0.4');
        await till.settle();
        const failed = await till.transfer(asked.tx_id);
        assert.equal(failed.status, 'FAILED', failed.reason ?? '');
        const rows = await till.queries.transactions(till.principal.accountId, { page: 1, size: 1 });
        const [row] = rows.items;
        assert.deepEqual(
          [row?.status, row?.fee, row?.obtained],
          ['FAILED', formatUnits(failed.feeUnits, 18), '0'],
          'the merchant sees what it was charged',
        );
      }
      assert.ok(
        (await booked(till, 'fees:network')) >= -2n * ethPayments.fee,
        'the till paid for its two sweeps alone',
      );
      assert.equal(await surplus(till), 0n);
      assert.equal(
        await till.balance('available', 'ETH'),
        2n * ETHER - BigInt(ethPayments.sent.size) * ethPayments.fee - (await booked(till, 'fees:network')),
      );
    });

    money('fault 80: a failed token payment is charged in the token, at the rate of its fee', async (till) => {
      const { ethPayments } = till;
      ethPayments.fee = 10n ** 13n;
      ethPayments.fund(ethPayments.hotAddress, 'ETH', FLOAT);
      await till.fund('USDT-ERC20', '100');
      await till.withdraw('10', 'USDT-ERC20');
      await till.settle();
      ethPayments.reverts = ({ to }) => to === PAYEE.ETH;
      const asked = await till.withdraw('60', 'USDT-ERC20');
      await till.settle();
      const failed = await till.transfer(asked.tx_id);
      assert.equal(failed.status, 'FAILED');
      // 0.00001 ETH at 2000 is 0.02 USDT.
      assert.equal(failed.feeUnits, 20_000n);
      assert.equal(await till.balance('available', 'USDT-ERC20'), 89_980_000n);
      assert.equal(await booked(till, 'fees:network', 'USDT-ERC20'), 40_000n);
      assert.equal(await surplus(till, 'USDT-ERC20'), 0n);
    });
  });
});
