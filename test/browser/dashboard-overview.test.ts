import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { DAY_MS, present, startOfHour } from '../../core/index.ts';
import type { Account, AccountRole, OrderStatus } from '../../core/index.ts';
import { callback, NOW, order, storedOrder } from '../contract/storage/fixtures.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

type Member = Person & { readonly account: Account };

/** An amount that a double does not hold. */
const LARGE = 9_007_199_254_740_993_123_457n;
const COINS = [
  ['ETH', 'USDT-ERC20'],
  ['BTC', 'BTC'],
  ['ETH', 'ETH'],
] as const;
const BECAME: readonly OrderStatus[] = ['PARTIAL', 'OVERDUE', 'OVERDUE', 'TERMINATED', 'REFUNDED', 'RESOLVED'];

async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

const part = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

describe('the overview of the dashboard', { concurrency: 3 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  let batch = 0;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  async function newMember(name: string, role: AccountRole = 'user'): Promise<Member> {
    const person = { email: `${name}@example.com`, password: `a long enough password of ${name}`, role };
    return { ...person, account: await fixture.host.till.createAccount.run({ ...person, verifiedCurrencies: ['*'] }) };
  }

  /** Sales of three coins in two currencies, what became of other orders, callbacks, and the use of an App. */
  async function history({ account: { id } }: Member): Promise<void> {
    const { storage, manage } = fixture.host.till;
    const now = Date.now();
    for (const [index, [chain, currency]] of COINS.entries())
      for (const days of [0, 3 + index, 20]) {
        const made = order(id);
        const payment = { ...present(made.payment, 'a coin'), chain, currency };
        const sold = { status: 'SUCCESS' as const, payment, received: 1_000_000n, vsCurrency: 'USD' };
        await storedOrder(storage, id, {
          ...made,
          ...sold,
          vsPrice: 1250n * BigInt(3 - index),
          createdAt: now - days * DAY_MS,
        });
      }
    await storedOrder(storage, id, {
      status: 'SUCCESS',
      vsCurrency: 'USD',
      vsPrice: LARGE,
      createdAt: now - 60 * DAY_MS,
    });
    await storedOrder(storage, id, { status: 'SUCCESS', vsCurrency: 'EUR', vsPrice: 4620n, createdAt: now });
    for (const status of BECAME) await storedOrder(storage, id, { status, createdAt: now });
    const told = await storedOrder(storage, id, { status: 'TERMINATED', createdAt: now });
    await storage.transaction(async (tx) => {
      for (const status of ['DELIVERED', 'DELIVERED', 'DELIVERED', 'DEAD'] as const)
        await tx.callbacks.add({ ...callback(told, { orderId: null, createdAt: now }), status });
    });
    const actor = { accountId: id, role: 'user' as const, ip: null, traceId: null };
    const { app } = await manage.apps.create(actor, { name: 'Explorer', chains: ['ETH'] });
    batch += 1;
    await storage.usage.add({
      instance: `a test ${NOW}`,
      number: batch,
      rows: ['eth_call', 'eth_getLogs', 'eth_getTransactionReceipt'].flatMap((method, index) =>
        [0, 1, 4].map((days) => ({
          ...{ appId: app.id, hour: startOfHour(now - days * DAY_MS), route: 'eth.gate.example', method },
          ...{ requests: 1200 - 300 * index - 100 * days, units: 1, errors: 40 * index, bytesIn: 1, bytesOut: 1 },
        })),
      ),
    });
  }

  test('shows what was sold by day and coin, exactly, and what became of the orders, the callbacks and the requests', async () => {
    const member = await newMember('seller');
    await history(member);
    const { page, leave } = await fixture.loggedIn({}, member);
    const sales = part(page, 'Sales by day');
    await sales.getByRole('img', { name: /^Sales by day and coin: \$225\.00 in total/ }).waitFor();
    assert.deepEqual(await sales.getByRole('listitem').allTextContents(), ['USDT · Ethereum', 'BTC', 'ETH']);
    assert.equal(await page.getByRole('region', { name: 'Chains' }).count(), 0, 'for operators');
    const funnel = part(page, 'Orders').getByRole('row');
    const steps = (await funnel.allTextContents()).map((row) => row.replaceAll(/\s+/g, ' ').trim());
    for (const row of ['Created17100%', 'Expired211.8%', 'Refunded15.9%', 'Awaiting payment00%'])
      assert.ok(steps.includes(row), `${row} in ${steps.join(' | ')}`);
    await page.getByText('75% of completed callbacks were delivered.').waitFor();
    await part(page, 'Gateway requests by method')
      .getByRole('row', { name: 'eth_getTransactionReceipt 1,300 240' })
      .waitFor();
    await look(page, 'overview-charts');

    await page.getByRole('button', { name: 'Last 90 days' }).click();
    const exact = '$90,071,992,547,409,931,459.57';
    await sales.getByText(`${exact} in total`).waitFor();
    await sales.getByRole('button', { name: 'Show as table' }).click();
    const table = sales.getByRole('table', { name: 'Sales by day and coin' });
    await table.getByRole('cell', { name: '$90,071,992,547,409,931,234.57' }).waitFor();
    assert.equal(await table.getByRole('row').count(), 1 + 9 + 1);
    await look(page, 'overview-table');
    await sales.getByLabel('Currency').click();
    await page.getByRole('option', { name: 'EUR' }).click();
    await sales.getByText('€66.19 in total').waitFor();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await sales.getByLabel('Currency').click();
    await page.getByRole('option', { name: 'USD' }).click();
    await sales.getByText('$150.00 in total').waitFor();
    await leave();
  });

  test('compares with the period before: in a paler bar, the legend, words and the table', async () => {
    const member = await newMember('comparer');
    const sold = { status: 'SUCCESS' as const, received: 1_000_000n, vsCurrency: 'USD' };
    for (const [days, vsPrice] of [
      [0, 2000n],
      [2, 3000n],
      [9, 7050n],
      [12, 500n],
    ] as const)
      await storedOrder(fixture.host.till.storage, member.account.id, {
        ...sold,
        vsPrice,
        createdAt: Date.now() - days * DAY_MS,
      });
    const { page, leave } = await fixture.loggedIn({}, member);
    const sales = part(page, 'Sales by day');
    await sales.getByText('Previous 30 days: $0.00', { exact: true }).waitFor();
    assert.equal(await sales.getByRole('listitem', { name: /^Previous/ }).count(), 0, 'nothing to explain');
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await sales.getByText('Previous 7 days: $75.50', { exact: true }).waitFor();
    await sales
      .getByRole('img', { name: /^Sales by day and coin: \$50\.00 in total.*Previous 7 days: \$75\.50$/ })
      .waitFor();
    await sales.getByRole('listitem').getByText('Previous 7 days', { exact: true }).waitFor();
    const heights = await sales
      .getByRole('img')
      .locator('rect[fill]:not([fill="transparent"])')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))));
    assert.ok(Math.max(...heights) === 100, 'the axis reaches the higher of both periods');
    await sales.getByRole('button', { name: 'Show as table' }).click();
    await sales.getByRole('cell', { name: '$70.50' }).waitFor();
    await look(page, 'overview-compared');
    await leave();
  });

  test('has a first day, without anything, too', async () => {
    const { page, leave } = await fixture.loggedIn({}, await newMember('beginner'));
    await page.getByText('No sales in this period.').waitFor();
    await page.getByText('No callbacks in this period.').waitFor();
    assert.equal(await page.getByText('Gateway requests by day').count(), 0);
    await look(page, 'overview-empty');
    await leave();
  });

  test('charts are no part of the first load, and are used by keyboard alone', async () => {
    const member = await newMember('typist');
    await history(member);
    const { page, leave } = await fixture.loggedIn({}, member);
    const sales = part(page, 'Sales by day');
    await sales.getByRole('img').waitFor();
    await page.getByRole('button', { name: 'Last 90 days' }).focus();
    await page.keyboard.press('Enter');
    await sales.getByText('$90,071,992,547,409,931,459.57 in total').waitFor();
    await sales.getByRole('button', { name: 'Show as table' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const region = sales.getByRole('region', { name: 'Sales by day and coin' });
    assert.ok(await region.evaluate((element) => element === document.activeElement), 'it scrolls by keyboard');
    await leave();
  });

  test('fits a telephone, in dark too, and operators see how far chains are behind', async () => {
    const admin = await newMember('night-watch', 'admin');
    await history(admin);
    for (const theme of ['light', 'dark'] as const) {
      const { page, leave } = await fixture.loggedIn({ width: 360, theme }, admin);
      await part(page, 'Chains')
        .getByRole('row', { name: /Ethereum/ })
        .waitFor();
      await part(page, 'Sales by day').getByRole('button', { name: 'Show as table' }).click();
      await look(page, `360-${theme}-overview`);
      await leave();
    }
    const wide = await fixture.loggedIn({ theme: 'dark' }, admin);
    await part(wide.page, 'Gateway requests by day').getByRole('img').waitFor();
    await look(wide.page, 'dark-overview');
    await wide.page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
    await look(wide.page, 'rtl-overview');
    await wide.leave();
  });
});
