import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { SandboxChain } from '../../plugins/sandbox/sandbox-chain.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch } from './chromium.ts';
import { PayersFixture, says } from './payer-fixture.ts';

/** Blocks after the one with the payment, until it is confirmed. */
const CONFIRMED = 2;
const PAYERS_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('a payer with a browser', { concurrency: true }, () => {
  let browser: Browser;
  let fixture: PayersFixture;
  before(async () => {
    browser = await launch();
    fixture = await PayersFixture.open(browser, 600);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  test('pays by the keyboard alone, is told of every step without a reload, and is taken back to the shop', async () => {
    const { url, id } = await fixture.order();
    const { page, leave } = await fixture.payer();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
    await page.goto(url);
    await says(page, 'choose', 'Choose how to pay');
    await tabTo(page, 'button.coin:has-text("USDT · Tron")');
    await page.keyboard.press('Enter');
    await says(page, 'waiting', 'Awaiting payment');
    assert.match((await page.locator('#left').textContent()) ?? '', /9:\d\d/);

    await tabTo(page, 'button[aria-label="Copy amount"]');
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).first().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '13.5');
    await tabTo(page, 'button[aria-label="Copy address"]');
    await page.keyboard.press('Space');
    await waitFor(async () => (await page.evaluate(() => navigator.clipboard.readText())).startsWith('T'), {
      describe: 'the address in the clipboard',
    });

    await page.evaluate(() => Object.assign(window, { stayed: true }));
    await fixture.pay(id, '4');
    await says(page, 'short', '4 USDT received. Send the remaining 9.5 USDT');
    assert.match((await page.locator('#said').textContent()) ?? '', /^Partially paid/);
    assert.equal(await page.locator('button[aria-label="Copy amount"]').getAttribute('data-copy'), '9.5');
    await fixture.pay(id);
    await says(page, 'confirming', '1 of 3 confirmations');
    await assertAccessible(page, 'while it is confirmed');
    await fixture.mine('TRX', 1);
    await page.getByText('2 of 3 confirmations').first().waitFor();
    await fixture.mine('TRX', 1);
    await says(page, 'paid', 'Your payment is complete');
    assert.match((await page.locator('#said').textContent()) ?? '', /^Paid\. Your payment is complete/);
    assert.equal(await page.title(), 'Paid');
    assert.equal(await page.evaluate(() => 'stayed' in window), true, 'the page was never loaded anew');
    await page.waitForURL(`${fixture.shopUrl}/thanks`);
    await leave();
  });

  test('pays with script off: forms, a page that comes again by itself, and the way back to the shop', async () => {
    const { url, id } = await fixture.order();
    const { page, leave } = await fixture.payer({ script: false });
    await page.goto(url);
    await page.locator('button.coin:has-text("LTC")').click();
    await says(page, 'waiting', 'Awaiting payment');
    for (const button of await page.locator('button.copy').all())
      assert.equal(await button.isVisible(), false, 'nothing is offered that cannot work');
    assert.match((await page.locator('#left').textContent()) ?? '', /^9 minutes$/);
    await fixture.pay(id);
    await fixture.mine('LTC', 2);
    await fixture.becomes(id, 'SUCCESS');
    await says(page, 'paid', 'Your payment is complete');
    await page.waitForURL(`${fixture.shopUrl}/thanks`);
    await leave();
  });

  test('without event streams the page asks for the state instead', async () => {
    const { url, id } = await fixture.chosen('BSC', 'BNB');
    const { page, leave } = await fixture.payer();
    await page.route('**/events', (route) => route.fulfill({ status: 204 }));
    await page.goto(url);
    await says(page, 'waiting', 'Awaiting payment');
    await fixture.pay(id);
    await says(page, 'confirming', '1 of 3 confirmations');
    await leave();
  });

  test('changes the coin, and its page in another window follows', async () => {
    const { url } = await fixture.chosen('ETH', 'ETH');
    const [one, other] = [await fixture.payer(), await fixture.payer({ locale: 'de' })];
    await Promise.all([one.page.goto(url), other.page.goto(url)]);
    await one.page.getByRole('link', { name: 'Pay with another coin' }).click();
    await one.page.locator('button.coin:has-text("LTC")').click();
    await one.page.getByRole('heading', { name: 'Pay with LTC · Litecoin' }).waitFor();
    await other.page.getByRole('heading', { name: 'Mit LTC · Litecoin zahlen' }).waitFor();
    assert.match(
      (await one.page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')) ?? '',
      /^litecoin:\w+\?amount=/,
    );
    await Promise.all([one.leave(), other.leave()]);
  });

  test('chooses a language, which holds for the pages that follow', async () => {
    const { url } = await fixture.order();
    const { page, leave } = await fixture.payer({ locale: 'fr-CA' });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Choisissez comment payer' }).waitFor();
    await page.locator('.languages summary').click();
    await page.getByRole('link', { name: 'العربية' }).click();
    await page.getByRole('heading', { name: 'اختر طريقة الدفع' }).waitFor();
    await page.locator('button.coin').first().click();
    await page.getByRole('heading', { name: 'في انتظار الدفع' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
    await leave();
  });

  test('leaves an address for a refund, is told of a wrong one, and sees the money come back', async () => {
    const { url, id } = await fixture.chosen('ETH', 'USDT-ERC20');
    const { page, leave } = await fixture.payer();
    await page.goto(url);
    await fixture.pay(id);
    await page.getByText('Payment received').or(page.getByText('The network is confirming')).first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Add a refund address' }).count(), 0);
    await page.goto(`${url}?view=refund`);
    await page.getByLabel('Your wallet address on Ethereum').fill('nonsense');
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByRole('alert').getByText('This is not an address on Ethereum.').waitFor();
    assert.equal(await page.getByLabel('Your wallet address on Ethereum').inputValue(), 'nonsense');
    await assertAccessible(page, 'the refused form');
    await page.getByLabel('Your wallet address on Ethereum').fill(PAYERS_ADDRESS);
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('A refund will be sent to').waitFor();

    // The shop would take the payer away meanwhile.
    await page.route(`${fixture.shopUrl}/**`, (route) => route.fulfill({ body: 'the shop' }));
    await fixture.mine('ETH', 10);
    await fixture.becomes(id, 'SUCCESS');
    const spendable = async (): Promise<boolean> =>
      (await fixture.merchant.call('POST', `/api/v2/order/refund/${id}`)).code === 0;
    await waitFor(spendable, { timeoutMs: 20_000, intervalMs: 100, describe: 'the refund to be accepted' });
    await page.goto(url);
    await waitFor(
      async () => {
        await fixture.mine('ETH', 1);
        return (await fixture.merchant.status(id)) === 'REFUNDED';
      },
      { timeoutMs: 30_000, intervalMs: 200, describe: 'the refund to be final' },
    );
    await page.goto(url);
    await says(page, 'refunded', 'Your money was sent back.');
    assert.ok((await page.locator('#refund').innerText()).includes(PAYERS_ADDRESS));
    await leave();
  });

  test('is told when the network takes the payment back for a while, and when the order is cancelled', async () => {
    const paid = await fixture.chosen('BTC', 'BTC');
    const cancelled = await fixture.chosen('LTC', 'LTC');
    const { page, leave } = await fixture.payer();
    await page.route(`${fixture.shopUrl}/**`, (route) => route.fulfill({ body: 'the shop' }));
    await fixture.pay(paid.id);
    await fixture.mine('BTC', CONFIRMED);
    await fixture.becomes(paid.id, 'SUCCESS');
    await (fixture.host.till.chains.get('BTC') as SandboxChain).reorganise(CONFIRMED + 1);
    await waitFor(
      async () => (await fixture.host.till.storage.orders.findByCheckoutToken(paid.token))?.reorgedAt !== null,
      { describe: 'the reorganisation to be noticed' },
    );
    await page.goto(paid.url);
    await says(page, 'rechecking', 'The network replaced its latest blocks.');

    await page.goto(cancelled.url);
    await says(page, 'waiting', 'Awaiting payment');
    await fixture.host.till.orderAdminActions.terminate(cancelled.id, 'test');
    await says(page, 'cancelled', 'Do not send a payment.');
    await leave();
  });
});

/** Goes on by the Tab key until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const wanted = page.locator(selector);
  for (let presses = 0; presses < 40; presses++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${selector} cannot be reached by the keyboard`);
}
