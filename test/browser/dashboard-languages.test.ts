import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES } from '../../host/dashboard/app/i18n.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo } from './dashboard-fixture.ts';

/** Pages of a merchant, and an address that leads nowhere. */
const PAGES = [
  '/',
  '/orders',
  '/orders/create',
  '/wallets',
  '/withdrawals',
  '/credentials',
  '/links',
  '/links/create',
  '/webhooks',
  '/apps',
  '/security',
  '/nowhere',
];
/** Of one of each script every page is looked at; of the others those with the longest rows of buttons. */
const LOOKED_AT: readonly string[] = ['ar', 'de', 'ja', 'ru'];
const LONGEST: readonly string[] = ['/orders', '/credentials', '/security'];
/** What a browser asks for, where it is not the name of the language alone. */
const ASKED: Readonly<Record<string, string>> = { pt: 'pt-BR', zh: 'zh-CN', de: 'de-CH' };

/** A key that has no text shows itself. */
const keysIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => document.body.innerText.match(/\b(?:tillgate|resources|ra)\.[a-z_]+[.\w]*/g) ?? []);

describe('the dashboard in the languages of the payer’s page', { concurrency: 2 }, () => {
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

  for (const { locale, name, direction, load } of LANGUAGES)
    test(`${name}: from the login on, on a telephone too`, async () => {
      const { tillgate } = await load();
      const { page, leave } = await fixture.window({ width: 360, locale: ASKED[locale] ?? locale });
      await page.goto(`${fixture.url}/dashboard`);
      const submit = page.getByRole('button', { name: tillgate.login.submit });
      await submit.waitFor();
      await page.locator(`html[lang=${locale}]${direction === 'rtl' ? '[dir=rtl]' : ':not([dir=rtl])'}`).waitFor();
      await page.locator('input[name="email"]').fill(fixture.demo.email);
      await page.locator('input[name="password"]').fill(fixture.demo.password);
      await submit.click();
      await page.getByRole('heading', { level: 1, name: tillgate.menu.overview }).waitFor();
      const looked = LOOKED_AT.includes(locale);
      for (const path of looked ? PAGES : LONGEST) {
        await goTo(page, path);
        await page.locator('main').getByRole('progressbar').waitFor({ state: 'detached' });
        assert.deepEqual(await keysIn(page), [], path);
        assert.ok(await fits(page), `${path} scrolls sideways`);
        if (!looked) continue;
        await assertAccessible(page, `${path} in ${name}`);
        await picture(page, `dashboard-${locale}-360${path.replaceAll('/', '-')}`);
      }
      await leave();
    });

  test('a language that is chosen is kept, and turns the page round', async () => {
    const { page, leave } = await fixture.loggedIn();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('menuitem', { name: 'العربية' }).click();
    await page.locator('html[dir=rtl]').waitFor();
    const menu = await page.getByRole('menu').first().boundingBox();
    assert.ok(menu !== null && menu.x > 640, 'the menu is at the right');
    await picture(page, 'dashboard-rtl');
    await page.reload();
    await page.locator('html[lang=ar]').waitFor();
    await leave();
  });
});
