import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { approveTransfer, TillgateError } from '../../../core/index.ts';
import type { SignRequest, TransferId } from '../../../core/index.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const DAY_MS = 24 * 3_600_000;

/** Makes the signer answer with the error that `answer` returns, if any. @returns the number of its calls */
function answers(
  payments: MoneyDomain['ethPayments'],
  answer: (request: SignRequest) => TillgateError | null,
): { readonly asked: number } {
  const count = { asked: 0 };
  const sign = payments.sign.bind(payments);
  payments.sign = async (request) => {
    count.asked += 1;
    const error = answer(request);
    if (error !== null) throw error;
    return sign(request);
  };
  return count;
}

const refused = new TillgateError('SIGNING_REFUSED', "The signer's policy refuses it (payment-limit): too much.");

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`a signer with rules of its own, on ${engine}`, () => {
    money(
      'fault 117: what it refuses is held with the rule’s name and not asked for again; the rest is paid',
      async (till) => {
        await till.fund('ETH', '6000');
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 10n * ETHER);
        let limit = ETHER / 2n;
        const isOver = ({ lines }: SignRequest): boolean =>
          lines.some(({ to, units }) => to === PAYEE.ETH && units > limit);
        const count = answers(till.ethPayments, (request) => (isOver(request) ? refused : null));
        const large = await till.withdraw('0.9');
        const small = await till.withdraw('0.4');
        await till.settle();
        const { status, reason } = await till.transfer(large.tx_id);
        assert.deepEqual([status, reason], ['HELD', refused.message]);
        assert.equal((await till.transfer(small.tx_id)).status, 'CONFIRMED');
        const { asked } = count;
        await till.settle();
        assert.equal(count.asked, asked);
        assert.equal(till.events.of('alert').filter(({ reason: why }) => why === refused.message).length, 1);
        limit = ETHER;
        await till.storage.transaction((tx) => approveTransfer(tx, large.tx_id as TransferId, till.clock.now()));
        await till.settle();
        assert.equal((await till.transfer(large.tx_id)).status, 'CONFIRMED');
      },
    );

    money(
      'fault 117: a signer that is away makes payments wait, longer than any payment waits, with one alert',
      async (till) => {
        await till.fund('ETH', '6000');
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 10n * ETHER);
        let isAway = true;
        const away = new TillgateError('SIGNER_UNAVAILABLE', 'The signer cannot be reached.');
        answers(till.ethPayments, () => (isAway ? away : null));
        const { tx_id: id } = await till.withdraw('0.5');
        for (let days = 0; days < 4; days++) {
          await assert.rejects(till.payOut(), away);
          till.clock.advance(DAY_MS);
        }
        assert.equal((await till.transfer(id)).status, 'REQUESTED');
        assert.equal(till.events.of('alert').filter(({ reason: why }) => why === away.message).length, 1);
        isAway = false;
        await till.settle();
        assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      },
    );

    money('fault 117: what it refuses together is paid one by one', async (till) => {
      await till.fund('BTC', '6000');
      answers(till.btcPayments, ({ lines }) => (lines.length > 1 ? refused : null));
      const both = [await till.withdraw('0.01', 'BTC'), await till.withdraw('0.02', 'BTC')];
      await till.settle(till.btc);
      for (const { tx_id: id } of both) assert.equal((await till.transfer(id)).status, 'CONFIRMED');
    });
  });
});
