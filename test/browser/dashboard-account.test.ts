import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { AccountId } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo, logIn, stepUp, submit } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** A yellow square of 16 pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4f52BJMQwqmFUw/DVAADcQNYQAY29EwAAAABJRU5ErkJggg==';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor();
const idOf = (page: Page): string => /\/(\d+)\/show/.exec(page.url())?.[1] ?? '';

/** Looks at a page: its picture, axe, and whether it fits. */
async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

describe('an account with the dashboard', { concurrency: 3 }, () => {
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

  async function newPerson(name: string): Promise<Person & { readonly id: AccountId }> {
    const person = { email: `${name}@example.com`, password: `a long enough password of ${name}` };
    const { id } = await fixture.host.till.createAccount.run({ ...person, name, verifiedCurrencies: ['*'] });
    return { ...person, id };
  }

  /** Mines on until the page says so. */
  async function mineUntil(page: Page, words: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ chain: 'ETH', count: 70 });
    await waitFor(
      async () => {
        await fetch(`${fixture.url}/sandbox/v1/blocks`, { method: 'POST', headers, body });
        return (await page.getByText(words, { exact: true }).count()) > 0;
      },
      { intervalMs: 500, describe: `the page to say: ${words}` },
    );
  }

  test('takes a payment and refunds it, takes another and withdraws of it, with one step-up', async () => {
    const person = await newPerson('treasurer');
    const { page, leave } = await fixture.loggedIn({}, person);
    const pay = async (): Promise<void> => {
      await goTo(page, '/');
      await button(page, 'Create and pay test order').click();
      await shows(page, 'Paid. The money is in your balance.');
      await page.getByRole('link', { name: 'View order' }).click();
    };
    await pay();
    await button(page, 'Mine sandbox blocks').click();
    await shows(page, 'Available');
    await button(page, 'Refund to sender').click();
    await dialog(page, 'Refund to sender').getByRole('button', { name: 'Refund to sender' }).click();
    await dialog(page, 'Confirm your identity').waitFor();
    await look(page, 'step-up');
    await button(page, 'Cancel').click();
    assert.equal(await page.getByText('Refund started').count(), 0, 'nothing is done without it');
    await dialog(page, 'Refund to sender').getByRole('button', { name: 'Refund to sender' }).click();
    await stepUp(page, person.password);
    await shows(page, 'Refund started');
    await mineUntil(page, 'Refund completed.');
    await look(page, 'order-refunded');

    await pay();
    // A payment of another test mines a block too, which can make this one spendable before its button is seen.
    await mineUntil(page, 'Available');
    await goTo(page, '/withdrawal-addresses');
    await button(page, 'Set withdrawal address').click();
    await page.getByLabel('Chain').click();
    await page.getByRole('option', { name: 'Ethereum' }).click();
    await page.locator('input[name="address"]').fill('not an address');
    await submit(page);
    await page
      .getByRole('dialog')
      .getByText(/address/i)
      .last()
      .waitFor();
    await page.locator('input[name="address"]').fill(RECEIVER);
    await submit(page);
    await shows(page, 'Withdrawal address saved');
    await shows(page, RECEIVER);
    await look(page, 'withdrawal-addresses');
    await goTo(page, '/wallets');
    await page.getByRole('cell', { name: '0.005' }).first().waitFor();
    await look(page, 'wallet');
    await button(page, 'Withdraw').click();
    await page.locator('input[name="amount"]').fill('0.004');
    await look(page, 'withdraw');
    await submit(page);
    await page.waitForURL(/withdrawals\/\d+\/show/);
    await page.getByRole('heading', { level: 2, name: 'Payout' }).waitFor();
    await shows(page, RECEIVER);
    await look(page, 'withdrawal');
    await leave();
  });

  test('makes a credential, sees its secrets once, reveals and revokes it', async () => {
    const person = await newPerson('keeper');
    const { page, leave } = await fixture.loggedIn({}, person);
    await goTo(page, '/credentials');
    await button(page, 'Create API key').click();
    await page.locator('input[name="name"]').fill('shop');
    await submit(page);
    await stepUp(page, person.password);
    const shown = dialog(page, 'Store these safely');
    await shown.getByText(/^whsec_/).waitFor();
    await look(page, 'credential-secrets');
    const secrets = await shown.locator('code').allTextContents();
    assert.equal(secrets.length, 6);
    await button(page, 'Close').click();
    await shows(page, 'shop');
    await look(page, 'credentials');
    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, location.href, document.cookie]),
    );
    const text = await page.content();
    for (const secret of secrets)
      assert.ok(!kept.includes(secret) && !text.includes(secret), 'fault 226: kept nowhere');
    await button(page, 'Show secrets').click();
    await shown.getByText(secrets[0] ?? '', { exact: true }).waitFor();
    await button(page, 'Close').click();
    await button(page, 'Revoke').click();
    await dialog(page, 'Revoke this API key?').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    await leave();
  });

  test('makes an App, limits its key, rotates it with a grace period, and revokes the former one', async () => {
    const person = await newPerson('developer');
    const { page, leave } = await fixture.loggedIn({}, person);
    await goTo(page, '/apps');
    await button(page, 'Create app').click();
    await page.locator('input[name="name"]').fill('Explorer');
    await page.getByLabel('Chains').click();
    await page.getByRole('option', { name: 'Ethereum' }).click();
    await page.keyboard.press('Escape');
    await submit(page);
    await stepUp(page, person.password);
    await page.waitForURL(/apps\/\d+\/show/);
    await button(page, 'Show key').click();
    const first = await dialog(page, 'Store these safely').getByText(/^tgk_/).textContent();
    await button(page, 'Close').click();
    await button(page, 'Set limits').click();
    const limits = dialog(page, 'Set limits');
    await limits.getByLabel('Methods').fill('eth_call\neth_get*');
    await limits.getByLabel('Networks').fill('203.0.113.0/24\n10.0.0.1/8');
    await limits.getByLabel('Units per minute').fill('600');
    await submit(page);
    await limits.getByText(/must be a network/).waitFor();
    await limits.getByLabel('Networks').fill('203.0.113.0/24');
    await look(page, 'key-limits');
    await submit(page);
    await shows(page, 'eth_call, eth_get*');
    await shows(page, '203.0.113.0/24');
    await button(page, 'Rotate key').click();
    await submit(page);
    await dialog(page, 'Store these safely').getByText(/^tgk_/).waitFor();
    await button(page, 'Close').click();
    await shows(page, 'In grace period');
    await look(page, 'app');
    await waitFor(async () => (await button(page, 'Revoke').count()) === 2, { describe: 'two keys' });
    await button(page, 'Revoke').last().click();
    await dialog(page, 'Revoke this key?').getByRole('button', { name: 'Revoke' }).click();
    await shows(page, 'Revoked');
    assert.match(first ?? '', /^tgk_/);
    await button(page, 'Edit app').click();
    const edit = dialog(page, 'Edit app');
    await edit.getByLabel('Name').fill('Block explorer');
    await edit.getByLabel('Chains').click();
    await page.getByRole('option', { name: 'Tron' }).click();
    await page.keyboard.press('Escape');
    await look(page, 'app-edit');
    await submit(page);
    await edit.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Block explorer' }).waitFor();
    await page.locator('dt').getByText('Tron', { exact: true }).waitFor();
    await page.locator('dt').getByText('Ethereum', { exact: true }).waitFor();
    await leave();
  });

  test('makes a webhook endpoint, tests it, and looks at what was sent', async () => {
    const person = await newPerson('integrator');
    const { page, leave } = await fixture.loggedIn({}, person);
    await goTo(page, '/webhooks');
    await button(page, 'Create webhook').click();
    await page.locator('input[name="url"]').fill('http://127.0.0.1:9/events');
    await submit(page);
    await stepUp(page, person.password);
    await dialog(page, 'Store these safely')
      .getByText(/^whsec_/)
      .waitFor();
    await button(page, 'Close').click();
    await button(page, 'Send test event').click();
    await look(page, 'webhooks');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('cell', { name: 'webhook.test' }).click();
    await page.getByRole('heading', { level: 2, name: 'Delivery attempts' }).waitFor();
    await look(page, 'callback');
    await leave();
  });

  test('changes the password, sees its sessions and ends the other one', async () => {
    const person = await newPerson('owner');
    const other = await fixture.loggedIn({}, person);
    const { page, leave } = await fixture.loggedIn({}, person);
    await goTo(page, '/sessions');
    await waitFor(async () => (await page.locator('tbody tr').count()) === 2, { describe: 'two sessions' });
    await button(page, 'End session').click();
    await stepUp(page, person.password);
    await waitFor(async () => (await page.locator('tbody tr').count()) === 1, { describe: 'one session' });
    await look(page, 'sessions');
    await goTo(other.page, '/orders');
    await button(other.page, 'Log in').waitFor();
    await other.leave();

    await goTo(page, '/password');
    await button(page, 'Change password').click();
    const next = 'another long enough password';
    await page.locator('input[name="current"]').fill(person.password);
    await page.locator('input[name="new"]').fill(next);
    await page.locator('input[name="again"]').fill('something else');
    await submit(page);
    await page.getByText('The passwords do not match.').waitFor();
    await page.locator('input[name="again"]').fill(next);
    await submit(page);
    await shows(page, 'Password changed');
    await goTo(page, '/security');
    await button(page, 'Set up authenticator app').click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await look(page, 'security');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn(page, { ...person, password: next });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await leave();
  });

  test('fault 227: another account finds nothing under any id of the first', async () => {
    const [first, second] = await Promise.all([newPerson('first'), newPerson('second')]);
    const one = await fixture.loggedIn({}, first);
    await button(one.page, 'Create and pay test order').click();
    await one.page.getByRole('link', { name: 'View order' }).click();
    await one.page.waitForURL(/orders\/\d+\/show/);
    const order = idOf(one.page);
    await goTo(one.page, '/apps');
    await button(one.page, 'Create app').click();
    await one.page.locator('input[name="name"]').fill('Theirs');
    await one.page.getByLabel('Chains').click();
    await one.page.getByRole('option', { name: 'Ethereum' }).click();
    await one.page.keyboard.press('Escape');
    await submit(one.page);
    await stepUp(one.page, first.password);
    await one.page.waitForURL(/apps\/\d+\/show/);
    const app = idOf(one.page);
    const two = await fixture.loggedIn({}, second);
    const statuses: number[] = [];
    two.page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.includes(order) || pathname.includes(app)) statuses.push(response.status());
    });
    for (const path of [`/orders/${order}/show`, `/apps/${app}/show`]) {
      const asked = two.page.waitForResponse((response) => response.status() === 404);
      await goTo(two.page, path);
      await asked;
      // Only then is the page left for the list, which would end the next visit.
      await two.page.waitForURL((url) => !url.hash.endsWith(path));
    }
    assert.ok(statuses.length >= 2);
    assert.deepEqual(
      statuses.filter((status) => status !== 404),
      [],
    );
    await goTo(two.page, '/orders');
    await two.page.getByText(/^No orders yet/).waitFor();
    await one.leave();
    await two.leave();
  });

  test('says how payers see it: name, support and logo are on the page of an order, after a step-up', async () => {
    const person = await newPerson('branded');
    const { page, leave } = await fixture.loggedIn({}, person);
    await goTo(page, '/branding');
    await shows(page, 'Checkout branding');
    await button(page, 'Edit branding').click();
    const form = dialog(page, 'Edit branding');
    await form.getByLabel('Name').fill('The Branded Bakery');
    await form.getByLabel('Support contact').fill('help@bakery.example');
    await form.getByLabel('Brand colour').fill('#ffd700');
    await submit(page);
    await stepUp(page, person.password);
    await shows(page, 'The Branded Bakery');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(PICTURE, 'base64') });
    await page.getByRole('img', { name: 'Logo' }).waitFor();
    await look(page, 'branding');
    const price = { vsCurrency: 'EUR', vsPrice: { digits: 1250n, scale: 2 } };
    const principal = { accountId: person.id, credentialId: null, via: 'token' } as const;
    const { order } = await fixture.host.till.createOrder.byHand(principal, { ...price, coin: null });
    await page.goto(`${fixture.url}/checkout/${order.checkoutToken}`);
    await page.getByText('The Branded Bakery', { exact: true }).waitFor();
    assert.ok(await page.locator('.brand img').evaluate((image) => (image as HTMLImageElement).naturalWidth === 16));
    await page.getByRole('link', { name: 'help@bakery.example' }).waitFor();
    await leave();
  });
});
