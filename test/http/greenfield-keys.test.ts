import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PERMISSIONS } from '../../adapters/http/greenfield/permission-table.ts';
import { scopesOf } from '../../adapters/http/greenfield/permissions.ts';
import { eachStorage } from '../support/each-storage.ts';
import { connectShop, refusedAs, SHOP_PERMISSIONS, successOf } from '../support/greenfield.ts';
import type { Record_, TestShop } from '../support/greenfield.ts';
import { assertError } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: TestTill;
  let shop: TestShop;
  before(async () => {
    store = await open();
    till = await startTestTill(store);
    shop = await connectShop(till);
  });
  after(async () => {
    await till.close();
    await store.close();
  });

  const permissionsOf = async ({ client }: Pick<TestShop, 'client'>): Promise<unknown> =>
    successOf(await client.get('/api/v1/api-keys/current'))['permissions'];

  describe('keys of shop plugins', () => {
    test('a key has exactly what it was granted, each with its store, in its order', async () => {
      const asked = [...SHOP_PERMISSIONS].reverse();
      const { client, id, apiKey } = await connectShop(till, asked);
      const key = successOf(await client.get('/api/v1/api-keys/current'));
      assert.deepEqual(key, { apiKey, label: 'shop', permissions: asked.map((name) => `${name}:${id}`) });
      assert.deepEqual(await permissionsOf(await connectShop(till, ['unrestricted'])), ['unrestricted']);
    });

    test('a key without permissions has what its scopes allow elsewhere, and nothing that they do not', async () => {
      const merchant = await till.newMerchant();
      const { id } = merchant.account;
      const of = async (...scopes: ('read' | 'create' | 'move')[]) => {
        const { apiKey } = await till.accounts.createCredential.run(id, 'own', { scopes });
        const client = till.client.with({ Authorization: `token ${apiKey}` });
        return (await permissionsOf({ client })) as string[];
      };
      const named = (...names: readonly string[]) => names.map((name) => `btcpay.store.${name}:${id}`);
      const profile = 'btcpay.user.canviewprofile';
      assert.deepEqual(await of('read'), [
        ...named('canviewinvoices', 'canviewstoresettings', 'canviewpullpayments', 'canviewpayouts'),
        profile,
      ]);
      assert.deepEqual(await of('create'), [...named('cancreateinvoice'), profile]);
      const all = await of('read', 'create', 'move');
      for (const byName of ['canmodifyinvoices', 'webhooks.canmodifywebhooks', 'canmodifystoresettings'])
        assert.ok(!all.includes(named(byName)[0] ?? ''), byName);
      assert.ok(!all.includes('unrestricted'));
    });

    test('the scopes of a key are those of its permissions alone (fault 470)', async () => {
      assert.deepEqual(scopesOf(['btcpay.store.webhooks.canmodifywebhooks']), []);
      assert.deepEqual(scopesOf(['btcpay.store.cancreateinvoice']), ['create']);
      assert.deepEqual(scopesOf(['btcpay.store.canmodifyinvoices']), ['read']);
      assert.deepEqual(scopesOf(['btcpay.store.cancreatenonapprovedpullpayments']), []);
      assert.deepEqual(scopesOf(['unrestricted']), ['read', 'create', 'move']);
      const { apiKey } = await connectShop(till, ['btcpay.store.webhooks.canmodifywebhooks']);
      const elsewhere = till.client.with({ 'API-Key': apiKey });
      assertError(await elsewhere.get('/api/v2/order/'), 40302);
      assertError(await elsewhere.post('/api/order/pay-url', { price: '1', currency: 'EUR' }), 40302);
      const seller = till.client.with({ 'API-Key': shop.apiKey });
      assertError(await seller.post('/api/v2/order/refund/1530217733410816000', {}), 40302);
    });

    test('a call names the permission that its key lacks', async () => {
      const viewer = await connectShop(till, ['btcpay.store.canviewinvoices']);
      const post = await viewer.client.post(`${viewer.path}/invoices`, { amount: '1', currency: 'EUR' });
      const { missingPermission } = refusedAs(post, 403, 'missing-permission');
      assert.equal(missingPermission, 'btcpay.store.cancreateinvoice');
      successOf(await viewer.client.get(`${viewer.path}/invoices`));
      const creator = await connectShop(till, ['btcpay.store.cancreateinvoice']);
      refusedAs(await creator.client.get(`${creator.path}/invoices`), 403, 'missing-permission');
      refusedAs(await creator.client.get(creator.path), 403, 'missing-permission');
      const { id } = successOf(await creator.client.post(`${creator.path}/invoices`, { amount: '1', currency: 'EUR' }));
      refusedAs(
        await creator.client.post(`${creator.path}/invoices/${String(id)}/status`, { status: 'Invalid' }),
        403,
        'missing-permission',
      );
      const modifier = await connectShop(till, ['btcpay.store.canmodifyinvoices']);
      successOf(await modifier.client.get(`${modifier.path}/invoices`));
    });

    test('a key with fewer scopes than its permissions need can do less by them', async () => {
      const { id } = (await till.newMerchant()).account;
      const permissions = ['btcpay.store.cancreateinvoice', 'btcpay.store.canviewinvoices'];
      const { apiKey } = await till.accounts.createCredential.run(id, 'less', { permissions, scopes: ['read'] });
      const less = till.client.with({ Authorization: `token ${apiKey}` });
      successOf(await less.get(`/api/v1/stores/${id}/invoices`));
      refusedAs(
        await less.post(`/api/v1/stores/${id}/invoices`, { amount: '1', currency: 'EUR' }),
        403,
        'missing-permission',
      );
    });

    test('a merchant’s own key with every scope cannot settle an invoice by a word (fault 471)', async () => {
      const { merchant, path } = shop;
      const own = till.client.with({ Authorization: `token ${merchant.apiKey}` });
      const { id } = successOf(await own.post(`${path}/invoices`, { amount: '1', currency: 'EUR' }));
      refusedAs(
        await own.post(`${path}/invoices/${String(id)}/status`, { status: 'Settled' }),
        403,
        'missing-permission',
      );
      refusedAs(await own.request('DELETE', `${path}/invoices/${String(id)}`), 403, 'missing-permission');
    });

    test('no key, a wrong one, another scheme and a revoked one', async () => {
      for (const headers of [{}, { 'API-Key': shop.apiKey }, { Authorization: `Bearer ${shop.apiKey}` }])
        refusedAs(await till.client.get('/api/v1/api-keys/current', { headers }), 401, 'unauthenticated');
      for (const wrong of [`${shop.apiKey}x`, 'x', 'tak_'])
        refusedAs(
          await till.client.get('/api/v1/stores', { headers: { Authorization: `token ${wrong}` } }),
          401,
          'unauthenticated',
        );
      const gone = await connectShop(till);
      const revoked = successOf(await gone.client.request('DELETE', '/api/v1/api-keys/current'));
      assert.equal(revoked['apiKey'], gone.apiKey);
      refusedAs(await gone.client.get('/api/v1/stores'), 401, 'unauthenticated');
      successOf(await shop.client.get('/api/v1/stores'));
    });

    test('an account whose requests must be signed refuses a bare key and says why', async () => {
      const strict = await connectShop(till);
      await strict.merchant.setDataSecurity(true);
      const { message } = refusedAs(await strict.client.get('/api/v1/stores'), 403, 'signature-required');
      assert.match(message, /Data Security/);
    });

    test('no key is in a log', () => {
      const lines = JSON.stringify(till.logger.lines);
      assert.ok(lines.includes('greenfield.'));
      assert.ok(!lines.includes(shop.apiKey));
    });

    test('the server and the store answer as plugins need it', async () => {
      const server = successOf(await shop.client.get('/api/v1/server/info'));
      assert.match(String(server['version']), /^[2-9]\.\d+\.\d+$/);
      assert.equal(server['fullySynched'], true);
      assert.ok((server['supportedPaymentMethods'] as string[]).includes('BTC-CHAIN'));
      assert.ok((server['syncStatus'] as Record_[]).every(({ available }) => available === true));
      const [only, ...others] = successOf<Record_[]>(await shop.client.get('/api/v1/stores'));
      assert.deepEqual(others, []);
      assert.deepEqual(successOf(await shop.client.get(shop.path)), only);
      assert.deepEqual([only?.['id'], only?.['defaultCurrency']], [shop.id, 'USD']);
      const methods = successOf<Record_[]>(await shop.client.get(`${shop.path}/payment-methods`));
      assert.ok(
        methods.every(
          ({ paymentMethodId, enabled }) => /^[A-Z0-9-]+-(CHAIN|LN)$/.test(String(paymentMethodId)) && enabled,
        ),
      );
      const former = successOf<Record_[]>(await shop.client.get(`${shop.path}/payment-methods/onchain`));
      assert.ok(former.some(({ cryptoCode }) => cryptoCode === 'LTC'));
      assert.deepEqual(successOf(await shop.client.get(`${shop.path}/payment-methods/LightningNetwork`)), []);
      const [rate, unknown] = successOf<Record_[]>(
        await shop.client.get(`${shop.path}/rates?currencyPair=BTC_EUR&currencyPair=DOGE_USD`),
      );
      assert.match(String(rate?.['rate']), /^\d+(\.\d+)?$/);
      assert.deepEqual([unknown?.['currencyPair'], unknown?.['rate']], ['DOGE_USD', null]);
      refusedAs(await shop.client.get('/api/v1/stores/1530217733410816001'), 403, 'missing-permission');
    });

    test('a call that the till does not have is 501 by its name, and never a success', async () => {
      for (const [method, path] of [
        ['POST', `${shop.path}/payouts`],
        ['POST', `${shop.path}/payouts/1/mark-paid`],
        ['GET', `${shop.path}/invoices/x/refund/BTC`],
        ['POST', `${shop.path}/email/send`],
        ['GET', '/api/v1/users/me'],
        ['PATCH', shop.path],
        ['GET', '/api/v1/'],
        ['GET', '/api/v1/nothing/'],
      ] as const) {
        const { message } = refusedAs(await shop.client.request(method, path), 501, 'not-implemented');
        assert.equal(message, `${method} ${path} is not supported.`);
      }
      refusedAs(await till.client.get('/api/v1/nothing'), 501, 'not-implemented');
      assertError(await till.client.get('/api/v10/nothing'), 40400);
    });

    test('a till that is told so does not speak it', async (t) => {
      const other = await open(t);
      const quiet = await startTestTill(other, { settings: { greenfield: { enabled: false } } });
      try {
        const reply = await fetch(`${quiet.url}/api/v1/server/info`);
        assert.equal(((await reply.json()) as { code: number }).code, 40400, 'as any path that is not there');
      } finally {
        await quiet.close();
      }
    });

    test('every permission has a row that plugins and the consent page can name', () => {
      for (const name of Object.keys(PERMISSIONS)) assert.match(name, /^(unrestricted|btcpay\.(store|user)\.[a-z.]+)$/);
    });
  });
});
