import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  addApproval,
  approveTransfer,
  decodeBase32,
  isTillgateError,
  present,
  totpCode,
  totpStep,
} from '../../../core/index.ts';
import type { AccountId, ErrorCode, Order, Transfer } from '../../../core/index.ts';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';
import { decisionsOf, latePayment, nothing } from './late-payment.ts';

const HOUR = 3_600_000;
const ETHER = 10n ** 18n;
const THIEF = 'eth-thief';
const SENDER = { to: 'sender' } as const;

/** No refusal contains the address of the order's page. */
const refusal = (code: ErrorCode, message: RegExp) => (error: unknown) => {
  assert(isTillgateError(error, code), `${String(error)} is not ${code}`);
  assert.match(error.message, message);
  assert.doesNotMatch(error.message, /checkout|https?:/);
  return true;
};

const ask = (till: MoneyDomain, order: Order, verifyCode: string | null = null) =>
  till.refund.run(till.principal, order.id, null, null, { verifyCode });
/** A refund to the sender, as a person requests it in the management API. */
const toSender = (till: MoneyDomain, order: Order) => till.refund.run(till.principal, order.id, null, null, SENDER);
const leave = (till: MoneyDomain, order: Order, address: string) =>
  till.choosePayment.setRefundAddress(order.checkoutToken, address);
const refundable = async (till: MoneyDomain, order: Order): Promise<boolean> =>
  (await till.queries.detail(till.principal.accountId, order.id)).refund;
const refundOf = async (till: MoneyDomain, order: Order): Promise<Transfer> =>
  present(await till.storage.transfers.refundOf(order.id), `refund of ${order.id}`);

/** One more payment of an order, credited and spendable. */
async function payMore(till: MoneyDomain, order: Order, units: bigint, from: string | null): Promise<void> {
  till.eth.mine({ to: present(order.payment, 'payment').address, currency: 'ETH', units, txid: `more-${units}`, from });
  till.eth.mineEmpty(till.eth.policy.spendableConfirmations + 1);
  await till.follow();
}

/** Makes the account require a code for each withdrawal. @returns a function for its next code */
async function demandCodes(till: MoneyDomain): Promise<() => string> {
  const { accountId } = till.principal;
  const { secret } = await till.storage.transaction(async (tx) => {
    const enrolled = await till.secondFactor.enrol(tx, { id: accountId, email: 'shop@example.com' }, false);
    const security = await tx.manage.security(accountId);
    await tx.manage.saveSecurity({ ...security, totpForWithdrawals: { on: true, offAt: null } });
    return enrolled;
  });
  return () => {
    till.clock.advance(30_000);
    return totpCode(new CryptoDigest(), present(decodeBase32(secret), 'a secret'), totpStep(till.clock.now()));
  };
}

