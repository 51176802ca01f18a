import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  CallbackRejectedError,
  isApiError,
  createTillgateClient,
  TillgateApiError,
  TillgateConnectionError,
  TillgateReplyError,
  verifyCallback,
} from '../../adapters/client/index.ts';
import type { ClientOptions, Credentials, Order, TillgateClient, Wallet } from '../../adapters/client/index.ts';
import { OPERATOR, RotateCallbackCredential, checkLedger } from '../../core/index.ts';
import type { ChainPayments } from '../../core/index.ts';
import { CryptoRandom } from '../../adapters/crypto/index.ts';
import { startReceiver } from '../host/merchant.ts';
import type { ReceivedCallback } from '../host/merchant.ts';
import { startUnreliable } from '../support/unreliable.ts';
import type { Unreliable } from '../support/unreliable.ts';
import { eachStorage } from '../support/each-storage.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

const ORDER = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price: '25' };
const PAYOUT = { chain: 'ETH', coin: 'USDT-ERC20', amount: '10.5' };
const [HOT, OWN] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x90F79bf6EB2c4f870365E785982E1f101E93b906'];
const UNKNOWN = '1530217733410816001';

/** The two ways to say who calls. */
const SCHEMES: readonly (readonly [name: string, credentials: (shop: TestMerchant) => Credentials])[] = [
  ['by API key', ({ apiKey }) => ({ apiKey })],
  ['signed', ({ keys }) => keys],
  ['signed with SHA-3', ({ keys }) => ({ ...keys, algorithm: 'HMAC-SHA3_256' })],
];

