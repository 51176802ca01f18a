// @own-process: a shop and a till run beside it
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { installPlugin } from './shop-process.ts';
import { startShopTill } from './till.ts';
import type { ShopTill } from './till.ts';
import { VendureShop } from './vendure-shop.ts';
import type { AdminOrder } from './vendure-shop.ts';
import { sendEvent, succeeded } from './webhooks.ts';

const PRICE = 1250;
const FOREIGN_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

const stateOf = ({ payments }: AdminOrder): string | undefined => payments[0]?.state;

describe('a Vendure shop with the plugin of examples/shops/vendure', () => {
  let till: ShopTill;
  let shop: VendureShop;
  before(async () => {
    await installPlugin('vendure');
    till = await startShopTill();
    shop = await VendureShop.open(till);
  });
  after(async () => {
    await shop?.stop();
    await till?.stop();
  });

  test('an order is paid at the till, settled by the webhook, and refunded from the admin', async () => {
    const begun = await shop.buy();
    const order = await till.client.orders.get(begun.orderId);
    assert.deepEqual([order.price, order.currency], ['12.5', 'USD']);
    await till.pay(begun);
    const paid = await shop.until(begun.id, ({ state }) => state === 'PaymentSettled');
    const [payment] = paid.payments;
    assert(payment !== undefined);
    assert.deepEqual([payment.state, payment.amount], ['Settled', PRICE]);

    await till.mine(begun.orderId);
    assert.equal(await shop.refund(payment, PRICE - 1), 'Failed', 'a part');
    assert.equal(await shop.refund(payment), 'Pending');
    assert.equal(await shop.refund(payment), 'REFUND_AMOUNT_ERROR', 'a second refund');
    await till.refunded(begun.orderId);
    const refunded = await shop.until(begun.id, ({ payments }) => payments[0]?.refunds.at(-1)?.state === 'Settled');
    assert.deepEqual(
      refunded.payments[0]?.refunds.map(({ state, total }) => [state, total]),
      [
        ['Failed', PRICE - 1],
        ['Settled', PRICE],
      ],
    );
  });

  test('faults 266 and 267: an event that was forged, changed or kept for later is refused, and one of an unpaid order settles nothing', async () => {
    const { id, orderId } = await shop.buy();
    const { secret } = shop.endpoint;
    const event = succeeded(await till.client.orders.get(orderId));
    const { webhookUrl: url } = shop;
    assert.equal(await sendEvent(url, FOREIGN_SECRET, event), 400, 'forged');
    assert.equal(
      await sendEvent(url, secret, { type: 'webhook.test' }, { body: JSON.stringify(event) }),
      400,
      'changed',
    );
    assert.equal(await sendEvent(url, secret, event, { at: new Date(Date.now() - 600_000) }), 400, 'old');
    // With the right secret, as an event that says what is true no longer: the till is asked.
    assert.equal(await sendEvent(url, secret, event), 204);
    const [payment] = (await shop.order(id)).payments;
    assert.deepEqual([payment?.state, payment?.errorMessage], ['Created', 'The order at the till is PENDING.']);
  });

  test('fault 267: an order that is paid short is not settled, by the webhook or by hand, until the rest has come', async () => {
    const begun = await shop.buy();
    await till.pay(begun, 0.5);
    const event = succeeded(await till.client.orders.get(begun.orderId));
    assert.equal(await sendEvent(shop.webhookUrl, shop.endpoint.secret, event), 204);
    const [payment] = (await shop.order(begun.id)).payments;
    assert(payment !== undefined);
    assert.equal(await shop.settle(payment.id), 'The order at the till is PENDING.');
    assert.equal(stateOf(await shop.order(begun.id)), 'Created');
    await till.pay(begun, 0.5);
    await shop.until(begun.id, ({ state }) => state === 'PaymentSettled');
  });

  test('fault 267: a paid order settles no payment but its own', async () => {
    const [cheap, dear] = [await shop.buy(1), await shop.buy(3)];
    await till.pay(cheap);
    await shop.until(cheap.id, ({ state }) => state === 'PaymentSettled');
    const { merchantReference } = await till.client.orders.get(dear.orderId);
    const paid = await till.client.orders.get(cheap.orderId);
    const { secret } = shop.endpoint;
    for (const changes of [{ id: dear.orderId }, { merchantReference }, { id: '1' }])
      assert.equal(await sendEvent(shop.webhookUrl, secret, succeeded(paid, changes)), 204);
    assert.equal(stateOf(await shop.order(dear.id)), 'Created');
  });

  test('fault 268: an event that comes again, many times at once, settles once', async () => {
    const begun = await shop.buy();
    await till.pay(begun);
    await shop.until(begun.id, ({ state }) => state === 'PaymentSettled');
    const event = succeeded(await till.client.orders.get(begun.orderId));
    const statuses = await Promise.all(
      [1, 2, 3].map(() => sendEvent(shop.webhookUrl, shop.endpoint.secret, event, { id: 'the-same' })),
    );
    assert.deepEqual(statuses, [204, 204, 204]);
    const { payments, history } = await shop.order(begun.id);
    assert.deepEqual([payments.length, payments[0]?.state], [1, 'Settled']);
    assert.equal(history.items.filter(({ data }) => data['to'] === 'Settled').length, 1);
  });

  test('what the buyer’s browser sends along changes neither price nor order', async () => {
    const { id, orderId } = await shop.begin(await shop.checkout(), {
      ...{
        amount: 1,
        price: '0.01',
        reference: 'mine',
        transactionId: '1',
        public: { payUrl: 'https://evil.example' },
      },
    });
    assert.equal((await till.client.orders.get(orderId)).price, '12.5');
    assert.equal((await shop.order(id)).payments[0]?.amount, PRICE);
  });

  test('fault 268: a payment after the shop has cancelled the order leaves it cancelled, and can be refunded', async () => {
    const begun = await shop.buy();
    await shop.cancelOrder(begun.id);
    assert.equal((await shop.order(begun.id)).state, 'Cancelled');
    await till.pay(begun);
    const { state, payments } = await shop.until(begun.id, (order) => stateOf(order) === 'Settled');
    assert.equal(state, 'Cancelled');
    await till.mine(begun.orderId);
    assert(payments[0] !== undefined);
    assert.equal(await shop.refund(payments[0]), 'Pending');
  });

  test('fault 268: a payment that the shop has cancelled stays so when it is paid all the same, and a note says what to do', async () => {
    const begun = await shop.buy();
    const [payment] = (await shop.order(begun.id)).payments;
    await shop.cancelPayment(payment?.id ?? '');
    await till.pay(begun);
    const noted = await shop.until(begun.id, ({ history }) => history.items.some(({ type }) => type === 'ORDER_NOTE'));
    assert.deepEqual([noted.state, stateOf(noted)], ['ArrangingPayment', 'Cancelled']);
  });

  test('fault 268: when every event is lost, the admin settles by hand, once it is paid', async () => {
    const begun = await shop.buy();
    const [payment] = (await shop.order(begun.id)).payments;
    await shop.without(till, async () => {
      await till.pay(begun);
      await till.until(begun.orderId, 'SUCCESS');
    });
    assert.equal(stateOf(await shop.order(begun.id)), 'Created');
    assert.equal(await shop.settle(payment?.id ?? ''), 'Settled');
    assert.equal((await shop.order(begun.id)).state, 'PaymentSettled');
  });
});
