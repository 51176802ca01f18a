/**
 * Makes pictures of every page, for people to look at: of the payer in every state, links and points of sale, the dashboard of a
 * merchant and of an operator with its dialogs, and the documentation; on a desktop and a phone, light, dark and from right to
 * left. `temp/gallery/index.html` shows all of them. axe looks at each: whatever it finds is printed, and fails the command.
 *
 *     npm run gallery                          every page
 *     npm run gallery -- payer/point-of-sale   those whose name contains a word
 *     npm run gallery -- dashboard docs
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launch } from './chromium.ts';
import { DASHBOARD_PAGES, DashboardGallery } from './dashboard-gallery.ts';
import { DashboardFixture } from './dashboard-fixture.ts';
import { SAMPLE_SETTINGS } from './dashboard-samples.ts';
import { docsTour } from './docs-gallery.ts';
import { GALLERY_PAGES, payerTours, startGallery } from './gallery.ts';
import { galleryIndex } from './gallery-index.ts';
import { LOOKS, Photographer, PRINT } from './gallery-looks.ts';
import type { Tour, Looks } from './gallery-looks.ts';

const FOLDER = fileURLToPath(new URL('../../temp/gallery/', import.meta.url));
/** Windows at a time. */
const WINDOWS = 2;

const words = process.argv.slice(2);
const wants = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));
const photographer = new Photographer(FOLDER, wants);

async function follow(browser: Browser, tours: readonly Tour[], looks: Looks = LOOKS): Promise<void> {
  const left = [...tours];
  const walk = async (): Promise<void> => {
    for (let tour = left.shift(); tour !== undefined; tour = left.shift())
      await photographer.follow(browser, tour, looks);
  };
  await Promise.all(Array.from({ length: WINDOWS }, walk));
}

async function ofPayers(browser: Browser): Promise<void> {
  const gallery = await startGallery();
  try {
    await follow(browser, payerTours(gallery.url), { ...LOOKS, ...PRINT });
  } finally {
    await gallery.close();
  }
}

async function ofTill(browser: Browser): Promise<void> {
  const fixture = await DashboardFixture.open(browser, SAMPLE_SETTINGS);
  try {
    await follow(browser, [docsTour(fixture.url)]);
    if (!DASHBOARD_PAGES.some(wants) && !words.some((word) => word.startsWith('dashboard'))) return;
    const gallery = new DashboardGallery(fixture);
    await follow(browser, gallery.tours(true));
    await gallery.makeSamples();
    await follow(browser, gallery.tours(false));
  } finally {
    await fixture.close();
  }
}

if (words.length === 0) rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const browser = await launch();
try {
  if (GALLERY_PAGES.some((page) => wants(`payer/${page.replaceAll(/[?&]\w+=/g, '-')}`))) await ofPayers(browser);
  await ofTill(browser);
} finally {
  await browser.close();
}
const { taken, problems } = photographer;
writeFileSync(join(FOLDER, 'index.html'), galleryIndex(taken, { ...LOOKS, ...PRINT }, problems));
console.log(`${taken.size} pages: ${FOLDER}index.html`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
