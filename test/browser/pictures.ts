/**
 * Makes pictures of the payer's page, payment links and points of sale in every state, for people to look at: on a desktop, on a phone, dark, from right to left, and printed,
 * each with a sheet of all of them.
 *
 *     npm run gallery                 every state
 *     npm run gallery -- point-of-sale link the pages of points of sale and links
 *     npm run gallery -- paid lost    those whose name contains a word
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launch } from './chromium.ts';
import { GALLERY_PAGES, startGallery } from './gallery.ts';

interface Look {
  readonly width: number;
  readonly options?: BrowserContextOptions;
  readonly print?: boolean;
}

const LOOKS: Readonly<Record<string, Look>> = {
  desktop: { width: 1280 },
  phone: { width: 360 },
  dark: { width: 360, options: { colorScheme: 'dark' } },
  rtl: { width: 360, options: { locale: 'ar' } },
  print: { width: 720, print: true },
};
const FOLDER = fileURLToPath(new URL('../../temp/gallery/', import.meta.url));
const SHEET_COLUMNS = 6;

async function takePictures(browser: Browser, url: string, pages: readonly string[], name: string): Promise<void> {
  const { width, options = {}, print = false } = LOOKS[name] as Look;
  const context = await browser.newContext({ locale: 'en', ...options, viewport: { width, height: 800 } });
  const page = await context.newPage();
  if (print) await page.emulateMedia({ media: 'print' });
  const pictures: string[] = [];
  for (const path of pages) {
    await page.goto(`${url}/${path}`);
    const file = join(FOLDER, name, `${path.replaceAll(/[?&]\w+=/g, '-')}.png`);
    pictures.push((await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })).toString('base64'));
  }
  await context.close();
  await makeSheet(await browser.newPage(), pictures, width, name);
}

/** All pictures beside each other. */
async function makeSheet(page: Page, pictures: readonly string[], width: number, name: string): Promise<void> {
  const columns = Math.min(SHEET_COLUMNS, pictures.length);
  await page.setViewportSize({ width: columns * (width + 16) + 16, height: 800 });
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture}" alt="">`).join('');
  const style = `display:grid;grid-template-columns:repeat(${columns},${width}px);gap:16px;margin:16px;background:#888;align-items:start`;
  await page.setContent(`<body style="${style}">${images}`);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
  await page.close();
}

const words = process.argv.slice(2);
const pages = GALLERY_PAGES.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
mkdirSync(FOLDER, { recursive: true });
const [browser, gallery] = await Promise.all([launch(), startGallery()]);
try {
  for (const name of Object.keys(LOOKS)) await takePictures(browser, gallery.url, pages, name);
  console.log(`${pages.length} states, ${Object.keys(LOOKS).join(', ')}: ${FOLDER}`);
} finally {
  await browser.close();
  await gallery.close();
}
