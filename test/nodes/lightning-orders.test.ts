import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readPaymentRequest } from '../../adapters/lightning/index.ts';
import { LightningTill } from './lightning-till.ts';

describe('Lightning orders on two real lnd nodes', { concurrency: 1 }, () => {
  let till: LightningTill;
  before(async () => {
    till = await LightningTill.start();
  });
  after(() => till.close());

  test('an order is paid by the other node: SUCCESS, a GET callback with the merchant’s own query kept, and the balance', async () => {
    const before = await till.wallet();
    const order = await till.order('25');
    const invoice = readPaymentRequest(order.paymentRequest, 'regtest');
    assert.deepEqual([invoice.msat, order.msat], [50_000_000n, 50_000_000n], '25 USD at 50,000 are 0.0005 BTC');
    assert.equal((await till.detail(order.id))['status'], 'PENDING');
    await till.fixture.pay(order.paymentRequest);
    await till.becomes(order.id, 'SUCCESS');
    const { method, target, body } = await till.calledBack(order.id);
    const query = new URL(target, 'http://shop').searchParams;
    assert.deepEqual(
      [method, body, query.get('shop'), query.get('event'), query.get('order_id'), query.get('status')],
      ['GET', '', '7', 'order.succeeded', order.id, 'SUCCESS'],
    );
    assert.deepEqual(
      [query.get('chain'), query.get('currency'), query.get('tx_hash')],
      ['BLN', 'BTC-LN', invoice.paymentHash],
    );
    const after = await till.wallet();
    assert.deepEqual([after.available - before.available, after.total - before.total], [order.msat, order.msat]);
    await till.booksHold();
  });

  test('fault 35: what is paid while the till is dead is credited after its start, once', async () => {
    const orders = [await till.order('3'), await till.order('4'), await till.order('5')];
    const { available } = await till.wallet();
    await till.kill();
    for (const { paymentRequest } of orders) await till.fixture.pay(paymentRequest);
    await till.startServer();
    for (const { id } of orders) await till.becomes(id, 'SUCCESS');
    for (const { id } of orders) await till.calledBack(id);
    await till.kill();
    await till.startServer();
    assert.equal(
      (await till.wallet()).available - available,
      orders.reduce((sum, { msat }) => sum + msat, 0n),
    );
    for (const { id } of orders) assert.equal(till.callbacksOf(id).length, 1);
    await till.booksHold();
  });

  test('an order outlives its node’s fall: paid when the node is back', async () => {
    const order = await till.order('6');
    await till.fixture.till.restart();
    await till.fixture.connected();
    await till.fixture.pay(order.paymentRequest);
    await till.becomes(order.id, 'SUCCESS');
    await till.booksHold();
  });

  test('an order made while the node is away is refused as a failure of the node, and leaves nothing', async () => {
    const before = (await till.call('GET', '/api/v2/order?page=1&size=1'))['total'];
    await till.fixture.till.stop();
    const { code } = await till.ask('POST', '/api/bln/order', { price: 7, currency: 'USD' });
    assert.equal(code, 50_200);
    await till.fixture.till.start();
    await till.fixture.connected();
    assert.equal((await till.call('GET', '/api/v2/order?page=1&size=1'))['total'], before);
    const order = await till.order('8');
    await till.fixture.pay(order.paymentRequest);
    await till.becomes(order.id, 'SUCCESS');
  });

  test('fault 61: nobody pays an order twice', async () => {
    const order = await till.order('9');
    await till.fixture.pay(order.paymentRequest);
    await till.becomes(order.id, 'SUCCESS');
    const { available } = await till.wallet();
    await assert.rejects(till.fixture.pay(order.paymentRequest));
    assert.equal((await till.wallet()).available, available);
    await till.booksHold();
  });
});
