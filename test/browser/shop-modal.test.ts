import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { scopesOf } from '../../adapters/http/greenfield/permissions.ts';
import type { AccountId } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { launch } from './chromium.ts';
import { DashboardFixture, openWindow } from './dashboard-fixture.ts';

const PERMISSIONS = ['btcpay.store.canviewinvoices', 'btcpay.store.cancreateinvoice'];

/** What the shop's page has heard, and what it was asked. */
interface Heard {
  readonly messages: readonly unknown[];
  readonly moves: readonly string[];
}

describe('the payer’s page over a shop', { concurrency: 2 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  let apiKey = '';
  const shop = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Shop</title><h1>Cart</h1>
      <script src="${fixture.url}/modal/btcpay.js"></script>
      <script>
        const heard = { messages: [], moves: [] };
        btcpay.onModalWillEnter(() => heard.moves.push('enter'));
        btcpay.onModalWillLeave(() => heard.moves.push('leave'));
        btcpay.onModalReceiveMessage((event) => heard.messages.push(event.data));
      </script>`);
  });
  let shopUrl = '';
  before(async () => {
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
    const id = fixture.demo.account_id as AccountId;
    const terms = { permissions: PERMISSIONS, scopes: scopesOf(PERMISSIONS) };
    ({ apiKey } = await fixture.host.till.createCredential.run(id, 'shop', terms));
  });
  after(async () => {
    await fixture.close();
    await browser.close();
    shop.close();
    shop.closeAllConnections();
  });

  const sell = async (redirectURL: string): Promise<string> => {
    const reply = await fetch(`${fixture.url}/api/v1/stores/${fixture.demo.account_id}/invoices`, {
      method: 'POST',
      headers: { Authorization: `token ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: '10', currency: 'EUR', checkout: { redirectURL, paymentMethods: ['LTC-CHAIN'] } }),
    });
    assert.equal(reply.status, 200);
    return ((await reply.json()) as { id: string }).id;
  };
  const heard = (page: Page): Promise<Heard> => page.evaluate('heard');
  const show = (page: Page, id: string) => page.evaluate(`btcpay.showInvoice(${JSON.stringify(id)})`);
  const pay = async (id: string): Promise<void> => {
    const { storage } = fixture.host.till;
    const order = await storage.orders.findByCheckoutToken(id);
    const post = (path: string, body: object) =>
      fetch(fixture.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    assert.equal((await post('/sandbox/v1/pay', { order_id: order?.id })).status, 200);
    await post('/sandbox/v1/blocks', { count: 10 });
  };

  test('the shop opens it, the payer pays in it, and the shop alone hears of the payment', async () => {
    const id = await sell(`${shopUrl}/thanks`);
    const { page, leave } = await openWindow(browser, shopUrl, { elsewhere: [fixture.url] });
    await page.goto(shopUrl);
    await show(page, id);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { level: 1 }).waitFor();
    await waitFor(async () => (await heard(page)).messages.includes('loaded'), { describe: 'the page to say: loaded' });
    await pay(id);
    await waitFor(
      async () =>
        JSON.stringify((await heard(page)).messages).includes(JSON.stringify({ invoiceId: id, status: 'complete' })),
      { describe: 'the page to say that it is paid' },
    );
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });
    assert.deepEqual((await heard(page)).moves, ['enter', 'leave']);
    await leave();
  });

  test('another site cannot show it in a frame, and hears nothing', async () => {
    const id = await sell('https://shop.example/thanks');
    const window = await openWindow(browser, shopUrl, { elsewhere: [fixture.url] });
    await window.page.goto(shopUrl);
    await show(window.page, id);
    await waitFor(() => window.page.frames().some((frame) => frame.url().startsWith('chrome-error:')), {
      describe: 'the browser to refuse the frame',
    });
    assert.deepEqual((await heard(window.page)).messages, []);
    await window.page.keyboard.press('Escape');
    await window.page.locator('iframe').waitFor({ state: 'detached' });
    await window.context.close();
  });
});
