import assert from 'node:assert/strict';
import { isTillgateError } from '../../core/index.ts';
import type { LightningCase } from './lightning-harness.ts';
import {
  FEE_LIMIT,
  end,
  newInvoice,
  payToEnd,
  refuses,
  request,
  restingBalance,
  trick,
  until,
} from './lightning-sight.ts';

const NOBODY = 'cd'.repeat(32);
const AMOUNT = 250_000n;

/** Test cases for payments and their failures. */
export const lightningOutgoing: readonly LightningCase[] = [
  {
    needs: [],
    title: 'pays an invoice: the receiver has its amount, and the fee is within the limit',
    run: async (world) => {
      const { node } = world;
      assert.equal(await node.payment(NOBODY), null);
      const invoice = await world.invoice(AMOUNT);
      assert.equal(await node.payment(invoice.paymentHash), null);
      const ended = await payToEnd(node, request(invoice));
      assert.ok(
        ended.state === 'settled' &&
          [AMOUNT, null].includes(ended.msat) &&
          ended.feeMsat >= 0n &&
          ended.feeMsat <= FEE_LIMIT,
        JSON.stringify(ended, (_, value: unknown) => String(value)),
      );
      assert.deepEqual(await world.received(invoice.paymentHash), { msat: AMOUNT, times: 1 });
      assert.deepEqual(await (await world.reopen()).payment(invoice.paymentHash), ended);
    },
  },
  {
    needs: [],
    title: 'fault 59: however often it is asked for, at once and afterwards, an invoice is paid once',
    run: async (world) => {
      const invoice = await world.invoice(AMOUNT);
      const other = await world.reopen();
      const outcomes = await Promise.allSettled(
        [world.node, other, world.node].map((node) => node.pay(request(invoice))),
      );
      assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
      assert.equal((await end(world.node, invoice.paymentHash)).state, 'settled');
      assert.equal((await world.node.pay(request(invoice))).state, 'settled');
      assert.equal((await other.pay(request(invoice))).state, 'settled');
      assert.deepEqual(await world.received(invoice.paymentHash), { msat: AMOUNT, times: 1 });
    },
  },
  {
    needs: [],
    title: 'fault 60: an invoice without an amount is paid with the one that is named',
    run: async (world) => {
      const invoice = await world.invoice(null);
      assert.equal((await payToEnd(world.node, request(invoice, { msat: 321_000n }))).state, 'settled');
      assert.deepEqual(await world.received(invoice.paymentHash), { msat: 321_000n, times: 1 });
    },
  },
  {
    needs: ['millisatoshi'],
    title: 'fault 60: fractions of a satoshi are paid as they are',
    run: async (world) => {
      const [open, fixed] = [await world.invoice(null), await world.invoice(40_321n)];
      assert.equal((await payToEnd(world.node, request(open, { msat: 20_001n }))).state, 'settled');
      assert.equal((await payToEnd(world.node, request(fixed))).state, 'settled');
      assert.deepEqual(
        [(await world.received(open.paymentHash)).msat, (await world.received(fixed.paymentHash)).msat],
        [20_001n, 40_321n],
      );
    },
  },
  {
    needs: [],
    title: 'fault 60: an amount that is missing, one too many, or another invoice’s hash begins nothing',
    run: async (world) => {
      const [open, fixed] = [await world.invoice(null), await world.invoice(AMOUNT)];
      await refuses(world.node.pay(request(open)), 'INVOICE_INVALID');
      await refuses(world.node.pay(request(fixed, { msat: AMOUNT })), 'INVOICE_INVALID');
      await refuses(world.node.pay(request({ ...fixed, paymentHash: open.paymentHash })), 'INVOICE_INVALID');
      for (const { paymentHash } of [open, fixed]) {
        assert.equal(await world.node.payment(paymentHash), null);
        assert.equal((await world.received(paymentHash)).times, 0);
      }
    },
  },
  {
    needs: ['expired'],
    title: 'an expired invoice can be read, and is not paid',
    run: async (world) => {
      const invoice = await trick(world, 'expired')(AMOUNT);
      assert.ok((await world.node.decode(invoice.paymentRequest)).expiresAt < Date.now());
      assert.equal((await payToEnd(world.node, request(invoice))).state, 'failed');
      assert.equal((await world.received(invoice.paymentHash)).times, 0);
    },
  },
  {
    needs: [],
    title: 'an invoice of the till’s own is not paid by the till',
    run: async ({ node }) => {
      const { paymentHash, paymentRequest } = await newInvoice(node);
      assert.equal((await payToEnd(node, request({ paymentHash, paymentRequest }))).state, 'failed');
      assert.equal((await node.invoice(paymentHash))?.state, 'open');
    },
  },
  {
    needs: ['unroutable'],
    title: 'a payment without a route fails, costs nothing, and is not begun again under the same hash',
    run: async (world) => {
      const { node } = world;
      const invoice = await trick(world, 'unroutable')(AMOUNT);
      const { localMsat } = await node.balance();
      const ended = await payToEnd(node, request(invoice));
      assert.ok(ended.state === 'failed' && ended.reason !== '', 'with a reason');
      assert.equal((await node.pay(request(invoice))).state, 'failed');
      assert.equal((await node.balance()).localMsat, localMsat);
    },
  },
  {
    needs: ['routeFee', 'feeLimit'],
    title: 'fault 58: a route that costs as much as it carries is not taken; one at the limit is',
    run: async (world) => {
      const [dear, fair] = [await world.invoice(AMOUNT), await world.invoice(AMOUNT)];
      await trick(world, 'routeFee')(AMOUNT);
      const ended = await payToEnd(world.node, request(dear, { maxFeeMsat: AMOUNT - 1n }));
      assert.equal(ended.state, 'failed');
      assert.equal((await world.received(dear.paymentHash)).times, 0);
      assert.deepEqual(await payToEnd(world.node, request(fair, { maxFeeMsat: AMOUNT })), {
        state: 'settled',
        msat: AMOUNT,
        feeMsat: AMOUNT,
      });
      await trick(world, 'routeFee')(0n);
    },
  },
  {
    needs: ['heldThere'],
    title: 'fault 57: a payment that its receiver holds is in flight for as long as that lasts; then it is settled',
    run: async (world) => {
      const held = await trick(world, 'heldThere')(AMOUNT);
      assert.equal((await world.node.pay(request(held))).state, 'in-flight');
      await until('the payment to arrive', async () => (await world.received(held.paymentHash)).times === 1);
      const later = await world.reopen();
      for (const node of [world.node, later]) {
        assert.deepEqual(await node.payment(held.paymentHash), { state: 'in-flight' });
        assert.deepEqual(await node.pay(request(held)), { state: 'in-flight' });
      }
      await held.take();
      assert.equal((await end(later, held.paymentHash)).state, 'settled');
      assert.deepEqual(await world.received(held.paymentHash), { msat: AMOUNT, times: 1 });
    },
  },
  {
    needs: ['heldThere', 'unsettled'],
    title: 'a payment under way is no part of the balance, and may return to it',
    run: async (world) => {
      const before = await restingBalance(world.node);
      const held = await trick(world, 'heldThere')(AMOUNT);
      await world.node.pay(request(held));
      await until('the payment to arrive', async () => (await world.received(held.paymentHash)).times === 1);
      const during = await world.node.balance();
      assert.ok(during.localMsat <= before.localMsat - AMOUNT, 'it has left');
      assert.ok(during.unsettledMsat >= before.unsettledMsat + AMOUNT, 'it may return');
      await held.giveBack();
      await end(world.node, held.paymentHash);
    },
  },
  {
    needs: ['heldThere'],
    title: 'fault 57: a payment that was held and given back has failed',
    run: async (world) => {
      const held = await trick(world, 'heldThere')(AMOUNT);
      await world.node.pay(request(held));
      await until('the payment to arrive', async () => (await world.received(held.paymentHash)).times === 1);
      await held.giveBack();
      assert.equal((await end(world.node, held.paymentHash)).state, 'failed');
      assert.equal((await world.node.pay(request(held))).state, 'failed');
    },
  },
  {
    needs: ['losses'],
    title: 'faults 39, 57: a lost reply is no failure; the payment is found again and not made twice',
    run: async (world) => {
      for (const kind of ['request', 'reply'] as const) {
        const invoice = await world.invoice(AMOUNT);
        await trick(world, 'losses')(kind);
        const [paid] = await Promise.allSettled([world.node.pay(request(invoice))]);
        // An adapter that queries the node in the meantime may find the payment before it notices that the reply is
        // lost.
        if (kind === 'reply' && paid.status === 'fulfilled') assert.notEqual(paid.value.state, 'failed');
        else assert.ok(paid.status === 'rejected' && isTillgateError(paid.reason, 'NODE_FAILED'), 'not NODE_FAILED');
        await trick(world, 'losses')(null);
        if (kind === 'request') assert.equal(await world.node.payment(invoice.paymentHash), null);
        assert.equal((await payToEnd(world.node, request(invoice))).state, 'settled');
        assert.deepEqual(await world.received(invoice.paymentHash), { msat: AMOUNT, times: 1 });
      }
    },
  },
  {
    needs: ['outage'],
    title: 'fault 57: while the node cannot be asked nothing is said of a payment; afterwards it is where it was',
    run: async (world) => {
      const invoice = await world.invoice(AMOUNT);
      await payToEnd(world.node, request(invoice));
      const next = await world.invoice(AMOUNT);
      await trick(world, 'outage')(true);
      const { node } = world;
      await Promise.all(
        [node.payment(invoice.paymentHash), node.pay(request(next)), node.balance(), node.identify()].map((work) =>
          refuses(work, 'NODE_FAILED'),
        ),
      );
      await trick(world, 'outage')(false);
      assert.equal((await world.node.payment(invoice.paymentHash))?.state, 'settled');
      assert.equal((await payToEnd(world.node, request(next))).state, 'settled');
    },
  },
  {
    needs: ['restart', 'heldThere'],
    title: 'fault 57: a node that fell with a payment under way has it when it rises, and settles it',
    run: async (world) => {
      const held = await trick(world, 'heldThere')(AMOUNT);
      await world.node.pay(request(held));
      await until('the payment to arrive', async () => (await world.received(held.paymentHash)).times === 1);
      await trick(world, 'restart')();
      assert.deepEqual(await until('the node to know its payment', () => world.node.payment(held.paymentHash)), {
        state: 'in-flight',
      });
      await held.take();
      assert.equal((await end(world.node, held.paymentHash)).state, 'settled');
      assert.equal((await world.received(held.paymentHash)).times, 1);
    },
  },
];