eachStorage((engine, open) => {
  const money = testsOf<MoneyDomain, MoneyOptions>(open, buildMoney);

  describe(`where a refund goes on ${engine}`, () => {
    money(
      'fault 350: without an address of the payer it goes nowhere, however well the sender is known',
      async (till) => {
        const order = await till.fund('ETH', '2000', null);
        assert.equal(await refundable(till, order), false);
        await assert.rejects(ask(till, order), refusal('STATE_CONFLICT', /has not set a refund address/));
        assert.equal(await till.storage.transfers.refundOf(order.id), null);
        await leave(till, order, 'eth-customer');
        assert.equal(await refundable(till, order), true);
        await ask(till, order);
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, 0);
        assert.equal(till.ethPayments.paidTo('eth-customer', 'ETH').length, 1);
      },
    );

    money(
      'fault 350: goes to the single sender where the call says so, and the payer left no address',
      async (till) => {
        const order = await till.fund('ETH', '2000', null);
        await toSender(till, order);
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, 1);
        const other = await till.fund('ETH', '2000');
        await assert.rejects(toSender(till, other), refusal('STATE_CONFLICT', /has set a refund address/));
      },
    );

    money('fault 351: a stranger who pays a little to the order gets none of it by that', async (till) => {
      const order = await till.fund('ETH', '2000', null);
      await payMore(till, order, 1n, THIEF);
      await assert.rejects(ask(till, order), refusal('STATE_CONFLICT', /has not set a refund address/));
      await assert.rejects(toSender(till, order), refusal('STATE_CONFLICT', /no single sender/));
      const unknown = await till.fund('ETH', '2000', null);
      await payMore(till, unknown, 2n, null);
      await assert.rejects(toSender(till, unknown), refusal('STATE_CONFLICT', /no single sender/));
    });

    money('fault 353: an address is neither left nor changed while a refund is under way', async (till) => {
      const order = await till.fund('ETH', '2000', null);
      await toSender(till, order);
      await assert.rejects(leave(till, order, THIEF), refusal('STATE_CONFLICT', /on its way/));
    });

    money('fault 353: a refund whose address the merchant removes is not signed', async (till) => {
      const order = await till.fund('ETH', '2000', null);
      await leave(till, order, THIEF);
      await ask(till, order);
      await till.orderAdminActions.removeRefundAddress(order.id, 'shop');
      await till.settle();
      const held = await refundOf(till, order);
      assert.deepEqual([held.status, till.ethPayments.paidTo(THIEF, 'ETH').length], ['HELD', 0]);
      assert.match(held.reason ?? '', /is not the refund address/);
      await assert.rejects(
        till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now())),
        refusal('STATE_CONFLICT', /is not the refund address/),
      );
    });
  });

  describe(`what an address costs that nobody registered, on ${engine}`, () => {
    money(
      'fault 351: a refund above the amount that has to be approved is HELD',
      async (till) => {
        const [small, large] = [await till.fund('ETH', '1000'), await till.fund('ETH', '1002')];
        await ask(till, small);
        await ask(till, large);
        assert.deepEqual(
          [(await refundOf(till, small)).status, (await refundOf(till, large)).status],
          ['REQUESTED', 'HELD'],
        );
        await till.settle();
        assert.equal((await till.order(large.id)).status, 'SUCCESS');
      },
      { withdrawals: { approveAbove: new Map([['ETH', '0.5']]) } },
    );

    money('fault 351: where withdrawals want a code, a key refunds only with one', async (till) => {
      const [order, other] = [await till.fund('ETH', '2000'), await till.fund('ETH', '2000')];
      const code = await demandCodes(till);
      await assert.rejects(ask(till, order), refusal('VERIFY_CODE_INVALID', /verifyCode: is required/));
      await assert.rejects(ask(till, order, '000000'), refusal('VERIFY_CODE_INVALID', /is wrong/));
      const right = code();
      await ask(till, order, right);
      await assert.rejects(ask(till, other, right), refusal('VERIFY_CODE_INVALID', /used before/));
      assert.equal((await refundOf(till, order)).status, 'REQUESTED');
    });

    money('fault 351: an account without business verification has a person approve each', async (till) => {
      const { accountId } = till.principal;
      await till.storage.accounts.update(accountId, { verifiedCurrencies: ['BTC'], modifiedAt: till.clock.now() });
      const [left, sent] = [await till.fund('ETH', '2000'), await till.fund('ETH', '2000', null)];
      await ask(till, left);
      assert.deepEqual(
        [(await refundOf(till, left)).status, (await refundOf(till, left)).reason],
        ['HELD', 'The account has not passed business verification for ETH.'],
      );
      await toSender(till, sent);
      assert.equal((await refundOf(till, sent)).status, 'REQUESTED');
    });

    money('fault 350: an account whose withdrawals are frozen has no order to refund', async (till) => {
      const order = await till.fund('ETH', '2000');
      const { accountId } = till.principal;
      await till.storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'Looked at.', at: 1 }));
      assert.equal(await refundable(till, order), false);
      await assert.rejects(ask(till, order), refusal('STATE_CONFLICT', /frozen: Looked at/));
    });

    money(
      'fault 352: an address that was left after the payment waits, one that was there before does not',
      async (till) => {
        const [before, after] = [await till.fund('ETH', '2000'), await till.fund('ETH', '2000', null)];
        await leave(till, after, 'eth-customer');
        assert.deepEqual([await refundable(till, before), await refundable(till, after)], [true, false]);
        await assert.rejects(ask(till, after), refusal('STATE_CONFLICT', /set after the payment was seen; .* from 20/));
        await ask(till, before);
        till.clock.advance(HOUR - 1);
        await assert.rejects(ask(till, after), refusal('STATE_CONFLICT', /set after the payment was seen/));
        till.clock.advance(1);
        assert.equal(await refundable(till, after), true);
        await ask(till, after);
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-customer', 'ETH').length, 1);
      },
      { refunds: { addressHoldMs: HOUR } },
    );

    money(
      'fault 352: a change after the payment waits anew, also of an address that was there before',
      async (till) => {
        const order = await till.newOrder({ currency: 'ETH' });
        const { setRefundAddress } = till.choosePayment;
        const from = (address: string) =>
          setRefundAddress.call(till.choosePayment, order.checkoutToken, address, 'one-browser');
        await from('eth-customer');
        till.clock.advance(1_000);
        await payMore(till, order, present(order.payment, 'payment').units, 'eth-payer');
        assert.equal(await refundable(till, order), true);
        till.clock.advance(HOUR);
        await from(THIEF);
        assert.equal(await refundable(till, order), false);
        await assert.rejects(ask(till, order), refusal('STATE_CONFLICT', /set after the payment was seen/));
      },
      { refunds: { addressHoldMs: HOUR } },
    );

    money(
      'fault 352: by setting it is HELD while the address waits, and a person may approve it',
      async (till) => {
        const order = await till.fund('ETH', '2000', null);
        await leave(till, order, 'eth-customer');
        assert.equal(await refundable(till, order), true);
        await ask(till, order);
        const held = await refundOf(till, order);
        assert.equal(held.status, 'HELD');
        assert.match(held.reason ?? '', /until .* an operator has to approve/);
        await till.storage.transaction((tx) => approveTransfer(tx, held.id, till.clock.now()));
        await till.settle();
        assert.equal((await till.order(order.id)).status, 'REFUNDED');
        assert.equal(await till.balance('available', 'ETH'), 0n);
        assert.ok(till.ethPayments.paidTo('eth-customer', 'ETH').every((units) => units <= ETHER));
      },
      { refunds: { addressHoldMs: HOUR, lateAddress: 'approve' } },
    );

    money(
      'faults 351, 397: one admin alone returns an unassigned deposit up to the amount that has to be approved',
      async (till) => {
        const { deposit } = await latePayment(till);
        const admin = '7000000000000000001' as AccountId;
        const decisions = decisionsOf(till, undefined, { approveAbove: new Map([['ETH', '0.5']]) });
        const asked = await decisions.refund(deposit.id, 'eth-anybody', nothing, admin);
        const held = present(await till.storage.transfers.find(asked.id), 'a return');
        assert.deepEqual([held.status, held.requestedBy], ['HELD', admin]);
        const alerts = till.events.of('alert').filter(({ kind }) => kind === 'approval');
        assert.deepEqual(
          alerts.map(({ subject }) => subject),
          [`return ${held.id}`],
        );
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-anybody', 'ETH').length, 0);
        const rules = { now: till.clock.now(), needed: 1, holdMs: 0 };
        await assert.rejects(
          till.storage.transaction((tx) => addApproval(tx, held.id, admin, rules)),
          { code: 'FORBIDDEN' },
        );
        await till.storage.transaction((tx) => addApproval(tx, held.id, null, rules));
        await till.settle();
        assert.equal(till.ethPayments.paidTo('eth-anybody', 'ETH').length, 1);
      },
    );
  });
});
