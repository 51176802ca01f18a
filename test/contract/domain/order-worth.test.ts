import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { DISAPPEARED_AFTER_MS, rejectTransfer } from '../../../core/index.ts';
import type { Order, TransferId } from '../../../core/index.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain, MoneyOptions } from '../../support/money.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { testsOf } from '../../support/storage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ETHER = 10n ** 18n;
const LINKS = { callbackUrl: 'https://shop.example/paid', timeoutCallback: 'https://shop.example/late' };
const MEMPOOL: MoneyOptions = { chain: { mempool: true, confirmations: 2, spendableConfirmations: 3 } };

let payments = 0;

/** 2,000 US dollars: one ether, or 4,000,000 satoshi. */
const order = (till: MoneyDomain, currency: 'ETH' | 'BTC' = 'ETH'): Promise<Order> =>
  till.newOrder({ chain: currency, currency, price: '2000', links: LINKS });

async function priceOf(till: MoneyDomain, symbol: string, usd: string | null): Promise<void> {
  if (usd === null) till.rates.prices.delete(symbol);
  else till.rates.prices.set(symbol, usd);
  till.clock.advance(11 * MINUTE);
  await till.rateBook.refresh();
}

async function expired(till: MoneyDomain, ms = 31 * MINUTE): Promise<void> {
  till.clock.advance(ms);
  await till.expire();
}

/** A payment of ether in a block, with enough blocks on top to spend it. */
async function pay(till: MoneyDomain, { payment }: Order, units = ETHER): Promise<void> {
  till.eth.mine({
    to: payment?.address ?? '',
    currency: 'ETH',
    units,
    txid: `worth${(payments += 1)}`,
    from: 'eth-payer',
  });
  till.eth.mineEmpty(8);
  await till.follow();
}

const statusOf = async (till: MoneyDomain, { id }: Order): Promise<string> => (await till.order(id)).status;
const callbacks = async (till: MoneyDomain, { id }: Order): Promise<string[]> =>
  (await till.storage.callbacks.byOrder(id)).map(({ event }) => event);
const noticed = async (till: MoneyDomain, { id }: Order, rule: string) =>
  (await till.storage.orders.history(id)).filter((entry) => entry.rule === rule);

