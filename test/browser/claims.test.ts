import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { readDecimal, present } from '../../core/index.ts';
import type { Actor, NewPullPayment } from '../../core/index.ts';
import { LANGUAGES } from '../../host/checkout/languages.ts';
import { assertAccessible, launch, picture, THEMES } from './chromium.ts';
import { DashboardFixture, fits } from './dashboard-fixture.ts';

const PATIENCE = { timeout: 60_000 };
const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('the claim page in a browser', { concurrency: 1 }, () => {
  let browser: Browser;
  let till: DashboardFixture;
  let actor: Actor;
  before(async () => {
    browser = await launch();
    till = await DashboardFixture.open(browser);
    actor = { accountId: till.demo.account_id as Actor['accountId'], role: 'user', ip: null, traceId: null };
    const { storage, clock } = till.host.till;
    await storage.accounts.update(present(actor.accountId, 'account'), {
      verifiedCurrencies: ['*'],
      modifiedAt: clock.now(),
    });
  });
  after(async () => {
    await till.close();
    await browser.close();
  });

  async function promise(given: Partial<NewPullPayment> = {}): Promise<string> {
    const amount = present(readDecimal('25'), 'amount');
    const made = { name: 'Bug bounty', currency: 'USD', amount, ...given };
    const { url } = await till.host.till.manage.pullPayments.create(actor, made);
    return `${till.url}${new URL(url ?? '').pathname}`;
  }

  test('a payee who mistypes the address keeps what was typed, claims, and sees the claim', async () => {
    const url = await promise({ coins: ['ETH', 'USDT-ERC20'] });
    const { page, leave } = await till.window({ width: 390 });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Bug bounty' }).waitFor(PATIENCE);
    await picture(page, 'claim-open-390');
    await page.getByLabel('Coin').selectOption('ETH');
    await page.getByLabel('Your address').fill('0x123');
    await page.getByLabel('Amount in USD').fill('10');
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('This address cannot be paid').waitFor(PATIENCE);
    assert.equal(await page.getByLabel('Amount in USD').inputValue(), '10');
    await picture(page, 'claim-refused-390');
    await leave();
  });

  test('it can be read by everybody, on a phone and in both directions of writing', async () => {
    const url = await promise({ name: 'x'.repeat(100) });
    for (const theme of THEMES) {
      const { page, leave } = await till.window({ width: 320, theme });
      await page.goto(url);
      assert.equal(await fits(page), true, `${theme} scrolls sideways`);
      await assertAccessible(page, `the claim page in ${theme}`);
      await picture(page, `claim-320-${theme}`);
      await leave();
    }
    for (const { tag } of LANGUAGES) {
      const { page, leave } = await till.window({ width: 320, locale: tag });
      await page.goto(`${url}?error=42200`);
      assert.equal(await fits(page), true, `${tag} scrolls sideways`);
      if (tag === 'ar') await picture(page, 'claim-320-ar');
      await leave();
    }
  });

  test('a claim is shown, and what became of it without a reload', async () => {
    const { manage } = till.host.till;
    const vsPrice = present(readDecimal('200'), 'price');
    const { order } = await manage.orders.create(actor, {
      vsPrice,
      vsCurrency: 'USD',
      coin: { chain: 'ETH', currency: 'ETH' },
    });
    await post(till.url, '/sandbox/v1/pay', { order_id: order.id });
    await till.untilSpendable(present(actor.accountId, 'account'), 'ETH', 1n);
    const url = await promise({ coins: ['ETH'] });
    const { page, leave } = await till.window({ width: 390 });
    await page.goto(url);
    await page.getByLabel('Your address on').fill(PAYEE);
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('Waits for the sender’s approval').waitFor(PATIENCE);
    await assertAccessible(page, 'a claim');
    await picture(page, 'claim-made-390');
    const { items } = await manage.pullPayments.claims(actor, { limit: 1 });
    await manage.pullPayments.reject(actor, present(items[0], 'claim').claim.id, 'Another address, please.');
    await page.getByText('Another address, please.').waitFor(PATIENCE);
    await leave();
  });
});

async function post(base: string, path: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const reply = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(reply.status, 200);
}
