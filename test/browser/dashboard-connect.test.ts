import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, logIn, openWindow, stepUp } from './dashboard-fixture.ts';
import type { Window } from './dashboard-fixture.ts';

const PERMISSIONS = ['btcpay.store.canviewinvoices', 'btcpay.store.cancreateinvoice'];

describe('connecting a shop by its link', () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  const posted: URLSearchParams[] = [];
  const shop = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'POST') posted.push(new URLSearchParams(text));
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Shop</title><h1>Connected</h1>');
    });
  });
  let shopUrl = '';
  before(async () => {
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
    shop.close();
    shop.closeAllConnections();
  });

  const link = (fields: Readonly<Record<string, string>>, permissions = PERMISSIONS): string => {
    const query = new URLSearchParams([...permissions.map((each) => ['permissions', each]), ...Object.entries(fields)]);
    return `${fixture.url}/api-keys/authorize?${query.toString()}`;
  };
  /** A window at the link of a shop, after the login. */
  const opened = async (url: string, allowed: readonly string[] = []): Promise<Window> => {
    const window = await openWindow(browser, fixture.url, { elsewhere: allowed });
    await window.page.goto(url);
    await logIn(window.page, fixture.demo);
    await window.page.getByRole('heading', { level: 1, name: 'Connect a shop' }).waitFor();
    return window;
  };

  test('the merchant logs in, sees who asks for what and where the key goes, agrees once more, and the shop has a key that works', async () => {
    const { page, leave } = await opened(link({ applicationName: 'A <b>shop</b>', redirect: `${shopUrl}/back?a` }), [
      shopUrl,
    ]);
    await page.getByText('A <b>shop</b> asks for an API key of your account.').waitFor();
    await page.getByText(new URL(shopUrl).host, { exact: true }).waitFor();
    await page.getByText('Create invoices', { exact: true }).waitFor();
    await assertAccessible(page, 'connect');
    await picture(page, 'dashboard-connect');
    assert.ok(await fits(page), 'it scrolls sideways');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await stepUp(page, fixture.demo.password);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    const [form] = posted;
    assert.ok(form !== undefined);
    const store = fixture.demo.account_id;
    assert.deepEqual(
      form.getAll('permissions[]'),
      PERMISSIONS.map((each) => `${each}:${store}`),
    );
    assert.equal(form.get('userId'), store);
    const headers = { Authorization: `token ${form.get('apiKey')}` };
    const key = await fetch(`${fixture.url}/api/v1/api-keys/current`, { headers });
    assert.deepEqual(((await key.json()) as { permissions: unknown }).permissions, form.getAll('permissions[]'));
    await leave();
  });

  test('who does not agree makes no key, and a link without an address shows it here', async () => {
    const before = posted.length;
    const { page, leave } = await opened(link({ redirect: `${shopUrl}/back` }));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing was changed.').waitFor();
    await page.goto(link({}));
    await page.getByText('You, on this page').waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await stepUp(page, fixture.demo.password);
    const dialog = page.getByRole('dialog', { name: 'Store these safely' });
    await dialog.getByText(/^tak_/).waitFor();
    assert.equal(posted.length, before);
    await leave();
  });

  test('a link for something that is not known, or to a place that is no page, is refused by name', async () => {
    const { page, leave } = await opened(link({}, ['btcpay.store.canfly']));
    await page.getByText(/permissions that this server does not know: btcpay.store.canfly/).waitFor();
    await page.goto(link({ redirect: 'javascript:document.title=1' }));
    await page.getByText(/cannot be used: javascript:/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Allow', exact: true }).count(), 0);
    await leave();
  });

  test('no other page shows it in a frame', async () => {
    const window = await openWindow(browser, shopUrl, { elsewhere: [fixture.url] });
    await window.page.goto(shopUrl);
    await window.page.evaluate(
      (url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
      },
      link({ redirect: `${shopUrl}/back` }),
    );
    await waitFor(
      async () => {
        const frame = window.page.frames().find((each) => each !== window.page.mainFrame());
        return frame !== undefined && frame.url().startsWith('chrome-error:');
      },
      { describe: 'the browser to refuse the frame' },
    );
    await window.context.close();
  });
});
