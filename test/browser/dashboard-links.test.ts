import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { readDecimal } from '../../core/index.ts';
import type { Actor } from '../../core/index.ts';
import { buttonSnippet } from '../../host/dashboard/app/pages/links/button-snippet.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo, stepUp, submit } from './dashboard-fixture.ts';

const PATIENCE = { timeout: 60_000 };

describe('payment links in the dashboard', { concurrency: 1 }, () => {
  let browser: Browser;
  let till: DashboardFixture;
  before(async () => {
    browser = await launch();
    till = await DashboardFixture.open(browser);
  });
  after(async () => {
    await till.close();
    await browser.close();
  });

  test('a merchant makes a link, copies its button, sees its order, and switches it off', async () => {
    const { page, leave } = await till.loggedIn({ width: 390 });
    page.setDefaultTimeout(PATIENCE.timeout);
    await goTo(page, '/links/create');
    await page.getByLabel('Title').fill('Tea & "cake"');
    await page.getByLabel('Amount', { exact: true }).fill('7.5');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Stock limit').fill('3');
    await assertAccessible(page, 'the form of a link');
    await submit(page);
    await page.getByRole('heading', { name: 'Share' }).waitFor(PATIENCE);
    const [link] = await till.host.till.storage.links.list(null, null, 1);
    assert(link !== undefined);
    assert.deepEqual([link.title, link.price, link.maxSales, link.face], ['Tea & "cake"', 750n, 3, 'LINK']);
    const url = `${till.url}/l/${link.token}`;
    const codes = await page.locator('code').allTextContents();
    const shown = new URL(url).href;
    assert.ok(codes.includes(shown), codes.join('\n'));
    assert.ok(codes.includes(buttonSnippet(shown, link.title)), codes.join('\n'));
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    assert.equal(await fits(page), true);
    await assertAccessible(page, 'a link');
    await picture(page, 'dashboard-link-390');
    await till.host.till.linkSales.order(link.token, { amount: null, key: 'visitor', renew: true });
    await page.getByRole('link', { name: 'View orders' }).click();
    await page.getByText('$7.50').first().waitFor(PATIENCE);
    await goTo(page, `/links/${link.id}/show`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor(PATIENCE);
    assert.equal((await till.host.till.storage.links.find(link.id))?.active, false);
    await leave();
  });

  test('a merchant changes a link: what was emptied is removed, and what another changed meanwhile is refused', async () => {
    const { page, leave } = await till.loggedIn({ width: 390 });
    page.setDefaultTimeout(PATIENCE.timeout);
    const { links } = till.host.till.manage;
    const actor: Actor = {
      accountId: till.demo.account_id as Actor['accountId'],
      role: 'user',
      ip: null,
      traceId: null,
    };
    const made = await links.create(actor, {
      ...{ title: 'Lemonade', description: 'Cold', vsCurrency: 'EUR', vsPrice: readDecimal('4'), maxSales: 9 },
      ...{ coins: ['ETH'], returnUrl: 'https://shop.example/thanks', metadata: { shop: 'north' } },
    });
    const stored = async () => till.host.till.storage.links.find(made.link.id);
    await goTo(page, `/links/${made.link.id}/show`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Title').waitFor(PATIENCE);
    assert.equal(await page.getByRole('combobox', { name: 'Type' }).count(), 0);
    await page.getByText('EUR').first().waitFor(PATIENCE);
    await page.getByLabel('Title').fill('Fresh lemonade');
    await page.getByLabel('Amount', { exact: true }).fill('');
    await page.getByLabel('Minimum amount').fill('2.50');
    await page.getByLabel('Stock limit').fill('');
    await page.getByLabel('Description').fill('');
    assert.equal(await fits(page), true);
    await assertAccessible(page, 'the form that changes a link');
    await picture(page, 'dashboard-link-edit-390');
    await submit(page);
    await stepUp(page, till.demo.password);
    await page.getByRole('heading', { name: 'Share' }).waitFor(PATIENCE);
    const { link } = made;
    assert.deepEqual(await stored(), {
      ...link,
      ...{ title: 'Fresh lemonade', description: '', price: null, minPrice: 250n, maxSales: null, version: 2 },
      updatedAt: (await stored())?.updatedAt,
    });
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Warm lemonade');
    await links.update(actor, link.id, 2, { title: 'Iced lemonade' });
    await submit(page);
    await page.getByText(/^The link was changed meanwhile and has version 3/).waitFor(PATIENCE);
    assert.equal((await stored())?.title, 'Iced lemonade');
    await leave();
  });

  test('a merchant lists items and tips, changes them, and sees on the order what was bought', async () => {
    const { page, leave } = await till.loggedIn({ width: 390 });
    page.setDefaultTimeout(PATIENCE.timeout);
    await goTo(page, '/links/create');
    await page.getByLabel('Title').fill('Tea house');
    const named = () => page.getByRole('textbox', { name: 'Name' });
    const priced = () => page.getByRole('textbox', { name: 'Price' });
    const items = page.locator('.ra-input-items');
    await items.getByRole('button', { name: 'Add' }).click();
    await named().last().fill('Green tea');
    await priced().last().fill('2.35');
    await items.getByRole('button', { name: 'Add' }).click();
    await named().last().fill('Cake');
    await priced().last().fill('4');
    assert.equal(await page.getByLabel('Amount', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Tips').fill('10, 15');
    assert.equal(await fits(page), true);
    await assertAccessible(page, 'the form of a link with items');
    await picture(page, 'dashboard-link-items-form-390');
    await submit(page);
    await page.getByRole('heading', { name: 'Share' }).waitFor();
    const [link] = await till.host.till.storage.links.list(null, null, 1);
    assert(link !== undefined);
    assert.deepEqual(
      link.items.map(({ name, price }) => [name, price]),
      [
        ['Green tea', 235n],
        ['Cake', 400n],
      ],
    );
    assert.deepEqual([link.price, link.tips], [null, [10, 15]]);
    await page.getByText('10%, 15%').waitFor();
    await picture(page, 'dashboard-link-items-390');
    const { linkSales } = till.host.till;
    const quantities = new Map(link.items.map(({ id }) => [id, 2]));
    const cart = { offer: linkSales.offer(link), quantities, tip: { percent: 15 } };
    const order = await linkSales.order(link.token, { amount: null, key: 'visitor', renew: true, cart });
    await goTo(page, `/orders/${order.id}/show`);
    await page.getByText('2 × Green tea').waitFor();
    await page.getByText('$1.91').waitFor();
    assert.equal(await fits(page), true);
    await assertAccessible(page, 'an order with items');
    await picture(page, 'dashboard-order-items-390');
    // A message that the mouse rests on stays before the button that saves.
    await page.reload();
    await page.getByText('2 × Green tea').waitFor();
    await goTo(page, `/links/${link.id}`);
    await priced().first().waitFor();
    assert.equal(await priced().first().inputValue(), '2.35');
    await priced().first().fill('2.50');
    await page.getByLabel('Tips').fill('20');
    await submit(page);
    await stepUp(page, till.demo.password);
    await page.getByRole('heading', { name: 'Share' }).waitFor();
    const changed = await till.host.till.storage.links.find(link.id);
    assert.deepEqual(
      [changed?.items.map(({ id, price }) => [id, price]), changed?.tips],
      [
        [
          [link.items[0]?.id, 250n],
          [link.items[1]?.id, 400n],
        ],
        [20],
      ],
    );
    await leave();
  });

  test('a merchant makes a point of sale and pairs a device by the code that is shown', async () => {
    const { page, leave } = await till.loggedIn();
    page.setDefaultTimeout(PATIENCE.timeout);
    await goTo(page, '/links/create');
    await page.getByLabel('Title').fill('Coffee bar');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Point of sale' }).click();
    await submit(page);
    await page.getByRole('button', { name: 'Pair device' }).click();
    await stepUp(page, till.demo.password);
    await page.getByRole('img', { name: 'QR code to pair a device' }).waitFor(PATIENCE);
    await assertAccessible(page, 'a point of sale');
    await picture(page, 'dashboard-point-of-sale-1280');
    const address = (await page.locator('code').allTextContents()).find((text) => text.includes('#')) ?? '';
    const device = await till.window({ width: 390 });
    await device.page.goto(address);
    await device.page.getByRole('button', { name: 'Pair device' }).click();
    await device.page.getByRole('button', { name: 'Charge' }).waitFor(PATIENCE);
    await page.getByText('Paired devices: 1').waitFor(PATIENCE);
    await goTo(page, '/links');
    await page.getByText('Coffee bar').first().waitFor(PATIENCE);
    await picture(page, 'dashboard-links-1280');
    await assertAccessible(page, 'the list of links');
    await device.leave();
    await leave();
  });
});
