import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES } from '../../host/checkout/languages.ts';
import { assertAccessible, Complaints, launch, picture, THEMES, WIDTHS } from './chromium.ts';
import { GALLERY_PAGES, startGallery } from './gallery.ts';

const PAGES = [...GALLERY_PAGES.filter((path) => path !== 'no-such-order'), 'top-up', 'top-up?error=40900'];
/** One of each colour and kind of control. */
const TONES = [
  'choose',
  'branded-waiting',
  'branded-paid?view=receipt',
  'waiting',
  'partial',
  'paid',
  'expired',
  'short?view=refund&error=40001',
];
const named = (path: string): string => path.replace(/[?&]\w+=/g, '-');

describe("the payer's page in each state", { concurrency: 1 }, () => {
  let browser: Browser;
  let gallery: Awaited<ReturnType<typeof startGallery>>;
  before(async () => {
    [browser, gallery] = await Promise.all([launch(), startGallery()]);
  });
  after(async () => {
    await browser.close();
    await gallery.close();
  });

  async function visit(
    width: number,
    colorScheme: 'light' | 'dark',
    locale: string,
    work: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale });
    const complaints = new Complaints(context, new URL(gallery.url).origin);
    // A page that is looked at for long does not leave for the merchant meanwhile.
    await context.addInitScript(() => {
      const later = window.setTimeout.bind(window);
      window.setTimeout = ((work: () => void, ms?: number) =>
        ms === 5_000 ? 0 : later(work, ms)) as typeof setTimeout;
    });
    await work(await context.newPage());
    await context.close();
    complaints.none();
  }

  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      // Only contrast depends on the theme, and only the room for a finger on the width.
      const only =
        width === 320 ? (theme === 'light' ? [] : ['color-contrast']) : theme === 'light' ? ['target-size'] : null;
      const asked = (path: string): boolean => only !== null && (only.length === 0 || TONES.includes(path));
      test(`fits ${width} pixels in ${theme}${only === null ? '' : ', and axe finds nothing'}`, async () => {
        await visit(width, theme, 'en', async (page) => {
          for (const path of PAGES) {
            await page.goto(`${gallery.url}/${path}`);
            await picture(page, `${named(path)}-${width}-${theme}`);
            assert.ok(await fits(page), `${path} scrolls sideways`);
            assert.deepEqual(await smallTargets(page), [], `${path}: too small for a finger`);
            if (asked(path)) await assertAccessible(page, `${path} at ${width} in ${theme}`, only ?? []);
          }
        });
      });
    }
  }

  test('on a phone the wallet comes before the code, on a desktop the code before the wallet, and the code has 256 pixels', async () => {
    for (const [width, first] of [
      [390, 'wallet'],
      [1280, 'code'],
    ] as const) {
      await visit(width, 'light', 'en', async (page) => {
        for (const path of ['waiting', 'branded-waiting', 'waitingLightning']) {
          await page.goto(`${gallery.url}/${path}`);
          const boxOf = async (selector: string): Promise<{ y: number; width: number; height: number }> =>
            (await page.locator(selector).first().boundingBox()) ?? { y: NaN, width: NaN, height: NaN };
          const [wallet, code] = [await boxOf('#pay .actions .main'), await boxOf('#pay .qr')];
          assert.equal(wallet.y < code.y ? 'wallet' : 'code', first, `${path} at ${width}`);
          assert.deepEqual([code.width, code.height], [256, 256], `${path} at ${width}`);
          if (first === 'wallet') assert.ok(wallet.y + wallet.height <= 600, `${path}: the wallet is at ${wallet.y}`);
          // A filled button is what the page asks for.
          const filled = await page
            .locator('#pay .actions .main')
            .evaluate(
              (button) =>
                getComputedStyle(button).backgroundColor !==
                getComputedStyle(button.closest('.card') ?? button).backgroundColor,
            );
          assert.equal(filled, first === 'wallet');
        }
      });
    }
  });

  test('nothing moves while the page is loaded, with a script that comes late', async () => {
    for (const width of WIDTHS) {
      await visit(width, 'light', 'en', async (page) => {
        await page.addInitScript(() => {
          const shifts: number[] = [];
          Object.assign(window, { shifts });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
          }).observe({ type: 'layout-shift', buffered: true });
        });
        await page.route('**/*.js', async (route) => {
          await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length === 1, null, {
            polling: 50,
          });
          await route.continue();
        });
        for (const path of ['choose', 'waiting', 'waitingLightning', 'paid?view=receipt']) {
          await page.goto(`${gallery.url}/${path}`);
          await page.locator('html.script').waitFor();
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
          assert.ok(shifts.reduce((sum, value) => sum + value, 0) < 0.01, `${path} at ${width}: ${String(shifts)}`);
        }
      });
    }
  });

  test('reads from right to left in Arabic: nothing sticks out, axe finds nothing, addresses stay as they are', async () => {
    for (const width of WIDTHS) {
      await visit(width, 'light', 'ar', async (page) => {
        for (const path of width === 320 ? PAGES : []) {
          await page.goto(`${gallery.url}/${path}`);
          assert.ok(await fits(page), `${path} scrolls sideways`);
        }
        for (const path of width === 320 ? ['choose', 'waiting', 'partial'] : ['waiting']) {
          await page.goto(`${gallery.url}/${path}`);
          assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
          assert.ok(await fits(page), `${path} scrolls sideways`);
          await assertAccessible(page, `${path} in Arabic`);
          await picture(page, `${path}-ar-${width}`);
        }
        await page.goto(`${gallery.url}/waiting`);
        assert.equal(
          await page
            .locator('#pay code')
            .nth(1)
            .evaluate((code) => getComputedStyle(code).direction),
          'ltr',
        );
      });
    }
  });

  test('a receipt prints with its order, merchant, amounts, rate, transaction and time, and without controls', async () => {
    await visit(720, 'light', 'en', async (page) => {
      await page.goto(`${gallery.url}/branded-paid?view=receipt`);
      await page.getByRole('button', { name: 'Print receipt' }).waitFor();
      await page.emulateMedia({ media: 'print' });
      await picture(page, 'receipt-printed');
      const text = await page.locator('body').innerText();
      const wanted = [
        'Corner Shop',
        'Order 1573438740016137425',
        '€12.50',
        '13.5 USDT',
        '€0.925925',
        '0x9fc76417',
        '2025',
        '12 of 12',
        'help@corner-shop.example',
      ];
      for (const each of wanted) assert.ok(text.includes(each), `${each} in ${text}`);
      assert.equal(await page.locator('button, .languages, .ways').filter({ visible: true }).count(), 0);
    });
  });

  test('every language fits a phone', async () => {
    await visit(320, 'light', 'en', async (page) => {
      for (const { tag } of LANGUAGES) {
        for (const path of ['choose', 'waiting', 'partial']) {
          await page.goto(`${gallery.url}/${path}?lang=${tag}`);
          assert.ok(await fits(page), `${path} in ${tag} scrolls sideways`);
        }
        await picture(page, `partial-${tag}-320`);
      }
    });
  });

  test('weighs less than 60 KB in all, uncompressed, and is painted before any script has come', async () => {
    await visit(1280, 'light', 'en', async (page) => {
      for (const path of ['choose', 'waiting', 'waitingLightning']) {
        await page.goto(`${gallery.url}/${path}`, { waitUntil: 'load' });
        const bytes = await page.evaluate(() =>
          [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
            (sum, entry) => sum + (entry as PerformanceResourceTiming).decodedBodySize,
            0,
          ),
        );
        assert.ok(bytes > 15_000 && bytes < 60_000, `${path}: ${bytes} bytes`);
      }
      const held = new Promise<void>((resolve) => {
        void page.route('**/*.js', async (route) => {
          await page.getByRole('heading', { level: 1, name: 'Awaiting payment' }).waitFor();
          // The heading is in the document before it is painted; the script is held back until it is.
          await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length === 1, null, {
            polling: 50,
          });
          await route.continue();
          resolve();
        });
      });
      await Promise.all([page.goto(`${gallery.url}/waiting`), held]);
    });
  });
});

const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

/** Controls that are less than 44 pixels wide or high. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('a, button, summary, input:not([type=hidden])')]
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 44))
      .map(({ control, box }) => `${control.outerHTML} ${box.width}x${box.height}`),
  );
