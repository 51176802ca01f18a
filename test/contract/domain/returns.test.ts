import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  cancelTransfer,
  checkLedger,
  keptOf,
  obtainedUnits,
  PayoutFeeEstimator,
  rejectTransfer,
  TillgateError,
} from '../../../core/index.ts';
import type { Deposit, Transfer } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { testsOf } from '../../support/storage.ts';
import {
  again,
  assign,
  decisionsOf,
  ETHER,
  latePayment,
  lossOf,
  nothing,
  owed,
  ownEther,
  PAYER,
  refund,
} from './late-payment.ts';

const FEE = 1_000n;

/**
 * Mines blocks with everything that can be mined; after each of them the chain holds what is owed, in the ledger too.
 */
async function blocks(till: MoneyDomain, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    till.clock.advance(1_000);
    till.ethPayments.mine();
    await till.follow();
    await till.payOut();
    await ownEther(till);
    assert.deepEqual(await checkLedger(till.storage), []);
  }
}

/** A refund of an unassigned deposit that is mined without effect. */
async function failedReturn(till: MoneyDomain, deposit: Deposit): Promise<Transfer> {
  till.ethPayments.reverts = ({ to }) => to === PAYER;
  const { id } = await refund(till, deposit);
  await blocks(till, 40);
  till.ethPayments.reverts = () => false;
  const transfer = await till.transfer(id);
  assert.equal(transfer.status, 'FAILED');
  return transfer;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`fault 107: returns of deposits that fail, without a float, on ${engine}`, () => {
    money(
      'one that is mined without effect is charged to its deposit; the next one pays what is left',
      async (till) => {
        const { deposit } = await latePayment(till);
        const failed = await failedReturn(till, deposit);
        // Its own transaction, and the sweep that was made for it.
        assert.equal(failed.feeUnits, 2n * FEE);
        const left = await again(till, deposit);
        assert.deepEqual([left.assignment, left.returnCostUnits, left.units], ['UNASSIGNED', 2n * FEE, ETHER]);
        assert.deepEqual([await owed(till), await ownEther(till)], [ETHER - 2n * FEE, 0n]);
        const second = await refund(till, deposit);
        assert.equal(second.units, ETHER - 2n * FEE);
        await blocks(till, 40);
        const paid = await till.transfer(second.id);
        assert.deepEqual([paid.status, paid.feeUnits], ['CONFIRMED', FEE]);
        assert.deepEqual(till.ethPayments.paidTo(PAYER, 'ETH'), [obtainedUnits(paid)]);
        assert.deepEqual([(await again(till, deposit)).assignment, await owed(till)], ['RETURNED', 0n]);
      },
    );

    money('one that is cancelled is charged what the cancel has cost', async (till) => {
      const { deposit } = await latePayment(till);
      till.ethPayments.unminable = ({ lines }) => lines.some(({ to }) => to === PAYER);
      const { id } = await refund(till, deposit);
      await blocks(till, 20);
      await till.storage.transaction((tx) => cancelTransfer(tx, id, 'No node takes it.'));
      await blocks(till, 60);
      const cancelled = await till.transfer(id);
      assert.deepEqual([cancelled.status, cancelled.feeUnits], ['FAILED', 3n * FEE]);
      assert.equal((await again(till, deposit)).returnCostUnits, 3n * FEE);
      assert.deepEqual([await owed(till), await ownEther(till)], [ETHER - 3n * FEE, 0n]);
    });

    money('one that is rejected leaves with the till what its sweep has cost', async (till) => {
      const { deposit } = await latePayment(till);
      const { id } = await refund(till, deposit);
      // The sweep for it is made, and the receiver cannot be paid meanwhile.
      till.ethPayments.objection = ({ to }) => (to === PAYER ? new TillgateError('STATE_CONFLICT', 'Not now.') : null);
      await blocks(till, 20);
      const waiting = await till.transfer(id);
      assert.equal(waiting.status, 'REQUESTED');
      const kept = await keptOf(till.eth, till.storage, waiting);
      assert.equal(kept, FEE);
      await till.storage.transaction((tx) =>
        rejectTransfer(tx, id, 'a mistake', { now: till.clock.now(), ids: till.ids, kept }),
      );
      assert.equal((await again(till, deposit)).returnCostUnits, FEE);
      assert.deepEqual([await owed(till), await ownEther(till)], [ETHER - FEE, 0n]);
    });

    money('what is kept of one that is rejected is charged to the unit', async (till) => {
      const { deposit } = await latePayment(till);
      const { id } = await refund(till, deposit);
      await till.storage.transaction((tx) =>
        rejectTransfer(tx, id, 'a mistake', { now: till.clock.now(), ids: till.ids, kept: 1n }),
      );
      assert.deepEqual([(await again(till, deposit)).returnCostUnits, await owed(till)], [1n, ETHER - 1n]);
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('one that waited too long is charged for its sweep, with an alert', async (till) => {
      const { deposit } = await latePayment(till);
      const { id } = await refund(till, deposit);
      till.ethPayments.objection = ({ to }) => (to === PAYER ? new TillgateError('STATE_CONFLICT', 'Not now.') : null);
      await blocks(till, 20);
      till.clock.advance(25 * 3_600_000);
      await blocks(till, 2);
      assert.equal((await till.transfer(id)).status, 'FAILED');
      assert.deepEqual([(await again(till, deposit)).returnCostUnits, await owed(till)], [FEE, ETHER - FEE]);
      assert.ok(till.events.of('alert').some(({ subject }) => subject === `transfer ${id}`));
    });

    money('one whose nonce somebody else has used is charged for its sweep', async (till) => {
      const { deposit } = await latePayment(till);
      till.ethPayments.unminable = ({ lines }) => lines.some(({ to }) => to === PAYER);
      const { id } = await refund(till, deposit);
      await blocks(till, 20);
      const view = await till.storage.transfers.payoutOf(id);
      till.ethPayments.steal(view?.payout.nonce ?? -1);
      await blocks(till, 40);
      const voided = await till.transfer(id);
      assert.deepEqual([voided.status, (await again(till, deposit)).returnCostUnits], ['FAILED', FEE]);
      assert.deepEqual([await owed(till), await ownEther(till)], [ETHER - FEE, 0n]);
    });

    money('what is left is assigned, and no more', async (till) => {
      const { deposit, order } = await latePayment(till);
      const { feeUnits: cost } = await failedReturn(till, deposit);
      await assign(till, deposit, order);
      const left = ETHER - cost;
      assert.deepEqual([await owed(till), await till.balance('available', 'ETH')], [0n, left]);
      assert.equal((await till.order(order.id)).received, left);
      const { items } = await till.queries.transactions(till.principal.accountId, { page: 1, size: 10 });
      assert.deepEqual(
        items.map(({ tx_type, obtained }) => [tx_type, obtained]),
        [['ORDER', '0.999999999999998']],
      );
      assert.deepEqual(await checkLedger(till.storage), []);
    });

    money('one that does not pay for itself any more is refused; the rest can be assigned', async (till) => {
      const { deposit, order } = await latePayment(till, { units: 3n * FEE });
      await failedReturn(till, deposit);
      assert.equal(await owed(till), FEE);
      await assert.rejects(refund(till, deposit), {
        code: 'STATE_CONFLICT',
        message: /does not cover the network fee/,
      });
      await assign(till, deposit, order);
      assert.deepEqual([await till.balance('available', 'ETH'), (await till.order(order.id)).received], [FEE, FEE]);
    });

    money('of one that has cost all of it nothing is left to pay back or to assign', async (till) => {
      await till.float(ETHER);
      const { deposit, order } = await latePayment(till, { units: 2n * FEE });
      till.ethPayments.unminable = ({ lines }) => lines.some(({ to }) => to === PAYER);
      const { id } = await refund(till, deposit);
      await blocks(till, 4);
      await till.storage.transaction((tx) => cancelTransfer(tx, id, 'No node takes it.'));
      await blocks(till, 60);
      assert.deepEqual([(await till.transfer(id)).status, await owed(till)], ['FAILED', 0n]);
      for (const decide of [() => refund(till, deposit), () => assign(till, deposit, order)])
        await assert.rejects(decide, { code: 'STATE_CONFLICT', message: /no amount left/ });
    });

    money('one that is asked for while another one fails never pays more than is left', async (till) => {
      const { deposit } = await latePayment(till);
      const estimator = new PayoutFeeEstimator({ storage: till.storage, rates: till.rateBook, clock: till.clock });
      const estimate = estimator.estimate.bind(estimator);
      estimator.estimate = async (...args) => {
        const fee = await estimate(...args);
        await failedReturn(till, deposit);
        return fee;
      };
      await assert.rejects(decisionsOf(till, estimator).refund(deposit.id, PAYER, nothing), { code: 'STATE_CONFLICT' });
      assert.deepEqual([(await again(till, deposit)).assignment, await owed(till)], ['UNASSIGNED', ETHER - 2n * FEE]);
    });

    money('a token’s is charged in tokens, and its cost was covered by the float', async (till) => {
      await till.float(ETHER);
      const units = 100_000_000n;
      const { deposit } = await latePayment(till, { currency: 'USDT-ERC20', units });
      const failed = await failedReturn(till, deposit);
      assert.ok(failed.feeUnits > 0n);
      assert.deepEqual(
        [(await again(till, deposit)).returnCostUnits, await owed(till, 'USDT-ERC20')],
        [failed.feeUnits, units - failed.feeUnits],
      );
    });
  });

  const unswept = testsOf(open, buildMoney, { sweeps: { maxFeeBps: 0 } });

  for (const isAssigned of [false, true])
    unswept(
      `fault 107: a reorganisation of a deposit whose return failed, ${isAssigned ? 'assigned' : 'unassigned'}, loses the cost until it is mined again, on ${engine}`,
      async (till) => {
        await till.float(ETHER);
        const { deposit, order } = await latePayment(till);
        const payment = till.eth.paid.at(-1);
        assert.ok(payment);
        till.ethPayments.reverts = ({ to }) => to === PAYER;
        const { id } = await refund(till, deposit);
        await blocks(till, 9);
        assert.deepEqual([(await till.transfer(id)).status, await owed(till)], ['FAILED', ETHER - FEE]);
        if (isAssigned) await assign(till, deposit, order);
        const left = (): Promise<bigint> => (isAssigned ? till.balance('available', 'ETH') : owed(till));
        for (let round = 0; round < 2; round++) {
          assert.deepEqual([await left(), await lossOf(till)], [ETHER - FEE, 0n]);
          const depth = till.eth.height - (await again(till, deposit)).blockHeight + 1;
          till.eth.drop(depth);
          till.eth.mineEmpty(depth + 1);
          await till.follow();
          assert.deepEqual([await left(), await lossOf(till)], [0n, -FEE]);
          assert.deepEqual(await checkLedger(till.storage), []);
          till.eth.mine(payment);
          await blocks(till, 4);
          const pending = isAssigned ? await till.balance('pending', 'ETH') : await owed(till);
          assert.deepEqual([pending, await lossOf(till)], [ETHER - FEE, 0n]);
          await blocks(till, 5);
        }
        assert.deepEqual([await left(), await lossOf(till)], [ETHER - FEE, 0n]);
        const { items } = await till.queries.transactions(till.principal.accountId, { page: 1, size: 10 });
        assert.deepEqual(
          items.map(({ obtained }) => obtained),
          isAssigned ? ['0.999999999999999'] : [],
        );
      },
    );
});
