import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger, OPERATOR } from '../../core/index.ts';
import type { ChainPayments, OrderId } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { assertError, dataOf } from '../support/http.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

const THIEF = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const CUSTOMER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const WITHDRAWALS = { approveAbove: { 'USDT-ERC20': '50' }, addressHoldSeconds: 86_400 };

eachStorage((engine, open) => {
  describe(`fault 351: what a stolen key with the scope "move" gets by refunds, on ${engine}`, () => {
    let store: TestStorage;
    let till: TestTill;
    let shop: TestMerchant;
    before(async () => {
      store = await open();
      till = await startTestTill(store, { settings: { orders: { max: '100000' }, withdrawals: WITHDRAWALS } });
      const chain = till.till.chains.get('ETH') as {
        payments: ChainPayments | null;
        assets: readonly ChainPayments['feeAsset'][];
      };
      // Requests need prices and what the hot wallet holds; nothing is signed here.
      chain.payments = {
        model: 'account',
        feeAsset: chain.assets.find(({ currency }) => currency === 'ETH'),
        hotAddress: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        maxLines: 1,
        dust: () => 1n,
        price: async () => ({ feeUnits: 200_000_000_000_000n, coins: [], terms: '' }),
        balance: async () => 10n ** 30n,
      } as unknown as ChainPayments;
      shop = await till.newMerchant();
      await store.storage.accounts.update(shop.account.id, { verifiedCurrencies: ['*'], modifiedAt: 1 });
    });
    after(async () => {
      assert.deepEqual(await checkLedger(store.storage), []);
      await till.close();
      await store.close();
    });

    const pay = async (orderId: string): Promise<void> => {
      till.clock.advance(1_000);
      dataOf(await till.client.post('/sandbox/v1/pay', { order_id: orderId }));
      dataOf(await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 20 }));
      await till.work();
    };
    const order = async (price: number, leave: string | null = null): Promise<string> => {
      const body = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: price };
      const { order_id: id } = dataOf<{ order_id: string }>(await shop.client.post('/api/order/pay-info', body));
      if (leave !== null) await leaveRefundAddress(till.till, id, leave);
      await pay(id);
      return id;
    };
    const refund = (id: string, body?: object) =>
      body === undefined
        ? shop.client.request('POST', `/api/v2/order/refund/${id}`)
        : shop.client.post(`/api/v2/order/refund/${id}`, body);
    const transferOf = (id: string) => store.storage.transfers.refundOf(id as OrderId);
    const offered = async (id: string): Promise<unknown> =>
      dataOf<Record<string, unknown>>(await shop.client.get(`/api/v2/order/detail/${id}`))['refund'];

    test('without an address of the payer: nothing, and no word of where one is left', async () => {
      const id = await order(1_000);
      assert.equal(await offered(id), false);
      for (const body of [undefined, {}, { to: 'sender' }, { to: THIEF }]) {
        const reply = await refund(id, body);
        assertError(reply, 40900);
        assert.doesNotMatch(reply.text, /checkout|https?:/);
      }
      assert.equal(await transferOf(id), null);
    });

    test('with an address that it left after the payment: nothing for the hold, then what a person approves', async () => {
      const id = await order(1_000);
      await leaveRefundAddress(till.till, id, THIEF);
      assert.equal(await offered(id), false);
      assertError(await refund(id), 40900);
      till.clock.advance(86_400_000);
      assert.equal(await offered(id), true);
      dataOf(await refund(id));
      assert.deepEqual([(await transferOf(id))?.status, (await transferOf(id))?.toAddress], ['HELD', THIEF]);
    });

    test('where withdrawals want a code: no refund without one', async () => {
      const id = await order(20, CUSTOMER);
      await till.till.manage.security.enrol(OPERATOR, shop.account.id, true);
      await till.till.manage.security.update(OPERATOR, shop.account.id, { totpForWithdrawals: true });
      assertError(await refund(id), 40006);
      assertError(await refund(id, { verify_code: '000000' }), 40006);
      assert.equal(await transferOf(id), null);
      await till.till.manage.security.update(OPERATOR, shop.account.id, { totpForWithdrawals: false }, true);
      dataOf(await refund(id));
      assert.deepEqual([(await transferOf(id))?.status, (await transferOf(id))?.toAddress], ['REQUESTED', CUSTOMER]);
    });
  });
});
