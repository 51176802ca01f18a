import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isTillgateError, ManageWithdrawals, OPERATOR } from '../../../core/index.ts';
import type { ErrorCode, TransferId } from '../../../core/index.ts';
import { buildLightning } from '../../support/lightning.ts';
import type { LightningDomain } from '../../support/lightning.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { FakeVault } from '../../support/fakes.ts';

const MINUTE = 60_000;
const AMP = 'the AMP flag must be set to pay an AMP invoice';
const refusal =
  (code: ErrorCode, message = /./) =>
  (error: unknown) =>
    isTillgateError(error, code) && message.test(error.message);

const withdrawalsOf = (till: LightningDomain): ManageWithdrawals =>
  new ManageWithdrawals({
    ...till,
    chains: new Map(),
    lightning: till.node,
    approverHoldMs: 0,
    vault: new FakeVault(),
    pageMax: 100,
  });

/** One pass of another instance, with only the stored state. */
const pass = async (till: LightningDomain): Promise<boolean> =>
  till.newWork().payer.step(await till.workLease('payout'));

async function refused(till: LightningDomain): Promise<{ readonly id: TransferId; readonly paymentHash: string }> {
  await till.fund('10');
  const { paymentHash, text } = till.foreignInvoice(1_000_000n, 86_400);
  till.node.refusals.set(paymentHash, AMP);
  const { tx_id: id } = await till.withdraw(text);
  await pass(till);
  return { id: id as TransferId, paymentHash };
}

const paymentOf = async ({ storage }: Pick<LightningDomain, 'storage'>, id: TransferId) =>
  (await storage.lightning.paymentOf(id)) ?? assert.fail('no payment');

