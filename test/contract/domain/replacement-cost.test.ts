import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { cancelTransfer, present, readSolvency } from '../../../core/index.ts';
import type { TransferId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const FEE = 1_000n;

/** The chain's balance beyond what is owed; never below zero. */
async function ownEther(till: MoneyDomain): Promise<bigint> {
  const lines = await readSolvency(till.eth, till.storage);
  for (const { currency, units } of lines) assert.ok(units >= 0n, `the till lacks ${-units} units of ${currency}`);
  return lines.find(({ currency }) => currency === 'ETH')?.units ?? 0n;
}

/** Mines blocks with everything that can be mined. */
async function blocks(till: MoneyDomain, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    till.clock.advance(MINUTE + 1_000);
    till.ethPayments.mine();
    await till.follow();
    await till.payOut();
    await ownEther(till);
  }
}

async function feesOf(till: MoneyDomain, id: string): Promise<readonly bigint[]> {
  const view = present(await till.storage.transfers.payoutOf(id as TransferId), `the payout of ${id}`);
  return view.attempts.filter(({ kind }) => kind === 'payment').map(({ feeUnits }) => feeUnits);
}

/** A signed withdrawal that is not mined. */
async function stuck(till: MoneyDomain, amount: string, currency = 'ETH'): Promise<string> {
  const payee = ({ lines }: { readonly lines: readonly { readonly to: string }[] }): boolean =>
    lines.some(({ to }) => to === PAYEE.ETH);
  till.ethPayments.unminable = payee;
  const { tx_id } = await till.withdraw(amount, currency);
  while ((await till.storage.transfers.payoutOf(tx_id as TransferId)) === null) await blocks(till, 1);
  return tx_id;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney, { payouts: { cancelAfterMs: 20 * MINUTE } });

  describe(`raised fees on an account chain, on ${engine}`, () => {
    money('fault 101: without a float none is raised beyond the charge; the payment is cancelled', async (till) => {
      await till.fund('ETH', '2000');
      const before = await till.balance('available', 'ETH');
      const id = await stuck(till, '0.5');
      await blocks(till, 8);
      assert.deepEqual(await feesOf(till, id), [FEE]);
      const alert = till.events.of('alert').find(({ subject }) => subject === `transfer ${id}`);
      assert.match(alert?.reason ?? '', /lacks ETH of its own .* send at least 0\.000000000000001 ETH to eth-hot/);
      await blocks(till, 80);
      assert.equal((await till.transfer(id)).status, 'FAILED');
      const cost = before - (await till.balance('available', 'ETH'));
      assert.equal(cost, 3n * FEE, 'its owner pays the sweep and the cancel');
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 0);
    });

    money('fault 101: a token payment is raised as far as the float goes, and mined at that fee', async (till) => {
      await till.float(20n * FEE);
      await till.fund('USDT-ERC20', '500');
      await blocks(till, 15);
      // The remaining balance pays for the payment and two raised fees.
      till.ethPayments.fee = ((await ownEther(till)) * 10n) / 35n;
      const id = await stuck(till, '100', 'USDT-ERC20');
      await blocks(till, 12);
      const fees = await feesOf(till, id);
      assert.deepEqual(
        fees,
        [1n, 2n, 3n].map((times) => times * till.ethPayments.fee),
      );
      till.ethPayments.unminable = ({ lines, fee }) =>
        lines.some(({ to }) => to === PAYEE.ETH) && fee !== String(fees.at(-1));
      await blocks(till, 15);
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
    });

    money(
      'fault 101: a cancel that its owner does not pay waits for the float, and the operator is told',
      async (till) => {
        await till.float(20n * FEE);
        await till.fund('USDT-ERC20', '500');
        await blocks(till, 15);
        till.ethPayments.fee = ((await ownEther(till)) * 10n) / 15n;
        const id = await stuck(till, '100', 'USDT-ERC20');
        await till.storage.transaction((tx) => cancelTransfer(tx, id as TransferId, 'Nobody takes it.'));
        await blocks(till, 3);
        const view = present(await till.storage.transfers.payoutOf(id as TransferId), 'a payout');
        assert.deepEqual(
          view.attempts.map(({ kind }) => kind),
          ['payment'],
        );
        const alerts = till.events.of('alert').filter(({ subject }) => subject === `transfer ${id}`);
        assert.match(alerts.at(-1)?.reason ?? '', /Its cancellation cannot be paid now: The till lacks ETH/);
        await till.float(100n * FEE);
        await blocks(till, 60);
        assert.equal((await till.transfer(id)).status, 'FAILED');
      },
    );
  });
});
