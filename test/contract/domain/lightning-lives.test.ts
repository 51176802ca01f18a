import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  approveTransfer,
  bookedFloat,
  isTillgateError,
  ManageChains,
  ManageWithdrawals,
  OPERATOR,
  rejectTransfer,
} from '../../../core/index.ts';
import type { ErrorCode, TransferId } from '../../../core/index.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { FakeVault } from '../../support/fakes.ts';

const MSAT = 1_000_000n;
const refusal =
  (code: ErrorCode, message = /./) =>
  (error: unknown) =>
    isTillgateError(error, code) && message.test(error.message);

const chainsOf = (till: LightningDomain): ManageChains =>
  new ManageChains({ ...till, chains: new Map(), lightning: till.node });

/** One pass of another instance, with only the stored state. */
const pay = async (till: LightningDomain): Promise<boolean> =>
  till.newWork().payer.step(await till.workLease('payout'));
const follow = async (till: LightningDomain): Promise<void> => {
  const { follower } = till.newWork();
  const lease = await till.workLease('follow');
  for (let steps = 0; steps < 100 && (await follower.step(lease)); steps++);
};
const alertsOf = ({ events }: LightningDomain): readonly string[] =>
  events.of('alert').flatMap(({ kind, subject }) => (kind === 'restored' ? [subject] : []));

/** A withdrawal that was sent to the node without an answer: the node has it, unless it was lost before. */
async function unanswered(
  till: LightningDomain,
  lost: 'before' | 'after' = 'after',
): Promise<{ readonly id: TransferId; readonly paymentHash: string }> {
  const { paymentHash, text } = till.foreignInvoice(MSAT);
  const id = (await till.withdraw(text)).tx_id as TransferId;
  till.node.lost.set('pay', lost);
  await assert.rejects(pay(till), refusal('NODE_FAILED'));
  till.node.lost.clear();
  assert.equal((await till.transfer(id)).status, 'SIGNED');
  return { id, paymentHash };
}

