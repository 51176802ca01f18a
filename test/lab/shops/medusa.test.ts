// @own-process: a shop and a till run beside it
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MedusaShop } from './medusa-shop.ts';
import { installPlugin } from './shop-process.ts';
import { startShopTill } from './till.ts';
import type { ShopTill } from './till.ts';
import { sendEvent, succeeded } from './webhooks.ts';

const FOREIGN_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

describe('a Medusa shop with the provider of examples/shops/medusa', () => {
  let till: ShopTill;
  let shop: MedusaShop;
  before(async () => {
    await installPlugin('medusa');
    till = await startShopTill();
    shop = await MedusaShop.open(till);
  });
  after(async () => {
    await shop?.stop();
    await till?.stop();
  });

  test('a cart is paid at the till, becomes an order by the webhook, and is refunded from the admin', async () => {
    const begun = await shop.buy();
    const order = await till.client.orders.get(begun.orderId);
    assert.deepEqual([order.price, order.currency], ['12.5', 'EUR']);
    await till.pay(begun);
    const payment = await shop.captured(begun);
    assert.equal(payment.amount, 12.5);
    await shop.ordered(begun);

    await till.mine(begun.orderId);
    assert.equal(await shop.refund(payment, 12.49), 400, 'a part');
    assert.equal(await shop.refund(payment, 12.5), 200);
    assert.equal(await shop.refund(payment, 12.5), 400, 'a second refund');
    await till.refunded(begun.orderId);
    const [refunded] = await shop.payments(begun);
    assert.deepEqual(
      refunded?.refunds.map(({ amount }) => amount),
      [12.5],
    );
  });

  test('currencies without decimals and with three have the price that the shop shows', async () => {
    for (const [currency, price] of [
      ['jpy', '1250'],
      ['kwd', '1.255'],
    ] as const) {
      const order = await till.client.orders.get((await shop.buy(currency)).orderId);
      assert.deepEqual([order.price, order.currency], [price, currency.toUpperCase()]);
    }
  });

  test('faults 266 and 267: nothing is captured for an event that is forged, old, or of an order that is not paid in full', async () => {
    const begun = await shop.buy();
    const other = await shop.buy();
    await till.pay(begun, 0.5);
    const event = succeeded(await till.client.orders.get(begun.orderId));
    const { secret } = shop.endpoint;
    await sendEvent(shop.webhookUrl, FOREIGN_SECRET, event);
    await sendEvent(shop.webhookUrl, secret, { type: 'webhook.test' }, { body: JSON.stringify(event) });
    await sendEvent(shop.webhookUrl, secret, event, { at: new Date(Date.now() - 600_000) });
    await sendEvent(shop.webhookUrl, secret, event);
    // Events are handled one after the other, so a payment that is captured later shows that these have been.
    await till.pay(other);
    await shop.captured(other);
    assert.deepEqual(await shop.payments(begun), []);
    assert.equal(await shop.complete(begun.cartId), 'not_allowed');
    await till.pay(begun, 0.5);
    await shop.captured(begun);
  });

  test('fault 267: a paid order pays no session but its own', async () => {
    const [paid, open] = [await shop.buy(), await shop.buy('kwd')];
    await till.pay(paid);
    await shop.captured(paid);
    const order = await till.client.orders.get(paid.orderId);
    await sendEvent(
      shop.webhookUrl,
      shop.endpoint.secret,
      succeeded(order, { metadata: { session_id: open.sessionId } }),
    );
    assert.equal(await shop.complete(open.cartId), 'not_allowed');
    assert.deepEqual(await shop.payments(open), []);
  });

  test('what the buyer’s browser sends along changes neither price nor order', async () => {
    const paid = await shop.buy();
    await till.pay(paid);
    await shop.captured(paid);
    const lie = { order_id: paid.orderId, price: '0.01', currency: 'EUR', session_id: paid.sessionId };
    const begun = await shop.buy('eur', lie);
    assert.notEqual(begun.orderId, paid.orderId);
    assert.equal((await till.client.orders.get(begun.orderId)).price, '12.5');
    assert.equal(await shop.complete(begun.cartId), 'not_allowed');
  });

  test('fault 268: an event that comes again captures once, and when it is lost the buyer’s browser completes the cart', async () => {
    const begun = await shop.buy();
    await till.listen(shop.endpoint.id, false);
    await till.pay(begun);
    await till.until(begun.orderId, 'SUCCESS');
    assert.equal(await shop.complete(begun.cartId), 'order');
    const event = succeeded(await till.client.orders.get(begun.orderId));
    for (const id of ['again', 'again']) await sendEvent(shop.webhookUrl, shop.endpoint.secret, event, { id });
    await till.listen(shop.endpoint.id, true);
    const other = await shop.buy();
    await till.pay(other);
    await shop.captured(other);
    const payments = await shop.payments(begun);
    assert.deepEqual([payments.length, payments[0]?.captures.length], [1, 1]);
  });
});