eachStorage((engine, open) => {
  const lightning = testsOf(open, buildLightning);

  describe(`payments that the Lightning node refuses, on ${engine}`, () => {
    lightning(
      'fault 341: a payment that the node refuses over and over, and never had, fails after ten minutes; the reserve comes back',
      async (till) => {
        const { id } = await refused(till);
        const available = await till.balance('available', 'BTC-LN');
        for (let minute = 1; minute < 10; minute++) {
          till.clock.advance(MINUTE);
          await pass(till);
          assert.equal((await till.transfer(id)).status, 'SIGNED', `after ${minute} minutes`);
        }
        till.clock.advance(MINUTE);
        await pass(till);
        const { status, reason } = await till.transfer(id);
        assert.equal(status, 'FAILED');
        assert.match(reason ?? '', /refused the payment 11 times: the AMP flag/);
        assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
        assert.equal(await till.balance('available', 'BTC-LN'), available + 1_010_000n);
        assert.equal(till.node.sent.length, 0);
      },
    );

    lightning(
      'fault 341: a refused payment is not given to the node again before a minute has passed',
      async (till) => {
        await refused(till);
        for (let times = 0; times < 5; times++) await pass(till);
        assert.equal(till.node.refused, 1);
        till.clock.advance(MINUTE);
        await pass(till);
        assert.equal(till.node.refused, 2);
      },
    );

    lightning('fault 341: a node that takes the payment after it refused it pays it, once', async (till) => {
      const { id } = await refused(till);
      till.node.refusals.clear();
      till.clock.advance(MINUTE);
      await pass(till);
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
      assert.equal(till.node.sent.length, 1);
    });

    lightning(
      'fault 341: an answer that is lost ends the succession of refusals: the node may have what it was given then',
      async (till) => {
        const { id } = await refused(till);
        for (let minute = 1; minute < 9; minute++) {
          till.clock.advance(MINUTE);
          await pass(till);
        }
        assert.equal((await paymentOf(till, id)).refusals, 9);
        till.clock.advance(MINUTE);
        till.node.lost.set('pay', 'before');
        await assert.rejects(pass(till), refusal('NODE_FAILED'));
        till.node.lost.clear();
        till.clock.advance(5 * MINUTE);
        await pass(till);
        assert.deepEqual(
          [(await till.transfer(id)).status, (await paymentOf(till, id)).refusals],
          ['SIGNED', 1],
          'counted from the first one again',
        );
      },
    );

    lightning('fault 341: lost answers alone fail no payment, however many and however long', async (till) => {
      await till.fund('10');
      const { tx_id: id } = await till.withdraw(till.foreignInvoice(1_000_000n, 86_400).text);
      till.node.lost.set('pay', 'before');
      for (let hour = 0; hour < 12; hour++) {
        till.clock.advance(60 * MINUTE);
        await assert.rejects(pass(till), refusal('NODE_FAILED'));
      }
      assert.equal((await till.transfer(id)).status, 'SIGNED');
      assert.equal(await till.balance('reserved', 'BTC-LN'), 1_010_000n);
    });

    lightning(
      'fault 341: payments that the node refuses, or of which it says nothing, keep no other from being paid',
      async (till) => {
        await refused(till);
        const odd = till.foreignInvoice(1_000_000n);
        await till.withdraw(odd.text);
        till.node.silentAbout.add(odd.paymentHash);
        const honest = await till.withdraw(till.foreignInvoice(1_000_000n).text);
        await pass(till);
        assert.equal((await till.transfer(honest.tx_id)).status, 'CONFIRMED');
        assert.equal(await pass(till), false, 'it does not back off');
      },
    );

    lightning('fault 341: what a refused payment reserves hides no shortage of the node', async (till) => {
      await refused(till);
      till.node.ownMsat = -500_000n;
      for (const ms of [0, MINUTE, MINUTE]) {
        till.clock.advance(ms);
        await till.payInvoices();
      }
      assert.match((await till.storage.transfers.payoutStop('BLN')) ?? '', /./);
    });
  });

  describe(`giving up a Lightning payment that the node never had, on ${engine}`, () => {
    lightning(
      'fault 342: an operator gives up a refused payment; its reserve comes back at the next pass',
      async (till) => {
        const { id } = await refused(till);
        const detail = await withdrawalsOf(till).cancel(OPERATOR, id, 'The receiver made it wrongly.');
        assert.equal(detail.payment?.cancelReason, 'The receiver made it wrongly.');
        till.node.refusals.clear();
        await pass(till);
        const { status, reason } = await till.transfer(id);
        assert.deepEqual([status, reason, till.node.sent.length], ['FAILED', 'The receiver made it wrongly.', 0]);
        assert.equal(await till.balance('reserved', 'BTC-LN'), 0n);
        await assert.rejects(withdrawalsOf(till).cancel(OPERATOR, id, 'Again.'), refusal('STATE_CONFLICT', /FAILED/));
      },
    );

    lightning('fault 342: one that the node knows, or of which it does not answer, is not given up', async (till) => {
      await till.fund('10');
      till.node.route = { kind: 'in-flight' };
      const { paymentHash, text } = till.foreignInvoice(1_000_000n);
      const id = (await till.withdraw(text)).tx_id as TransferId;
      const cancel = () => withdrawalsOf(till).cancel(OPERATOR, id, 'x');
      await assert.rejects(cancel(), refusal('STATE_CONFLICT', /REQUESTED/));
      till.node.lost.set('pay', 'after');
      await assert.rejects(pass(till), refusal('NODE_FAILED'));
      assert.equal((await till.transfer(id)).status, 'SIGNED');
      await assert.rejects(cancel(), refusal('STATE_CONFLICT', /is still paying/));
      till.node.lost.set('payment', 'before');
      await assert.rejects(cancel(), refusal('NODE_FAILED'));
      till.node.lost.clear();
      await pass(till);
      await assert.rejects(cancel(), refusal('STATE_CONFLICT', /ends when the node reports its outcome/));
      till.node.finish(paymentHash, { state: 'settled', feeMsat: 0n });
      await pass(till);
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
    });

    lightning(
      'fault 342: after an answer that was lost, the node has five minutes to show the payment; then it is given up',
      async (till) => {
        await till.fund('10');
        const { paymentHash, text } = till.foreignInvoice(1_000_000n);
        const id = (await till.withdraw(text)).tx_id as TransferId;
        till.node.lost.set('pay', 'before');
        await assert.rejects(pass(till), refusal('NODE_FAILED'));
        till.node.lost.clear();
        await withdrawalsOf(till).cancel(OPERATOR, id, 'No answer.');
        till.clock.advance(5 * MINUTE - 1);
        await pass(till);
        assert.equal((await till.transfer(id)).status, 'SIGNED');
        assert.equal(till.node.sent.length, 0, 'it is not given to the node again');
        till.clock.advance(1);
        await pass(till);
        assert.equal((await till.transfer(id)).status, 'FAILED');
        assert.equal(await till.node.payment(paymentHash), null);
      },
    );

    lightning('fault 342: a payment that arrives at the node after it was to be given up is paid', async (till) => {
      const { id, paymentHash } = await refused(till);
      await withdrawalsOf(till).cancel(OPERATOR, id, 'x');
      till.node.refusals.clear();
      const { paymentRequest, msat } = await paymentOf(till, id);
      await till.node.pay({ paymentHash, paymentRequest, msat, maxFeeMsat: 10_000n });
      await pass(till);
      assert.equal((await till.transfer(id)).status, 'CONFIRMED');
    });

    lightning('fault 342: giving up leaves a row in the audit log', async (till) => {
      const { id } = await refused(till);
      await withdrawalsOf(till).cancel(OPERATOR, id, 'x');
      const rows = await till.storage.audit.list(null, { before: null, limit: 50 });
      assert.deepEqual(
        rows.filter(({ action }) => action === 'transfer.cancel').map(({ subjectId }) => subjectId),
        [id],
      );
    });
  });
});