eachStorage((engine, open) => {
  const lightning = testsOf(open, buildLightning);

  describe(`a Lightning node that begins anew under the same key, on ${engine}`, () => {
    lightning('fault 343: an alert is raised at once, and a sale is booked as soon as it is paid', async (till) => {
      await till.fund('10');
      await till.fund('10');
      till.node.beginAnew();
      const order = await till.invoiceOrder('10');
      till.node.settle(order.payment?.address ?? '');
      await follow(till);
      assert.deepEqual(alertsOf(till), ['the Lightning node']);
      assert.equal((await till.order(order.id)).status, 'SUCCESS');
      await follow(till);
      assert.equal(alertsOf(till).length, 1, 'once');
      const [bln] = await chainsOf(till).list(OPERATOR);
      assert.match(bln?.payoutStop ?? '', /began anew.*lightning confirm/);
    });

    lightning("fault 343: a sale of the new one is never taken for the operator's coins", async (till) => {
      await till.fund('10');
      till.node.beginAnew();
      const order = await till.invoiceOrder('10');
      till.node.settle(order.payment?.address ?? '');
      const { payer } = till.newWork();
      const lease = await till.workLease('payout');
      const before = await bookedFloat(till.storage);
      for (let looks = 0; looks < 3; looks++) {
        await payer.step(lease);
        till.clock.advance(61_000);
      }
      assert.equal(await bookedFloat(till.storage), before);
      await follow(till);
      assert.equal((await till.order(order.id)).status, 'SUCCESS');
      assert.equal(await bookedFloat(till.storage), before);
    });

    lightning(
      'fault 343: it is noticed too when the new one has settled as many invoices as the former had',
      async (till) => {
        await till.fund('10');
        till.node.beginAnew();
        till.node.settleForeign();
        till.node.settleForeign();
        await follow(till);
        assert.deepEqual(alertsOf(till), ['the Lightning node']);
      },
    );

    lightning(
      'fault 343: what was settled before is not booked again when the list is read from the start',
      async (till) => {
        await till.fund('10');
        const available = await till.balance('available', 'BTC-LN');
        const cursor = (await till.storage.chains.state('BLN'))?.cursor ?? assert.fail('no cursor');
        await till.storage.transaction((tx) =>
          tx.chains.moveCursor('BLN', cursor.hash, { ...cursor, hash: '5000 unknown' }),
        );
        await follow(till);
        assert.deepEqual(alertsOf(till), ['the Lightning node']);
        assert.equal(await till.balance('available', 'BTC-LN'), available);
        await chainsOf(till).decideNodeLife(OPERATOR, 'dismissed');
        await follow(till);
        assert.equal(alertsOf(till).length, 1);
      },
    );

    lightning('fault 344: a payment that the former one made is not given to it again, and is held', async (till) => {
      await till.fund('10');
      const { id, paymentHash } = await unanswered(till);
      till.node.beginAnew();
      await pay(till);
      assert.equal((await till.transfer(id)).status, 'SIGNED', 'before anybody has decided');
      till.clock.advance(60_000);
      await chainsOf(till).decideNodeLife(OPERATOR, 'confirmed');
      await pay(till);
      const held = await till.transfer(id);
      assert.equal(held.status, 'HELD');
      assert.match(held.reason ?? '', /before the node began anew/);
      assert.equal(till.node.sent.filter((sent) => sent.paymentHash === paymentHash).length, 1);
      till.clock.advance(2 * 3_600_000);
      await pay(till);
      assert.equal(
        (await till.transfer(id)).status,
        'HELD',
        'its end is for an operator, though its invoice has expired',
      );
      const withdrawals = new ManageWithdrawals({
        ...till,
        chains: new Map(),
        lightning: till.node,
        approverHoldMs: 0,
        vault: new FakeVault(),
        pageMax: 100,
      });
      await withdrawals.settle(OPERATOR, id, { txHash: paymentHash, obtainedUnits: MSAT, feeUnits: 0n });
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
    });

    lightning(
      'fault 344: a payment under way that it does not know any more is held too, and can be rejected',
      async (till) => {
        await till.fund('10');
        till.node.route = { kind: 'in-flight' };
        const id = (await till.withdraw(till.foreignInvoice(MSAT).text)).tx_id as TransferId;
        await pay(till);
        assert.equal((await till.transfer(id)).status, 'BROADCAST');
        till.node.beginAnew();
        await follow(till);
        await chainsOf(till).decideNodeLife(OPERATOR, 'confirmed');
        await pay(till);
        assert.equal((await till.transfer(id)).status, 'HELD');
        await till.storage.transaction((tx) =>
          rejectTransfer(tx, id, 'It was not paid.', { now: till.clock.now(), ids: till.ids }),
        );
        assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
      },
    );

    lightning(
      'fault 344: nothing new is paid until an operator has decided, and an approved payment is paid once',
      async (till) => {
        await till.fund('10');
        const { id } = await unanswered(till, 'before');
        till.node.beginAnew();
        const later = (await till.withdraw(till.foreignInvoice(MSAT).text)).tx_id;
        await pay(till);
        await pay(till);
        assert.equal((await till.transfer(later)).status, 'REQUESTED');
        const withdrawals = new ManageWithdrawals({
          ...till,
          chains: new Map(),
          lightning: till.node,
          approverHoldMs: 0,
          vault: new FakeVault(),
          pageMax: 100,
        });
        await assert.rejects(withdrawals.cancel(OPERATOR, id, 'x'), refusal('STATE_CONFLICT', /lightning confirm/));
        till.clock.advance(1);
        await chainsOf(till).decideNodeLife(OPERATOR, 'confirmed');
        await pay(till);
        assert.equal((await till.transfer(later)).status, 'CONFIRMED');
        await till.storage.transaction((tx) => approveTransfer(tx, id, till.clock.now()));
        till.clock.advance(1);
        till.node.lost.set('pay', 'before');
        await assert.rejects(pay(till), refusal('NODE_FAILED'));
        till.node.lost.clear();
        await pay(till);
        assert.equal(
          (await till.transfer(id)).status,
          'CONFIRMED',
          'it was given to the new one, so its answer counts',
        );
      },
    );

    lightning('fault 344: an operator who says that nothing was lost has the payment given again', async (till) => {
      await till.fund('10');
      const { text } = till.foreignInvoice(MSAT);
      const id = (await till.withdraw(text)).tx_id;
      till.node.lost.set('pay', 'before');
      await assert.rejects(pay(till), refusal('NODE_FAILED'));
      till.node.lost.clear();
      till.node.beginAnew();
      await pay(till);
      assert.equal(till.node.sent.length, 0);
      await chainsOf(till).decideNodeLife(OPERATOR, 'dismissed');
      await assert.rejects(chainsOf(till).decideNodeLife(OPERATOR, 'dismissed'), refusal('STATE_CONFLICT'));
      await pay(till);
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      assert.equal(till.node.sent.length, 1);
    });

    lightning('each decision about the node leaves a row in the audit log, and is for admins', async (till) => {
      await chainsOf(till).decideNodeLife(OPERATOR, 'confirmed');
      const [row] = await till.storage.audit.list(null, { before: null, limit: 1 });
      assert.deepEqual([row?.action, row?.subjectId], ['lightning.confirm', '2']);
      const user = { accountId: till.principal.accountId, role: 'user' } as Parameters<ManageChains['nodeLife']>[0];
      await assert.rejects(chainsOf(till).decideNodeLife(user, 'confirmed'), refusal('FORBIDDEN'));
      await assert.rejects(chainsOf(till).nodeLife(user), refusal('FORBIDDEN'));
    });
  });
});
