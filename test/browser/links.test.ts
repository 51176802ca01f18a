import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { noBranding, readDecimal } from '../../core/index.ts';
import type { Actor, NewLink, PaymentLink } from '../../core/index.ts';
import { LANGUAGES } from '../../host/checkout/languages.ts';
import { startDroppingProxy } from '../support/dropping-proxy.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture, THEMES } from './chromium.ts';
import { DashboardFixture, fits } from './dashboard-fixture.ts';

const PATIENCE = { timeout: 60_000 };

function item(id: string, name: string, text: string): NonNullable<NewLink['items']>[number] {
  const price = readDecimal(text);
  assert(price !== null);
  return { id, name, price };
}

describe('payment links in a browser', { concurrency: 1 }, () => {
  let browser: Browser;
  let till: DashboardFixture;
  let actor: Actor;
  before(async () => {
    browser = await launch();
    // An order whose payment was seen is not paid yet.
    const plugins = [{ use: 'sandbox', options: { confirmations: 2 } }];
    till = await DashboardFixture.open(browser, { plugins });
    actor = { accountId: till.demo.account_id as Actor['accountId'], role: 'user', ip: null, traceId: null };
  });
  after(async () => {
    await till.close();
    await browser.close();
  });

  /** A page on a phone whose network loses what the proxy drops. */
  async function behindProxy(t: TestContext) {
    const proxy = await startDroppingProxy(till.url.replace('localhost', '127.0.0.1'));
    t.after(() => proxy.close());
    const context = await browser.newContext({ locale: 'en', viewport: { width: 390, height: 844 } });
    t.after(() => context.close());
    return { proxy, page: await context.newPage() };
  }

  async function newLink(given: Partial<NewLink> = {}): Promise<{ link: PaymentLink; url: string }> {
    const defaults = { title: 'Summer concert', vsCurrency: 'USD', vsPrice: readDecimal('20') };
    const { link } = await till.host.till.manage.links.create(actor, { ...defaults, ...given });
    return { link, url: `${till.url}/l/${link.token}` };
  }

  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(`${till.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(reply.status, 200);
  };

  /** Chooses ether for an order and pays it in the sandbox. */
  async function pay(token: string): Promise<void> {
    const { choosePayment } = till.host.till;
    const order = await choosePayment.choose(token, 'ETH', 'ETH');
    await post('/sandbox/v1/pay', { order_id: order.id });
    await post('/sandbox/v1/blocks', { chain: 'ETH', count: 15 });
  }

  async function buy(url: string): Promise<void> {
    const { page, leave } = await till.window({ width: 390 });
    await page.goto(url);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('heading', { name: 'Choose how to pay' }).waitFor(PATIENCE);
    await pay(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    await page.getByRole('heading', { name: 'Paid' }).waitFor(PATIENCE);
    await leave();
  }

  test('a link that is sold twice is then sold out', async () => {
    const { url } = await newLink({ maxSales: 2, description: 'One seat.\nDoors open at seven.' });
    await buy(url);
    await buy(url);
    const { page, leave } = await till.window({ width: 320 });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Sold out' }).waitFor(PATIENCE);
    assert.equal(await page.getByRole('button', { name: 'Pay' }).count(), 0);
    await picture(page, 'link-sold-out-320');
    await leave();
  });

  test('the page of a link can be read by everybody, on a phone and in both directions of writing', async () => {
    const fixed = await newLink({ description: 'One seat.\nDoors open at seven.' });
    const chosen = await newLink({ vsPrice: null, minPrice: readDecimal('5'), title: 'x'.repeat(100) });
    for (const theme of THEMES) {
      const { page, leave } = await till.window({ width: 320, theme });
      for (const [name, url] of [
        ['fixed', fixed.url],
        ['chosen', `${chosen.url}?error=amount&amount=3`],
      ] as const) {
        await page.goto(url);
        assert.equal(await fits(page), true, `${name} scrolls sideways`);
        await assertAccessible(page, `${name} in ${theme}`);
        await picture(page, `link-${name}-320-${theme}`);
      }
      await leave();
    }
    for (const { tag } of LANGUAGES) {
      const { page, leave } = await till.window({ width: 320, locale: tag });
      await page.goto(chosen.url);
      assert.equal(await fits(page), true, `${tag} scrolls sideways`);
      if (tag === 'ar') await picture(page, 'link-chosen-320-ar');
      await leave();
    }
  });

  test('a point of sale is paired, charges an amount of the pad, turns green when it is paid, and lists the day', async () => {
    const { link, url } = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar' });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { page, leave } = await till.window({ width: 390 });
    await page.goto(`${url}#${code}`);
    await page.getByRole('heading', { name: 'Pair this device' }).waitFor(PATIENCE);
    await assertAccessible(page, 'a device that is not paired');
    assert.equal(new URL(page.url()).hash, '', 'the code is not in the address any more');
    await page.getByRole('button', { name: 'Pair device' }).click();
    await page.getByRole('heading', { name: 'Coffee bar' }).waitFor(PATIENCE);
    for (const key of ['4', '.', '.', '2', '9', 'Delete last digit', '0'])
      await page.getByRole('button', { name: key, exact: true }).click();
    assert.equal(await page.locator('#amount').inputValue(), '4.20');
    await assertAccessible(page, 'the pad');
    await assertRoom(page);
    await picture(page, 'point-of-sale-pad-390');
    await tonesAreCounted(page);
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor(PATIENCE);
    await assertAccessible(page, 'the sale');
    await picture(page, 'point-of-sale-sale-390');
    const token = (await page.locator('#sale').getAttribute('data-order')) ?? '';
    await pay(token);
    await page.locator('#sale.paid').waitFor(PATIENCE);
    assert.equal(await page.locator('#words').textContent(), 'Paid');
    const colour = await page.locator('#sale').evaluate((sale) => getComputedStyle(sale).backgroundColor);
    assert.equal(colour, 'rgb(11, 107, 58)');
    assert.equal(await page.evaluate(() => (window as unknown as { tones: number }).tones), 2);
    await assertAccessible(page, 'a sale that is paid');
    await picture(page, 'point-of-sale-paid-390');
    await page.getByRole('link', { name: 'New sale' }).click();
    await page.getByRole('button', { name: 'Charge' }).waitFor(PATIENCE);
    assert.equal(await page.locator('#amount').inputValue(), '');
    await page.getByText('Paid today: $4.20').waitFor(PATIENCE);
    assert.match(await page.locator('.sales li').innerText(), /Paid[\s\S]*\$4\.20/);
    await leave();
  });

  test('fault 507, fault 509: a point of sale adds up items and a tip as the till does, and makes one sale of a charge whose answers are lost', async (t) => {
    const { link, url } = await newLink({
      ...{ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar', tips: [10, 15, 20] },
      items: [item('espresso', 'Espresso', '2.35'), item('cake', 'Chocolate cake with cherries', '4')],
    });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { proxy, page } = await behindProxy(t);
    const total = () => page.locator('.total output').textContent();
    const sales = () => till.host.till.linkSales.salesSince(link, 0);
    await page.goto(`${proxy.url}${new URL(url).pathname}#${code}`);
    await page.getByText('The pairing code was read.').waitFor(PATIENCE);
    await page.getByRole('button', { name: 'Pair device' }).click();
    await page.getByText('Espresso', { exact: true }).click(PATIENCE);
    await page.getByRole('button', { name: 'Add one Espresso' }).click();
    await page.getByRole('button', { name: 'Add one Espresso' }).click();
    await page.getByRole('button', { name: 'Remove one Espresso' }).click();
    await page.getByRole('textbox', { name: 'Chocolate cake' }).fill('1');
    assert.equal(await total(), '$8.70');
    await page.getByRole('radio', { name: '15%' }).check({ force: true });
    assert.equal(await total(), '$10.01');
    await page.getByRole('radio', { name: 'Other' }).check({ force: true });
    await page.getByLabel('Tip in USD').fill('1,5');
    assert.equal(await total(), '$10.20');
    await assertAccessible(page, 'items and tips');
    assert.equal(await fits(page), true, 'items scroll sideways');
    await picture(page, 'point-of-sale-items-390');
    await page.getByRole('radio', { name: '15%' }).check({ force: true });

    proxy.lose(({ method }) => (method === 'POST' ? 'answer' : null));
    await page.getByRole('button', { name: 'Charge' }).dblclick();
    await page.getByText('No connection.').waitFor(PATIENCE);
    await waitFor(async () => (await sales()).length === 1, { describe: 'the sale' });
    const { version } = (await till.host.till.manage.links.find(actor, link.id)).link;
    await till.host.till.manage.links.update(actor, link.id, version, { items: [item('tea', 'Tea', '3')] });
    await page.reload();
    await page.getByText('No connection.').waitFor(PATIENCE);
    proxy.lose(() => null);
    await page.locator('#sale').waitFor(PATIENCE);
    assert.match(
      await page.locator('#sale').innerText(),
      /\$10\.01[\s\S]*2 × Espresso · 1 × Chocolate cake[\s\S]*Tip \$1\.31/,
    );
    assert.deepEqual(
      (await sales()).map(({ vsPrice }) => vsPrice),
      [1_001n],
    );
    await assertAccessible(page, 'a sale of items');
    await picture(page, 'point-of-sale-sale-items-390');

    // A charge without an item says so, and keeps the tip.
    await page.getByRole('link', { name: 'New sale' }).click();
    await page.getByRole('radio', { name: '20%' }).check({ ...PATIENCE, force: true });
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.getByText('Choose at least one item').waitFor(PATIENCE);
    assert.equal(await page.getByRole('radio', { name: '20%' }).isChecked(), true);
    await page.getByRole('button', { name: 'Add one Tea' }).click();
    assert.equal(await total(), '$3.60');
  });

  test('a point of sale with one coin shows the payment to scan, with its amount, and the code is gone once it is seen', async () => {
    const { link, url } = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar', coins: ['ETH'] });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { page, leave } = await till.window({ width: 390 });
    await page.goto(`${url}#${code}`);
    await page.getByRole('button', { name: 'Pair device' }).click();
    await page.locator('#amount').fill('5');
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.getByRole('img', { name: 'Payment QR code: 0.002 ETH' }).waitFor(PATIENCE);
    assert.match(await page.locator('#scan').innerText(), /0\.002 ETH[\s\S]*Send only ETH on Ethereum/);
    await assertAccessible(page, 'the payment to scan');
    await picture(page, 'point-of-sale-coin-390');
    const [order] = await till.host.till.linkSales.salesSince(link, 0);
    await post('/sandbox/v1/pay', { order_id: order?.id, amount: '0.0005' });
    await page.getByRole('img', { name: 'Payment QR code: 0.0015 ETH' }).waitFor(PATIENCE);
    assert.equal(await page.locator('#words').textContent(), 'Partially paid');
    await post('/sandbox/v1/pay', { order_id: order?.id, amount: '0.0015' });
    await page.locator('#scan').waitFor({ ...PATIENCE, state: 'detached' });
    assert.equal(await page.locator('#words').textContent(), 'Payment detected, awaiting confirmation');
    await post('/sandbox/v1/blocks', { chain: 'ETH', count: 15 });
    await page.locator('#sale.paid').waitFor(PATIENCE);
    assert.equal(await page.locator('#today').count(), 0, 'the customer does not see the sales of the day');
    await page.getByRole('link', { name: 'New sale' }).click();
    await page.getByText('Paid today: $5.00').waitFor(PATIENCE);
    await leave();
  });

  test('links and points of sale have the logo and the colour of their account, in the dark and from right to left', async () => {
    const bytes = await logoOf(browser);
    const logo = { id: createHash('sha256').update(bytes).digest('hex'), type: 'image/png' } as const;
    const { link, url } = await newLink({ description: 'One seat.\nDoors open at seven.' });
    const pointOfSale = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar', coins: ['ETH'] });
    const brand = { ...noBranding(link.accountId), name: 'Corner Shop & Söhne', colour: '#8a1253', logo };
    await till.host.till.storage.transaction((tx) => tx.branding.save(brand, 'cornershopsohne', bytes));
    const looks = [
      { name: 'light', theme: 'light', locale: 'en' },
      { name: 'dark', theme: 'dark', locale: 'en' },
      { name: 'ar', theme: 'dark', locale: 'ar' },
    ] as const;
    for (const { name, theme, locale } of looks) {
      const { page, leave } = await till.window({ width: 320, theme, locale });
      await waitFor(
        async () => {
          await page.goto(url);
          return (await page.locator('.brand img').count()) === 1;
        },
        { describe: 'the brand', timeoutMs: 60_000 },
      );
      await assertBranded(page, `a branded link, ${name}`);
      await picture(page, `link-branded-320-${name}`);
      const { code } = await till.host.till.manage.links.pair(actor, pointOfSale.link.id);
      await page.goto(`${pointOfSale.url}#${code}`);
      await page.locator('button.main').click();
      await page.locator('.pad').waitFor(PATIENCE);
      await assertBranded(page, `a branded point of sale, ${name}`);
      await picture(page, `point-of-sale-branded-320-${name}`);
      await page.locator('#amount').fill('12.5');
      await page.locator('#charge button.main').click();
      await page.locator('#scan').waitFor(PATIENCE);
      await assertBranded(page, `a branded sale, ${name}`);
      await picture(page, `point-of-sale-branded-sale-320-${name}`);
      await leave();
    }
  });

  test('fault 520: a charge whose answer is lost is sent again and makes one sale, over a reload of the page too', async (t) => {
    const { link, url } = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar' });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { proxy, page } = await behindProxy(t);
    const sales = async (): Promise<number> => (await till.host.till.linkSales.salesSince(link, 0)).length;
    const charge = async (amount: string): Promise<void> => {
      await page.locator('#amount').fill(amount);
      await page.getByRole('button', { name: 'Charge' }).click();
    };
    await page.goto(`${proxy.url}${new URL(url).pathname}#${code}`);
    await page.getByText('The pairing code was read.').waitFor(PATIENCE);
    await page.getByRole('button', { name: 'Pair device' }).click();

    // The till makes the sale, and the page is told nothing of it, twice.
    let left = 2;
    proxy.lose(({ method }) => (method === 'POST' && left-- > 0 ? 'answer' : null));
    await charge('4.20');
    await page.locator('#sale').waitFor(PATIENCE);
    assert.ok(proxy.lost >= 2);
    assert.equal(await sales(), 1);
    await page.reload();
    await page.locator('#sale').waitFor(PATIENCE);
    assert.match(await page.locator('#sale').innerText(), /\$4\.20/);

    // Nothing comes back until the page was loaded anew.
    await page.getByRole('link', { name: 'New sale' }).click();
    proxy.lose(({ method }) => (method === 'POST' ? 'answer' : null));
    await charge('7.50');
    await page.getByText('No connection.').waitFor(PATIENCE);
    await waitFor(async () => (await sales()) === 2, { describe: 'the sale that the page does not know of' });
    await assertAccessible(page, 'a charge that is sent again');
    await picture(page, 'point-of-sale-no-connection-390');
    proxy.lose(({ method }) => (method === 'POST' ? 'request' : null));
    await page.reload();
    await page.getByText('No connection.').waitFor(PATIENCE);
    proxy.lose(() => null);
    await page.locator('#sale').waitFor(PATIENCE);
    assert.match(await page.locator('#sale').innerText(), /\$7\.50/);
    assert.equal(await sales(), 2);

    // What was delivered is not sent again, and the next sale of the same amount is one of its own.
    await page.getByRole('link', { name: 'New sale' }).click();
    await page.getByRole('button', { name: 'Charge' }).waitFor(PATIENCE);
    await charge('7.50');
    await page.locator('#sale').waitFor(PATIENCE);
    assert.equal(await sales(), 3);

    // Whoever stops and charges once more with the same page gets the sale that was made.
    await page.getByRole('link', { name: 'New sale' }).click();
    await page.getByRole('button', { name: 'Charge' }).waitFor(PATIENCE);
    proxy.lose(({ method }) => (method === 'POST' ? 'answer' : null));
    await charge('9');
    await page.getByRole('button', { name: 'Stop trying' }).click(PATIENCE);
    await waitFor(async () => (await sales()) === 4, { describe: 'the sale that was made' });
    proxy.lose(() => null);
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.locator('#sale').waitFor(PATIENCE);
    assert.equal(await sales(), 4);
  });

  test('a point of sale whose page cannot be loaded stays as it is, and goes on when the network is back', async (t) => {
    const { link, url } = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar' });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { proxy, page } = await behindProxy(t);
    await page.goto(`${proxy.url}${new URL(url).pathname}#${code}`);
    await page.getByRole('button', { name: 'Pair device' }).click();
    await page.locator('#amount').fill('5');
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.locator('#sale').waitFor(PATIENCE);
    proxy.lose(() => 'request');
    await page.getByRole('link', { name: 'New sale' }).click();
    await page.getByText('No connection.').waitFor(PATIENCE);
    assert.equal(await page.locator('#sale').count(), 1, 'the sale is still there');
    proxy.lose(() => null);
    await page.getByRole('button', { name: 'Charge' }).waitFor(PATIENCE);
  });

  test('a sale is cancelled by its device while nothing was paid, and the customer sees the code and the amount alone', async () => {
    const { link, url } = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar', coins: ['ETH'] });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { page, leave } = await till.window({ width: 390 });
    await page.goto(`${url}#${code}`);
    await page.getByRole('button', { name: 'Pair device' }).click();
    await page.locator('#amount').fill('5');
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.locator('#scan').waitFor(PATIENCE);
    assert.equal(await page.locator('.languages').isVisible(), false);
    const shown = (await page.locator('main').innerText()).split('\n').filter((line) => line.trim() !== '');
    assert.deepEqual(shown, [
      'Coffee bar',
      '$5.00',
      'Awaiting payment',
      '0.002 ETH',
      'ETH · Ethereum',
      'Send only ETH on Ethereum. Other coins, or payments on other networks, may be lost.',
      'New sale',
      'Cancel sale',
    ]);
    await picture(page, 'point-of-sale-customer-390');
    await page.getByRole('button', { name: 'Cancel sale' }).click();
    await page.locator('#sale.over').waitFor(PATIENCE);
    assert.equal(await page.locator('#words').textContent(), 'Cancelled');
    assert.equal(await page.locator('#scan').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Cancel sale' }).isVisible(), false);
    const [order] = await till.host.till.linkSales.salesSince(link, 0);
    assert.equal(order?.status, 'TERMINATED');

    await page.getByRole('link', { name: 'New sale' }).click();
    await page.locator('#amount').fill('6');
    await page.getByRole('button', { name: 'Charge' }).click();
    await page.locator('#scan').waitFor(PATIENCE);
    const [paid] = await till.host.till.linkSales.salesSince(link, 0);
    await post('/sandbox/v1/pay', { order_id: paid?.id });
    await page.locator('#sale.seen').waitFor(PATIENCE);
    assert.equal(await page.getByRole('button', { name: 'Cancel sale' }).isVisible(), false, 'it is paid');
    await leave();
  });

  test('a point of sale works on a screen of 320 pixels from right to left', async () => {
    const { link, url } = await newLink({ face: 'POINT_OF_SALE', vsPrice: null, title: 'Coffee bar' });
    const { code } = await till.host.till.manage.links.pair(actor, link.id);
    const { page, leave } = await till.window({ width: 320, locale: 'ar', theme: 'dark' });
    await page.goto(`${url}#${code}`);
    await page.locator('button.main').click();
    await page.locator('.pad').waitFor(PATIENCE);
    await page.locator('#amount').fill('1234567890.55');
    assert.equal(await fits(page), true);
    await picture(page, 'point-of-sale-pad-320-ar');
    await page.locator('#amount').fill('12.55');
    await page.locator('#charge button.main').click();
    await page.locator('#scan').waitFor(PATIENCE);
    assert.equal(await fits(page), true);
    await assertAccessible(page, 'the sale in Arabic');
    await picture(page, 'point-of-sale-sale-320-ar');
    await leave();
  });
});

/** A picture of 160 by 80 pixels. */
async function logoOf(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 160, height: 80 } });
  await page.setContent('<body style="margin:0;background:#8a1253;color:#fff;font:600 40px/80px serif">Corner</body>');
  const bytes = await page.screenshot({ type: 'png' });
  await page.close();
  return bytes;
}