// What the client does has nothing to do with the database behind the till: one will do.
eachStorage((name, open) => {
  if (name !== 'sqlite') return;
  let store: TestStorage;
  let till: TestTill;
  let unreliable: Unreliable;
  before(async () => {
    store = await open();
    till = await startTestTill(store);
    unreliable = await startUnreliable(till.url);
    const chain = till.till.chains.get('ETH') as {
      payments: ChainPayments | null;
      assets: readonly ChainPayments['feeAsset'][];
    };
    // Requests need prices and what the hot wallet holds; nothing is signed here.
    chain.payments = {
      model: 'account',
      feeAsset: chain.assets.find(({ currency }) => currency === 'ETH'),
      hotAddress: HOT,
      maxLines: 1,
      dust: () => 1n,
      price: async () => ({ feeUnits: 200_000_000_000_000n, coins: [], terms: '' }),
      balance: async () => 10n ** 30n,
    } as unknown as ChainPayments;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await unreliable.close();
    await till.close();
    await store.close();
  });

  const clientOf = (credentials: Credentials, more: Partial<ClientOptions> = {}): TillgateClient =>
    createTillgateClient({
      baseUrl: till.url,
      credentials,
      now: () => till.clock.now(),
      retry: { baseMs: 1 },
      ...more,
    });
  const pay = async ({ id }: Order): Promise<void> => {
    await leaveRefundAddress(till.till, id, OWN);
    till.clock.advance(1);
    for (const [path, body] of [
      ['pay', { order_id: id }],
      ['blocks', { chain: 'ETH', count: 1 }],
    ] as const)
      await till.client.post(`/sandbox/v1/${path}`, body);
    await till.work();
  };
  /** A merchant who may withdraw at once, with a paid order. */
  const richMerchant = async (): Promise<TestMerchant> => {
    const shop = await till.newMerchant();
    await pay(await clientOf({ apiKey: shop.apiKey }).orders.create(ORDER));
    await store.storage.accounts.update(shop.account.id, { verifiedCurrencies: ['*'], modifiedAt: till.clock.now() });
    await till.till.manage.addresses.register(
      OPERATOR,
      { accountId: shop.account.id, chain: 'ETH', address: OWN },
      true,
    );
    return shop;
  };

  const walletOf = async (client: TillgateClient): Promise<Wallet | undefined> =>
    (await client.wallets.list()).items.find(({ coin }) => coin === 'USDT-ERC20');

  for (const [scheme, credentials] of SCHEMES) {
    describe(`the client, ${scheme}`, () => {
      let shop: TestMerchant;
      let client: TillgateClient;
      before(async () => {
        shop = await richMerchant();
        client = clientOf(credentials(shop));
      });

      test('makes an order, sees it paid, and finds it and its transaction', async () => {
        const order = await client.orders.create({
          ...ORDER,
          merchantReference: 'cart 1',
          metadata: { some_name: 'x' },
        });
        assert.deepEqual([order.payment?.amount, order.price, order.status], ['25', '25', 'PENDING']);
        assert.deepEqual([order.merchantReference, order.metadata], ['cart 1', { some_name: 'x' }]);
        await pay(order);
        const detail = await client.orders.get(order.id);
        assert.deepEqual(
          [detail.status, detail.received, detail.payment?.address],
          ['SUCCESS', '25', order.payment?.address],
        );
        const page = await client.orders.list({ limit: 1 });
        assert.deepEqual(
          page.items.map(({ id }) => id),
          [order.id],
        );
        const found = await client.orders.list({ q: 'cart 1', from: new Date(0) });
        assert.deepEqual([found.items.map(({ id }) => id), found.nextCursor], [[order.id], null]);
        const [transaction] = (await client.transactions.list({ limit: 1 })).items;
        assert.deepEqual([transaction?.order, transaction?.txHash], [order.id, detail.transactions[0]?.txHash]);
      });

      test('makes an order whose coin the payer chooses', async () => {
        const { payUrl, payment } = await client.orders.create({
          price: '12.50',
          currency: 'EUR',
          succeedUrl: 'https://shop.example/thanks?a=|',
        });
        assert.match(payUrl, new RegExp(`^${till.url}/checkout/`));
        assert.equal(payment, null);
      });

      test('lists coins, currencies, rates and balances', async () => {
        const { coins, fiats } = await client.service.get();
        assert.equal(coins.find(({ coin }) => coin === 'USDT-ERC20')?.enabled, true);
        assert.equal(fiats.length, 48);
        assert.equal(
          (await client.rates.list({ currency: 'USD' })).items.find(({ coin }) => coin === 'USDT-ERC20')?.price,
          '1',
        );
        assert.equal((await walletOf(client))?.pending, '0');
      });

      test('pays out, the same amount several times at once too', async () => {
        const start = Number((await walletOf(client))?.available);
        const payouts = await Promise.all([1, 2, 3].map(() => client.payouts.create({ ...PAYOUT, amount: '2' })));
        assert.equal(new Set(payouts.map(({ id }) => id)).size, 3);
        assert.deepEqual(
          payouts.map(({ kind, status, amount, toAddress }) => [kind, status, amount, toAddress]),
          Array(3).fill(['withdrawal', 'REQUESTED', '2', OWN]),
        );
        assert.equal(Number((await walletOf(client))?.available), start - 6);
        await assert.rejects(client.payouts.create({ ...PAYOUT, amount: '900' }), (error) =>
          isApiError(error, 'insufficient_balance'),
        );
      });

      test('refunds an order, once', async () => {
        const order = await client.orders.create(ORDER);
        await assert.rejects(client.refunds.create({ order: order.id }), (error) =>
          isApiError(error, 'state_conflict'),
        );
        await pay(order);
        const refund = await client.refunds.create({ order: order.id });
        assert.deepEqual(
          [refund.order, refund.amount, refund.kind, refund.status],
          [order.id, '25', 'refund', 'REQUESTED'],
        );
        assert.equal((await client.payouts.get(refund.id)).order, order.id);
        assert.deepEqual(
          (await client.orders.get(order.id)).refunds.map(({ id }) => id),
          [refund.id],
        );
        await assert.rejects(client.refunds.create({ order: order.id }), (error) =>
          isApiError(error, 'state_conflict'),
        );
      });

      test('refunds a part of an order, and shows what is left', async () => {
        const order = await client.orders.create(ORDER);
        await pay(order);
        for (const [amount, field] of [
          [{ amount: '25.01' }, 'amount'],
          [{ amount: '0' }, 'amount'],
          [{ amount: '-1' }, 'amount'],
          [{ fiatAmount: '0.001' }, 'fiatAmount'],
          [{ amount: '1', fiatAmount: '1' }, 'fiatAmount'],
          [{ rate: 'current' }, 'rate'],
        ] as const)
          await assert.rejects(
            client.refunds.create({ order: order.id, ...amount }),
            (error) => isApiError(error, 'invalid_fields') && error.field === field,
            JSON.stringify(amount),
          );
        const refund = await client.refunds.create({ order: order.id, fiatAmount: '10.00', rate: 'order' });
        assert.deepEqual([refund.amount, refund.kind, refund.status], ['10', 'refund', 'REQUESTED']);
        const { refundedAmount, refundableAmount, refunds, status } = await client.orders.get(order.id);
        assert.deepEqual([refundedAmount, refundableAmount, status], ['0', '15', 'SUCCESS']);
        assert.deepEqual(
          refunds.map(({ id, amount }) => [id, amount]),
          [[refund.id, '10']],
        );
        const listed = (await client.orders.list({ q: order.id })).items[0];
        assert.deepEqual([listed?.refundedAmount, listed?.refundableAmount], ['0', '15']);
      });
    });
  }

  describe('lists', () => {
    test('are given item by item over all pages, each once though orders come in between', async () => {
      const shop = await till.newMerchant();
      const client = clientOf(shop.keys);
      const made: string[] = [];
      for (let count = 0; count < 7; count++) made.unshift((await client.orders.create(ORDER)).id);
      const seen: string[] = [];
      for await (const { id } of client.orders.all({ limit: 3 })) {
        seen.push(id);
        if (seen.length === 3) await Promise.all([client.orders.create(ORDER), client.orders.create(ORDER)]);
      }
      assert.deepEqual(seen, made);
      await pay(await client.orders.create(ORDER));
      const types: string[] = [];
      for await (const { type } of client.transactions.all()) types.push(type);
      assert.deepEqual(types, ['ORDER']);
    });

    test('end at once when there is nothing', async () => {
      const shop = await till.newMerchant();
      for await (const order of clientOf(shop.keys).orders.all()) assert.fail(order.id);
    });
  });

  describe('who calls', () => {
    test('an account with Data Security is served when it signs', async () => {
      const shop = await till.newMerchant();
      await shop.setDataSecurity(true);
      await assert.rejects(clientOf({ apiKey: shop.apiKey }).wallets.list(), (error) =>
        isApiError(error, 'signature_required'),
      );
      assert((await clientOf(shop.keys).wallets.list()).items.length > 0);
    });

    test('a wrong secret is told with what the server saw', async () => {
      const shop = await till.newMerchant();
      const error: unknown = await clientOf({ ...shop.keys, signingSecret: 'wrong' })
        .orders.create(ORDER)
        .catch((thrown: unknown) => thrown);
      assert(isApiError(error, 'signature_invalid'));
      assert.deepEqual([error.httpStatus, error.tries, error.signing?.request_info], [401, 1, 'POST /v1/orders']);
      assert.match(error.signing?.signature_origin ?? '', /^HMAC-SHA256 \| .* \| POST \/v1\/orders \| [0-9a-f]{32}$/);
    });

    test('a clock that is wrong is told as such', async () => {
      const shop = await till.newMerchant();
      await assert.rejects(clientOf(shop.keys, { now: () => till.clock.now() - 301_000 }).wallets.list(), (error) =>
        isApiError(error, 'date_invalid'),
      );
    });
  });

  describe('errors', () => {
    test('tell code, status, trace id, and every field that is wrong', async () => {
      const shop = await till.newMerchant();
      const error: unknown = await clientOf(shop.keys)
        .orders.create({ ...ORDER, price: '-1', chain: '', merchantReference: ' ' })
        .catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateApiError);
      assert.deepEqual([error.code, error.httpStatus, error.operation], ['invalid_fields', 400, 'orders.create']);
      assert.deepEqual(error.fields.map(({ field }) => field).sort(), ['chain', 'merchantReference', 'price']);
      assert.equal(error.field, error.fields[0]?.field);
      assert.match(error.traceId, /^\w{8,}/);
      assert.equal(error.signing, null);
    });

    test("fault 12: another account's order is not found, as an unknown one", async () => {
      const [owner, other] = [await till.newMerchant(), await till.newMerchant()];
      const order = await clientOf(owner.keys).orders.create(ORDER);
      for (const id of [order.id, UNKNOWN])
        await assert.rejects(clientOf(other.keys).orders.get(id), (error) => isApiError(error, 'order_not_found'));
    });

    test('an id that would lead elsewhere is refused before anything is sent', async () => {
      for (const id of ['..', '.', '', 'a/b', '1?x', '1%2f', undefined as unknown as string])
        await assert.rejects(clientOf({ apiKey: 'x' }).orders.cancel(id), TypeError);
    });

    test('fault 73: no secret is in an error', async () => {
      const shop = await till.newMerchant();
      for (const credentials of [{ apiKey: `${shop.apiKey}x` }, { ...shop.keys, signingSecret: 'top-secret' }]) {
        const error: unknown = await clientOf(credentials, { baseUrl: 'http://127.0.0.1:1', retry: { tries: 1 } })
          .wallets.list()
          .catch((thrown: unknown) => thrown);
        assert(error instanceof TillgateConnectionError);
        assert.doesNotMatch(
          `${error.stack ?? ''} ${JSON.stringify(error)} ${String(error.cause)}`,
          new RegExp(`${shop.apiKey}|top-secret`),
        );
      }
    });

    test('an address that is none is refused at once', () => {
      for (const baseUrl of [
        '',
        'pay.example.com',
        'ftp://x.example',
        'https://user:pass@x.example',
        'https://x.example/?a=b',
      ]) {
        assert.throws(() => createTillgateClient({ baseUrl, credentials: { apiKey: 'x' } }), TypeError, baseUrl);
      }
    });
  });

  describe('retries', () => {
    const through = (shop: TestMerchant, more: Partial<ClientOptions> = {}) =>
      clientOf(shop.keys, { baseUrl: unreliable.url, ...more });

    test('fault 39: a payout whose reply was lost is made once, and its first outcome comes back', async () => {
      const shop = await richMerchant();
      unreliable.next('lost', 'busy', 'lost', 'pass');
      const { id } = await through(shop).payouts.create(PAYOUT);
      const rows = (await clientOf(shop.keys).transactions.list({ type: 'WITHDRAW' })).items;
      assert.deepEqual(
        rows.map((row) => row.id),
        [id],
      );
      const sent = unreliable.seen.slice(-4);
      assert.equal(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size, 1);
      assert.equal(new Set(sent.map(({ headers }) => headers['signature'])).size, 4, 'each try is signed anew');
      assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    });

    test('a refund is signed anew as well', async () => {
      const shop = await richMerchant();
      const order = await clientOf(shop.keys).orders.create(ORDER);
      await pay(order);
      unreliable.next('lost', 'cut', 'pass');
      assert.equal((await through(shop).refunds.create({ order: order.id })).status, 'REQUESTED');
    });

    test('an order is made once, whatever happened on the way', async () => {
      const shop = await till.newMerchant();
      unreliable.next('lost', 'cut', 'busy', 'pass');
      await through(shop).orders.create(ORDER);
      assert.equal((await clientOf(shop.keys).orders.list()).items.length, 1);
    });

    test('what a second process signed alike in the same second is sent again', async () => {
      const shop = await richMerchant();
      const clients = [clientOf(shop.keys), clientOf(shop.keys)];
      const payouts = await Promise.all(clients.map((client) => client.payouts.create(PAYOUT)));
      assert.equal(new Set(payouts.map(({ id }) => id)).size, 2);
    });

    test('Retry-After is waited for', async () => {
      const shop = await till.newMerchant();
      const waited: number[] = [];
      unreliable.next('limited', 'limited', 'pass');
      await through(shop, { wait: async (ms) => void waited.push(ms) }).wallets.list();
      assert.deepEqual(waited, [7000, 7000]);
      unreliable.next('limited');
      const error: unknown = await through(shop, { retry: { maxRetryAfterMs: 6999 } })
        .wallets.list()
        .catch((thrown: unknown) => thrown);
      assert(isApiError(error, 'rate_limited'));
      assert.equal(error.retryAfterMs, 7000);
    });

    test('end after as many tries as were allowed; the key in the error makes the same payout later', async () => {
      const shop = await richMerchant();
      unreliable.next('lost', 'cut', 'cut');
      const error: unknown = await through(shop, { retry: { tries: 3, baseMs: 1 } })
        .payouts.create(PAYOUT)
        .catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateConnectionError);
      assert.deepEqual([error.tries, error.aborted], [3, false]);
      const { idempotencyKey } = error;
      assert(idempotencyKey !== null);
      const { id } = await through(shop).payouts.create(PAYOUT, { idempotencyKey });
      const rows = (await clientOf(shop.keys).transactions.list({ type: 'WITHDRAW' })).items;
      assert.deepEqual(
        rows.map((row) => row.id),
        [id],
      );
      await assert.rejects(through(shop).payouts.create({ ...PAYOUT, amount: '1' }, { idempotencyKey }), (thrown) =>
        isApiError(thrown, 'idempotency_mismatch'),
      );
    });

    test('are not made after a refusal', async () => {
      const shop = await till.newMerchant();
      const sent = unreliable.seen.length;
      await assert.rejects(through(shop).orders.get(UNKNOWN), (error) => isApiError(error, 'order_not_found'));
      assert.equal(unreliable.seen.length, sent + 1);
    });

    test('a redirect is not followed: the key stays here', async () => {
      unreliable.next('redirect');
      const before_redirect = unreliable.seen.length;
      const error: unknown = await clientOf({ apiKey: till.merchant.apiKey }, { baseUrl: unreliable.url })
        .wallets.list()
        .catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateReplyError);
      assert.equal(error.httpStatus, 302);
      assert.equal(unreliable.seen.length, before_redirect + 1);
    });

    test('what answers with a page, or with an error that is none of a till, is no till', async () => {
      for (const [status, reply] of [
        [200, '<h1>Welcome</h1>'],
        [200, 'null'],
        [200, '[]'],
        [404, '<h1>Not found</h1>'],
        [500, '{"error":"x"}'],
        [502, '{"error":{"message":"x"}}'],
      ] as const) {
        const elsewhere = async () => new Response(reply, { status });
        const client = clientOf({ apiKey: 'x' }, { fetch: elsewhere, retry: { tries: 1 } });
        await assert.rejects(client.orders.list(), TillgateReplyError, reply);
      }
    });

    test('a till that does not answer in time is asked again, a caller who gives up is not', async () => {
      const shop = await till.newMerchant();
      unreliable.next('silent', 'pass');
      assert((await through(shop, { timeoutMs: 200 }).wallets.list()).items.length > 0);
      const controller = new AbortController();
      unreliable.next('silent');
      const waiting = through(shop).wallets.list({}, { signal: controller.signal });
      unreliable.onSilent(() => controller.abort());
      const error: unknown = await waiting.catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateConnectionError);
      assert.deepEqual([error.aborted, error.tries], [true, 1]);
    });
  });

  describe('callbacks from the till', () => {
    let receiver: Awaited<ReturnType<typeof startReceiver>>;
    before(async () => {
      receiver = await startReceiver();
    });
    after(() => receiver.close());

    /** The callback of an order that was paid. */
    const callbackOf = async (shop: TestMerchant, enablePostCallback: boolean): Promise<ReceivedCallback> => {
      const order = await clientOf(shop.keys).orders.create({
        ...ORDER,
        callbackUrl: `${receiver.url}/paid?shop=a%20b&x=|`,
        enablePostCallback,
      });
      await pay(order);
      const { received } = receiver;
      const last = received.at(-1);
      assert(last !== undefined && (last.body + last.target).includes(order.id));
      return last;
    };
    const requestOf = ({ method, target, headers, body }: ReceivedCallback) => ({ method, url: target, headers, body });

    test('are verified, GET and POST, as plain and as fetch requests', async () => {
      const shop = await till.newMerchant();
      const { callbackToken, callbackSecret } = await till.accounts.createCredential.run(shop.account.id);
      const options = { callbackToken, callbackSecret, origin: receiver.url, now: till.clock.now() };
      for (const post of [false, true]) {
        const received = await callbackOf(shop, post);
        const verified = await verifyCallback(requestOf(received), options);
        assert.deepEqual(
          [verified.method, verified.event, verified.order.status, verified.native],
          [post ? 'POST' : 'GET', 'order.succeeded', 'SUCCESS', true],
        );
        const detail = await clientOf(shop.keys).orders.get(verified.order.order_id);
        assert.deepEqual(
          [verified.order.amount, verified.order.tx_hash],
          [detail.payment?.amount, detail.transactions[0]?.txHash],
        );
        const headers = new Headers(
          Object.entries(received.headers).map(([key, value]): [string, string] => [key, String(value)]),
        );
        const request = new Request(receiver.url + received.target, {
          method: received.method,
          headers,
          ...(post ? { body: received.body } : {}),
        });
        assert.deepEqual(await verifyCallback(request, options), verified);
        await assert.rejects(
          verifyCallback(requestOf(received), { ...options, now: till.clock.now() + 301_000 }),
          CallbackRejectedError,
        );
        await assert.rejects(
          verifyCallback({ ...requestOf(received), url: received.target.replace('a%20b', 'a+b') }, options),
          CallbackRejectedError,
        );
      }
    });

    test('of a time-out tell so', async () => {
      const shop = await till.newMerchant();
      const { callbackToken, callbackSecret } = await till.accounts.createCredential.run(shop.account.id);
      const { id } = await clientOf(shop.keys).orders.create({
        ...ORDER,
        timeoutCallback: `${receiver.url}/late`,
      });
      till.clock.advance(1_800_001);
      await till.work();
      const received = receiver.received.at(-1);
      assert(received !== undefined);
      const { event, order } = await verifyCallback(requestOf(received), {
        callbackToken,
        callbackSecret,
        origin: receiver.url,
        now: till.clock.now(),
      });
      assert.deepEqual([event, order.order_id, order.status], ['order.timeout', id, 'OVERDUE']);
    });

    test('during a rotation verify with the new secret, with both, and with the former until its overlap ends', async () => {
      const shop = await till.newMerchant();
      const { callbackToken, callbackSecret } = await till.accounts.createCredential.run(shop.account.id);
      const former = { callbackToken, callbackSecret };
      const rotate = new RotateCallbackCredential({
        storage: store.storage,
        vault: till.vault,
        random: new CryptoRandom(),
        clock: till.clock,
      });
      const fresh = await rotate.run(shop.account.id);
      for (const post of [false, true]) {
        const request = requestOf(await callbackOf(shop, post));
        const common = { origin: receiver.url, now: till.clock.now() };
        assert.equal((await verifyCallback(request, { ...fresh, ...common })).native, true);
        assert.equal((await verifyCallback(request, { secrets: [former, fresh], ...common })).native, true);
        assert.equal((await verifyCallback(request, { ...former, ...common })).native, false);
      }
      till.clock.advance(24 * 3_600_000 + 1);
      const late = requestOf(await callbackOf(shop, true));
      assert.equal((await verifyCallback(late, { ...fresh, now: till.clock.now() })).native, true);
      await assert.rejects(verifyCallback(late, { ...former, now: till.clock.now() }), CallbackRejectedError);
    });
  });
});
