import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../../adapters/http/index.ts';
import { checkLedger } from '../../core/index.ts';
import type { OrderId } from '../../core/index.ts';
import { NAMED } from '../support/api-types.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { HttpClient, Reply } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestMerchant, TestTill } from '../support/till.ts';

const ORDER = { price: '25', currency: 'USD', chain: 'ETH', coin: 'USDT-ERC20' };

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  readonly trace_id: string;
}

/** Whether the fields of an operation name an account, for which or of which something is asked. */
const takesAccount = ({ path, schemas: { query, body } }: Operation): boolean =>
  !path.includes('{') && [query, body].some((schema) => schema !== null && 'account' in schema.shape);

/** The record of a success; fails the test when the reply is an error. */
function recordOf(reply: Reply, status = 200): Readonly<Record<string, unknown>> {
  assert.equal(reply.status, status, reply.text);
  return JSON.parse(reply.text) as Record<string, unknown>;
}

/** Fails the test unless the reply is this error of `/v1`. */
function refusedOf(reply: Reply, status: number, code: string): Refused {
  const body = JSON.parse(reply.text) as { readonly error: Refused };
  assert.deepEqual([reply.status, body.error?.code], [status, code], reply.text);
  assert.deepEqual(Object.keys(body), ['error']);
  assert.equal(body.error.trace_id, reply.headers['x-trace-id']);
  return body.error;
}

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

  const bearer = ({ apiKey }: TestMerchant): HttpClient => till.client.with({ Authorization: `Bearer ${apiKey}` });

  describe('/v1', () => {
    test('makes an order for the account of the key, in the words of the till, and as its own order', async () => {
      const shop = await till.newMerchant();
      const body = { ...ORDER, merchant_reference: 'invoice 7', metadata: { cart: '1' } };
      const order = recordOf(await bearer(shop).post('/v1/orders', body), 201);
      const { payment, id, account, price, currency, status, merchant_reference, metadata, pay_url, platform } = order;
      assert.deepEqual(
        { account, price, currency, status, merchant_reference, metadata, platform },
        {
          account: shop.account.id,
          price: '25',
          currency: 'USD',
          status: 'PENDING',
          merchant_reference: 'invoice 7',
          metadata: { cart: '1' },
          platform: 'API',
        },
      );
      assert.deepEqual(
        { ...(payment as object), address: '' },
        { chain: 'ETH', chain_name: 'Ethereum', coin: 'USDT-ERC20', amount: '25', address: '' },
      );
      assert.match(String(pay_url), /\/checkout\/[0-9a-f]{32}$/);
      const stored = await store.storage.orders.find(String(id) as OrderId);
      assert.notEqual(stored?.credentialId, null, 'its callbacks are signed for the credential that made it');
      const items = await store.storage.audit.list(shop.account.id, { before: null, limit: 10 });
      assert.deepEqual(
        items.map(({ action }) => action).filter((action) => action.startsWith('order.')),
        [],
        'an order of a program is not written to the audit log',
      );
    });

    test('without a coin the payer chooses it', async () => {
      const shop = await till.newMerchant();
      const order = recordOf(await bearer(shop).post('/v1/orders', { price: '12.50', currency: 'EUR' }), 201);
      assert.deepEqual([order['payment'], order['platform'], order['price']], [null, 'CHECKOUT', '12.5']);
    });

    test('a signature is taken as a key is; no key, a wrong one, and one in the header of the payment API are not', async () => {
      const shop = await till.newMerchant();
      recordOf(await till.client.post('/v1/orders', ORDER, { sign: shop.signed() }), 201);
      const none = await till.client.post('/v1/orders', ORDER);
      refusedOf(none, 401, 'no_credentials');
      assert.equal(none.headers['www-authenticate'], 'Bearer realm="v1"');
      const wrong = till.client.with({ Authorization: `Bearer ${shop.apiKey}x` });
      refusedOf(await wrong.post('/v1/orders', ORDER), 401, 'credential_invalid');
      refusedOf(await shop.client.post('/v1/orders', ORDER), 401, 'no_credentials');
      await shop.setDataSecurity(true);
      refusedOf(await bearer(shop).post('/v1/orders', ORDER), 403, 'signature_required');
      recordOf(await till.client.post('/v1/orders', { ...ORDER, price: '26' }, { sign: shop.signed() }), 201);
    });

    test('a key lacks the scopes that it was not given', async () => {
      const shop = await till.newMerchant();
      const { apiKey } = await till.accounts.createCredential.run(shop.account.id, 'reader', { scopes: ['read'] });
      const reader = till.client.with({ Authorization: `Bearer ${apiKey}` });
      refusedOf(await reader.post('/v1/orders', ORDER), 403, 'forbidden');
    });

    test('each wrong field is named, and so is one that does not exist', async () => {
      const client = bearer(till.merchant);
      const wrong = refusedOf(
        await client.post('/v1/orders', { ...ORDER, price: '-1', coin: '' }),
        400,
        'invalid_fields',
      );
      assert.deepEqual([wrong.field, wrong.fields?.map(({ field }) => field)], ['price', ['price', 'coin']]);
      const unknown = refusedOf(await client.post('/v1/orders', { ...ORDER, vs_price: '25' }), 400, 'invalid_fields');
      assert.deepEqual(unknown.fields, [{ field: 'vs_price', message: 'is not a field of this operation' }]);
      const half = refusedOf(await client.post('/v1/orders', { ...ORDER, coin: undefined }), 400, 'invalid_fields');
      assert.equal(half.field, 'coin');
      const precise = refusedOf(await client.post('/v1/orders', { ...ORDER, price: '1.234' }), 400, 'invalid_fields');
      assert.equal(precise.field, 'price', 'an error of the core has the name of the wire');
      const many = await client.post('/v1/orders', { ...ORDER, price: 25 });
      assert.equal(refusedOf(many, 400, 'invalid_fields').field, 'price', 'an amount is a string');
    });

    test('another account is not found, as an account that does not exist', async () => {
      const other = await till.newMerchant();
      const about = NAMED.filter(({ row, offered }) => offered && takesAccount(row)).map(({ row }) => row);
      assert.ok(about.length >= 12, `only ${about.length} operations take an account`);
      for (const { method, path, examples, id } of about)
        for (const account of [other.account.id, '1530217733410816001', 'nope']) {
          const reply =
            method === 'GET'
              ? await bearer(till.merchant).get(`${path}?account=${account}`)
              : await bearer(till.merchant).post(path, { ...(examples.body as object), account });
          const { field, fields } = refusedOf(reply, 404, 'account_not_found');
          assert.deepEqual([field, fields?.map((each) => each.field)], ['account', ['account']], id);
        }
      recordOf(await bearer(other).post('/v1/orders', { ...ORDER, account: other.account.id }), 201);
    });

    test('the same key and body make one order; another body is refused', async () => {
      const client = bearer(till.merchant).with({ 'Idempotency-Key': 'order 1' });
      const [one, again] = [await client.post('/v1/orders', ORDER), await client.post('/v1/orders', ORDER)];
      assert.equal(recordOf(one, 201)['id'], recordOf(again, 201)['id']);
      refusedOf(await client.post('/v1/orders', { ...ORDER, price: '26' }), 409, 'idempotency_mismatch');
    });

    test('an unknown path and a wrong method are told in its form', async () => {
      const client = bearer(till.merchant);
      refusedOf(await client.get('/v1/nothing'), 404, 'not_found');
      refusedOf(await client.request('DELETE', '/v1/orders'), 405, 'method_not_allowed');
      refusedOf(
        await client.post('/v1/orders', '{', { headers: { 'Content-Type': 'application/json' } }),
        400,
        'malformed_request',
      );
    });
  });
});
