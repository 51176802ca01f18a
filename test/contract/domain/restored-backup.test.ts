import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { canPay, checkLedger, reconcile } from '../../../core/index.ts';
import type { TransferId } from '../../../core/index.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;

/** A withdrawal of half an ether that was broadcast. */
async function sentHalf(till: MoneyDomain): ReturnType<MoneyDomain['withdraw']> {
  await till.fund('ETH', '2000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
  const asked = await till.withdraw('0.5');
  await till.payOut();
  return asked;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`payments that a restored backup does not know of, on ${engine}`, () => {
    for (const [code, amount, receiver] of [
      ['ETH', '0.9', PAYEE.ETH],
      ['BTC', '0.9', PAYEE.BTC],
    ] as const) {
      money(
        `fault 82: a fee bump that a restored backup does not know of is the payment (${code}): paid once, at its real cost`,
        async (till) => {
          await till.fund(code, code === 'ETH' ? '2000' : '50000');
          const [chain, payments] = code === 'ETH' ? [till.eth, till.ethPayments] : [till.btc, till.btcPayments];
          if (code === 'ETH') payments.fund(payments.hotAddress, 'ETH', 2n * ETHER);
          else await till.float(1_000_000n, chain);
          const asked = await till.withdraw(amount, code);
          await till.payOut(chain);
          const before = await till.balance('available', code);
          const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
          const bump = payments.bumpElsewhere(view?.attempts[0]?.txid ?? '');
          for (let block = 0; block < 40; block++) {
            payments.mine();
            await till.follow(chain);
            await till.payOut(chain);
          }
          const transfer = await till.transfer(asked.tx_id);
          assert.equal(transfer.status, 'CONFIRMED');
          assert.equal((await till.storage.transfers.payoutOf(transfer.id))?.payout.minedTxid, bump);
          assert.deepEqual([await till.balance('reserved', code), await till.balance('available', code)], [0n, before]);
          assert.equal(payments.paidTo(receiver, code).length, 1);
          assert.equal(await till.storage.transfers.payoutStop(code), null);
          assert.ok(canPay(chain));
          assert.deepEqual(
            (await reconcile(chain, till)).filter(({ shortfall }) => shortfall > 0n),
            [],
          );
          assert.deepEqual(await checkLedger(till.storage), []);
        },
      );
    }

    money(
      'fault 82: a rival that pays the receiver another amount stops payouts, and nothing is given back',
      async (till) => {
        const asked = await sentHalf(till);
        const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
        till.ethPayments.bumpElsewhere(view?.attempts[0]?.txid ?? '', 1n);
        till.ethPayments.mine();
        till.eth.mineEmpty(60);
        await till.follow();
        await till.payOut();
        assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
        assert.equal(await till.balance('reserved', 'ETH'), ETHER / 2n);
        assert.match((await till.storage.transfers.payoutStop('ETH')) ?? '', /keys of ETH were used outside/);
      },
    );

    money('fault 82: a rival that pays somebody else stops payouts at once', async (till) => {
      const asked = await sentHalf(till);
      const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
      till.ethPayments.dropMempool();
      till.ethPayments.steal(view?.payout.nonce ?? -1);
      till.ethPayments.mine();
      await till.follow();
      await till.payOut();
      assert.match((await till.storage.transfers.payoutStop('ETH')) ?? '', /keys of ETH were used outside/);
    });
  });
});
