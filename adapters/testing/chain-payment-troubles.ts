import assert from 'node:assert/strict';
import { isTillgateError } from '../../core/index.ts';
import type { ChainPayments, SignedTransaction } from '../../core/index.ts';
import type { ChainCase } from './chain-harness.ts';
import { assertFails, trick, under } from './chain-sight.ts';
import { payoutOf, gotten, mined, payingSide, signPayment, stored } from './chain-till.ts';

const nodeFailed = (error: unknown): boolean => isTillgateError(error, 'NODE_FAILED');

/** Broadcasts a transaction. A failed broadcast is ignored, since the test asks for the outcome anyway. */
async function offer(payments: ChainPayments, transaction: SignedTransaction): Promise<void> {
  await payments
    .broadcast(stored(transaction))
    .catch((error: unknown) => assert.ok(nodeFailed(error), `NODE_FAILED was expected, not ${String(error)}`));
}

/** Test cases for payouts with a failure between signing and the last confirmation. */
export const chainPaymentTroubles: readonly ChainCase[] = [
  {
    needs: null,
    title: 'fault 39: sending twice, and again when it is mined, is sending once',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      await payments.broadcast(stored(payment.signed));
      await payments.broadcast(stored(payment.signed));
      await world.mine(1);
      await offer(payments, payment.signed);
      await world.mine(2);
      assert.equal(await gotten(world, payment), world.units);
      assert.equal((await mined(world, payment.payout)).succeeded, true);
    },
  },
  {
    needs: 'lostReplies',
    title: 'faults 39 and 40: after a lost reply the outcome is still known, and broadcasting again does no harm',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      await under(trick(world, 'lostReplies'), () => offer(payments, payment.signed));
      assert.notEqual((await payments.outcome(payment.payout)).kind, 'missing');
      await payments.broadcast(stored(payment.signed));
      await world.mine(2);
      assert.equal(await gotten(world, payment), world.units);
    },
  },
  {
    needs: 'outage',
    title: 'fault 42: while no node answers nothing is said of a payment, neither sent nor missing',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      await under(trick(world, 'outage'), async () => {
        await assert.rejects(payments.broadcast(stored(payment.signed)), nodeFailed);
        await assertFails(payments.outcome(payment.payout));
        await assertFails(payments.custody([{ ref: '', address: payment.source.address, currency: world.currency }]));
      });
      assert.equal((await payments.outcome(payment.payout)).kind, 'missing');
    },
  },
  {
    needs: 'forgetting',
    title: 'fault 42: what a node has forgotten is missing, and the same bytes are sent again',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      await payments.broadcast(stored(payment.signed));
      assert.equal((await payments.outcome(payment.payout)).kind, 'pending');
      await trick(world, 'forgetting')(payment.signed.txid);
      assert.equal((await payments.outcome(payment.payout)).kind, 'missing');
      await payments.broadcast(stored(payment.signed));
      await world.mine(2);
      assert.equal(await gotten(world, payment), world.units);
    },
  },
  {
    needs: 'bump',
    title:
      'fault 43: a dearer transaction takes the place of a waiting one, and the outcome names the one that was mined',
    run: async (world) => {
      const payments = payingSide(world.chain);
      assert.ok(payments.bumpAfterMs !== null && payments.bumpAfterMs > 0);
      const payment = await signPayment(world);
      await payments.broadcast(stored(payment.signed));
      const { source, line, nonce, coins } = payment;
      const spent = coins.filter(({ ref }) => payment.payout.coins.includes(ref));
      const dearer = await payments.price({ source, lines: [line], coins: spent, replaces: payment.signed });
      assert.ok(dearer.feeUnits > payment.signed.feeUnits, `${dearer.feeUnits} after ${payment.signed.feeUnits}`);
      const second = await payments.sign({ source, lines: [line], priced: dearer, nonce });
      const payout = payoutOf(payment, payment.signed, second);
      await payments.broadcast(stored(second));
      assert.equal((await payments.outcome(payout)).kind, 'pending');
      await world.mine(2);
      await offer(payments, payment.signed);
      assert.equal((await mined(world, payout)).txid, second.txid);
      assert.equal(await gotten(world, payment), world.units);
    },
  },
  {
    needs: 'rival',
    title: 'fault 43: another transaction of the till’s own key is a conflict, with its name',
    run: async (world) => {
      const payment = await signPayment(world);
      const txid = await trick(world, 'rival')(payment.payout);
      const outcome = await payingSide(world.chain).outcome(payment.payout);
      assert.ok(outcome.kind === 'conflicted', outcome.kind);
      assert.equal(outcome.txid, txid);
      assert.ok(outcome.confirmations >= 1);
      await assert.rejects(payingSide(world.chain).broadcast(stored(payment.signed)), nodeFailed);
    },
  },
  {
    needs: 'reorganisation',
    title: 'fault 51: a mined payment that a reorganisation took away is not mined any more, and can be sent again',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      await payments.broadcast(stored(payment.signed));
      await world.mine(1);
      const { block } = await mined(world, payment.payout);
      const { height } = await world.chain.head();
      await trick(world, 'reorganisation')(height - block.height + 1, 'gone');
      const outcome = await payments.outcome(payment.payout);
      assert.ok(outcome.kind === 'missing' || outcome.kind === 'pending', outcome.kind);
      await payments.broadcast(stored(payment.signed));
      await world.mine(2);
      assert.equal(await gotten(world, payment), world.units);
    },
  },
  {
    needs: 'expiry',
    title: 'fault 42: expired is said only when none of it can be mined any more',
    run: async (world) => {
      const payments = payingSide(world.chain);
      const payment = await signPayment(world);
      assert.ok(payment.signed.expiresAt !== null);
      assert.equal((await payments.outcome(payment.payout)).kind, 'missing');
      await trick(world, 'expiry')();
      assert.equal((await payments.outcome(payment.payout)).kind, 'expired');
      await offer(payments, payment.signed);
      await world.mine(2);
      assert.equal(await gotten(world, payment), 0n);
    },
  },
];
