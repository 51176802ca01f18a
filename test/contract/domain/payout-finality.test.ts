import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
/** Longer than the time between two comparisons of chain and ledger. */
const COMPARED_AGAIN_MS = 11 * 60_000;

/** Counts the calls of one method. */
function counted<K extends 'outcome'>(of: MoneyDomain['ethPayments'], method: K): () => number {
  const called = of[method].bind(of);
  let calls = 0;
  of[method] = (...given) => {
    calls += 1;
    return called(...given);
  };
  return () => calls;
}

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

    money('a block is asked about once for each payment, and again where the node could not tell', async (till) => {
      await till.fund('ETH', '2000');
      till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
      await till.withdraw('0.5');
      await till.payOut();
      till.eth.mineEmpty(1);
      await till.follow();
      const asked = counted(till.ethPayments, 'outcome');
      till.ethPayments.unreadable = () => true;
      await till.payOut();
      assert.equal(asked(), 1);
      till.ethPayments.unreadable = () => false;
      await till.payOut();
      assert.equal(asked(), 2);
      await till.payOut();
      assert.equal(asked(), 2);
    });

    money('fault 42: after a reorganisation, the same payment mined with its former fee is an alert', async (till) => {
      await till.fund('ETH', '2000');
      await till.float(ETHER);
      const { tx_id: id } = await till.withdraw('0.5');
      await till.payOut();
      const former = [...till.ethPayments.sent.values()].find(({ content }) => content.lines[0]?.to === PAYEE.ETH);
      assert(former !== undefined);
      till.clock.advance(61_000);
      till.eth.mineEmpty(1);
      await till.follow();
      await till.payOut();
      till.ethPayments.sent.delete(former.txid);
      for (let block = 0; block < 7; block++) {
        till.ethPayments.mine();
        await till.follow();
        await till.payOut();
      }
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      till.eth.drop(8);
      till.ethPayments.dropMempool();
      till.ethPayments.sent.set(former.txid, { ...former, block: null });
      till.ethPayments.mine();
      till.eth.mineEmpty(9);
      await till.follow();
      const before = till.logger.lines.length;
      await till.payOut();
      const errors = till.logger.lines.slice(before).filter(({ level }) => level === 'error');
      assert.deepEqual(
        errors.map(({ fields }) => fields['reason']),
        ['It was booked as paid; a reorganisation has put something else in its place.'],
      );
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });
  });

  describe(`payouts while the chain holds less than the ledger says, on ${engine}`, () => {
    money('three looks in a row stop them; one that finds everything begins anew', async (till) => {
      const { ethPayments: payments } = till;
      const [order, stop] = [await till.fund('ETH', '2000'), () => till.storage.transfers.payoutStop('ETH')];
      const at = order.payment?.address ?? '';
      const look = async (missing: bigint): Promise<void> => {
        payments.fund(at, 'ETH', -missing);
        till.clock.advance(COMPARED_AGAIN_MS);
        await till.payOut();
        payments.fund(at, 'ETH', missing);
      };
      for (const missing of [1n, 1n, 0n, 1n, 1n]) await look(missing);
      assert.equal(await stop(), null);
      await look(1n);
      assert.match((await stop()) ?? '', /holds less than the ledger says, by 0\.000000000000000001 ETH\./);
      const { transfers } = till.storage;
      await transfers.replacePayoutStop('ETH', await transfers.payoutStop('ETH'), null);
      for (const missing of [1n, 1n]) await look(missing);
      assert.equal(await stop(), null);
      await look(1n);
      assert.notEqual(await stop(), null);
    });
  });
});
