import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { present } from '../../core/index.ts';
import type { AccountRole } from '../../core/index.ts';
import { parseCsv } from '../support/csv.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, download, fits, goTo, submit } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

/** Each payment is of 0.005 ETH: a refund of one is paid at once, a withdrawal of two is held. */
const SETTINGS = { withdrawals: { addressHoldSeconds: 0, approveAbove: { ETH: '0.006' } } };
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const HASH = /^0x[0-9a-f]{64}$/;
const PATIENT = { timeout: 60_000 };

const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor(PATIENT);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').last().getByRole('button', { name, exact: true }).click();
const rowCount = (page: Page, count: number) =>
  waitFor(async () => (await page.locator('tbody tr').count()) === count, {
    timeoutMs: 60_000,
    describe: `${count} rows`,
  });

async function look(page: Page, name: string): Promise<void> {
  // While a dialog is open or closing, axe sees it alone.
  await page.getByRole('heading', { level: 1 }).waitFor();
  await assertAccessible(page, name);
  await picture(page, `dashboard-story-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

/** Gives the password where the dashboard asks for it, before it says these words. */
async function stepUpUntil(page: Page, { password }: Person, words: string): Promise<void> {
  const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
  const done = page.getByText(words, { exact: true });
  await asked.or(done).first().waitFor(PATIENT);
  if (!(await asked.isVisible())) return;
  await asked.getByLabel('Password').fill(password);
  await confirm(page, 'Continue');
  await done.first().waitFor(PATIENT);
}

/** Units of a plain decimal, read without the code that wrote it. */
function unitsOf(amount: string, decimals: number): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? assert.fail(amount);
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return sign === '-' ? -units : units;
}

describe('with the dashboard alone', () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser, SETTINGS);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  async function newPerson(name: string, role: AccountRole): Promise<Person> {
    const person = { email: `${name}@example.com`, password: `a long enough password of ${name}` };
    await fixture.host.till.createAccount.run({ ...person, role, verifiedCurrencies: ['*'] });
    return person;
  }

  async function mineUntil(page: Page, words: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ chain: 'ETH', count: 70 });
    await waitFor(
      async () => {
        await fetch(`${fixture.url}/sandbox/v1/blocks`, { method: 'POST', headers, body });
        return (await page.getByText(words, { exact: true }).count()) > 0;
      },
      { intervalMs: 500, timeoutMs: 90_000, describe: `the page to say: ${words}` },
    );
  }

  /** The page of its order is open afterwards. */
  async function takePayment(page: Page): Promise<void> {
    await goTo(page, '/');
    await press(page, 'Create and pay test order');
    await page.getByRole('link', { name: 'View order' }).click(PATIENT);
    await shows(page, 'Paid');
    await mineUntil(page, 'Available');
  }

  /** Somebody else asks for a withdrawal that is held. */
  async function holdWithdrawal(merchant: Person): Promise<void> {
    const { page, leave } = await fixture.loggedIn({}, merchant);
    await takePayment(page);
    await takePayment(page);
    await goTo(page, '/withdrawal-addresses');
    await press(page, 'Set withdrawal address');
    await page.getByLabel('Chain').click();
    await page.getByRole('option', { name: 'Ethereum' }).click();
    await page.locator('input[name="address"]').fill(RECEIVER);
    await submit(page);
    await stepUpUntil(page, merchant, 'Withdrawal address saved');
    await goTo(page, '/wallets');
    await page.getByRole('cell', { name: '0.01' }).first().waitFor(PATIENT);
    await press(page, 'Withdraw');
    await page.locator('input[name="amount"]').fill('0.009');
    await submit(page);
    await stepUpUntil(page, merchant, 'Waits for an operator to approve it.');
    await leave();
  }

  type Books = ReadonlyMap<string, bigint>;

  /** The balances of all accounts as they are stored, without those that are zero. */
  async function storedBooks(): Promise<Books> {
    const balances = await fixture.host.till.storage.ledger.balances('merchant:');
    return new Map(
      balances
        .filter(({ units }) => units !== 0n)
        .map(({ account, currency, units }): [string, bigint] => [`${account} ${currency}`, units])
        .sort(),
    );
  }

  /** The sums of a downloaded ledger: of each account's balances, and of everything by coin. */
  function sumsOf(csv: string): { readonly owned: Books; readonly all: Books } {
    const [header = [], ...rows] = parseCsv(csv);
    const [owned, all] = [new Map<string, bigint>(), new Map<string, bigint>()];
    for (const row of rows) {
      const of = (name: string): string => row[header.indexOf(name)] ?? '';
      const { decimals } = present(fixture.host.till.assets.find(of('coin')), of('coin'));
      const units = unitsOf(of('amount'), decimals);
      all.set(of('coin'), (all.get(of('coin')) ?? 0n) + units);
      if (of('account') === '') continue;
      const key = `merchant:${of('account')}:${of('balance')} ${of('coin')}`;
      owned.set(key, (owned.get(key) ?? 0n) + units);
    }
    return { owned: new Map([...owned].filter(([, units]) => units !== 0n).sort()), all };
  }

  test('a person with no terminal takes a payment, refunds it, rotates a key, approves a withdrawal, finds a transaction by its hash and downloads the month’s ledger', async () => {
    const [person, merchant] = [await newPerson('night-watch', 'admin'), await newPerson('merchant', 'user')];
    await holdWithdrawal(merchant);
    const { page, leave } = await fixture.loggedIn({}, person);

    await takePayment(page);
    const hash = (await page.locator('code').filter({ hasText: HASH }).first().textContent()) ?? '';
    await look(page, 'payment');
    await press(page, 'Refund to sender');
    await confirm(page, 'Refund to sender');
    await stepUpUntil(page, person, 'Refund started');
    await mineUntil(page, 'Refund completed.');
    await look(page, 'refund');

    await goTo(page, '/apps');
    await press(page, 'Create app');
    await page.locator('input[name="name"]').fill('Explorer');
    await page.getByLabel('Chains').click();
    await page.getByRole('option', { name: 'Ethereum' }).click();
    await page.keyboard.press('Escape');
    await submit(page);
    await page.waitForURL(/apps\/\d+\/show/, PATIENT);
    await press(page, 'Rotate key');
    await submit(page);
    // Lists show keys masked: this is where the new one is read.
    const shown = page.getByRole('dialog', { name: 'Store these safely' });
    await shown.getByText(/^tgk_/).waitFor(PATIENT);
    await confirm(page, 'Close');
    await shown.waitFor({ state: 'detached', ...PATIENT });
    await shows(page, 'In grace period');
    await look(page, 'key');

    await page.getByRole('menuitem', { name: 'Payouts' }).click();
    await page.getByRole('cell', { name: merchant.email }).click(PATIENT);
    await press(page, 'Approve payout');
    await confirm(page, 'Approve payout');
    await stepUpUntil(page, person, 'Transaction');
    await mineUntil(page, 'Paid');
    await look(page, 'approval');

    for (const group of ['Sales', 'Balance']) await page.getByRole('menuitem', { name: group, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Transactions' }).click();
    await page.getByLabel('Search by hash, ID, reference or address').fill(hash);
    await rowCount(page, 1);
    await look(page, 'transaction');
    await page.getByRole('cell', { name: 'Payment', exact: true }).click();
    await page.waitForURL(/orders\/\d+\/show/, PATIENT);
    await shows(page, hash);
    await page.getByRole('menuitem', { name: 'Orders' }).click();
    await page.getByLabel('Search by ID, reference, address or hash').fill(hash);
    await rowCount(page, 1);

    await page.getByRole('menuitem', { name: 'Ledger' }).click();
    await page.getByLabel('Month').click();
    await page.getByRole('option').nth(1).click();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await page.locator('tbody tr').first().waitFor(PATIENT);
    await look(page, 'ledger');
    // Until nothing more is booked while it is read.
    const [books, csv] = await waitFor(
      async () => {
        const former = await storedBooks();
        const text = await download(page, 'Download CSV', 'ledger.csv');
        const later = await storedBooks();
        return JSON.stringify([...former].map(String)) === JSON.stringify([...later].map(String)) && [former, text];
      },
      { intervalMs: 1000, timeoutMs: 60_000, describe: 'books that are at rest' },
    );
    const sums = sumsOf(csv);
    assert.ok(books.size >= 1);
    assert.deepEqual(sums.owned, books);
    for (const [coin, units] of sums.all) assert.equal(units, 0n, `the books of ${coin} are even`);
    await leave();
  });
});
