import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { present } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture, THEMES } from './chromium.ts';
import { DashboardFixture, download, fits, goTo, logIn, stepUp, submit } from './dashboard-fixture.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Waits for a status in words. */
const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor();
const orderIdOf = (page: Page): string => /orders\/(\d+)\/show/.exec(page.url())?.[1] ?? '';

describe('a merchant with the dashboard', { concurrency: 3 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  /** An order by hand, through the form. */
  async function makeOrder(page: Page, reference: string, remark = ''): Promise<string> {
    await goTo(page, '/orders/create');
    await page.locator('input[name="price"]').fill('12.50');
    await page.getByLabel('Coin').click();
    await page.getByRole('option', { name: /^ETH/ }).click();
    await page.locator('input[name="merchant_reference"]').fill(reference);
    await page.locator('input[name="remark"]').fill(remark);
    await submit(page);
    // A shop takes an order by its reference for one of its own.
    await stepUp(page, fixture.demo.password);
    await page.waitForURL(/orders\/\d+\/show/);
    return orderIdOf(page);
  }

  test('logs in after a wrong password, is told so, and logs out', async () => {
    const { page, leave } = await fixture.window();
    await page.goto(`${fixture.url}/dashboard`);
    await logIn(page, { ...fixture.demo, password: 'not this one' });
    await page.getByText('Incorrect email or password.').waitFor();
    await assertAccessible(page, 'a refused login');
    await picture(page, 'dashboard-login');
    await logIn(page, fixture.demo);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await goTo(page, '/orders');
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    assert.equal(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]).includes('session')), false);
    await leave();
  });

  test('takes a first payment by one button, and looks at its order', async () => {
    const { page, leave } = await fixture.loggedIn();
    await page.getByRole('button', { name: 'Create and pay test order' }).click();
    await page.getByText('Paid. The money is in your balance.').waitFor();
    await page.getByText('No sales in this period.').waitFor({ state: 'detached' });
    await assertAccessible(page, 'the overview');
    await picture(page, 'dashboard-overview');
    await page.getByRole('link', { name: 'View order' }).click();
    await page.getByText('Full amount received in time and confirmed.').waitFor();
    await assertAccessible(page, 'a paid order');
    await picture(page, 'dashboard-order-paid');
    await leave();
  });

  test('makes an order by hand, pays it in the sandbox, finds it by its reference, and downloads the list', async () => {
    const { page, leave } = await fixture.loggedIn();
    const id = await makeOrder(page, 'invoice 7');
    await shows(page, 'Awaiting payment');
    await assertAccessible(page, 'an open order');
    await page.getByRole('button', { name: 'Pay in sandbox' }).click();
    await shows(page, 'Paid');
    await goTo(page, '/orders');
    await page.getByLabel('Search by ID, reference, address or hash').fill('invoice 7');
    await waitFor(async () => (await page.locator('tbody tr').count()) === 1, { describe: 'the one order' });
    await page.getByRole('cell', { name: 'invoice 7' }).click();
    await page.getByRole('heading', { level: 2, name: 'Timeline' }).waitFor();
    assert.equal(orderIdOf(page), id);
    await page.goBack();
    await page.getByRole('cell', { name: 'invoice 7' }).waitFor();
    await assertAccessible(page, 'the list of orders');
    await picture(page, 'dashboard-orders');
    const lines = (await download(page, 'Download CSV', 'orders.csv')).trimEnd().split('\r\n');
    assert.equal(lines.length, 2, 'the header and the one that was searched for');
    assert.ok(lines[1]?.includes('invoice 7'));
    await page.getByRole('cell', { name: 'invoice 7' }).click();
    await page.getByText('Full amount received in time and confirmed.').waitFor();
    await leave();
  });

  test('an open order that received a part of its amount is partially paid, as on the payer’s page', async () => {
    const { page, leave } = await fixture.loggedIn();
    await makeOrder(page, 'a part');
    const address = await page.locator('code').filter({ hasText: ADDRESS }).first().textContent();
    const simulator = present(fixture.host.till.chains.get('ETH')?.simulator, 'the simulator');
    await simulator.pay(address ?? '', 'ETH', 10n ** 15n);
    await simulator.mine(12);
    await shows(page, 'Partially paid');
    await goTo(page, '/orders');
    await page.getByRole('row').filter({ hasText: 'a part' }).getByText('Partially paid').waitFor();
    await leave();
  });

  test('problems of fields are shown at the fields, and a cancelled order is cancelled', async () => {
    const { page, leave } = await fixture.loggedIn();
    await makeOrder(page, 'twice');
    await goTo(page, '/orders/create');
    await page.locator('input[name="price"]').fill('12.345');
    await submit(page);
    await page.getByText('must not have more decimals than the fiat currency').waitFor();
    await assertAccessible(page, 'a refused form');
    await picture(page, 'dashboard-order-refused');
    await page.goBack();
    await page.getByRole('button', { name: 'Cancel order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
    await shows(page, 'Cancelled');
    await leave();
  });

  test('fault 225: script in a reference, in a remark and in what a payer leaves is shown as text', async () => {
    const { page, leave } = await fixture.loggedIn();
    const script = '<img src=x onerror="window.hit=1">';
    await makeOrder(page, script, `${script}<script>window.hit=1</script>`);
    await page.getByText(script, { exact: true }).first().waitFor();
    await page.getByText(`${script}<script>window.hit=1</script>`, { exact: true }).waitFor();
    await goTo(page, '/orders');
    await page.getByText(script, { exact: true }).first().waitFor();
    assert.equal(await page.evaluate(() => 'hit' in window), false);
    assert.equal(await page.locator('img').count(), 0);
    await leave();
  });

  test('fault 222: where the session ends meanwhile, the next read of the page leads to the login, and back', async () => {
    const { page, context, leave } = await fixture.loggedIn();
    const heading = page.getByRole('heading', { level: 1, name: 'Withdrawals', exact: true });
    await goTo(page, '/withdrawals');
    await heading.waitFor();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await logIn(page, fixture.demo);
    await heading.waitFor();
    await leave();
  });

  test('fits a telephone, in dark too', async () => {
    for (const theme of THEMES) {
      const { page, leave } = await fixture.loggedIn({ width: 360, theme });
      await makeOrder(page, `a rather long reference for ${theme} telephones`);
      for (const path of ['/', '/orders', '/orders/create']) {
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.ok(await fits(page), `${page.url()} scrolls sideways`);
        await assertAccessible(page, `${page.url()} in ${theme}`);
        await picture(
          page,
          `dashboard-360-${theme}${page.url().split('#')[1]?.replaceAll('/', '-').replaceAll(/\d+/g, 'id') ?? ''}`,
        );
        await goTo(page, path);
      }
      await leave();
    }
  });
});
