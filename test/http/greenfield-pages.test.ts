import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import { connectShop, successOf } from '../support/greenfield.ts';
import type { TestShop } from '../support/greenfield.ts';
import { assertError, dataOf } from '../support/http.ts';
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

  const sell = async (checkout: object, by = shop): Promise<string> => {
    const body = { amount: '5', currency: 'EUR', checkout };
    return String(successOf(await by.client.post(`${by.path}/invoices`, body))['id']);
  };
  const goesTo = async (path: string): Promise<string> => {
    const { status, headers } = await till.client.get(path);
    assert.equal(status, 302);
    return new URL(headers['location'] ?? '', till.url + path).href.slice(till.url.length);
  };
  /** Who may frame the page of an invoice. */
  const framedBy = async (path: string): Promise<string> => {
    const { headers } = await till.client.get(path);
    const ancestors = /frame-ancestors ([^;]+)$/.exec(headers['content-security-policy'] ?? '')?.[1] ?? '';
    assert.equal(headers['x-frame-options'], ancestors === "'none'" ? 'DENY' : undefined);
    return ancestors;
  };

  describe('pages that shop plugins open', () => {
    test('the link of an invoice leads to its payer’s page, in the language of the shop or of the link', async () => {
      const id = await sell({ defaultLanguage: 'de-DE' });
      assert.equal(await goesTo(`/i/${id}`), `/checkout/${id}?lang=de`);
      assert.equal(await goesTo(`/i/${id}?lang=fr`), `/checkout/${id}?lang=fr`);
      assert.equal(await goesTo(`/i/${id}/receipt`), `/checkout/${id}?view=receipt&lang=de`);
      const plain = await sell({});
      assert.equal(await goesTo(`/i/${plain}`), `/checkout/${plain}`);
      assert.equal(await goesTo(`/i/${plain}?lang=%0d%0aSet-Cookie:x`), `/checkout/${plain}`);
      assert.equal(await goesTo(`/invoices/${id}`), '/dashboard#/orders');
    });

    test('an id that was guessed leads nowhere', async () => {
      const order = await store.storage.orders.findByCheckoutToken(await sell({}));
      for (const wrong of [order?.id, '1', '..%2fdashboard', 'https:%2f%2fevil.example', 'x'.repeat(32)])
        assertError(await till.client.get(`/i/${wrong}`), 40400);
      const unknown = await goesTo(`/i/${'0'.repeat(32)}`);
      assert.equal((await till.client.get(unknown)).status, 404);
    });

    test('only the shop of an invoice may show its page in a frame (fault 476)', async () => {
      const id = await sell({ redirectURL: 'https://shop.example:8443/thanks?order=1' });
      assert.equal(await framedBy(`/checkout/${id}`), 'https://shop.example:8443');
      assert.equal(await framedBy(`/checkout/${id}?view=coins`), 'https://shop.example:8443', 'also after a choice');
      assert.equal(await framedBy(`/checkout/${await sell({})}`), "'none'");
      successOf(await shop.client.post(`${shop.path}/webhooks`, { url: 'https://hooks.example/btcpay?secret=1' }));
      assert.equal(await framedBy(`/checkout/${id}`), 'https://shop.example:8443 https://hooks.example');
      const page = await till.client.get(`/checkout/${id}`);
      assert.match(
        page.text,
        /<meta name="shop-origins" content="https:\/\/shop\.example:8443 https:\/\/hooks\.example">/,
      );
      const other = await connectShop(till);
      const theirs = await sell({ redirectURL: 'https://other.example/' }, other);
      assert.equal(await framedBy(`/checkout/${theirs}`), 'https://other.example');
    });

    test('an order that no shop plugin made is shown in no frame', async () => {
      const made = dataOf<{ pay_url: string }>(
        await shop.merchant.client.post('/api/order/pay-url', {
          ...{ price: '3', currency: 'USD', succeed_url: 'https://shop.example/thanks' },
        }),
      );
      assert.equal(await framedBy(new URL(made.pay_url).pathname), "'none'");
      assert.equal(await framedBy(`/checkout/${'0'.repeat(32)}`), "'none'");
    });

    test('the script for shops is a script, and names no one but the till that served it', async () => {
      const { status, headers, text } = await till.client.get('/modal/btcpay.js');
      assert.equal(status, 200);
      assert.match(headers['content-type'] ?? '', /^text\/javascript/);
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
      assert.doesNotMatch(text, /https?:\/\//);
    });
  });
});
