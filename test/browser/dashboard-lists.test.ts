import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR, present } from '../../core/index.ts';
import type { AccountId, ChainSimulator } from '../../core/index.ts';
import { parseCsv } from '../support/csv.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, download, fits, goTo } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

const RECEIVER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
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
    fixture = await DashboardFixture.open(browser, { withdrawals: { approveAbove: { ETH: '0.002' } } });
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
    const actor = { accountId: id, role: 'user' as const, ip: null, traceId: null };
    const hashes = async (): Promise<readonly (string | null)[]> =>
      (await fixture.host.till.manage.transactions.list(actor, { limit: 100 })).items.map(({ txHash }) => txHash);
    const before = await hashes();
    await goTo(page, '/');
    await page.getByRole('button', { name: 'Create and pay test order' }).click();
    return waitFor(async () => (await hashes()).find((hash) => !before.includes(hash)), { describe: 'the payment' });
  }

  test('a payment is found by its hash, among the transactions and among the orders, and leads to its order', async () => {
    const person = await newPerson('finder');
    const { page, leave } = await fixture.loggedIn({}, person);
    await takePayment(page, person);
    const hash = await takePayment(page, person);
    await page.getByRole('menuitem', { name: 'Transactions' }).click();
    await rowCount(page, 2);
    await page.getByLabel('Search by hash, ID, reference or address').fill(hash);
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
    await page.getByLabel('Search by ID, reference, address or hash').fill(hash);
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
    await page.getByRole('menuitemcheckbox', { name: 'Type' }).click();
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Withdrawal' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Payment', exact: true }).click();
    await rowCount(page, 1);
    await leave();
  });

  test('the ledger is read month by month, and a month is downloaded', async () => {
    const person = await newPerson('keeper');
    const { page, leave } = await fixture.loggedIn({}, person);
    await takePayment(page, person);
    // From then on nothing more is booked.
    await present(fixture.host.till.chains.get('ETH')?.simulator, 'the simulator').mine(70);
    await waitFor(
      async () => {
        const [balance] = await fixture.host.till.storage.ledger.balances(`merchant:${person.id}:available`);
        return balance !== undefined && balance.units > 0n;
      },
      { describe: 'the payment to become spendable' },
    );
    await page.getByRole('menuitem', { name: 'Ledger' }).click();
    await page.getByRole('cell', { name: 'Payment available' }).first().waitFor();
    const count = await rows(page).count();
    await page.getByLabel('Month').click();
    await page.getByRole('option').nth(1).click();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await rowCount(page, count);
    await look(page, 'ledger');
    const records = parseCsv(await download(page, 'Download CSV', 'ledger.csv'));
    assert.equal(records.length, count + 1);
    await page.getByLabel('Month').click();
    await page.getByRole('option').nth(2).click();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await page.getByText('Nothing matches these filters.').waitFor();
    assert.equal(parseCsv(await download(page, 'Download CSV', 'ledger.csv')).length, 1, 'the header alone');
    await leave();
  });

  test('a merchant sees its own withdrawals, with fee and hash, and why one is held; they change by themselves', async () => {
    const [person, other] = [await newPerson('payee'), await newPerson('neighbour')];
    const { manage, chains } = fixture.host.till;
    await manage.addresses.register(OPERATOR, { accountId: person.id, chain: 'ETH', address: RECEIVER }, true);
    const simulator: ChainSimulator = present(chains.get('ETH')?.simulator, 'the simulator');
    const { page, leave } = await fixture.loggedIn({}, person);
    await takePayment(page, person);
    await simulator.mine(70);
    const actor = { accountId: person.id, role: 'user' as const, ip: null, traceId: null };
    const withdraw = (digits: bigint) =>
      waitFor(
        async () =>
          (await manage.wallets.withdraw(actor, { chain: 'ETH', currency: 'ETH', amount: { digits, scale: 3 } })).id,
        { describe: 'money to withdraw' },
      );
    const [paid, held] = [await withdraw(1n), await withdraw(3n)];
    await page.getByRole('menuitem', { name: 'Withdrawals' }).click();
    await rowCount(page, 2);
    const row = (words: string) => rows(page).filter({ hasText: words });
    await row('Waits for an operator to approve it.').getByText('0.003 ETH').waitFor();
    await waitFor(
      async () => {
        await simulator.mine(12);
        return (await row('0.001 ETH').getByText('Paid', { exact: true }).count()) > 0;
      },
      { intervalMs: 500, timeoutMs: 60_000, describe: 'the list to say that it is paid' },
    );
    assert.ok(((await row('0.001 ETH').locator('code').last().getAttribute('title')) ?? '').startsWith('0x'));
    await look(page, 'withdrawals');
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 900 });
    await page.locator('main li').first().waitFor();
    await look(page, '360-light-withdrawals');
    await page.setViewportSize(present(size, 'the size'));
    await row('0.003 ETH').getByRole('link').click();
    await page.getByText('Waits for an operator to approve it.').waitFor();
    await manage.withdrawals.reject(OPERATOR, held, 'The receiver is not known.');
    await page.getByText('The receiver is not known.').waitFor();
    await leave();
    const stranger = await fixture.loggedIn({}, other);
    await stranger.page.getByRole('menuitem', { name: 'Withdrawals' }).click();
    await stranger.page.getByText(/^No withdrawals or refunds yet/).waitFor();
    const refused = stranger.page.waitForResponse((response) => response.status() === 404);
    await goTo(stranger.page, `/withdrawals/${paid}/show`);
    await refused;
    await stranger.leave();
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
