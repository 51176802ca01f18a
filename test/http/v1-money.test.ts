import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger, OPERATOR } from '../../core/index.ts';
import type { OrderId } from '../../core/index.ts';
import { createTillgateClient, isApiError } from '../../adapters/client/index.ts';
import type { TillgateClient } from '../../adapters/client/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';
import { codeAt } from '../support/totp.ts';

const OWN = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const STRANGER = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const ORDER = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price: '25' };
const PAYOUT = { chain: 'ETH', coin: 'USDT-ERC20', amount: '10' };

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  before(async () => {
    store = await open();
    till = await startTestTill(store);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  const clientOf = ({ keys }: TestMerchant): TillgateClient =>
    createTillgateClient({ baseUrl: till.url, credentials: keys, now: () => till.clock.now(), retry: { tries: 1 } });
  const paid = async (client: TillgateClient): Promise<string> => {
    const { id } = await client.orders.create(ORDER);
    await leaveRefundAddress(till.till, id, OWN);
    till.clock.advance(1);
    await till.client.post('/sandbox/v1/pay', { order_id: id });
    await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 2 });
    await till.work();
    return id;
  };
  /** A merchant who may withdraw, and whose account demands a code for it. @returns the secret of the codes */
  const withCodes = async ({ account }: TestMerchant): Promise<string> => {
    await store.storage.accounts.update(account.id, { verifiedCurrencies: ['*'], modifiedAt: till.clock.now() });
    const { addresses, security } = till.till.manage;
    await addresses.register(OPERATOR, { accountId: account.id, chain: 'ETH', address: OWN }, true);
    const { secret } = await security.enrol(OPERATOR, account.id, true);
    await security.update(OPERATOR, account.id, { totpForWithdrawals: true });
    return secret;
  };

  describe('money that a key moves over /v1', () => {
    test('fault 404: a refund wants the code that its account demands, to the payer and to the sender alike', async () => {
      const shop = await till.newMerchant();
      const client = clientOf(shop);
      const orders = [await paid(client), await paid(client)] as const;
      const secret = await withCodes(shop);
      const [order] = orders;
      const refused = async (to: 'payer' | 'sender' | undefined): Promise<void> => {
        for (const verifyCode of [undefined, '000000'])
          await assert.rejects(client.refunds.create({ order, to, verifyCode }), (error) =>
            isApiError(error, 'verify_code_invalid'),
          );
      };
      await refused(undefined);
      await refused('payer');
      await till.till.manage.orders.removeRefundAddress(OPERATOR, order as OrderId);
      await refused('sender');
      const refund = await client.refunds.create({ order: orders[1], verifyCode: codeAt(secret, till.clock.now()) });
      assert.deepEqual([refund.order, refund.toAddress], [orders[1], OWN]);
    });

    test('a payout wants it too, and leaves no row in the audit log', async () => {
      const shop = await till.newMerchant();
      const client = clientOf(shop);
      await paid(client);
      const secret = await withCodes(shop);
      await assert.rejects(client.payouts.create(PAYOUT), (error) => isApiError(error, 'verify_code_invalid'));
      const verifyCode = codeAt(secret, till.clock.now());
      const payout = await client.payouts.create({ ...PAYOUT, verifyCode });
      assert.deepEqual([payout.account, payout.amount, payout.toAddress], [shop.account.id, '10', OWN]);
      const rows = await store.storage.audit.list(shop.account.id, { before: null, limit: 50 });
      assert.deepEqual(
        rows.filter(({ action }) => action.startsWith('withdrawal.')),
        [],
      );
    });

    test('fault 491: a key creates a batch, and approves one to listed payees with a code alone', async () => {
      const shop = await till.newMerchant();
      const client = clientOf(shop);
      await paid(client);
      const secret = await withCodes(shop);
      const row = { coin: 'USDT-ERC20', amount: '5' };
      const rows = [
        { ...row, reference: 'listed', address: OWN },
        { ...row, reference: 'stranger', address: STRANGER },
      ];
      const { id, sums } = await client.payoutBatches.create({ rows });
      assert.equal(sums[0]?.amount, '10');
      const verifyCode = codeAt(secret, till.clock.now());
      await assert.rejects(client.payoutBatches.approve(id, { verifyCode }), (error) => isApiError(error, 'forbidden'));
      assert.equal((await client.payoutBatches.cancel(id)).status, 'CANCELLED');
      const listed = await client.payoutBatches.create({ rows: rows.slice(0, 1) });
      await assert.rejects(client.payoutBatches.approve(listed.id), (error) =>
        isApiError(error, 'verify_code_invalid'),
      );
      assert.equal((await client.payoutBatches.approve(listed.id, { verifyCode })).status, 'APPROVED');
      const page = await client.payoutBatches.rows(listed.id);
      assert.deepEqual(
        page.items.map(({ reference, amount, line }) => [reference, amount, line]),
        [['listed', '5', 1]],
      );
      const other = clientOf(await till.newMerchant());
      await assert.rejects(other.payoutBatches.get(id), (error) => isApiError(error, 'payout_batch_not_found'));
      assert.deepEqual((await other.payoutBatches.list()).items, []);
      await client.payoutBatches.cancel(listed.id);
    });

    test('another account’s money, orders and payouts are not there', async () => {
      const [owner, other] = [await till.newMerchant(), await till.newMerchant()];
      const order = await paid(clientOf(owner));
      const client = clientOf(other);
      await assert.rejects(
        client.refunds.create({ order }),
        (error) => isApiError(error, 'order_not_found') && error.field === 'order',
      );
      await assert.rejects(
        client.payouts.create({ ...PAYOUT, account: owner.account.id }),
        (error) => isApiError(error, 'account_not_found') && error.field === 'account',
      );
      await assert.rejects(client.orders.cancel(order), (error) => isApiError(error, 'order_not_found'));
      await assert.rejects(
        client.wallets.list({ account: owner.account.id }),
        (error) => isApiError(error, 'account_not_found') && error.field === 'account',
      );
      assert.deepEqual((await client.transactions.list()).items, []);
    });

    test('an admin’s key moves nothing of others', async () => {
      const [owner, admin] = [await till.newMerchant(), await till.newMerchant()];
      await till.till.manage.accounts.update(OPERATOR, admin.account.id, { role: 'admin' });
      const order = await paid(clientOf(owner));
      const client = clientOf(admin);
      await assert.rejects(client.orders.get(order), (error) => isApiError(error, 'order_not_found'));
      await assert.rejects(
        client.payouts.create({ ...PAYOUT, account: owner.account.id }),
        (error) => isApiError(error, 'account_not_found') && error.field === 'account',
      );
      assert.deepEqual((await client.orders.list()).items, []);
    });
  });
});
