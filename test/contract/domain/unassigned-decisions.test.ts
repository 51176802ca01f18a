import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { obtainedUnits, rejectTransfer } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { buildMoney } from '../../support/money.ts';
import { leaveRefundAddress } from '../../support/refund-address.ts';
import { testsOf } from '../../support/storage.ts';
import {
  again,
  assign,
  decisionsOf,
  ETHER,
  latePayment,
  lossOf,
  failing,
  nothing,
  owed,
  PAYER,
  refund,
} from './late-payment.ts';

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`decisions about unassigned deposits on ${engine}`, () => {
    money('assigned to its order, the money is the merchant’s and the order is resolved', async (till) => {
      const { deposit, order } = await latePayment(till);
      assert.equal(await owed(till), ETHER);
      await assign(till, deposit, order);
      assert.equal(await owed(till), 0n);
      assert.equal(await till.balance('available', 'ETH'), ETHER);
      const resolved = await till.order(order.id);
      assert.deepEqual([resolved.status, resolved.received], ['RESOLVED', ETHER]);
      const { items } = await till.queries.transactions(till.principal.accountId, { page: 1, size: 10 });
      assert.deepEqual(
        items.map(({ tx_type, status }) => [tx_type, status]),
        [['ORDER', 'SUCCESS']],
      );
      const callbacks = (await till.storage.callbacks.byOrder(order.id)).map(({ event }) => event);
      assert.deepEqual(callbacks, ['order.timeout', 'order.succeeded']);
      assert.ok((await till.storage.orders.history(order.id)).some(({ rule }) => rule === 'deposit-assigned'));
      // The merchant can withdraw it.
      till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
      const asked = await till.withdraw('0.5');
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });

    money(
      'assigned while it is only credited, it is pending until it is deep, and a reorganisation takes it',
      async (till) => {
        const { deposit, order } = await latePayment(till, { depth: 3 });
        const payment = till.eth.paid.at(-1);
        const other = await till.newOrder({ currency: 'ETH', price: '2000' });
        assert.ok(payment);
        await assign(till, deposit, other);
        assert.equal(await till.balance('pending', 'ETH'), ETHER);
        assert.equal((await till.order(other.id)).status, 'SUCCESS');
        assert.equal((await till.order(order.id)).received, 0n);
        till.eth.drop(3);
        till.eth.mineEmpty(4);
        await till.follow();
        assert.equal(await till.balance('pending', 'ETH'), 0n);
        assert.notEqual((await till.order(other.id)).reorgedAt, null);
        await till.checkBooks();
        till.eth.mine(payment);
        till.eth.mineEmpty(6);
        await till.follow();
        assert.equal(await till.balance('available', 'ETH'), ETHER);
        assert.equal((await till.order(other.id)).reorgedAt, null);
      },
    );

    money('paid back, the payer gets it less the fee, and the till owes nothing more', async (till) => {
      const { deposit } = await latePayment(till);
      const asked = await refund(till, deposit);
      assert.deepEqual([asked.kind, asked.accountId, asked.status], ['return', null, 'REQUESTED']);
      assert.equal((await again(till, deposit)).assignment, 'RETURNING');
      await till.settle();
      const transfer = await till.transfer(asked.id);
      assert.deepEqual([transfer.kind, transfer.depositId, transfer.status], ['return', deposit.id, 'CONFIRMED']);
      assert.deepEqual(till.ethPayments.paidTo(PAYER, 'ETH'), [obtainedUnits(transfer)]);
      assert.ok(transfer.feeUnits > 0n);
      assert.equal((await again(till, deposit)).assignment, 'RETURNED');
      assert.equal(await owed(till), 0n);
    });

    money('of two decisions about one deposit one is made', async (till) => {
      const { deposit, order } = await latePayment(till);
      const results = await Promise.allSettled([
        refund(till, deposit),
        assign(till, deposit, order),
        refund(till, deposit),
        assign(till, deposit, order),
      ]);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const result of results)
        if (result.status === 'rejected') assert.equal((result.reason as { code?: string }).code, 'STATE_CONFLICT');
    });

    money('a return that is rejected leaves the deposit unassigned, and it can be paid back again', async (till) => {
      const { deposit } = await latePayment(till);
      const first = await refund(till, deposit);
      await till.storage.transaction((tx) =>
        rejectTransfer(tx, first.id, 'a mistake', { now: till.clock.now(), ids: till.ids }),
      );
      assert.equal((await again(till, deposit)).assignment, 'UNASSIGNED');
      await till.checkBooks();
      const third = await refund(till, deposit);
      await till.settle();
      assert.equal((await till.transfer(third.id)).status, 'CONFIRMED');
      assert.equal(till.ethPayments.paidTo(PAYER, 'ETH').length, 1);
    });

    money('a reorganisation takes the deposit from under a return that is not signed', async (till) => {
      const { deposit } = await latePayment(till);
      const asked = await refund(till, deposit);
      till.eth.drop(8);
      till.eth.mineEmpty(9);
      await till.follow();
      assert.equal((await till.transfer(asked.id)).status, 'FAILED');
      const gone = await again(till, deposit);
      assert.deepEqual([gone.status, gone.assignment], ['ORPHANED', 'UNASSIGNED']);
      assert.equal(await owed(till), 0n);
      await assert.rejects(refund(till, deposit), { code: 'STATE_CONFLICT' });
    });

    money(
      'a reorganisation under a signed return is a loss of the till, made good when it is mined again',
      async (till) => {
        const { deposit } = await latePayment(till);
        const payment = till.eth.paid.at(-1);
        assert.ok(payment);
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
        const asked = await refund(till, deposit);
        await till.payOut();
        assert.notEqual((await till.transfer(asked.id)).status, 'REQUESTED');
        till.eth.drop(8);
        till.eth.mineEmpty(9);
        await till.follow();
        assert.equal(await lossOf(till), -ETHER);
        assert.equal(till.metrics.counted('tillgate_alerts_total', { kind: 'loss' }), 1);
        await till.settle();
        assert.equal((await till.transfer(asked.id)).status, 'CONFIRMED');
        assert.equal(await owed(till), 0n);
        till.eth.mine(payment);
        till.eth.mineEmpty(7);
        await till.follow();
        assert.equal(await lossOf(till), 0n);
        assert.deepEqual([(await again(till, deposit)).assignment, await owed(till)], ['RETURNED', 0n]);
      },
    );

    money(
      'a return that fails after a reorganisation took its deposit owes nothing, and loses its cost',
      async (till) => {
        const { deposit } = await latePayment(till);
        const payment = till.eth.paid.at(-1);
        assert.ok(payment);
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
        const asked = await refund(till, deposit);
        await till.payOut();
        till.ethPayments.reverts = ({ to }) => to === PAYER;
        till.eth.drop(8);
        till.eth.mineEmpty(9);
        await till.follow();
        assert.equal(await lossOf(till), -ETHER);
        await till.settle();
        assert.equal((await till.transfer(asked.id)).status, 'FAILED');
        const gone = await again(till, deposit);
        const cost = (await till.transfer(asked.id)).feeUnits;
        assert.deepEqual(
          [gone.status, gone.assignment, gone.lossUnits, gone.returnCostUnits],
          ['ORPHANED', 'UNASSIGNED', cost, cost],
        );
        assert.deepEqual([await owed(till), await lossOf(till)], [0n, -cost]);
        // Mined again, the deposit pays the cost of its refund.
        till.eth.mine(payment);
        till.eth.mineEmpty(7);
        await till.follow();
        assert.deepEqual([await owed(till), await lossOf(till)], [ETHER - cost, 0n]);
      },
    );

    money(
      'money that comes to a TERMINATED order is credited and can be refunded; it stays TERMINATED',
      async (till) => {
        const order = await till.newOrder({ currency: 'ETH', price: '2000' });
        await till.orderAdminActions.terminate(order.id, 'merchant');
        await assert.rejects(till.refund.run(till.principal, order.id), { code: 'STATE_CONFLICT' });
        till.eth.mine({ to: order.payment?.address ?? '', currency: 'ETH', units: ETHER, txid: 'ended', from: PAYER });
        till.eth.mineEmpty(8);
        await till.follow();
        assert.equal(await till.balance('available', 'ETH'), ETHER);
        await leaveRefundAddress(till, order.id, PAYER);
        await till.refund.run(till.principal, order.id);
        await till.settle();
        assert.equal(till.ethPayments.paidTo(PAYER, 'ETH').length, 1);
        assert.equal((await till.order(order.id)).status, 'TERMINATED');
        assert.equal((await till.refund.info(till.principal.accountId, order.id)).refund_status, 'SUCCESS');
        await assert.rejects(till.refund.run(till.principal, order.id), { code: 'STATE_CONFLICT' });
      },
    );

    money('what cannot be decided is refused', async (till) => {
      const { deposit, order } = await latePayment(till, { depth: 3 });
      await assert.rejects(refund(till, deposit), { code: 'STATE_CONFLICT' });
      till.eth.mineEmpty(6);
      await till.follow();
      const unpaid = await till.newOrder({ chain: 'BTC', currency: 'BTC' });
      await assert.rejects(assign(till, deposit, unpaid), { code: 'STATE_CONFLICT' });
      const run = decisionsOf(till);
      await assert.rejects(run.assign('404', order.id, 'operator', nothing), { code: 'NOT_FOUND' });
      const settled = await till.fund('ETH', '2000');
      const [paid] = await till.storage.deposits.byOrder(settled.id);
      assert(paid !== undefined);
      await assert.rejects(assign(till, paid, order), {
        code: 'STATE_CONFLICT',
        message: `The deposit belongs to order ${settled.id}.`,
      });
      await assert.rejects(run.assign(deposit.id, '404', 'operator', nothing), { code: 'NOT_FOUND' });
      await assert.rejects(run.refund(deposit.id, 'nowhere', nothing), { code: 'INVALID_FIELDS' });
      const own = order.payment?.address ?? '';
      await assert.rejects(run.refund(deposit.id, own, nothing), { code: 'DESTINATION_UNPAYABLE' });
      Object.assign(till.eth, { destinationProblem: (a: string) => (a === PAYER ? 'is a token’s contract' : null) });
      await assert.rejects(run.refund(deposit.id, PAYER, nothing), { code: 'DESTINATION_UNPAYABLE' });
      Object.assign(till.eth, { destinationProblem: undefined });
      await assert.rejects(run.refund(deposit.id, PAYER, failing), /the audit fails/);
      assert.equal((await again(till, deposit)).assignment, 'UNASSIGNED');
    });
  });
});
