import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  approveTransfer,
  isTillgateError,
  obtainedUnits,
  rejectTransfer,
  resumePayouts,
  settleHeldTransfer,
  takeHotWallet,
} from '../../../core/index.ts';
import type { AccountId, BlockRef, ErrorCode, TransferId } from '../../../core/index.ts';
import { finishMined } from '../../../core/payouts/finish-payout.ts';
import { beforeCall } from '../../support/before-call.ts';
import { buildMoney, PAYEE } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const ETHER = 10n ** 18n;
const refusal =
  (code: ErrorCode, message = /./) =>
  (error: unknown) =>
    isTillgateError(error, code) && message.test(error.message);
const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, units) => sum + units, 0n);

type Asked = Awaited<ReturnType<MoneyDomain['withdraw']>>;

/** A withdrawal of half an ether that was broadcast. */
async function sentHalf(till: MoneyDomain): Promise<Asked> {
  await till.fund('ETH', '2000');
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
  const asked = await till.withdraw('0.5');
  await till.payOut();
  return asked;
}

/** The same, booked, in a block that was reorganised away. */
async function reorganisedAway(till: MoneyDomain, booked = 'CONFIRMED'): Promise<Asked> {
  const asked = await sentHalf(till);
  for (let block = 0; block < 7; block++) {
    till.ethPayments.mine();
    await till.follow();
    await till.payOut();
  }
  assert.equal((await till.transfer(asked.tx_id)).status, booked);
  till.eth.drop(8);
  till.ethPayments.dropMempool();
  return asked;
}

