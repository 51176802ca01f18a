import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo } from './dashboard-fixture.ts';

const ADMIN = { email: 'shell-operator@example.com', password: 'a long enough password of an operator' };
/** The groups of a merchant, in their order. */
const GROUPS = ['Sales', 'Balance', 'Developers', 'Settings'];

/** What axe asks of a menu. */
const MENU_RULES = ['color-contrast', 'aria-required-children', 'aria-required-parent', 'aria-allowed-role', 'list'];

const titled = async (page: Page, title: string): Promise<void> => {
  await waitFor(async () => (await page.title()) === title, { describe: `the title ${title}` });
};

describe('the frame of the dashboard', { concurrency: 3 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
    await fixture.host.till.createAccount.run({ ...ADMIN, role: 'admin', verifiedCurrencies: ['*'] });
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  const groups = (page: Page): Promise<string[]> => page.locator('[role="menuitem"][aria-expanded]').allTextContents();

  test('the tab names the page and the product, from the login on', async () => {
    const { page, leave } = await fixture.window();
    await page.goto(`${fixture.url}/dashboard`);
    await titled(page, 'Log in · Tillgate');
    await leave();
    const inside = await fixture.loggedIn();
    await titled(inside.page, 'Overview · Tillgate');
    await goTo(inside.page, '/orders');
    await titled(inside.page, 'Orders · Tillgate');
    await inside.leave();
  });

  test('a merchant sees his groups open and none of the operator, whose other groups are folded', async () => {
    const { page, leave } = await fixture.loggedIn();
    assert.deepEqual(await groups(page), GROUPS);
    await page.getByRole('menuitem', { name: 'Webhooks' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Chains' }).count(), 0);
    await page.getByRole('menuitem', { name: 'Developers' }).click();
    await page.getByRole('menuitem', { name: 'Webhooks' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('menuitem', { name: 'Developers' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Webhooks' }).count(), 0, 'it stays folded');
    await goTo(page, '/webhooks');
    await page.getByRole('menuitem', { name: 'Webhooks' }).waitFor();
    await leave();

    const operator = await fixture.loggedIn({}, ADMIN);
    assert.deepEqual(await groups(operator.page), ['Operations', ...GROUPS]);
    await operator.page.getByRole('menuitem', { name: 'Chains' }).waitFor();
    assert.equal(await operator.page.getByRole('menuitem', { name: 'Webhooks' }).count(), 0);
    await operator.page.getByRole('menuitem', { name: 'Developers' }).click();
    await operator.page.getByRole('menuitem', { name: 'Webhooks' }).waitFor();
    await assertAccessible(operator.page, 'the menu of an operator');
    await operator.leave();
  });

  test('no two entries of the menu have the same icon', async () => {
    const { page, leave } = await fixture.loggedIn({}, ADMIN);
    for (const group of GROUPS) await page.getByRole('menuitem', { name: group, exact: true }).click();
    const entries = page.locator('.RaMenuItemLink-icon svg');
    const icons = await entries.evaluateAll((all) => all.map(({ innerHTML }) => innerHTML));
    assert.ok(icons.length > 20, `${icons.length} entries`);
    assert.equal(new Set(icons).size, icons.length);
    await leave();
  });

  test('fault 530: a phone that is turned upright shows a page whose buttons can be pressed', async () => {
    const { page, leave } = await fixture.loggedIn();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('menuitem', { name: 'Orders' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Last 7 days' }).click({ timeout: 10_000 });
    await leave();
  });

  test('the account menu leads to security, branding, help and out', async () => {
    const { page, leave } = await fixture.loggedIn();
    await page.getByRole('button', { name: 'Account' }).click();
    const menu = page.locator('#menu-appbar');
    const help = menu.getByRole('menuitem', { name: 'Help and documentation' });
    assert.equal(await help.getAttribute('href'), `${fixture.url}/docs`);
    assert.equal((await fetch(`${fixture.url}/docs`)).status, 200);
    await menu.getByRole('menuitem', { name: 'Log out' }).waitFor();
    // A menu that opens over the page is in no landmark.
    await assertAccessible(page, 'the account menu', MENU_RULES);
    await menu.getByRole('menuitem', { name: 'Security' }).click();
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await menu.waitFor({ state: 'detached' });
    await leave();
  });

  test('the sandbox is marked on every page, on a phone, in dark and in Arabic too', async () => {
    for (const { width, theme, locale, mark } of [
      { width: 1280, theme: 'light', locale: 'en', mark: 'Sandbox: no real money moves' },
      { width: 390, theme: 'dark', locale: 'en', mark: 'Sandbox: no real money moves' },
      { width: 390, theme: 'light', locale: 'ar', mark: 'بيئة تجريبية: لا أموال حقيقية' },
    ] as const) {
      const { page, leave } = await fixture.window({ width, theme, locale });
      await page.goto(`${fixture.url}/dashboard`);
      await page.locator('input[name="email"]').fill(fixture.demo.email);
      await page.locator('input[name="password"]').fill(fixture.demo.password);
      await page.locator('button[type="submit"]').click();
      for (const path of ['/', '/orders']) {
        await page.locator('#react-admin-title').waitFor();
        await goTo(page, path);
        await page.locator('header').getByText(mark).waitFor();
        assert.ok(await fits(page), `${path} at ${width} scrolls sideways`);
        await assertAccessible(page, `${path} at ${width} in ${theme}, ${locale}`);
      }
      await picture(page, `dashboard-shell-${width}-${theme}-${locale}`);
      await leave();
    }
  });

  test('the button that reads the page again keeps its place and its size while it loads', async () => {
    const { page, leave } = await fixture.loggedIn();
    const button = page.getByRole('button', { name: 'Refresh' });
    const before = await button.boundingBox();
    // Tiles ask again by themselves, so more than one request can wait.
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const asked = new Promise<void>((resolve) => {
      void page.route('**/manage/v1/overview*', async (route) => {
        resolve();
        await answered;
        await route.continue();
      });
    });
    await button.click();
    await asked;
    assert.deepEqual(await button.boundingBox(), before);
    answer();
    await page.unrouteAll({ behavior: 'wait' });
    await leave();
  });
});
