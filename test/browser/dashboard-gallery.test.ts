import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch } from './chromium.ts';
import { DashboardFixture } from './dashboard-fixture.ts';
import { enter, openPage, pictureOf, VIEWERS } from './dashboard-gallery.ts';
import { makeSamples, SAMPLE_SETTINGS } from './dashboard-samples.ts';
import { dress, LOOKS, problemsOf } from './gallery-looks.ts';
import type { Look } from './gallery-looks.ts';

/** Every page of the dashboard is looked at in one of the looks, in turn; `npm run gallery` has all of them, and the dialogs. */
describe('every page of the dashboard, with records', { concurrency: 2 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  let ids: Readonly<Record<string, string>> = {};
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser, SAMPLE_SETTINGS);
    ids = await makeSamples(fixture);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  const looks: readonly Look[] = Object.values(LOOKS);
  for (const viewer of VIEWERS.filter((each) => !each.before))
    for (const language of ['en', 'ar'] as const)
      test(`can be read by everybody and fits the window: ${viewer.name}, ${language}`, async () => {
        const context = await browser.newContext({ locale: language });
        context.setDefaultTimeout(60_000);
        const page = await context.newPage();
        await enter(page, fixture.url, viewer.who(fixture));
        const found: string[] = [];
        for (const [at, address] of viewer.addresses.entries()) {
          const look = looks[at % looks.length] as Look;
          if (look.language !== language) continue;
          await dress(page, look);
          await openPage(page, address, ids);
          const problems = await problemsOf(page);
          found.push(...problems.map((problem) => `${pictureOf(viewer, address)} ${JSON.stringify(look)}: ${problem}`));
        }
        await context.close();
        assert.deepEqual(found, []);
      });
});
