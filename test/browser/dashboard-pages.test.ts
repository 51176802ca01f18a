import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR, present, readDecimal } from '../../core/index.ts';
import type { Actor } from '../../core/index.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo, stepUp, submit } from './dashboard-fixture.ts';

const RECEIVER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Looks at a page: its picture, axe, and whether it fits. */
async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

describe('pages of the dashboard', () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  let actor: Actor & { readonly accountId: NonNullable<Actor['accountId']> };
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
    const accountId = fixture.demo.account_id as typeof actor.accountId;
    actor = { accountId, role: 'user', ip: null, traceId: null };
    const { storage, clock, manage } = fixture.host.till;
    await storage.accounts.update(accountId, { verifiedCurrencies: ['*'], modifiedAt: clock.now() });
    await manage.addresses.register(OPERATOR, { accountId, chain: 'ETH', address: RECEIVER }, true);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  /** An order that is paid, and whose money is spendable. */
  async function paidOrder(price: string, reference: string): Promise<string> {
    const { manage, chains } = fixture.host.till;
    const simulator = present(chains.get('ETH')?.simulator, 'the simulator');
    const { order } = await manage.orders.create(actor, {
      vsPrice: present(readDecimal(price), 'price'),
      vsCurrency: 'USD',
      merchantReference: reference,
      coin: { chain: 'ETH', currency: 'USDT-ERC20' },
    });
    const { address, units } = present(order.payment, 'payment');
    await simulator.pay(address, 'USDT-ERC20', units);
    await fixture.untilSpendable(actor.accountId, 'USDT-ERC20', units);
    return order.id;
  }

  test('an order is known by its reference, shows the payer’s page, and one timeline with a link to the explorer', async () => {
    const id = await paidOrder('49.9', 'INV-2026-07');
    const { page, leave } = await fixture.loggedIn();
    // Simulated chains have no explorer.
    await page.route('**/manage/v1/service', async (route) => {
      const reply = await route.fetch();
      const body = (await reply.json()) as { data: { coins: Record<string, unknown>[] } };
      const coins = body.data.coins.map((coin) => ({ ...coin, explorer: 'https://explorer.example/tx/{txid}' }));
      await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, coins } } });
    });
    await page.reload();
    await goTo(page, '/orders');
    await page.getByRole('row').filter({ hasText: 'INV-2026-07' }).getByText('$49.90').waitFor();
    await page.getByRole('link', { name: 'INV-2026-07' }).click();
    await page.getByRole('heading', { level: 1, name: 'INV-2026-07' }).waitFor();
    const opens = page.getByRole('link', { name: 'Open payment page' });
    assert.match((await opens.getAttribute('href')) ?? '', /\/checkout\/[0-9a-f]{32}$/);
    await page.getByRole('button', { name: 'Show QR code' }).click();
    await page.getByRole('img', { name: 'QR code of the payment page' }).waitFor();
    await page.getByText('Payment: 49.9 USDT · Ethereum').waitFor();
    const explorer = page.getByRole('link', { name: 'View in block explorer' });
    assert.match((await explorer.getAttribute('href')) ?? '', /^https:\/\/explorer\.example\/tx\/0x[0-9a-f]{64}$/);
    await look(page, 'order-timeline');
    await page.getByRole('button', { name: 'Refund to sender' }).click();
    await page.getByRole('dialog').getByText(/^0x/).waitFor();
    await submit(page);
    await stepUp(page, fixture.demo.password);
    await page.getByText('Refund in progress', { exact: true }).waitFor();
    await page.getByText('Refund: 49.9 USDT · Ethereum').waitFor();
    await goTo(page, '/orders');
    await page.getByRole('row').filter({ hasText: 'INV-2026-07' }).getByText('Refund in progress').waitFor();
    assert.ok(id.length > 9);
    await leave();
  });

  test('balances have a worth, empty ones are folded, and a withdrawal says where it goes and what arrives', async () => {
    await paidOrder('25', 'INV-2026-08');
    const { page, leave } = await fixture.loggedIn();
    await goTo(page, '/wallets');
    await page.getByText('Total value').waitFor();
    await waitFor(async () => (await page.locator('tbody tr').count()) === 1, { describe: 'the one balance' });
    await page.getByRole('button', { name: /^Show \d+ coins without a balance$/ }).click();
    await waitFor(async () => (await page.locator('tbody tr').count()) > 5, { describe: 'every coin' });
    await page.getByRole('button', { name: 'Hide coins without a balance' }).click();
    await look(page, 'balances');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByLabel('Authentication code').count(), 0);
    await dialog.getByRole('button', { name: 'Maximum' }).click();
    await dialog.getByText(RECEIVER, { exact: true }).waitFor();
    await dialog.getByText('Network fee').waitFor();
    await dialog.getByText('Recipient gets').waitFor();
    await look(page, 'withdraw-estimate');
    await dialog.locator('input[name="amount"]').fill('1,5');
    await submit(page);
    await dialog.getByText('Enter an amount such as 1234.50.').waitFor();
    await leave();
  });

  test('a price is typed as the language writes it', async () => {
    const { page, leave } = await fixture.window({ locale: 'de' });
    await page.goto(`${fixture.url}/dashboard`);
    await page.locator('input[name="email"]').fill(fixture.demo.email);
    await page.locator('input[name="password"]').fill(fixture.demo.password);
    await page.locator('button[type="submit"]').click();
    await page.locator('html[lang=de]').waitFor();
    await page.getByRole('menu').first().waitFor();
    await goTo(page, '/orders/create');
    await page.locator('input[name="price"]').fill('1.234');
    await submit(page);
    await page.getByText('Geben Sie einen Betrag wie 1234,50 ein.').waitFor();
    await page.locator('input[name="price"]').fill('19,90');
    await submit(page);
    await page.waitForURL(/orders\/\d+\/show/);
    await waitFor(async () => (await page.locator('main').innerText()).includes('19,90'), { describe: 'the price' });
    await leave();
  });

  test('a pull payment is made, its page is shown after a step-up, and its claims are decided', async () => {
    await paidOrder('60', 'INV-2026-09');
    const { manage } = fixture.host.till;
    const { page, leave } = await fixture.loggedIn({ width: 390 });
    await goTo(page, '/pull-payments');
    await page.getByText(/^No pull payments yet/).waitFor();
    await look(page, 'pull-payments-empty');
    await goTo(page, '/pull-payments/create');
    await page.locator('input[name="name"]').fill('Bug bounty');
    await page.getByLabel('Currency').click();
    await page.getByRole('option', { name: 'USDT · Ethereum' }).click();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await page.locator('input[name="amount"]').fill('20');
    await look(page, 'pull-payment-create');
    await submit(page);
    await stepUp(page, fixture.demo.password);
    await page.waitForURL(/pull-payments\/\d+\/show/);
    await page.getByText('20 USDT · Ethereum').first().waitFor();
    await page.getByRole('button', { name: 'Show claim page' }).click();
    const url = new URL((await page.locator('code').filter({ hasText: 'http' }).textContent()) ?? '');
    await look(page, 'pull-payment');
    const visitor = await fixture.window({ width: 390 });
    await visitor.page.goto(`${fixture.url}${url.pathname}`);
    await visitor.page.getByLabel('Your address on').fill(PAYEE);
    await visitor.page.getByRole('button', { name: 'Claim' }).click();
    await visitor.page.locator('#claims').waitFor();
    await visitor.leave();
    await page.getByRole('link', { name: 'View claims' }).click();
    await page.getByText('Awaiting approval', { exact: true }).first().waitFor();
    await look(page, 'claims');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Another address, please.');
    await submit(page);
    await page.getByText('Another address, please.').waitFor();
    const { items } = await manage.pullPayments.claims(actor, { limit: 1 });
    assert.equal(items[0]?.claim.status, 'REJECTED');
    await page.goBack();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await leave();
  });
});
