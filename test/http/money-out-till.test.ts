import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { checkLedger, decodeBase32, merchantActor, OPERATOR, totpCode, totpStep } from '../../core/index.ts';
import type { ChainPayments } from '../../core/index.ts';
import { PlainDigest } from '../support/fakes.ts';
import { assertError, dataOf, envelope, signatureHeaders } from '../support/http.ts';
import type { Reply } from '../support/http.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

type Fields = Record<string, unknown>;

const WITHDRAW = '/api/withdraw';
const REFUND = '/api/v2/order/refund';
const INFO = '/api/v2/order/refund-info';
const UNKNOWN = '1530217733410816001';
const [HOT, OWN] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x90F79bf6EB2c4f870365E785982E1f101E93b906'];
const BODY = { amount: 10.5, chain: 'ETH', currency: 'USDT-ERC20' };
/** 0.0002 ETH: what a token's payment costs on the fake side of the chain. */
const FEE_UNITS = 200_000_000_000_000n;

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    store = await open();
    const limits = {
      min: { 'USDT-ERC20': '5' },
      max: { 'USDT-ERC20': '1000' },
      approveAbove: { 'USDT-ERC20': '50' },
      addressHoldSeconds: 3600,
    };
    till = await startTestTill(store, { settings: { withdrawals: limits } });
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
      price: async () => ({ feeUnits: FEE_UNITS, coins: [], terms: '' }),
      balance: async () => 10n ** 30n,
    } as unknown as ChainPayments;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  /** An order that was paid; mature when `blocks` are mined on top. */
  const paidOrder = async (by: TestMerchant, blocks = 1): Promise<string> => {
    const order = dataOf<{ order_id: string }>(
      await by.client.post('/api/order/pay-info', {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        vs_currency: 'USD',
        vs_price: 25,
      }),
    );
    await leaveRefundAddress(till.till, order.order_id, OWN);
    till.clock.advance(1);
    dataOf(await till.client.post('/sandbox/v1/pay', { order_id: order.order_id }));
    if (blocks > 0) dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: blocks }));
    await till.work();
    return order.order_id;
  };
  const wallet = async (by: TestMerchant): Promise<Fields | undefined> =>
    dataOf<Fields[]>(await by.client.get('/api/wallets')).find(({ currency }) => currency === 'USDT-ERC20');
  /** A merchant who may withdraw at once, with so many paid orders. */
  const richMerchant = async (orders = 1): Promise<TestMerchant> => {
    const shop = await till.newMerchant();
    for (let count = 0; count < orders; count++) await paidOrder(shop);
    await store.storage.accounts.update(shop.account.id, { verifiedCurrencies: ['*'], modifiedAt: till.clock.now() });
    await till.till.manage.addresses.register(
      OPERATOR,
      { accountId: shop.account.id, chain: 'ETH', address: OWN },
      true,
    );
    return shop;
  };
  const withoutTrace = (reply: Reply): Fields => {
    const { trace_id: _trace, ...rest } = envelope(reply) as unknown as Fields;
    return { ...rest, status: reply.status };
  };

  describe('the wallet list', () => {
    test('tells what is pending, available and locked', async () => {
      const shop = await till.newMerchant();
      await paidOrder(shop, 0);
      assert.deepEqual(await wallet(shop), {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        available: '0',
        pending: '25',
        locked: '0',
        total: '25',
      });
      dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 1 }));
      await till.work();
      assert.deepEqual(await wallet(shop), {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        available: '25',
        pending: '0',
        locked: '0',
        total: '25',
      });
      const rows = dataOf<Fields[]>(await shop.client.get('/api/wallets'));
      assert(rows.length >= 9 && rows.every(({ currency }) => currency !== 'BTC-LN'));
    });
  });

  describe('withdrawals', () => {
    test('are refused in the order of the checks', async () => {
      const shop = await till.newMerchant();
      await paidOrder(shop);
      const withdraw = (more: object = {}) => shop.client.post(WITHDRAW, { ...BODY, ...more });
      assertError(await withdraw({ amount: 0, currency: 'DOGE' }), 40001);
      assertError(await withdraw({ currency: 'DOGE' }), 40002);
      assertError(await withdraw({ amount: '10.0000001' }), 40001);
      assertError(await withdraw({ amount: 4.99 }), 40003);
      assertError(await withdraw({ amount: 1000.01 }), 40003);
      assertError(await withdraw(), 40004);
      await store.storage.accounts.update(shop.account.id, {
        verifiedCurrencies: ['USDT-ERC20'],
        modifiedAt: till.clock.now(),
      });
      assertError(await withdraw(), 40005);
      await till.till.manage.addresses.register(OPERATOR, { accountId: shop.account.id, chain: 'ETH', address: OWN });
      assertError(await withdraw(), 40005);
      till.clock.advance(3_600_000);
      assertError(await withdraw({ amount: 25.01 }), 42200);
      assert.equal(dataOf<Fields>(await withdraw())['status'], 'PENDING');
    });

    test('reserve the amount, and a repeated Idempotency-Key gives the first outcome', async () => {
      const shop = await richMerchant();
      const headers = { 'Idempotency-Key': 'withdrawal 1' };
      const first = dataOf<Fields>(await shop.client.post(WITHDRAW, BODY, { headers }));
      assert.deepEqual(
        [first['user_id'], first['type'], first['status'], first['amount'], first['balance']],
        [shop.account.id, 'WITHDRAW', 'PENDING', '10.5', '14.5'],
      );
      assert.deepEqual([first['to_addr'], first['tx_hash']], [OWN, null]);
      const [units, fee] = [first['obtained'], first['fee']].map((text) => Math.round(Number(text) * 1e6));
      assert.equal((units ?? 0) + (fee ?? 0), 10_500_000);
      assert.deepEqual(dataOf(await shop.client.post(WITHDRAW, BODY, { headers })), first);
      assertError(await shop.client.post(WITHDRAW, { ...BODY, amount: 6 }, { headers }), 40901);
      assert.deepEqual(await wallet(shop), {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        available: '14.5',
        pending: '0',
        locked: '10.5',
        total: '25',
      });
      const [row] = dataOf<{ data: Fields[] }>(await shop.client.get('/api/v2/tx')).data;
      assert.deepEqual(
        [row?.['tx_id'], row?.['tx_type'], row?.['status'], row?.['amount']],
        [first['tx_id'], 'WITHDRAW', 'PENDING', '10.5'],
      );
    });

    test('fault 1: a signed request is taken once', async () => {
      const shop = await richMerchant();
      const text = JSON.stringify(BODY);
      const headers = {
        'Content-Type': 'application/json',
        ...signatureHeaders(shop.keys, 'POST', WITHDRAW, text, { at: till.clock.now() }),
      };
      const replies = await Promise.all([1, 2, 3].map(() => till.client.post(WITHDRAW, text, { headers })));
      assert.deepEqual(replies.map((reply) => envelope(reply).code).sort(), [0, 40104, 40104]);
      assertError(await till.client.post(WITHDRAW, text, { headers }), 40104);
      assert.equal((await wallet(shop))?.['locked'], '10.5');
    });

    test('fault 38: many at once do not take more than there is', async () => {
      const shop = await richMerchant();
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => shop.client.post(WITHDRAW, { ...BODY, amount: '20' })),
      );
      assert.deepEqual(replies.map((reply) => envelope(reply).code).sort(), [0, ...Array<number>(9).fill(42200)]);
    });

    test('fault 62: want a code where the account demands one, each once', async () => {
      const shop = await richMerchant();
      const { security } = till.till.manage;
      const { secret } = await security.enrol(OPERATOR, shop.account.id, true);
      await security.update(OPERATOR, shop.account.id, { totpForWithdrawals: true });
      const code = totpCode(new PlainDigest(), decodeBase32(secret) ?? new Uint8Array(), totpStep(till.clock.now()));
      const withdraw = (verify_code?: unknown) => shop.client.post(WITHDRAW, { ...BODY, verify_code });
      assertError(await withdraw(), 40006);
      assertError(await withdraw(code === '000000' ? '111111' : '000000'), 40006);
      // As a number, its zeros in front are lost.
      dataOf(await withdraw(Number(code)));
      assertError(await withdraw(code), 40006);
    });

    test('fault 91: want a code until the hold of switching it off is over', async () => {
      const shop = await richMerchant();
      const { security } = till.till.manage;
      const owner = merchantActor(shop.account.id);
      const { secret } = await security.enrol(OPERATOR, shop.account.id, true);
      await security.update(owner, undefined, { totpForWithdrawals: true });
      await security.update(owner, undefined, { totpForWithdrawals: false });
      const withdraw = (fields: Fields = {}) => shop.client.post(WITHDRAW, { ...BODY, ...fields });
      till.clock.advance(till.config.withdrawals.addressHoldMs - 1);
      assertError(await withdraw(), 40006);
      const code = totpCode(new PlainDigest(), decodeBase32(secret) ?? new Uint8Array(), totpStep(till.clock.now()));
      dataOf(await withdraw({ verify_code: code }));
      till.clock.advance(1);
      dataOf(await withdraw());
    });

    test('fault 92: copies of one request with one code are one attempt, whatever becomes of it', async () => {
      const shop = await richMerchant();
      const { security } = till.till.manage;
      const { secret } = await security.enrol(OPERATOR, shop.account.id, true);
      await security.update(OPERATOR, shop.account.id, { totpForWithdrawals: true });
      const code = (step = 0) =>
        totpCode(new PlainDigest(), decodeBase32(secret) ?? new Uint8Array(), totpStep(till.clock.now()) + step);
      const copies = (key: string, fields: Fields) =>
        Promise.all(
          Array.from({ length: 10 }, () =>
            shop.client.post(WITHDRAW, { ...BODY, ...fields }, { headers: { 'Idempotency-Key': key } }),
          ),
        );
      const paid = (await copies('paid', { verify_code: code() })).map((reply) => dataOf<Fields>(reply)['tx_id']);
      assert.equal(new Set(paid).size, 1);
      assert.equal((await wallet(shop))?.['locked'], '10.5');
      till.clock.advance(30_000);
      for (const reply of await copies('too much', { amount: 100, verify_code: code() })) assertError(reply, 42200);
      till.clock.advance(30_000);
      const wrong = code() === '000000' ? '111111' : '000000';
      for (const reply of await copies('mistyped', { verify_code: wrong })) assertError(reply, 40006);
      // One wrong try so far: the same key may come again with the right code.
      const mended = (await copies('mistyped', { verify_code: code() })).map((r) => dataOf<Fields>(r)['tx_id']);
      assert.equal(new Set(mended).size, 1);
      // The code is used up for everything else.
      assertError((await copies('another', { verify_code: code() }))[0] as Reply, 40006);
      assert.equal((await store.storage.manage.security(shop.account.id)).totp?.tries, 1);
    });

    test('on BLN without an invoice are told that first, also where there is no Lightning', async () => {
      const shop = await richMerchant();
      assertError(await shop.client.post(WITHDRAW, { amount: 0.0001, chain: 'BLN', currency: 'BTC-LN' }), 40001);
      const wanting = { amount: 0.0001, chain: 'BLN', currency: 'DOGE', ln_invoices: ' ' };
      assertError(await shop.client.post(WITHDRAW, wanting), 40001);
      assertError(await shop.client.post(WITHDRAW, { ...wanting, ln_invoices: 'lnbc1' }), 40002);
    });

    test('above a limit wait for an operator', async () => {
      const shop = await richMerchant(3);
      const held = dataOf<Fields>(await shop.client.post(WITHDRAW, { ...BODY, amount: 50.000001 }));
      assert.equal(held['status'], 'PENDING');
      const { items } = await till.till.manage.withdrawals.list(OPERATOR, { status: 'HELD', limit: 10 });
      assert.deepEqual(
        items.map(({ id }) => id),
        [held['tx_id']],
      );
    });
  });

  describe('refunds', () => {
    test('are asked for once, told from then on, and reserve what was received', async () => {
      const shop = await till.newMerchant();
      const id = await paidOrder(shop);
      assertError(await shop.client.get(`${INFO}/${id}`), 40400);
      const headers = { 'Idempotency-Key': 'refund 1' };
      const refund = dataOf<Fields>(await shop.client.request('POST', `${REFUND}/${id}`, { headers }));
      assert.deepEqual(
        [refund['order_id'], refund['amount'], refund['refund_amount'], refund['refund_status']],
        [id, 25, 25, 'PENDING'],
      );
      assert.deepEqual([refund['refund_et'], refund['refund_date'], refund['from_addr']], [0, null, HOT]);
      assert.equal(Math.round((Number(refund['obtained']) + Number(refund['network_fee'])) * 1e6), 25_000_000);
      assert.deepEqual(dataOf(await shop.client.request('POST', `${REFUND}/${id}`, { headers })), refund);
      assertError(await shop.client.request('POST', `${REFUND}/${id}`), 40900);
      assert.deepEqual(dataOf(await shop.client.get(`${INFO}/${id}`)), refund);
      assert.equal((await wallet(shop))?.['locked'], '25');
      const other = await paidOrder(shop);
      assertError(await shop.client.request('POST', `${REFUND}/${other}`, { headers }), 40901);
    });

    test('fault 92: copies of one refund are one refund, never a conflict', async () => {
      const shop = await till.newMerchant();
      for (let round = 0; round < 3; round++) {
        const id = await paidOrder(shop);
        const headers = { 'Idempotency-Key': `refund at once ${round}` };
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => shop.client.request('POST', `${REFUND}/${id}`, { headers })),
        );
        const [first, ...copies] = replies.map((reply) => dataOf<Fields>(reply));
        for (const copy of copies) assert.deepEqual(copy, first);
      }
    });

    test('of an order without confirmed money are refused', async () => {
      const shop = await till.newMerchant();
      const { order_id } = dataOf<{ order_id: string }>(
        await shop.client.post('/api/order/pay-info', {
          chain: 'ETH',
          currency: 'ETH',
          vs_currency: 'USD',
          vs_price: 25,
        }),
      );
      assertError(await shop.client.request('POST', `${REFUND}/${order_id}`), 40900);
    });

    test("fault 12: another account's order is answered byte for byte as an unknown one", async () => {
      const [owner, other] = [await till.newMerchant(), await till.newMerchant()];
      const id = await paidOrder(owner);
      for (const [method, path] of [
        ['GET', INFO],
        ['POST', REFUND],
      ] as const) {
        const [foreign, unknown, garbage] = await Promise.all(
          [id, UNKNOWN, 'garbage'].map((of) => other.client.request(method, `${path}/${of}`)),
        );
        assert(foreign !== undefined && unknown !== undefined && garbage !== undefined);
        assertError(foreign, 40400);
        assert.deepEqual(
          [withoutTrace(foreign), withoutTrace(garbage)],
          [withoutTrace(unknown), withoutTrace(unknown)],
        );
      }
    });

    test('fault 1: a signed request without a body is taken once, one that only looks again and again', async () => {
      const shop = await till.newMerchant();
      const id = await paidOrder(shop);
      const signed = (method: string, target: string) => ({
        headers: signatureHeaders(shop.keys, method, target, '', { at: till.clock.now() }),
      });
      const post = signed('POST', `${REFUND}/${id}`);
      dataOf(await till.client.request('POST', `${REFUND}/${id}`, post));
      assertError(await till.client.request('POST', `${REFUND}/${id}`, post), 40104);
      const look = signed('GET', `${INFO}/${id}`);
      assert.deepEqual(
        dataOf(await till.client.get(`${INFO}/${id}`, look)),
        dataOf(await till.client.get(`${INFO}/${id}`, look)),
      );
    });
  });

  test('fault 10: Data Security wants a signature on every one of them', async () => {
    const shop = await till.newMerchant();
    await shop.setDataSecurity(true);
    const rows = [
      ['GET', `${INFO}/${UNKNOWN}`],
      ['POST', `${REFUND}/${UNKNOWN}`],
      ['GET', '/api/contract/balance'],
      ['POST', WITHDRAW],
      ['GET', '/api/wallets'],
    ] as const;
    for (const [method, target] of rows)
      assertError(
        await shop.client.request(method, target, method === 'POST' && target === WITHDRAW ? { body: BODY } : {}),
        40300,
      );
    dataOf(await till.client.get('/api/wallets', { sign: shop.signed() }));
  });
});
