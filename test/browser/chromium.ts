import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Where screenshots are left for people to look at, with `SCREENSHOTS=1`: they take a fifth of the processor time of these tests. */
const SCREENSHOTS = fileURLToPath(new URL('../../temp/screenshots/', import.meta.url));
const areScreenshotsWanted = process.env['SCREENSHOTS'] === '1';
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A phone held upright, and a desktop. */
export const WIDTHS = [320, 1280] as const;
export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/**
 * A real browser.
 * @throws Error where there is none: these tests fail, and do not skip, without it
 */
export function launch(): Promise<Browser> {
  const executablePath = PATHS.find((path) => existsSync(path));
  assert(
    executablePath !== undefined,
    `There is no Chromium at ${PATHS.join(', ')}: apt-get install --no-install-recommends chromium`,
  );
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/** Everything that a page complained of: what its content policy refused, errors of its script, requests to anybody else. */
export class Complaints {
  readonly #said: string[] = [];

  /**
   * @param elsewhere - other origins that may be asked
   * @param refusals - statuses that replies may have: a browser complains of each
   */
  constructor(
    context: BrowserContext,
    origin: string,
    elsewhere: readonly string[] = [],
    refusals: readonly number[] = [],
  ) {
    context.on('console', (message) => {
      const refused = /^Failed to load resource: the server responded with a status of (\d+)/.exec(message.text())?.[1];
      if (refused !== undefined && refusals.includes(Number(refused))) return;
      if (message.type() === 'error' || message.type() === 'warning') this.#said.push(message.text());
    });
    context.on('weberror', (error) => this.#said.push(error.error().message));
    context.on('request', (request) => {
      const url = new URL(request.url());
      const known = url.protocol === 'data:' || url.origin === origin || elsewhere.includes(url.origin);
      if (!known) this.#said.push(`a request to ${url.origin}`);
    });
  }

  none(): void {
    assert.deepEqual(this.#said, []);
  }
}

/** Until no transition runs: what is half transparent has too little contrast. Animations without an end do not count. */
const atRest = (page: Page) =>
  page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  );

/** A message may begin to fade while axe looks: what is wrong with a page is wrong each time. */
const LOOKS = 3;

/**
 * Asks axe while no transition runs; what it finds at each look. There are no frames, so that the mode without a page of its own
 * for them is enough.
 *
 * @param only - these rules alone; all of {@link TAGS} unless given
 */
export async function accessibilityProblems(page: Page, only: readonly string[] = []): Promise<readonly string[]> {
  let found: readonly string[] = [];
  for (let look = 0; look < LOOKS; look++) {
    await atRest(page);
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await (only.length > 0 ? axe.withRules([...only]) : axe.withTags(TAGS)).analyze();
    found = violations.map(
      ({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.map(({ html }) => html).join('\n    ')}`,
    );
    if (found.length === 0) return found;
  }
  return found;
}

/** Fails with whatever {@link accessibilityProblems} finds. */
export async function assertAccessible(page: Page, what: string, only: readonly string[] = []): Promise<void> {
  assert.deepEqual(await accessibilityProblems(page, only), [], what);
}

/** Leaves a picture of the whole page where pictures are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!areScreenshotsWanted) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}${name}.png`, fullPage: true, animations: 'disabled' });
}
