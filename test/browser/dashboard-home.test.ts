import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { DAY_MS } from '../../core/index.ts';
import type { AccountId, AlertId } from '../../core/index.ts';
import { storedClaim } from '../contract/storage/claim-fixtures.ts';
import { nextId, NOW, storedOrder } from '../contract/storage/fixtures.ts';
import { stored, withdrawal } from '../contract/storage/money-out-fixtures.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

type Member = Person & { readonly id: AccountId };

const tile = (page: Page, words: RegExp) => page.getByRole('link', { name: words });

describe('the first page and the search of the dashboard', { concurrency: 2 }, () => {
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

  async function newMember(name: string, role: 'user' | 'admin' = 'user'): Promise<Member> {
    const person = { email: `${name}@example.com`, password: `a long enough password of ${name}` };
    const { id } = await fixture.host.till.createAccount.run({ ...person, role, verifiedCurrencies: ['*'] });
    return { ...person, id };
  }

  test('a merchant sees today’s money beside yesterday’s, what waits, and new orders without asking', async () => {
    const { storage } = fixture.host.till;
    const member = await newMember('merchant');
    const sold = { status: 'SUCCESS', vsCurrency: 'USD' } as const;
    const now = Date.now();
    await storedOrder(storage, member.id, { ...sold, vsPrice: 1250n, createdAt: now, merchantReference: 'invoice 1' });
    await storedOrder(storage, member.id, { ...sold, vsPrice: 4990n, createdAt: now - DAY_MS });
    await storedClaim(storage, member.id);
    const { page, leave } = await fixture.loggedIn({}, member);
    await tile(page, /^Sales today\s*\$12\.50\s*Yesterday: \$49\.90/).waitFor();
    await tile(page, /^Balance\s*\$0\.00/).waitFor();
    await tile(page, /^Claims to approve\s*1$/).waitFor();
    await tile(page, /^Batches to approve\s*0$/).waitFor();
    await page.getByRole('link', { name: 'invoice 1' }).waitFor();
    await assertAccessible(page, 'the home of a merchant');
    await picture(page, 'dashboard-home-merchant');
    assert.ok(await fits(page));
    await storedOrder(storage, member.id, {
      ...sold,
      vsPrice: 100n,
      createdAt: now + 1,
      merchantReference: 'invoice 2',
    });
    await page.getByRole('link', { name: 'invoice 2' }).waitFor();
    await tile(page, /^Sales today\s*\$13\.50/).waitFor();
    await tile(page, /^Claims to approve/).click();
    await page.getByRole('heading', { level: 1, name: 'Claims' }).waitFor();
    await leave();
  });

  test('an operator sees alerts, approvals, solvency and each chain in one row, on a phone and in dark too', async () => {
    const { storage } = fixture.host.till;
    const admin = await newMember('night-watch', 'admin');
    const id = nextId() as AlertId;
    await storage.transaction((tx) =>
      tx.alerts.raise({
        ...{ id, kind: 'loss', subject: id, reason: 'once', status: 'OPEN', firstAt: NOW, lastAt: NOW },
        ...{ count: 1, acknowledgedAt: null, acknowledgedBy: null },
      }),
    );
    await stored(storage, withdrawal(admin.id, { status: 'HELD' }));
    for (const look of [{}, { width: 390, theme: 'dark' }] as const) {
      const { page, leave } = await fixture.loggedIn(look, admin);
      await tile(page, /^Open alerts\s*[1-9]/).waitFor();
      await tile(page, /^Payouts to approve\s*[1-9]/).waitFor();
      await tile(page, /^Solvency\s*Covered$/).waitFor();
      await tile(page, /^Unassigned deposits\s*0$/).waitFor();
      const row = page.getByRole('table', { name: 'Chains' }).getByRole('row', { name: /^Ethereum/ });
      await row.getByRole('cell', { name: 'Running' }).waitFor();
      await row.getByRole('cell', { name: 'Reachable' }).waitFor();
      // Nobody has paid here.
      await row.getByRole('cell', { name: 'Nothing yet' }).waitFor();
      // On a phone the cell begins with the name of its column.
      await row.getByRole('cell', { name: /(^|[^\d.,])0 ETH$/ }).waitFor();
      await page.getByText(/^Balances are those of the ledger/).waitFor();
      await assertAccessible(page, 'the home of an operator');
      await picture(page, `dashboard-home-operator-${'width' in look ? 390 : 1280}`);
      assert.ok(await fits(page));
      await tile(page, /^Open alerts/).click();
      await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
      await leave();
    }
  });

  test('the search opens by keyboard, goes to pages by name, to an order by its reference, and to a claim by the name of its pull payment', async () => {
    const member = await newMember('searcher');
    const order = await storedOrder(fixture.host.till.storage, member.id, { merchantReference: 'shelf 14' });
    const { page, leave } = await fixture.loggedIn({}, member);
    const box = page.getByRole('combobox', { name: 'Page, ID, reference, name, address or transaction hash' });
    await page.keyboard.press('Control+k');
    await box.fill('webh');
    await page.getByRole('option', { name: /Webhooks/ }).waitFor();
    await assertAccessible(page, 'the search', [
      'color-contrast',
      'aria-required-children',
      'label',
      'aria-valid-attr-value',
    ]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await box.fill('shelf 14');
    const found = page.getByRole('option', { name: /shelf 14/ });
    await found.waitFor();
    await picture(page, 'dashboard-search');
    await found.click();
    await page.waitForURL(new RegExp(`orders/${order.id}/show`));
    const claim = await storedClaim(fixture.host.till.storage, member.id);
    await page.keyboard.press('Control+k');
    await box.fill('prize');
    await page.getByRole('option', { name: /^Pull payment Prize/ }).waitFor();
    await page.getByRole('option', { name: /^Claim 0xpayee/ }).click();
    await page.waitForURL(new RegExp(`claims/${claim.id}/show`));
    await page.getByText('0xpayee', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await assertAccessible(page, 'a claim');
    await picture(page, 'dashboard-claim');
    assert.ok(await fits(page), 'a claim scrolls sideways');
    await page.keyboard.press('Control+k');
    await box.fill('no such thing');
    await page.getByText('Nothing found. Enter the full ID, reference, address or hash.').waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    await leave();
  });

  test('fault 543: another account’s order is not found from the dashboard either', async () => {
    const owner = await newMember('owner');
    await storedOrder(fixture.host.till.storage, owner.id, { merchantReference: 'private 9' });
    const { page, leave } = await fixture.loggedIn({}, await newMember('stranger'));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('private 9');
    await page.getByText('Nothing found. Enter the full ID, reference, address or hash.').waitFor();
    assert.equal(await page.getByRole('option').count(), 0);
    await leave();
  });
});