eachStorage((engine, open) => {
  const money = testsOf(open, buildMoney);

  describe(`withdrawals on ${engine}`, () => {
    money('pays exactly what was obtained, once, and takes the amount from the balance', async (till) => {
      await till.fund('ETH', '2000');
      assert.equal(await till.balance('available', 'ETH'), ETHER);
      const asked = await till.withdraw('0.25');
      assert.equal(asked.status, 'PENDING');
      assert.equal(asked.balance, '0.75');
      assert.equal(asked.to_addr, PAYEE.ETH);
      assert.equal(await till.balance('reserved', 'ETH'), ETHER / 4n);
      await till.settle();
      const transfer = await till.transfer(asked.tx_id);
      assert.equal(transfer.status, 'CONFIRMED');
      assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'ETH'), [obtainedUnits(transfer)]);
      assert.equal(await till.balance('reserved', 'ETH'), 0n);
      assert.equal(await till.balance('available', 'ETH'), (ETHER / 4n) * 3n);
      const rows = await till.queries.transactions(till.principal.accountId, { page: 1, size: 10 });
      assert.deepEqual(
        rows.items.map(({ tx_type, status }) => [tx_type, status]),
        [
          ['WITHDRAW', 'SUCCESS'],
          ['ORDER', 'SUCCESS'],
        ],
      );
    });

    money('the whole balance can be withdrawn: what sweeps cost is charged with it', async (till) => {
      await till.fund('ETH', '2000');
      const asked = await till.withdraw('1');
      await till.settle();
      const transfer = await till.transfer(asked.tx_id);
      assert.equal(transfer.status, 'CONFIRMED', transfer.reason ?? '');
      assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'ETH'), [ETHER - transfer.feeUnits]);
      assert.ok(transfer.feeUnits <= transfer.maxFeeUnits);
    });

    money('a token is paid after gas was sent ahead and it was swept; the fee is taken in the token', async (till) => {
      till.ethPayments.fee = 10n ** 13n;
      till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
      await till.fund('USDT-ERC20', '100');
      const asked = await till.withdraw('60', 'USDT-ERC20');
      // 0.00001 ETH at 2000 is 0.02 USDT.
      assert.equal(asked.fee, '0.02');
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      const items = await till.storage.transfers.list('CONFIRMED', { before: null, limit: 10 });
      assert.deepEqual(
        items.filter(({ kind }) => kind === 'gas').map(({ feeUnits, maxFeeUnits }) => [feeUnits, maxFeeUnits]),
        [[0n, 0n]],
        'gas arrives whole',
      );
      assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'USDT-ERC20'), [59_980_000n]);
      assert.equal(await till.ethPayments.balance(till.ethPayments.hotAddress, 'USDT-ERC20'), 40_020_000n);
    });

    money(
      'coins and tokens that were paid to one address are both swept: gas is sent ahead, whatever coins lie there',
      async (till) => {
        const { ethPayments } = till;
        ethPayments.fee = 10n ** 13n;
        ethPayments.fund(ethPayments.hotAddress, 'ETH', ETHER);
        const { payment } = await till.newOrder({ chain: 'ETH', currency: 'ETH', price: '2000' });
        assert(payment !== null);
        till.eth.mine(
          { to: payment.address, currency: 'ETH', units: ETHER, txid: 'paid-coins', from: 'eth-payer' },
          { to: payment.address, currency: 'USDT-ERC20', units: 100_000_000n, txid: 'paid-tokens', from: 'eth-payer' },
        );
        till.eth.mineEmpty(till.eth.policy.spendableConfirmations + 4);
        await till.follow();
        for (let block = 0; block < 40; block++) {
          await till.payOut();
          const live = await till.storage.transfers.livePayouts('ETH', null, 100);
          assert(
            live.filter(({ payout }) => payout.sourceAddress === payment.address).length <= 1,
            'one payment at a time',
          );
          ethPayments.mine();
          await till.follow();
          assert(
            (await ethPayments.balance(payment.address, 'ETH')) >= 0n,
            'no network lets an address spend what it has not',
          );
        }
        assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'ETH'), [ETHER - ethPayments.fee]);
        assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'USDT-ERC20'), [100_000_000n]);
      },
    );

    money(
      'coins that are not worth their sweep pay no fee for the tokens beside them: they are a merchant’s',
      async (till) => {
        const { ethPayments } = till;
        ethPayments.fee = 10n ** 13n;
        ethPayments.fund(ethPayments.hotAddress, 'ETH', ETHER);
        const { payment } = await till.newOrder({ chain: 'ETH', currency: 'USDT-ERC20', price: '100' });
        assert(payment !== null);
        const crumbs = (ethPayments.fee * 3n) / 2n;
        till.eth.mine(
          { to: payment.address, currency: 'ETH', units: crumbs, txid: 'paid-crumbs', from: 'eth-payer' },
          { to: payment.address, currency: 'USDT-ERC20', units: payment.units, txid: 'paid-due', from: 'eth-payer' },
        );
        till.eth.mineEmpty(till.eth.policy.spendableConfirmations + 4);
        await till.follow();
        await till.settle();
        assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'USDT-ERC20'), [payment.units]);
        assert.deepEqual(ethPayments.paidTo(ethPayments.hotAddress, 'ETH'), []);
        assert((await ethPayments.balance(payment.address, 'ETH')) >= crumbs);
      },
    );

    money('200 at once with a balance for one: one wins, the others lack balance (fault 38)', async (till) => {
      await till.fund('ETH', '2000');
      const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => till.withdraw('0.9')));
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          assert.ok(isTillgateError(outcome.reason, 'INSUFFICIENT_BALANCE'), String(outcome.reason));
      }
      await till.settle();
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });

    money('a repeated key gives the same withdrawal, another body is refused (fault 39)', async (till) => {
      await till.fund('ETH', '2000');
      const claim = {
        route: '/api/withdraw',
        key: 'k',
        bodyHash: 'a'.repeat(64),
        expiresAt: till.clock.now() + 86_400_000,
      };
      const first = await till.withdraw('0.5', 'ETH', claim);
      const again = await till.withdraw('0.5', 'ETH', claim);
      assert.equal(again.tx_id, first.tx_id);
      await assert.rejects(
        till.withdraw('0.4', 'ETH', { ...claim, bodyHash: 'b'.repeat(64) }),
        refusal('IDEMPOTENCY_MISMATCH'),
      );
      const parallel = { ...claim, key: 'p' };
      const twins = await Promise.all([till.withdraw('0.1', 'ETH', parallel), till.withdraw('0.1', 'ETH', parallel)]);
      assert.equal(twins[0].tx_id, twins[1].tx_id);
      assert.equal(await till.balance('reserved', 'ETH'), (ETHER / 10n) * 6n);
    });

    money(
      'above the limit it waits for an operator, who lets it go or gives it back',
      async (till) => {
        await till.fund('ETH', '4000');
        const [held, other] = [await till.withdraw('0.6'), await till.withdraw('0.7')];
        const small = await till.withdraw('0.5');
        await till.settle();
        assert.equal((await till.transfer(held.tx_id)).status, 'HELD');
        assert.equal((await till.transfer(small.tx_id)).status, 'CONFIRMED');
        const asked = await till.storage.deposits.transactions(till.principal.accountId, { page: 1, size: 10 });
        const told = asked.items.find(({ id }) => id === other.tx_id);
        const now = till.clock.now();
        await till.storage.transaction((tx) => approveTransfer(tx, held.tx_id as TransferId, now));
        await till.storage.transaction((tx) =>
          rejectTransfer(tx, other.tx_id as TransferId, 'Not ours.', { now, ids: till.ids }),
        );
        await till.settle();
        assert.equal((await till.transfer(held.tx_id)).status, 'CONFIRMED');
        assert.equal((await till.transfer(other.tx_id)).status, 'FAILED');
        const { items } = await till.storage.deposits.transactions(till.principal.accountId, { page: 1, size: 10 });
        const rejected = items.find(({ id }) => id === other.tx_id);
        assert.deepEqual([rejected?.status, rejected?.fee.toString()], ['FAILED', told?.fee.toString()]);
        assert.equal(await till.balance('available', 'ETH'), (ETHER / 10n) * 9n);
        await assert.rejects(
          till.storage.transaction((tx) =>
            rejectTransfer(tx, held.tx_id as TransferId, 'too late', { now, ids: till.ids }),
          ),
          refusal('STATE_CONFLICT'),
        );
      },
      { withdrawals: { approveAbove: new Map([['ETH', '0.5']]) } },
    );

    money(
      'one that was paid by hand is settled with what the receiver got: all of it at most, and not nothing',
      async (till) => {
        await till.fund('ETH', '2000');
        const { tx_id } = await till.withdraw('0.9');
        await till.settle();
        const { id, status, units } = await till.transfer(tx_id);
        assert.equal(status, 'HELD');
        const settle = (obtainedUnits: bigint): Promise<unknown> => {
          const found = { txHash: 'by-hand', cost: { currency: 'ETH', units: 0n }, obtainedUnits };
          const context = { stateMachine: till.stateMachine, ids: till.ids, now: till.clock.now() };
          return till.storage.transaction((tx) => settleHeldTransfer(tx, id, found, context));
        };
        for (const wrong of [0n, units + 1n])
          await assert.rejects(settle(wrong), refusal('STATE_CONFLICT', /receiver/));
        await settle(units);
        assert.deepEqual(
          [(await till.transfer(tx_id)).status, await till.balance('reserved', 'ETH')],
          ['CONFIRMED', 0n],
        );
      },
      { withdrawals: { approveAbove: new Map([['ETH', '0.5']]) } },
    );

    money(
      'limits, verification, address and balance are checked in that order',
      async (till) => {
        await assert.rejects(till.withdraw('0.01'), refusal('AMOUNT_OUT_OF_RANGE', /at least 0\.1 and at most 5/));
        await assert.rejects(till.withdraw('6'), refusal('AMOUNT_OUT_OF_RANGE'));
        await assert.rejects(till.withdraw('0'), refusal('INVALID_FIELDS'));
        await assert.rejects(till.withdraw('0.1234567890123456789'), refusal('INVALID_FIELDS', /18 decimals/));
        await assert.rejects(till.withdraw('1', 'DAI-ERC20'), refusal('UNSUPPORTED'));
        const { accountId } = till.principal;
        await till.storage.accounts.update(accountId, { verifiedCurrencies: ['BTC'], modifiedAt: till.clock.now() });
        await assert.rejects(till.withdraw('1'), refusal('VERIFICATION_REQUIRED', /business verification/));
        await till.storage.accounts.update(accountId, { verifiedCurrencies: ['ETH'], modifiedAt: till.clock.now() });
        const later = {
          accountId,
          chain: 'ETH',
          formerAddress: null,
          address: 'eth-new',
          activeFrom: till.clock.now() + 1_000,
          updatedAt: till.clock.now(),
        };
        await till.storage.transaction((tx) => tx.wallets.saveWithdrawalAddress(later));
        await assert.rejects(till.withdraw('1'), refusal('NO_WITHDRAWAL_ADDRESS'));
        till.clock.advance(1_000);
        await assert.rejects(till.withdraw('1'), refusal('INSUFFICIENT_BALANCE'));
        till.ethPayments.fee = ETHER;
        await assert.rejects(till.withdraw('1'), refusal('AMOUNT_OUT_OF_RANGE', /cover the network's fee/));
      },
      { withdrawals: { min: new Map([['ETH', '0.1']]), max: new Map([['ETH', '5']]) } },
    );

    money('many payments of coins share one transaction, and its change is spent again', async (till) => {
      await till.fund('BTC', '50000');
      const asked = [
        await till.withdraw('0.1', 'BTC'),
        await till.withdraw('0.2', 'BTC'),
        await till.withdraw('0.3', 'BTC'),
      ];
      await till.settle(till.btc);
      const sent = [...till.btcPayments.sent.values()];
      assert.equal(sent.length, 1);
      const transfers = await Promise.all(asked.map(({ tx_id }) => till.transfer(tx_id)));
      assert.deepEqual(
        transfers.map(({ status }) => status),
        ['CONFIRMED', 'CONFIRMED', 'CONFIRMED'],
      );
      assert.equal(total(transfers.map(({ feeUnits }) => feeUnits)), till.btcPayments.fee);
      assert.equal(total(till.btcPayments.paidTo(PAYEE.BTC, 'BTC')), 60_000_000n - till.btcPayments.fee);
      await till.withdraw('0.4', 'BTC');
      await till.settle(till.btc);
      assert.equal(total(till.btcPayments.paidTo(PAYEE.BTC, 'BTC')), 100_000_000n - 2n * till.btcPayments.fee);
    });

    money('a stored fee limit makes a payment wait while the network asks for more', async (till) => {
      await till.fund('ETH', '2000');
      till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
      const asked = await till.withdraw('0.5');
      const { fee } = till.ethPayments;
      till.ethPayments.fee = fee * 3n;
      await till.settle();
      const waiting = await till.transfer(asked.tx_id);
      assert.equal(waiting.status, 'REQUESTED');
      assert.match(waiting.reason ?? '', /above the most/);
      till.ethPayments.fee = fee;
      await till.settle();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });
  });

  describe(`refunds on ${engine}`, () => {
    money('goes to the payer and makes the order REFUNDED only when it is final', async (till) => {
      const order = await till.fund('ETH', '2000');
      assert.equal(order.status, 'SUCCESS');
      assert.equal((await till.queries.detail(till.principal.accountId, order.id)).refund, true);
      await assert.rejects(till.refund.info(till.principal.accountId, order.id), refusal('NOT_FOUND'));
      const asked = await till.refund.run(till.principal, order.id);
      assert.deepEqual(
        [asked.refund_status, asked.amount, asked.to_addr, asked.refund_et, asked.refund_date],
        ['PENDING', '1', 'eth-payer', 0, null],
      );
      assert.equal((await till.queries.detail(till.principal.accountId, order.id)).refund, false);
      await assert.rejects(
        till.refund.run(till.principal, order.id),
        refusal('STATE_CONFLICT', /has a refund already/),
      );
      await till.payOut();
      till.ethPayments.bury(2);
      await till.follow();
      await till.payOut();
      assert.equal((await till.order(order.id)).status, 'SUCCESS');
      await till.settle();
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
      const done = await till.refund.info(till.principal.accountId, order.id);
      assert.equal(done.refund_status, 'SUCCESS');
      assert.ok(done.refund_et > 0 && done.refund_date !== null);
      assert.equal(
        total(till.ethPayments.paidTo('eth-payer', 'ETH')),
        ETHER - (await refundOf(till, order.id)).feeUnits,
      );
      await assert.rejects(till.refund.run(till.principal, order.id), refusal('STATE_CONFLICT'));
      assert.equal(await till.balance('available', 'ETH'), 0n);
    });

    money('is refused until the payer has left an address, and goes there', async (till) => {
      const order = await till.fund('BTC', '50000', null);
      await assert.rejects(
        till.refund.run(till.principal, order.id),
        refusal('STATE_CONFLICT', /has not set a refund address/),
      );
      for (const own of [till.btcPayments.hotAddress, order.payment?.address ?? '']) {
        await assert.rejects(
          till.choosePayment.setRefundAddress(order.checkoutToken, own),
          refusal('DESTINATION_UNPAYABLE', /this till/),
        );
      }
      await till.choosePayment.setRefundAddress(order.checkoutToken, 'btc-customer');
      await till.refund.run(till.principal, order.id);
      await till.settle(till.btc);
      assert.equal((await till.order(order.id)).status, 'REFUNDED');
      assert.deepEqual(till.btcPayments.paidTo('btc-customer', 'BTC'), [100_000_000n - till.btcPayments.fee]);
    });

    money(
      'fault 87: an address that loses what it gets is no destination, neither as sender nor as given',
      async (till) => {
        const order = await till.fund('ETH', '2000');
        const detail = () => till.queries.detail(till.principal.accountId, order.id);
        assert.equal((await detail()).refund, true);
        // Recorded before, or by a chain that names it: the moment of the refund decides.
        Object.assign(till.eth, {
          destinationProblem: (address: string) =>
            ['eth-payer', 'eth-token'].includes(address) ? 'is the zero address' : null,
        });
        assert.equal((await detail()).refund, false);
        await assert.rejects(
          till.refund.run(till.principal, order.id),
          refusal('DESTINATION_UNPAYABLE', /eth-payer is the zero address/),
        );
        await till.orderAdminActions.removeRefundAddress(order.id, 'shop');
        await assert.rejects(
          till.refund.run(till.principal, order.id, null, null, { to: 'sender' }),
          refusal('DESTINATION_UNPAYABLE', /eth-payer is the zero address/),
        );
        await assert.rejects(
          till.choosePayment.setRefundAddress(order.checkoutToken, 'eth-token'),
          refusal('DESTINATION_UNPAYABLE', /zero address/),
        );
        await till.choosePayment.setRefundAddress(order.checkoutToken, 'eth-customer');
        assert.equal((await detail()).refund, true);
        assert.equal((await till.refund.run(till.principal, order.id)).to_addr, 'eth-customer');
      },
    );

    money('fault 125: an address of another chain is no destination', async (till) => {
      const order = await till.fund('ETH', '2000');
      // The state left by a version that did not compare it with the chain.
      await till.storage.transaction((tx) =>
        tx.orders.update(order.id, { refundAddress: 'btc-customer', updatedAt: till.clock.now() }),
      );
      await assert.rejects(
        till.refund.run(till.principal, order.id),
        refusal('DESTINATION_UNPAYABLE', /not an address of/),
      );
    });

    money('fault 87: what came from the hot wallet does not go back there', async (till) => {
      const order = await till.fund('ETH', '2000', null);
      Object.assign(till.ethPayments, { hotAddress: 'eth-payer' });
      await assert.rejects(
        till.refund.run(till.principal, order.id, null, null, { to: 'sender' }),
        refusal('DESTINATION_UNPAYABLE', /belongs to this till/),
      );
    });

    money('fault 92: a copy that comes while the first is stored gets its refund, no conflict', async (till) => {
      const order = await till.fund('ETH', '2000');
      const claim = {
        route: '/api/v2/order/refund/{order_id}',
        key: 'k',
        bodyHash: 'a'.repeat(64),
        expiresAt: till.clock.now() + 86_400_000,
      };
      const first = () => till.refund.run(till.principal, order.id, claim);
      const copy = till.newRefund(beforeCall(till.storage, 'transfers', 'refundOf', first));
      assert.deepEqual(
        await copy.run(till.principal, order.id, claim),
        await till.refund.info(till.principal.accountId, order.id),
      );
      await till.settle();
      assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, 1);
    });

    money('is refused when its destination or its amount changes while it is asked for', async (till) => {
      const order = await till.fund('ETH', '2000');
      const changing = (change: () => Promise<unknown>) =>
        till.newRefund(beforeCall(till.storage, 'transfers', 'refundsOf', change)).run(till.principal, order.id);
      await assert.rejects(
        changing(async () => {
          await till.orderAdminActions.removeRefundAddress(order.id, 'shop');
          await till.choosePayment.setRefundAddress(order.checkoutToken, 'eth-elsewhere');
        }),
        refusal('STATE_CONFLICT', /changed during the request/),
      );
      await assert.rejects(
        changing(async () => {
          till.eth.mine({ to: order.payment!.address, currency: 'ETH', units: ETHER, txid: 'more', from: 'eth-payer' });
          till.eth.mineEmpty(till.eth.policy.spendableConfirmations);
          await till.follow();
        }),
        refusal('STATE_CONFLICT', /changed during the request/),
      );
      const refund = await till.refund.run(till.principal, order.id);
      assert.deepEqual([refund.amount, refund.to_addr], ['2', 'eth-elsewhere']);
    });

    money('is refused without confirmed money, without balance, and of another account', async (till) => {
      const unpaid = await till.newOrder({ currency: 'ETH' });
      await assert.rejects(till.refund.run(till.principal, unpaid.id), refusal('STATE_CONFLICT', /PENDING/));
      const order = await till.fund('ETH', '2000');
      await till.withdraw('0.5');
      await assert.rejects(till.refund.run(till.principal, order.id), refusal('STATE_CONFLICT', /balance/));
      const stranger = { ...till.principal, accountId: '7000000000000000001' as AccountId };
      await assert.rejects(till.refund.run(stranger, order.id), refusal('NOT_FOUND'));
    });

    money(
      'a refund that the chain mined without effect is TERMINATED and can be asked for again (fault 47)',
      async (till) => {
        const order = await till.fund('ETH', '2000');
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
        till.ethPayments.reverts = ({ to }) => to === 'eth-payer';
        await till.refund.run(till.principal, order.id);
        await till.settle();
        assert.equal((await till.refund.info(till.principal.accountId, order.id)).refund_status, 'TERMINATED');
        assert.equal((await till.order(order.id)).status, 'SUCCESS');
        assert.equal(await till.balance('available', 'ETH'), ETHER - till.ethPayments.fee, 'its cost is charged');
        await assert.rejects(till.refund.run(till.principal, order.id), refusal('STATE_CONFLICT', /less than/));
        await till.fund('ETH', '2');
        till.ethPayments.reverts = () => false;
        await till.refund.run(till.principal, order.id);
        await till.settle();
        assert.equal((await till.order(order.id)).status, 'REFUNDED');
        assert.equal(till.ethPayments.paidTo('eth-payer', 'ETH').length, 1);
      },
    );
  });

  describe(`what nodes do to payments, on ${engine}`, () => {
    money(
      'a lost reply, a refusal and a forgotten mempool end in one payment of the same bytes (faults 40, 42)',
      async (till) => {
        await till.fund('ETH', '2000');
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
        till.ethPayments.troubles.push('refuses', 'reply-lost');
        const asked = await till.withdraw('0.5');
        await till.payOut();
        await till.payOut();
        till.ethPayments.dropMempool();
        assert.equal(till.ethPayments.sent.size, 0);
        await till.settle();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
        assert.equal(view?.attempts.length, 1);
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
      },
    );

    money(
      'a slow payment is raised with its nonce, and the former one may win all the same (fault 43)',
      async (till) => {
        await till.float(ETHER / 100n);
        const asked = await sentHalf(till);
        const [first] = [...till.ethPayments.sent.values()].filter(({ content }) => content.lines[0]?.to === PAYEE.ETH);
        till.clock.advance(61_000);
        till.eth.mine();
        await till.follow();
        await till.payOut();
        const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
        assert.equal(view?.attempts.length, 2);
        // The node mines in the order of arrival, so the earlier one.
        await till.settle();
        const transfer = await till.transfer(asked.tx_id);
        assert.equal(transfer.status, 'CONFIRMED');
        assert.equal((await till.storage.transfers.payoutOf(transfer.id))?.payout.minedTxid, first?.txid);
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
      },
    );

    money(
      'fault 43: where the node takes a raised fee no more, what was sent before it is sent again',
      async (till) => {
        await till.float(ETHER / 100n);
        const asked = await sentHalf(till);
        till.clock.advance(61_000);
        till.eth.mine();
        await till.follow();
        await till.payOut();
        const attempts = (await till.storage.transfers.payoutOf(asked.tx_id as TransferId))?.attempts ?? [];
        assert.equal(attempts.length, 2);
        till.ethPayments.dropMempool();
        till.ethPayments.troubles.push('refuses');
        till.eth.mine();
        await till.follow();
        await till.payOut();
        assert.deepEqual(
          attempts.map(({ txid }) => till.ethPayments.sent.has(txid)),
          [true, false],
        );
        await till.settle();
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
      },
    );

    money('a payment in a block that a reorganisation removed is sent again and paid once', async (till) => {
      await reorganisedAway(till);
      till.eth.mineEmpty(9);
      await till.follow();
      await till.payOut();
      till.ethPayments.bury();
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });

    money(
      'fault 42: however late the till looks after a reorganisation, and however often the node refuses, the payment is sent again',
      async (till) => {
        const asked = await reorganisedAway(till);
        till.eth.mineEmpty(100);
        await till.follow();
        till.ethPayments.troubles.push('refuses', 'refuses');
        for (let block = 0; block < 3; block++) {
          await till.payOut();
          till.ethPayments.mine();
          await till.follow();
        }
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
        assert.equal((await till.storage.transfers.payoutOf(asked.tx_id as TransferId))?.payout.minedHeight, null);
        await till.settle();
        assert.deepEqual(await till.storage.transfers.unminedPayouts('ETH', null, 10), []);
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
      },
    );

    for (const { status, reverts, told } of [
      { status: 'CONFIRMED', reverts: false, told: [] },
      {
        status: 'CONFIRMED',
        reverts: true,
        told: ['It was booked as paid; a reorganisation has put something else in its place.'],
      },
      { status: 'FAILED', reverts: true, told: [] },
      {
        status: 'FAILED',
        reverts: false,
        told: ['It was booked as not paid, and given back; a reorganisation has put something else in its place.'],
      },
    ]) {
      money(
        `fault 42: a payment that is ${status} and after a reorganisation is mined ${reverts ? 'without' : 'with'} effect is ${told.length === 0 ? 'nothing to tell' : 'told'}`,
        async (till) => {
          till.ethPayments.reverts = ({ to }) => to === PAYEE.ETH && status === 'FAILED';
          const asked = await reorganisedAway(till, status);
          const before = till.logger.lines.length;
          till.ethPayments.reverts = ({ to }) => to === PAYEE.ETH && reverts;
          till.eth.mineEmpty(9);
          await till.follow();
          await till.settle();
          const errors = till.logger.lines.slice(before).filter(({ level }) => level === 'error');
          assert.deepEqual(
            errors.map(({ fields }) => fields['reason']),
            told,
          );
          assert.equal((await till.transfer(asked.tx_id)).status, status);
          assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, reverts ? 0 : 1);
          assert.deepEqual(await till.storage.transfers.unminedPayouts('ETH', null, 10), []);
        },
      );
    }

    money('fault 42: a payment is not booked by a block that the till has not read itself', async (till) => {
      const asked = await sentHalf(till);
      till.ethPayments.mine();
      till.eth.mineEmpty(20);
      till.clock.advance(61_000);
      await till.payOut();
      assert.notEqual((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
      await till.follow();
      await till.payOut();
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });

    money('fault 42: nothing is booked by a block of another branch, whoever asks for it', async (till) => {
      const asked = await sentHalf(till);
      till.ethPayments.mine();
      await till.follow();
      const [view] = await till.storage.transfers.livePayouts('ETH', null, 1);
      assert.ok(view);
      const outcome = await till.ethPayments.outcome({
        source: { address: view.payout.sourceAddress, index: view.payout.sourceIndex },
        nonce: view.payout.nonce,
        coins: [],
        attempts: view.attempts,
      });
      assert(outcome.kind === 'mined');
      const context = {
        payments: till.ethPayments,
        stateMachine: till.stateMachine,
        ids: till.ids,
        now: till.clock.now(),
      };
      const book = (block: BlockRef) =>
        till.storage.transaction((tx) => finishMined(tx, view, { ...outcome, block }, context));
      assert.deepEqual(await book({ ...outcome.block, hash: '0xother' }), { transfers: [], orders: [] });
      assert.deepEqual(await book({ ...outcome.block, height: outcome.block.height + 1 }), {
        transfers: [],
        orders: [],
      });
      assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
      assert.equal((await book(outcome.block)).transfers.length, 1);
      assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
    });

    money(
      'a nonce used by another transaction gives the amount back only when that one is final (fault 42)',
      async (till) => {
        const asked = await sentHalf(till);
        const view = await till.storage.transfers.payoutOf(asked.tx_id as TransferId);
        till.ethPayments.dropMempool();
        till.ethPayments.steal(view?.payout.nonce ?? -1);
        till.ethPayments.mine();
        till.eth.mineEmpty(10);
        await till.follow();
        await till.payOut();
        assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
        assert.equal(await till.balance('reserved', 'ETH'), ETHER / 2n);
        till.eth.mineEmpty(10);
        await till.follow();
        await till.payOut();
        assert.equal((await till.transfer(asked.tx_id)).status, 'FAILED');
        assert.equal(await till.balance('available', 'ETH'), ETHER);
      },
    );

    money('a node that cannot explain itself releases nothing', async (till) => {
      const asked = await sentHalf(till);
      till.ethPayments.lie = { kind: 'unclear', reason: 'The nonce was used, but by nothing that the node can show.' };
      till.eth.mineEmpty(40);
      await till.follow();
      await till.payOut();
      assert.equal((await till.transfer(asked.tx_id)).status, 'BROADCAST');
      assert.equal(await till.balance('reserved', 'ETH'), ETHER / 2n);
      assert.ok(
        till.logger.lines.some(
          ({ level, fields }) => level === 'error' && String(fields['reason']).includes('nonce was used'),
        ),
      );
      till.ethPayments.lie = null;
      await till.settle();
      assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 1);
    });

    money(
      'a transaction count ahead of the ledger stops payouts until an operator has looked (fault 68)',
      async (till) => {
        await till.fund('ETH', '2000');
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
        const first = await till.withdraw('0.2');
        await till.settle();
        // A payment after the backup, which the restored database does not contain.
        till.ethPayments.steal(1);
        till.ethPayments.mine();
        const second = await till.withdraw('0.3');
        await till.settle();
        assert.equal((await till.transfer(first.tx_id)).status, 'CONFIRMED');
        assert.equal((await till.transfer(second.tx_id)).status, 'REQUESTED');
        assert.match((await till.storage.transfers.payoutStop('ETH')) ?? '', /backup/);
        // The operator has found the cause: the coins were the operator's own withdrawal.
        await takeHotWallet(till.eth, till, () => undefined);
        assert.equal(await resumePayouts(till.eth, till.storage), true);
        await till.settle();
        assert.equal((await till.transfer(second.tx_id)).status, 'CONFIRMED');
        assert.equal(till.ethPayments.paidTo(PAYEE.ETH, 'ETH').length, 2);
      },
    );

    money('money that is missing on chain stops payouts (fault 68)', async (till) => {
      await till.fund('BTC', '50000');
      const deposit = till.btc.paid.at(-1);
      // The deposit's coin was spent by somebody with the keys, or by a payment that is not in an older backup.
      till.btcPayments.sent.set('foreign', {
        txid: 'foreign',
        content: { source: 'x', nonce: null, coins: [`${deposit?.txid}:0`], lines: [], fee: '0', change: '0' },
        block: null,
        succeeded: true,
      });
      till.btcPayments.mine();
      const asked = await till.withdraw('0.3', 'BTC');
      for (let round = 0; round < 4; round++) await till.payOut(till.btc);
      assert.equal((await till.transfer(asked.tx_id)).status, 'REQUESTED');
      assert.match((await till.storage.transfers.payoutStop('BTC')) ?? '', /less than the ledger says, by 1 BTC\./);
      assert.equal(till.btcPayments.sent.size, 1);
    });

    money(
      'a reorganised and already withdrawn deposit is a loss, freezes the merchant and alerts; the books hold (fault 51)',
      async (till) => {
        await till.float(2n * ETHER);
        const order = await till.fund('ETH', '2000');
        const asked = await till.withdraw('0.9');
        await till.payOut();
        till.eth.drop(11);
        till.eth.mineEmpty(12);
        await till.follow();
        assert.equal((await till.order(order.id)).reorgedAt !== null, true);
        assert.equal(await till.balance('available', 'ETH'), 0n);
        const loss = (await till.storage.ledger.balances('loss:')).find(({ currency }) => currency === 'ETH')?.units;
        assert.equal(loss, (ETHER / 10n) * -9n);
        const alert = till.logger.lines.find(({ fields }) => fields['alert'] === 'loss');
        assert.match(String(alert?.fields['reason']), /after it was withdrawn; 0\.9 ETH are missing\.$/);
        await till.checkBooks();
        await till.settle();
        assert.equal((await till.transfer(asked.tx_id)).status, 'CONFIRMED');
        await till.fund('ETH', '2000');
        await assert.rejects(till.withdraw('0.05'), refusal('STATE_CONFLICT', /frozen/));
        await till.storage.transaction((tx) => tx.transfers.unfreeze(till.principal.accountId));
        await till.withdraw('0.05');
      },
    );

    money('an instance that lost its lease writes nothing (fault 41)', async (till) => {
      await till.fund('ETH', '2000');
      till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
      await till.withdraw('0.5');
      const stale = await till.payoutLease();
      await till.storage.leases.release(stale);
      const other = await till.storage.leases.acquire('payout:ETH', 'other', 60_000);
      assert.ok(other !== null && other.fence > stale.fence);
      await assert.rejects(till.newRunner().step(stale), refusal('LEASE_LOST'));
      assert.equal(till.ethPayments.sent.size, 0);
      const runner = till.newRunner();
      while ((await runner.step(other)) === 'advanced');
      assert.equal(
        [...till.ethPayments.sent.values()].filter(({ content }) => content.lines[0]?.to === PAYEE.ETH).length,
        1,
      );
    });
  });

  describe(`sweeps on ${engine}`, () => {
    money(
      'moves what is worth its fee, and lists what is not',
      async (till) => {
        await till.float(ETHER / 100n);
        await till.fund('ETH', '2000');
        till.ethPayments.fee = ETHER / 2_000n;
        await till.fund('ETH', '20');
        await till.settle();
        assert.equal(till.ethPayments.paidTo(till.ethPayments.hotAddress, 'ETH').length, 1);
        const refused = await till.newRunner().refusedSweeps();
        assert.deepEqual(
          refused.map(({ currency, units }) => [currency, units]),
          [['ETH', ETHER / 100n]],
        );
      },
      { sweeps: { maxFeeBps: 100 } },
    );

    money('what another holder of the keys has sent from a deposit address keeps no coins there', async (till) => {
      await till.float(ETHER / 100n);
      const order = await till.fund('ETH', '2000');
      await till.settle();
      const { address } = order.payment ?? { address: '' };
      till.ethPayments.fund(address, 'ETH', 2n);
      till.ethPayments.steal(1, address);
      till.ethPayments.mine();
      for (const txid of ['second', 'third']) {
        till.eth.mine({ to: address, currency: 'ETH', units: ETHER, txid, from: 'eth-payer' });
        await till.settle();
      }
      assert.deepEqual(
        till.ethPayments.paidTo(till.ethPayments.hotAddress, 'ETH').length,
        3,
        'swept with the nonces that follow',
      );
    });

    money(
      'a token payment takes only what the receiver gets: what its fee leaves behind makes up for crumbs elsewhere',
      async (till) => {
        await crumbs(till);
        const asked = await till.withdraw('30.5', 'USDT-ERC20');
        await till.settle();
        const transfer = await till.transfer(asked.tx_id);
        assert.equal(transfer.status, 'CONFIRMED', transfer.reason ?? '');
        assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'USDT-ERC20'), [29_660_000n]);
        assert.deepEqual(
          till.ethPayments.paidTo(till.ethPayments.hotAddress, 'USDT-ERC20'),
          [30_000_000n],
          'the crumb stays',
        );
      },
    );

    money(
      'a crumb that is not worth its fee is moved for a payment that waits for it, when it is worth it to the payment',
      async (till) => {
        await crumbs(till);
        const asked = await till.withdraw('31.37', 'USDT-ERC20');
        await till.settle();
        const transfer = await till.transfer(asked.tx_id);
        assert.equal(transfer.status, 'CONFIRMED', transfer.reason ?? '');
        assert.deepEqual(till.ethPayments.paidTo(PAYEE.ETH, 'USDT-ERC20'), [30_530_000n]);
        assert.deepEqual(till.ethPayments.paidTo(till.ethPayments.hotAddress, 'USDT-ERC20'), [30_000_000n, 1_370_000n]);
      },
    );

    money(
      'a payment that would wait for ever for a small deposit is refused when it is requested, until the fee has fallen',
      async (till) => {
        till.ethPayments.fee = 42n * 10n ** 13n;
        till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
        const order = await till.fund('USDT-ERC20', '1.37');
        // The payment costs 0.84 USDT, and the sweep before it twice as much.
        await assert.rejects(
          till.withdraw('1.37', 'USDT-ERC20'),
          refusal('AMOUNT_OUT_OF_RANGE', /small amounts over many addresses/),
        );
        await assert.rejects(till.refund.run(till.principal, order.id), refusal('STATE_CONFLICT', /fee/));
        assert.equal(await till.balance('available', 'USDT-ERC20'), 1_370_000n);
        till.ethPayments.fee = 10n ** 13n;
        till.clock.advance(600_000);
        await till.refund.run(till.principal, order.id);
        await till.settle();
        assert.equal((await refundOf(till, order.id)).status, 'CONFIRMED');
        assert.deepEqual(till.ethPayments.paidTo('eth-payer', 'USDT-ERC20'), [1_350_000n]);
      },
    );

    money(
      'what the hot wallet holds above its ceiling goes to the cold address',
      async (till) => {
        await till.float(ETHER / 100n);
        await till.fund('ETH', '2000');
        await till.settle();
        const paid = till.ethPayments.paidTo('eth-cold', 'ETH');
        assert.equal(paid.length, 1);
        const left = await till.ethPayments.balance(till.ethPayments.hotAddress, 'ETH');
        assert.equal(left, ETHER / 4n);
        assert.equal((await till.storage.ledger.balances('cold:ETH'))[0]?.units, -total(paid));
      },
      { sweeps: { cold: new Map([['ETH', { address: 'eth-cold', above: new Map([['ETH', '0.25']]) }]]) } },
    );
  });
});

/** 30 USDT that are swept, and 1.37 at an address, which is less than the fee of 2 × 0.84. */
async function crumbs(till: MoneyDomain): Promise<void> {
  till.ethPayments.fee = 42n * 10n ** 13n;
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', ETHER);
  await till.fund('USDT-ERC20', '30');
  await till.settle();
  await till.fund('USDT-ERC20', '1.37');
}

async function refundOf(till: MoneyDomain, orderId: string) {
  const refund = await till.storage.transfers.refundOf(orderId as never);
  assert.ok(refund !== null);
  return refund;
}
