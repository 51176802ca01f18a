import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo, stepUp, submit } from './dashboard-fixture.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor();

/** Looks at a page: its picture, axe, and whether it fits. */
async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

describe('refunds with the dashboard', () => {
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

  /** Mines on until the page shows it. */
  async function mineUntil(shown: Locator): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ chain: 'ETH', count: 70 });
    await waitFor(
      async () => {
        await fetch(`${fixture.url}/sandbox/v1/blocks`, { method: 'POST', headers, body });
        return (await shown.count()) > 0;
      },
      { intervalMs: 500, timeoutMs: 90_000, describe: `the page to show ${shown.toString()}` },
    );
  }

  test('refunds a part of a payment in its currency, sees what is left, and refunds that too', async () => {
    const person = { email: 'refunder@example.com', password: 'a long enough password' };
    await fixture.host.till.createAccount.run({ ...person, verifiedCurrencies: ['*'] });
    const { page, leave } = await fixture.loggedIn({}, person);
    await goTo(page, '/');
    await button(page, 'Create and pay test order').click();
    await page.getByRole('link', { name: 'View order' }).click();
    await mineUntil(page.getByText('Available', { exact: true }));
    const ask = async (part: string): Promise<void> => {
      await button(page, 'Refund to sender').click();
      await page.getByRole('dialog').getByLabel('How much').click();
      await page.getByRole('option', { name: part }).click();
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    };
    await ask('An amount in USD');
    await page.locator('input[name="fiat_amount"]').fill('12.51');
    await page.getByRole('dialog').getByLabel('Rate').waitFor();
    await look(page, 'refund-part');
    await submit(page);
    await stepUp(page, person.password);
    await page
      .getByRole('dialog')
      .getByText(/at most the 0\.005 ETH that are left/)
      .first()
      .waitFor();
    await page.locator('input[name="fiat_amount"]').fill('5');
    const dialog = page.getByRole('dialog');
    const shown = (label: string) =>
      dialog.locator('dl > div').filter({ has: page.locator('dt').getByText(label, { exact: true }) });
    await shown('Amount').getByText('0.002 ETH', { exact: true }).waitFor();
    await shown('Network fee')
      .getByText(/^0\.0\d+ ETH$/)
      .waitFor();
    await shown('Recipient gets')
      .getByText(/^0\.00[01]\d+ ETH$/)
      .waitFor();
    await look(page, 'refund-estimate');
    await submit(page);
    await shows(page, 'Refund started');
    await shows(page, 'Refund of a part started.');
    // The rest can be refunded once the part is paid.
    await mineUntil(page.getByRole('button', { name: 'Refund to sender' }));
    await shows(page, '0.002 ETH');
    await look(page, 'order-partly-refunded');
    await ask('All that is left: 0.003 ETH');
    await submit(page);
    await mineUntil(page.getByText('Refund completed.', { exact: true }));
    await leave();
  });
});
