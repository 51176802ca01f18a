import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import {
  CallbackRejectedError,
  isApiError,
  TillgateApiError,
  TillgateClient,
  TillgateConnectionError,
  TillgateReplyError,
  verifyCallback,
} from '../../adapters/client/index.ts';
import type { ClientOptions, Credentials, PayInfo } from '../../adapters/client/index.ts';
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

const ORDER = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 };
const WITHDRAWAL = { chain: 'ETH', currency: 'USDT-ERC20', amount: '10.5' };
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

  const clientOf = (credentials: Credentials | null, more: Partial<ClientOptions> = {}): TillgateClient =>
    new TillgateClient({
      baseUrl: till.url,
      now: () => till.clock.now(),
      retry: { baseMs: 1 },
      ...(credentials === null ? {} : { credentials }),
      ...more,
    });
  const pay = async ({ order_id }: PayInfo): Promise<void> => {
    await leaveRefundAddress(till.till, order_id, OWN);
    till.clock.advance(1);
    for (const [path, body] of [
      ['pay', { order_id }],
      ['blocks', { chain: 'ETH', count: 1 }],
    ] as const)
      await till.client.post(`/sandbox/v1/${path}`, body);
    await till.work();
  };
  /** A merchant who may withdraw at once, with a paid order. */
  const richMerchant = async (): Promise<TestMerchant> => {
    const shop = await till.newMerchant();
    await pay(await clientOf({ apiKey: shop.apiKey }).createPayInfo(ORDER));
    await store.storage.accounts.update(shop.account.id, { verifiedCurrencies: ['*'], modifiedAt: till.clock.now() });
    await till.till.manage.addresses.register(
      OPERATOR,
      { accountId: shop.account.id, chain: 'ETH', address: OWN },
      true,
    );
    return shop;
  };

  for (const [scheme, credentials] of SCHEMES) {
    describe(`the client, ${scheme}`, () => {
      let shop: TestMerchant;
      let client: TillgateClient;
      before(async () => {
        shop = await richMerchant();
        client = clientOf(credentials(shop));
      });

      test('makes an order, sees it paid, and finds it and its transaction', async () => {
        const order = await client.createPayInfo(ORDER);
        assert.deepEqual([order.amount, order.vs_price, order.status], [25, 25, 'PENDING']);
        await pay(order);
        const detail = await client.order(order.order_id);
        assert.deepEqual([detail.status, detail.obtained, detail.to_addr], ['SUCCESS', '25', order.address]);
        const page = await client.listOrders({ page: 1, size: 1 });
        assert.deepEqual(
          [page.page, page.size, page.total, page.max_page, page.data[0]?.order_id],
          [1, 1, 2, 2, order.order_id],
        );
        const transactions = await client.listTransactions({ size: 1 });
        assert.deepEqual([transactions.total, transactions.data[0]?.tx_id], [2, detail.tx_id]);
      });

      test('makes a checkout link', async () => {
        const { pay_url } = await client.createPayUrl({
          price: '12.50',
          currency: 'EUR',
          succeed_url: 'https://shop.example/thanks?a=|',
        });
        assert.match(pay_url, new RegExp(`^${till.url}/checkout/`));
      });

      test('lists currencies and balances', async () => {
        assert.equal((await client.cryptoCurrencies()).find(({ currency }) => currency === 'USDT-ERC20')?.status, true);
        assert.equal((await client.fiatCurrencies()).length, 48);
        assert.equal((await client.wallets()).find(({ currency }) => currency === 'USDT-ERC20')?.pending, '0');
        assert.deepEqual(await client.contractBalance(), []);
      });

      test('withdraws, the same amount several times at once too', async () => {
        const before_all = Number(
          (await client.wallets()).find(({ currency }) => currency === 'USDT-ERC20')?.available,
        );
        const withdrawals = await Promise.all([1, 2, 3].map(() => client.withdraw({ ...WITHDRAWAL, amount: 2 })));
        assert.equal(new Set(withdrawals.map(({ tx_id }) => tx_id)).size, 3);
        assert.deepEqual(
          withdrawals.map(({ type, status, amount, to_addr }) => [type, status, amount, to_addr]),
          Array(3).fill(['WITHDRAW', 'PENDING', '2', OWN]),
        );
        assert.equal(
          Number((await client.wallets()).find(({ currency }) => currency === 'USDT-ERC20')?.available),
          before_all - 6,
        );
        await assert.rejects(client.withdraw({ ...WITHDRAWAL, amount: '900' }), (error) =>
          isApiError(error, 'INSUFFICIENT_BALANCE'),
        );
      });

      test('refunds an order, once', async () => {
        const order = await client.createPayInfo(ORDER);
        await assert.rejects(client.refundInfo(order.order_id), (error) => isApiError(error, 'NOT_FOUND'));
        await pay(order);
        const refund = await client.refund(order.order_id);
        assert.deepEqual(
          [refund.order_id, refund.amount, refund.refund_status, refund.refund_date],
          [order.order_id, 25, 'PENDING', null],
        );
        assert.deepEqual(await client.refundInfo(order.order_id), refund);
        await assert.rejects(client.refund(order.order_id), (error) => isApiError(error, 'STATE_CONFLICT'));
      });
    });
  }

  describe('lists', () => {
    test('are given item by item over all pages, each once though orders come in between', async () => {
      const shop = await till.newMerchant();
      const client = clientOf(shop.keys);
      const made: string[] = [];
      for (let count = 0; count < 7; count++) made.unshift((await client.createPayInfo(ORDER)).order_id);
      const seen: string[] = [];
      for await (const { order_id } of client.orders({ size: 3 })) {
        seen.push(order_id);
        // Two orders more push two that were given already onto the next page.
        if (seen.length === 3) await Promise.all([client.createPayInfo(ORDER), client.createPayInfo(ORDER)]);
      }
      assert.deepEqual(seen, made);
      // Nine by now: the second page of five begins with the fourth of those that were made first.
      const { value: first } = await client.orders({ page: 2, size: 5 }).next();
      assert.equal(first?.order_id, made[3]);
      await pay(await client.createPayInfo(ORDER));
      const types: string[] = [];
      for await (const { tx_type } of client.transactions()) types.push(tx_type);
      assert.deepEqual(types, ['ORDER']);
    });

    test('end at once when there is nothing', async () => {
      const shop = await till.newMerchant();
      for await (const order of clientOf(shop.keys).orders()) assert.fail(order.order_id);
    });
  });

  describe('who calls', () => {
    test('the login gives a token that serves as API key', async () => {
      const shop = await till.newMerchant();
      const { access_token, expire } = await clientOf(null).exchangeToken({
        username: shop.email,
        password: shop.password,
      });
      assert.equal(expire, 3600);
      assert.equal((await clientOf({ apiKey: access_token }).listOrders()).total, 0);
      await assert.rejects(clientOf(null).exchangeToken({ username: shop.email, password: 'wrong' }), (error) =>
        isApiError(error, 'LOGIN_FAILED'),
      );
      await assert.rejects(clientOf(null).listOrders(), (error) => isApiError(error, 'NO_CREDENTIALS'));
    });

    test('an account with Data Security is served when it signs', async () => {
      const shop = await till.newMerchant();
      await shop.setDataSecurity(true);
      await assert.rejects(clientOf({ apiKey: shop.apiKey }).wallets(), (error) =>
        isApiError(error, 'SIGNATURE_REQUIRED'),
      );
      assert((await clientOf(shop.keys).wallets()).length > 0);
    });

    test('a wrong secret is told with what the server saw', async () => {
      const shop = await till.newMerchant();
      const error: unknown = await clientOf({ ...shop.keys, signingSecret: 'wrong' })
        .createPayInfo(ORDER)
        .catch((thrown: unknown) => thrown);
      assert(isApiError(error, 'SIGNATURE_INVALID'));
      assert.deepEqual(
        [error.code, error.httpStatus, error.tries, error.signing?.request_info],
        [40102, 401, 1, 'POST /api/order/pay-info'],
      );
      assert.match(
        error.signing?.signature_origin ?? '',
        /^HMAC-SHA256 \| .* \| POST \/api\/order\/pay-info \| [0-9a-f]{32}$/,
      );
    });

    test('a clock that is wrong is told as such', async () => {
      const shop = await till.newMerchant();
      await assert.rejects(clientOf(shop.keys, { now: () => till.clock.now() - 301_000 }).wallets(), (error) =>
        isApiError(error, 'DATE_INVALID'),
      );
    });
  });

  describe('errors', () => {
    test('tell code, status, trace id, and every field that is wrong', async () => {
      const shop = await till.newMerchant();
      const error: unknown = await clientOf(shop.keys)
        .createPayInfo({ ...ORDER, vs_price: -1, chain: '' })
        .catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateApiError);
      assert.deepEqual(
        [error.kind, error.code, error.httpStatus, error.operation],
        ['INVALID_FIELDS', 40001, 400, 'createPayInfo'],
      );
      assert.deepEqual(error.errors.map(({ path }) => path).sort(), ['chain', 'vs_price']);
      assert.match(error.traceId, /^\w{8,}/);
      assert.equal(error.signing, null);
    });

    test("fault 12: another account's order is NOT_FOUND, as an unknown one", async () => {
      const [owner, other] = [await till.newMerchant(), await till.newMerchant()];
      const { order_id } = await clientOf(owner.keys).createPayInfo(ORDER);
      for (const id of [order_id, UNKNOWN])
        await assert.rejects(clientOf(other.keys).order(id), (error) => isApiError(error, 'NOT_FOUND'));
    });

    test('an id that would lead elsewhere is refused before anything is sent', async () => {
      for (const id of ['..', '.', '', 'a/b', '1?x', '1%2f', undefined as unknown as string])
        await assert.rejects(clientOf(null).refund(id), TypeError);
    });

    test('fault 73: no secret is in an error', async () => {
      const shop = await till.newMerchant();
      for (const credentials of [{ apiKey: `${shop.apiKey}x` }, { ...shop.keys, signingSecret: 'top-secret' }]) {
        const error: unknown = await clientOf(credentials, { baseUrl: 'http://127.0.0.1:1', retry: { tries: 1 } })
          .wallets()
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
        assert.throws(() => new TillgateClient({ baseUrl }), TypeError, baseUrl);
      }
    });
  });

  describe('retries', () => {
    const through = (shop: TestMerchant, more: Partial<ClientOptions> = {}) =>
      clientOf(shop.keys, { baseUrl: unreliable.url, ...more });

    test('fault 39: a withdrawal whose reply was lost is made once, and its first outcome comes back', async () => {
      const shop = await richMerchant();
      unreliable.next('lost', 'busy', 'lost', 'pass');
      const { tx_id } = await through(shop).withdraw(WITHDRAWAL);
      const rows = (await clientOf(shop.keys).listTransactions()).data.filter(({ tx_type }) => tx_type === 'WITHDRAW');
      assert.deepEqual(
        rows.map((row) => row.tx_id),
        [tx_id],
      );
      const sent = unreliable.seen.slice(-4);
      assert.equal(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size, 1);
      assert.equal(new Set(sent.map(({ headers }) => headers['signature'])).size, 4, 'each try is signed anew');
      assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    });

    test('a refund without a body is signed anew as well', async () => {
      const shop = await richMerchant();
      const order = await clientOf(shop.keys).createPayInfo(ORDER);
      await pay(order);
      unreliable.next('lost', 'cut', 'pass');
      assert.equal((await through(shop).refund(order.order_id)).refund_status, 'PENDING');
    });

    test('an order is made once, whatever happened on the way', async () => {
      const shop = await till.newMerchant();
      unreliable.next('lost', 'cut', 'busy', 'pass');
      await through(shop).createPayInfo(ORDER);
      assert.equal((await clientOf(shop.keys).listOrders()).total, 1);
    });

    test('what a second process signed alike in the same second is sent again', async () => {
      const shop = await richMerchant();
      const clients = [clientOf(shop.keys), clientOf(shop.keys)];
      const withdrawals = await Promise.all(clients.map((client) => client.withdraw(WITHDRAWAL)));
      assert.equal(new Set(withdrawals.map(({ tx_id }) => tx_id)).size, 2);
    });

    test('Retry-After is waited for', async () => {
      const shop = await till.newMerchant();
      const waited: number[] = [];
      unreliable.next('limited', 'limited', 'pass');
      await through(shop, { wait: async (ms) => void waited.push(ms) }).wallets();
      assert.deepEqual(waited, [7000, 7000]);
      unreliable.next('limited');
      const error: unknown = await through(shop, { retry: { maxRetryAfterMs: 6999 } })
        .wallets()
        .catch((thrown: unknown) => thrown);
      assert(isApiError(error, 'RATE_LIMITED'));
      assert.equal(error.retryAfterMs, 7000);
    });

    test('end after as many tries as were allowed; the key in the error makes the same withdrawal later', async () => {
      const shop = await richMerchant();
      unreliable.next('lost', 'cut', 'cut');
      const error: unknown = await through(shop, { retry: { tries: 3, baseMs: 1 } })
        .withdraw(WITHDRAWAL)
        .catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateConnectionError);
      assert.deepEqual([error.tries, error.aborted], [3, false]);
      const { idempotencyKey } = error;
      assert(idempotencyKey !== null);
      const { tx_id } = await through(shop).withdraw(WITHDRAWAL, { idempotencyKey });
      const rows = (await clientOf(shop.keys).listTransactions()).data.filter(({ tx_type }) => tx_type === 'WITHDRAW');
      assert.deepEqual(
        rows.map((row) => row.tx_id),
        [tx_id],
      );
      await assert.rejects(through(shop).withdraw({ ...WITHDRAWAL, amount: 1 }, { idempotencyKey }), (thrown) =>
        isApiError(thrown, 'IDEMPOTENCY_MISMATCH'),
      );
    });

    test('are not made for a login, nor after a refusal', async () => {
      const shop = await till.newMerchant();
      for (const mishap of ['busy', 'cut'] as const) {
        unreliable.next(mishap);
        await assert.rejects(through(shop).exchangeToken({ username: shop.email, password: shop.password }));
      }
      const before_refusal = unreliable.seen.length;
      await assert.rejects(through(shop).order(UNKNOWN), (error) => isApiError(error, 'NOT_FOUND'));
      assert.equal(unreliable.seen.length, before_refusal + 1);
    });

    test('a redirect is not followed: the key stays here', async () => {
      unreliable.next('redirect');
      const before_redirect = unreliable.seen.length;
      const error: unknown = await clientOf({ apiKey: till.merchant.apiKey }, { baseUrl: unreliable.url })
        .wallets()
        .catch((thrown: unknown) => thrown);
      assert(error instanceof TillgateReplyError);
      assert.equal(error.httpStatus, 302);
      assert.equal(unreliable.seen.length, before_redirect + 1);
    });

    test('a till that does not answer in time is asked again, a caller who gives up is not', async () => {
      const shop = await till.newMerchant();
      unreliable.next('silent', 'pass');
      assert((await through(shop, { timeoutMs: 200 }).wallets()).length > 0);
      const controller = new AbortController();
      unreliable.next('silent');
      const waiting = through(shop).wallets({ signal: controller.signal });
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
    const callbackOf = async (shop: TestMerchant, enable_post_callback: boolean): Promise<ReceivedCallback> => {
      const order = await clientOf(shop.keys).createPayInfo({
        ...ORDER,
        callback_url: `${receiver.url}/paid?shop=a%20b&x=|`,
        enable_post_callback,
      });
      await pay(order);
      const { received } = receiver;
      const last = received.at(-1);
      assert(last !== undefined && (last.body + last.target).includes(order.order_id));
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
        const detail = await clientOf(shop.keys).order(verified.order.order_id);
        assert.deepEqual([verified.order.amount, verified.order.tx_hash], [detail.amount, detail.tx_hash]);
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
      const { order_id } = await clientOf(shop.keys).createPayInfo({
        ...ORDER,
        timeout_callback: `${receiver.url}/late`,
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
      assert.deepEqual([event, order.order_id, order.status], ['order.timeout', order_id, 'OVERDUE']);
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
