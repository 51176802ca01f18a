import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { freshDirectory } from '../host/till-process.ts';
import { assertAccessible, launch, picture, THEMES } from './chromium.ts';
import { fits, openWindow } from './dashboard-fixture.ts';

/** Each kind of page: guides, a table of the reference, an API's pages, and the longest one. */
const PAGES = [
  '',
  'sandbox',
  'webhooks',
  'errors',
  'idempotency',
  'going-live',
  'authentication',
  'events',
  'v1-orders',
  'manage-apps',
  'shops-invoices',
];

describe('the documentation in a browser', { concurrency: 1 }, () => {
  const directory = freshDirectory();
  let browser: Browser;
  let host: Host;
  const addressOf = (slug: string): string => `${host.url}/docs${slug === '' ? '' : `/${slug}`}`;
  before(async () => {
    browser = await launch();
    host = createHost({ listen: { port: 0 } }, { directory: directory.path });
    await host.start();
  });
  after(async () => {
    await browser.close();
    await host.stop();
    directory.remove();
  });

  for (const theme of THEMES)
    for (const width of [390, 1280])
      test(`can be read by everybody, ${theme}, at ${width} px`, async () => {
        const { page, leave } = await openWindow(browser, host.url, { width, theme });
        for (const slug of PAGES) {
          await page.goto(addressOf(slug));
          assert.equal(await fits(page), true, `${slug} scrolls sideways`);
          await assertAccessible(page, slug);
          await picture(page, `docs-${slug || 'start'}-${width}-${theme}`);
        }
        await leave();
      });

  test('begins with its text on a phone: the contents are after it, and the menu leads to them', async () => {
    const { page, leave } = await openWindow(browser, host.url, { width: 390 });
    await page.goto(addressOf('v1-orders'));
    const [title, contents] = await Promise.all(
      [page.getByRole('heading', { level: 1 }), page.getByRole('navigation')].map((each) => each.boundingBox()),
    );
    assert.ok(title && contents && title.y < 200 && contents.y > title.y);
    await page.getByRole('link', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Refunds' }).click();
    await page.getByRole('heading', { level: 1, name: 'Refunds' }).waitFor();
    await leave();
  });

  test('is searched by words, with the keyboard alone', async () => {
    const { page, leave } = await openWindow(browser, host.url);
    await page.goto(addressOf('errors'));
    await page.keyboard.press('/');
    await page.keyboard.type('create order');
    await page
      .getByRole('link', { name: /^Create an order/ })
      .first()
      .waitFor();
    await assertAccessible(page, 'the search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/v1-orders#orders\.create$/);
    const found = page.getByRole('searchbox', { name: 'Search' });
    await found.fill('no such words at all');
    await page.getByText('Nothing found.').waitFor();
    await found.press('Escape');
    await page.getByText('Nothing found.').waitFor({ state: 'hidden' });
    await leave();
  });

  test('is complete without script, and shows no search then', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(addressOf(''));
    await page.getByRole('link', { name: 'webhooks', exact: true }).click();
    await page.getByText('hmac.compare_digest', { exact: false }).waitFor();
    assert.equal(await page.getByRole('searchbox').count(), 0);
    await context.close();
  });
});