/** The logo is drawn, once, the colour is the account's, and everybody can read it. */
async function assertBranded(page: Page, what: string): Promise<void> {
  const logo = page.locator('.brand img');
  assert.equal(await logo.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)), 160);
  const mark = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--mark'));
  const ground = await page
    .locator('button.main, a.button.main')
    .first()
    .evaluate((each) => getComputedStyle(each).backgroundColor);
  assert.notEqual(mark, '');
  assert.notEqual(ground, 'rgb(10, 91, 171)', what);
  assert.equal(await fits(page), true, `${what} scrolls sideways`);
  await assertAccessible(page, what);
}

/** Every button and link of the point of sale that is shown has room for a finger. */
async function assertRoom(page: Page): Promise<void> {
  const heights = await page
    .locator('main button:visible, main a:visible, main input:not([type=hidden]):visible')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
  assert.ok(heights.length > 10 && heights.every((height) => height >= 44), String(heights));
}

/** Counts the tones that the page plays. */
async function tonesAreCounted(page: Page): Promise<void> {
  await page.evaluate(() => {
    const counted = window as unknown as { tones: number };
    counted.tones = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (this: OscillatorNode, ...given: Parameters<typeof start>) {
      counted.tones += 1;
      start.apply(this, given);
    };
  });
}
