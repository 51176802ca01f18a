import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { AccountId } from '../../core/index.ts';
import { parseCsv } from '../support/csv.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, download, fits, goTo } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

const rows = (page: Page) => page.locator('tbody tr');
const rowCount = (page: Page, count: number) =>
  waitFor(async () => (await rows(page).count()) === count, { describe: `${count} rows` });

/** Looks at a page: its picture, axe, and whether it fits. */
async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

describe('the lists of money in the dashboard', { concurrency: 3 }, () => {
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

  /** Takes a payment by the button of the first page; the hash of its transaction. */
  async function takePayment(page: Page, { id }: { readonly id: AccountId }): Promise<string> {
    await goTo(page, '/');
    await page.getByRole('button', { name: 'Make an order and pay it' }).click();
    await page.getByText('Done: the money is in the wallet.').waitFor();
    const { items } = await fixture.host.till.manage.transactions.list(
      { accountId: id, role: 'user', ip: null, traceId: null },
      { limit: 1 },
    );
    return items[0]?.txHash ?? assert.fail('no hash');
  }

  test('a payment is found by its hash, among the transactions and among the orders, and leads to its order', async () => {
    const person = await newPerson('finder');
    const { page, leave } = await fixture.loggedIn({}, person);
    await takePayment(page, person);
    const hash = await takePayment(page, person);
    await page.getByRole('menuitem', { name: 'Transactions' }).click();
    await rowCount(page, 2);
    await page.getByLabel('Search: hash, id, reference or address').fill(hash);
    await rowCount(page, 1);
    await look(page, 'transactions');
    const [header = [], ...records] = parseCsv(await download(page, 'Download CSV', 'transactions.csv'));
    assert.deepEqual(
      records.map((record) => record[header.indexOf('tx_hash')]),
      [hash],
    );
    await page.getByRole('cell', { name: 'Payment' }).click();
    await page.waitForURL(/orders\/\d+\/show/);
    await page.getByText(hash, { exact: true }).waitFor();
    await goTo(page, '/orders');
    await rowCount(page, 2);
    await page.getByLabel('Search: id, reference, address or hash').fill(hash);
    await rowCount(page, 1);
    await leave();
  });

  test('transactions are narrowed by kind, status and coin', async () => {
    const person = await newPerson('sorter');
    const { page, leave } = await fixture.loggedIn({}, person);
    await takePayment(page, person);
    await goTo(page, '/transactions');
    await rowCount(page, 1);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Kind' }).click();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Withdrawal' }).click();
    await page.getByText('No Transactions found').waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Payment', exact: true }).click();
    await rowCount(page, 1);
    await leave();
  });

  test('the ledger is read month by month, and a month is downloaded', async () => {
    const person = await newPerson('keeper');
    const { page, leave } = await fixture.loggedIn({}, person);
    await takePayment(page, person);
    await page.getByRole('menuitem', { name: 'Ledger' }).click();
    await page.getByRole('cell', { name: 'A payment was credited' }).first().waitFor();
    const count = await rows(page).count();
    await page.getByLabel('Month').click();
    await page.getByRole('option').nth(1).click();
    await rowCount(page, count);
    await look(page, 'ledger');
    const records = parseCsv(await download(page, 'Download CSV', 'ledger.csv'));
    assert.equal(records.length, count + 1);
    await page.getByLabel('Month').click();
    await page.getByRole('option').nth(2).click();
    await page.getByText('No Ledger found').waitFor();
    assert.equal(parseCsv(await download(page, 'Download CSV', 'ledger.csv')).length, 1, 'the header alone');
    await leave();
  });

  test('fit a telephone, in dark too', async () => {
    const person = await newPerson('walker');
    for (const theme of ['light', 'dark'] as const) {
      const { page, leave } = await fixture.loggedIn({ width: 360, theme }, person);
      await takePayment(page, person);
      for (const path of ['/transactions', '/ledger']) {
        await goTo(page, path);
        await page.locator('main li').first().waitFor();
        await look(page, `360-${theme}${path.replaceAll('/', '-')}`);
      }
      await leave();
    }
  });
});