eachStorage((engine, open) => {
  const till = testsOf(open, buildMoney);
  const seen = testsOf(open, buildMoney, MEMPOOL);
  const spread = testsOf(open, buildMoney, { orders: { spreadBps: 250 } });

  describe(`fault 380: a spread on the rate, on ${engine}`, () => {
    spread('it is asked for, shown with the rate, and the whole amount is worth the price', async (money) => {
      const made = await order(money);
      const due = made.payment?.units ?? 0n;
      assert.deepEqual([due, made.payment?.rate.spreadBps], [(ETHER * 10_250n) / 10_000n, 250]);
      await pay(money, made, due - 1n);
      assert.equal(await statusOf(money, made), 'PENDING');
      await pay(money, made, 1n);
      assert.equal(await statusOf(money, made), 'SUCCESS');
    });

    spread('a late payment covers the price with the spread at the rate when it was first seen', async (money) => {
      const [short, whole] = [await order(money), await order(money)];
      await expired(money);
      await priceOf(money, 'ETH', '1000');
      await pay(money, short, 2n * ETHER);
      await pay(money, whole, (2n * ETHER * 10_250n) / 10_000n);
      assert.deepEqual([await statusOf(money, short), await statusOf(money, whole)], ['OVERDUE', 'RESOLVED']);
      const [entry] = await noticed(money, short, 'late-payment-short');
      assert.equal(entry?.inputs['worthSeen'], '1951.21', 'in minor units, rounded down');
    });

    spread('a stablecoin that the merchant priced at one dollar is asked for as it is', async (money) => {
      const made = await money.newOrder({ price: '100', fixedEncryptPrice: true });
      assert.deepEqual([made.payment?.units, made.payment?.rate.spreadBps], [100_000_000n, undefined]);
    });
  });

  describe(`fault 345: what a late payment is worth, on ${engine}`, () => {
    till('it completes no order by itself once the coin has fallen; the merchant accepts it', async (money) => {
      const late = await order(money);
      await expired(money);
      await priceOf(money, 'ETH', '1999');
      await pay(money, late);
      assert.equal(await statusOf(money, late), 'OVERDUE');
      assert.equal(await money.balance('available', 'ETH'), ETHER, 'the money is the merchant’s');
      assert.deepEqual(await callbacks(money, late), ['order.timeout']);
      const [entry] = await noticed(money, late, 'late-payment-short');
      assert.deepEqual(
        [entry?.inputs['worthAgreed'], entry?.inputs['worthSeen']],
        ['2000', '1999'],
        'both worths are in the history',
      );
      assert.equal(entry?.rate?.coin.usd, '1999');
      await money.orderAdminActions.resolve(late.id, 'merchant');
      assert.deepEqual(await callbacks(money, late), ['order.timeout', 'order.succeeded']);
      await money.checkBooks();
    });

    till('it completes the order where it covers the price at the rate when it was first seen', async (money) => {
      const late = await order(money);
      await expired(money);
      await priceOf(money, 'ETH', '1000');
      await pay(money, late, 2n * ETHER);
      assert.equal(await statusOf(money, late), 'RESOLVED');
      await money.checkBooks();
    });

    till('within the grace it completes the order at the order’s rate', async (money) => {
      const late = await order(money);
      money.rates.prices.set('ETH', '1000');
      money.clock.advance(39 * MINUTE);
      await money.expire();
      await money.rateBook.refresh();
      await pay(money, late);
      assert.equal(await statusOf(money, late), 'RESOLVED');
    });

    till('without a rate at that time it completes nothing, whatever the rate is later', async (money) => {
      const late = await order(money);
      await expired(money);
      await priceOf(money, 'ETH', null);
      await pay(money, late);
      await priceOf(money, 'ETH', '2000');
      await pay(money, late, 1n);
      assert.equal(await statusOf(money, late), 'OVERDUE');
      assert.equal((await noticed(money, late, 'late-payment-short'))[0]?.inputs['worthSeen'], null);
      await money.checkBooks();
    });

    till('on a quiet till the prices are asked for first', async (money) => {
      const late = await order(money);
      await expired(money, 10 * HOUR);
      await pay(money, late);
      assert.equal(await statusOf(money, late), 'RESOLVED');
    });

    seen('the rate of the moment when it was seen unconfirmed is kept, also through a restart', async (money) => {
      const late = await order(money, 'BTC');
      const units = late.payment?.units ?? 0n;
      await expired(money);
      await priceOf(money, 'BTC', '40000');
      const payment = { to: late.payment?.address ?? '', currency: 'BTC', units, txid: `worth${(payments += 1)}` };
      money.btc.waiting.push(payment);
      await money.follow(money.btc);
      await priceOf(money, 'BTC', '60000');
      const restarted = money.newFollower(money.btc);
      await restarted.start();
      money.btc.mine(payment);
      money.btc.mineEmpty(3);
      const lease = await money.lease(money.btc);
      while ((await restarted.step(lease)) === 'advanced');
      const [deposit] = await money.storage.deposits.byOrder(late.id);
      assert.equal(deposit?.rate?.coin.usd, '40000');
      assert.equal(await statusOf(money, late), 'OVERDUE');
      await money.checkBooks();
    });

    seen('one that was seen in time and mined after its hold counts from its block', async (money) => {
      const held = await order(money, 'BTC');
      const units = held.payment?.units ?? 0n;
      const payment = { to: held.payment?.address ?? '', currency: 'BTC', units, txid: `worth${(payments += 1)}` };
      money.btc.waiting.push(payment);
      await money.follow(money.btc);
      await expired(money, 7 * HOUR);
      assert.equal(await statusOf(money, held), 'OVERDUE');
      await priceOf(money, 'BTC', '49000');
      money.btc.mine(payment);
      money.btc.mineEmpty(3);
      await money.follow(money.btc);
      assert.equal(await statusOf(money, held), 'OVERDUE');
      const [deposit] = await money.storage.deposits.byOrder(held.id);
      assert.ok((deposit?.paidAt ?? 0) > held.expiresAt + 6 * HOUR);
      await money.checkBooks();
    });
  });

  describe(`fault 347: a payment beside a refund of its order, on ${engine}`, () => {
    /** An order with 0.6 of 1 ether received and being refunded. */
    async function refunding(money: MoneyDomain): Promise<{ partial: Order; refundId: TransferId }> {
      const partial = await order(money);
      await pay(money, partial, (6n * ETHER) / 10n);
      await expired(money);
      assert.equal(await statusOf(money, partial), 'PARTIAL');
      await money.choosePayment.setRefundAddress(partial.checkoutToken, 'eth-claimed');
      await money.refund.run(money.principal, partial.id);
      const refund = await money.storage.transfers.refundOf(partial.id);
      assert.ok(refund);
      return { partial, refundId: refund.id };
    }

    till(
      'moves the order not, nor does the merchant; the order is REFUNDED, and the rest can be refunded',
      async (money) => {
        money.ethPayments.fund(money.ethPayments.hotAddress, 'ETH', ETHER);
        const { partial } = await refunding(money);
        await pay(money, partial, (4n * ETHER) / 10n);
        assert.equal(await statusOf(money, partial), 'PARTIAL');
        await assert.rejects(money.orderAdminActions.resolve(partial.id, 'merchant'), { code: 'STATE_CONFLICT' });
        await money.settle();
        assert.equal(await statusOf(money, partial), 'REFUNDED');
        assert.deepEqual(await callbacks(money, partial), ['order.timeout']);
        assert.equal((await money.queries.detail(money.principal.accountId, partial.id)).refund, true);
        const second = await money.refund.run(money.principal, partial.id);
        assert.equal(second.amount, '0.4');
        await money.settle();
        assert.equal((await money.queries.detail(money.principal.accountId, partial.id)).refund, false);
        await assert.rejects(money.refund.run(money.principal, partial.id), { code: 'STATE_CONFLICT' });
        await money.checkBooks();
      },
    );

    till('completes the order once that refund has failed', async (money) => {
      const { partial, refundId } = await refunding(money);
      money.clock.advance(1_000);
      await pay(money, partial, (4n * ETHER) / 10n);
      assert.equal(await statusOf(money, partial), 'PARTIAL');
      const now = money.clock.now();
      await money.storage.transaction((tx) => rejectTransfer(tx, refundId, 'No.', { now, ids: money.ids }));
      assert.equal(await money.expireOrders.run(), 1);
      assert.equal(await statusOf(money, partial), 'RESOLVED');
      assert.deepEqual(await callbacks(money, partial), ['order.timeout', 'order.succeeded']);
      assert.equal(await money.expireOrders.run(), 0);
      await money.checkBooks();
    });

    till(
      'of a payment and a refund at the same moment one comes first, and never goods beside money',
      async (money) => {
        const partial = await order(money);
        await pay(money, partial, (6n * ETHER) / 10n);
        await expired(money);
        await money.choosePayment.setRefundAddress(partial.checkoutToken, 'eth-claimed');
        const [refund] = await Promise.allSettled([
          money.refund.run(money.principal, partial.id),
          pay(money, partial, (4n * ETHER) / 10n),
        ]);
        const status = await statusOf(money, partial);
        assert.equal(status, refund.status === 'fulfilled' ? 'PARTIAL' : 'RESOLVED');
        await money.checkBooks();
      },
    );
  });

  describe(`fault 348: what is paid after the end of an order, on ${engine}`, () => {
    till('after a refund it is credited, noted, and can be refunded again', async (money) => {
      money.ethPayments.fund(money.ethPayments.hotAddress, 'ETH', ETHER);
      const paid = await money.fund('ETH', '2000');
      await money.refund.run(money.principal, paid.id);
      await money.settle();
      assert.equal(await statusOf(money, paid), 'REFUNDED');
      await pay(money, paid);
      assert.equal(await money.balance('available', 'ETH'), ETHER);
      assert.equal((await noticed(money, paid, 'payment-after-end')).length, 1);
      assert.equal((await money.refund.run(money.principal, paid.id)).amount, '1');
      await money.settle();
      assert.equal(await statusOf(money, paid), 'REFUNDED');
      assert.deepEqual(await callbacks(money, paid), []);
      await money.checkBooks();
    });

    till('after a cancellation too', async (money) => {
      money.ethPayments.fund(money.ethPayments.hotAddress, 'ETH', ETHER);
      const gone = await order(money);
      await money.orderAdminActions.terminate(gone.id, 'merchant');
      await pay(money, gone);
      assert.equal(await statusOf(money, gone), 'TERMINATED');
      assert.equal((await noticed(money, gone, 'payment-after-end')).length, 1);
      await money.choosePayment.setRefundAddress(gone.checkoutToken, 'eth-claimed');
      await money.refund.run(money.principal, gone.id);
      await money.settle();
      assert.equal(await statusOf(money, gone), 'TERMINATED');
      assert.equal(await money.balance('available', 'ETH'), 0n);
      await money.checkBooks();
    });
  });

  describe(`fault 349: what holds an order open, on ${engine}`, () => {
    const dust = async (money: MoneyDomain, { payment }: Order, units: bigint): Promise<void> => {
      money.btc.waiting.push({
        to: payment?.address ?? '',
        currency: 'BTC',
        units,
        txid: `worth${(payments += 1)}`,
      });
      await money.follow(money.btc);
    };

    seen('dust in the mempool does not, and the merchant may cancel', async (money) => {
      const [held, cancelled] = [await order(money, 'BTC'), await order(money, 'BTC')];
      for (const each of [held, cancelled]) await dust(money, each, 600n);
      await money.orderAdminActions.terminate(cancelled.id, 'merchant');
      assert.equal(await statusOf(money, cancelled), 'TERMINATED');
      await expired(money);
      assert.equal(await statusOf(money, held), 'OVERDUE');
    });

    seen('what could complete it does, for six hours, and cannot be cancelled', async (money) => {
      const held = await order(money, 'BTC');
      await dust(money, held, held.payment?.units ?? 0n);
      await assert.rejects(money.orderAdminActions.terminate(held.id, 'merchant'), { code: 'STATE_CONFLICT' });
      await expired(money);
      await expired(money, 6 * HOUR - 2 * MINUTE);
      assert.equal(await statusOf(money, held), 'PENDING');
      await expired(money, MINUTE);
      assert.equal(await statusOf(money, held), 'OVERDUE');
    });

    seen(
      'orders that are held keep none behind them from expiring, and end when what held them is gone',
      async (money) => {
        const held: Order[] = [];
        for (let n = 0; n < 201; n++) held.push(await order(money, 'BTC'));
        for (const { payment } of held)
          money.btc.waiting.push({
            to: payment!.address,
            currency: 'BTC',
            units: payment!.units,
            txid: `held${(payments += 1)}`,
          });
        await money.follow(money.btc);
        money.clock.advance(1);
        const behind = await order(money, 'BTC');
        await expired(money);
        assert.equal(await statusOf(money, behind), 'OVERDUE');
        assert.equal(await statusOf(money, held[0]!), 'PENDING');
        money.btc.waiting = [];
        await money.follow(money.btc);
        money.clock.advance(DISAPPEARED_AFTER_MS);
        await money.follow(money.btc);
        assert.equal(await money.expireOrders.run(), held.length);
      },
    );
  });
});
