import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import { createTillgateClient } from '../../adapters/client/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { Tillgate } from '../../host/embed/index.ts';
import { MemoryLogger } from '../support/fakes.ts';
import { ethereum } from '../support/one-chain.ts';
import { waitFor } from '../support/wait.ts';

const ORDER = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price: '25' };

const refusedFor =
  (...fields: readonly string[]) =>
  (error: unknown): boolean => {
    assert.ok(isTillgateError(error, 'INVALID_FIELDS'), String(error));
    assert.deepEqual(
      error.details.fields?.map(({ path }) => path),
      fields,
    );
    return true;
  };

describe('the calls of a till in process', () => {
  let till: Tillgate;
  let account: string;
  before(async () => {
    till = await createTillgate({
      database: 'sqlite::memory:',
      mode: 'sandbox',
      plugins: [ethereum({ confirmations: 1, pollIntervalMs: 20 })],
      logger: new MemoryLogger(),
    });
    account = (await till.accounts.create({ email: 'shop@example.com', verifiedCoins: ['*'] })).id;
  });
  after(() => till.close());

  const paid = async (): Promise<string> => {
    const { id } = await till.orders.create({ account, ...ORDER });
    await till.sandbox.pay(id);
    await waitFor(async () => (await till.orders.get(id)).status === 'SUCCESS', { describe: 'the order to be paid' });
    return id;
  };

  test('a wrong field is told by its name in TypeScript, whether the edge or the core refuses it', async () => {
    const make = (more: object): Promise<unknown> => till.orders.create({ account, ...ORDER, ...more });
    await assert.rejects(make({ vsPrice: '25' }), refusedFor('vsPrice'));
    await assert.rejects(make({ merchantReference: ' ', price: 'x' }), refusedFor('price', 'merchantReference'));
    await assert.rejects(make({ price: '25.001' }), refusedFor('price'));
    await assert.rejects(make({ expiresIn: 1 }), refusedFor('expiresIn'));
    await assert.rejects(till.orders.create({ ...ORDER } as never), refusedFor('account'));
    await assert.rejects(till.orders.create(undefined as never), refusedFor('price', 'currency'));
    await assert.rejects(till.orders.create([] as never), TypeError);
    await assert.rejects(till.orders.get('17'), (error) => isTillgateError(error, 'NOT_FOUND'));
    await assert.rejects(make({ account: '1530217733410816001' }), (error) => isTillgateError(error, 'NOT_FOUND'));
  });

  test('names that the caller chose stay as they are', async () => {
    const metadata = { cart_id: '7', lineCount: '2' };
    const { id } = await till.orders.create({ account, ...ORDER, metadata });
    assert.deepEqual((await till.orders.get(id)).metadata, metadata);
  });

  test('a call with its key is repeated without a second effect, and another call with that key is refused', async () => {
    const options = { idempotencyKey: 'cart 7' };
    const [one, again] = await Promise.all([1, 2].map(() => till.orders.create({ account, ...ORDER }, options)));
    assert.equal(one?.id, again?.id);
    await assert.rejects(till.orders.create({ account, ...ORDER, price: '26' }, options), (error) =>
      isTillgateError(error, 'IDEMPOTENCY_MISMATCH'),
    );
    await assert.rejects(
      till.orders.create({ account, ...ORDER }, { idempotencyKey: '' }),
      refusedFor('Idempotency-Key'),
    );
  });

  test('a record with a version is changed by who has read it last', async () => {
    const link = await till.links.create({ account, title: 'Concert', currency: 'EUR', price: '25' });
    const { version } = await till.links.update(link.id, { version: link.version, maxSales: 5 });
    assert.equal(version, link.version + 1);
    await assert.rejects(till.links.update(link.id, { version: link.version, maxSales: 6 }), (error) =>
      isTillgateError(error, 'VERSION_MISMATCH'),
    );
    await assert.rejects(till.links.update(link.id, { maxSales: 6 } as never), (error) =>
      isTillgateError(error, 'PRECONDITION_REQUIRED'),
    );
    assert.equal((await till.links.get(link.id)).maxSales, 5);
  });

  test('a list takes times as Date, and is read whole', async () => {
    const began = new Date();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.unshift((await till.orders.create({ account, ...ORDER })).id);
    const seen: string[] = [];
    for await (const { id } of till.orders.all({ account, from: new Date(began.getTime() - 1), limit: 2 }))
      seen.push(id);
    assert.deepEqual(seen.slice(0, 5), made);
    const { items } = await till.orders.list({ account, to: new Date(0) });
    assert.deepEqual(items, []);
    await assert.rejects(till.orders.list({ cursor: 'x' }), refusedFor('cursor'));
  });

  test('money is refunded and paid out for the account that is named, once for one key', async () => {
    const order = await paid();
    await assert.rejects(till.refunds.create({ order }), (error) => isTillgateError(error, 'STATE_CONFLICT'));
    const options = { idempotencyKey: 'refund 1' };
    const refund = await till.refunds.create({ order, to: 'sender' }, options);
    assert.deepEqual([refund.account, refund.kind, refund.order], [account, 'refund', order]);
    assert.equal((await till.refunds.create({ order, to: 'sender' }, options)).id, refund.id);
    assert.equal((await till.payouts.get(refund.id)).toAddress, refund.toAddress);
    const payout = { account, chain: 'ETH', coin: 'USDT-ERC20', amount: '1' };
    await assert.rejects(till.payouts.create(payout), (error) => isTillgateError(error, 'NO_WITHDRAWAL_ADDRESS'));
    await assert.rejects(till.payouts.create({ ...payout, account: undefined as never }), refusedFor('account'));
  });

  test('parts are refunded, by an amount in the coin or in fiat, and what is left is shown with the order', async () => {
    const order = await paid();
    const part = { order, to: 'sender' } as const;
    await waitFor(
      async () => {
        await till.sandbox.mine(30, 'ETH');
        return (await till.orders.get(order)).refundSender !== null;
      },
      { describe: 'the payment to be spendable' },
    );
    await assert.rejects(till.refunds.create({ ...part, fiatAmount: '25.01' }), refusedFor('fiatAmount'));
    await assert.rejects(till.refunds.create({ ...part, amount: '1', fiatAmount: '1' }), refusedFor('fiatAmount'));
    await assert.rejects(till.refunds.create({ ...part, amount: 'x' }), refusedFor('amount'));
    const refund = await till.refunds.create({ ...part, amount: '10.00' });
    assert.deepEqual([refund.kind, refund.order, refund.amount], ['refund', order, '10']);
    const { refundableAmount, refunds } = await till.orders.get(order);
    assert.deepEqual([refundableAmount, refunds.map(({ id, amount }) => [id, amount])], ['15', [[refund.id, '10']]]);
  });

  test('secrets are shown to the application: it is the operator', async () => {
    const credential = await till.credentials.create({ account, scopes: ['read'] });
    assert.match(credential.apiKey, /^tak_/);
    assert.match(credential.signingSecret ?? '', /.{20}/);
    const webhook = await till.webhooks.create({ account, url: 'https://shop.example/hook', events: ['order.*'] });
    assert.match(webhook.secret ?? '', /^whsec_/);
    const { key } = await till.apps.create({ account, name: 'wallet', chains: ['ETH'] });
    assert.doesNotMatch(key.apiKey, /\*|…/);
  });

  test('a merchant’s client speaks to it without a network, below the path of its address', async (t) => {
    const shop = await createTillgate({
      database: 'sqlite::memory:',
      mode: 'sandbox',
      baseUrl: 'https://shop.example/pay',
      logger: new MemoryLogger(),
    });
    t.after(() => shop.close());
    const { id } = await shop.accounts.create({ email: 'shop@example.com' });
    const { apiKey, apiToken, signingSecret } = await shop.credentials.create({ account: id });
    for (const credentials of [{ apiKey }, { apiToken, signingSecret: signingSecret ?? '' }]) {
      const client = createTillgateClient({
        baseUrl: 'https://shop.example/pay/',
        credentials,
        fetch: (url, init) => shop.fetch(new Request(url, init)),
      });
      const order = await client.orders.create({ price: '1', currency: 'USD' });
      assert.match(order.payUrl, /^https:\/\/shop\.example\/pay\/checkout\//);
      assert.equal((await client.orders.get(order.id)).account, id);
    }
  });

  test('rates are told for each coin', async () => {
    const { items } = await till.rates.list({ currency: 'EUR' });
    const usdt = items.find(({ coin }) => coin === 'USDT-ERC20');
    assert.match(usdt?.price ?? '', /^0\.\d+$/);
    await assert.rejects(till.rates.list({ currency: 'XXX' }), (error) => isTillgateError(error, 'UNSUPPORTED'));
  });
});
