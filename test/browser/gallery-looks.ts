import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { accessibilityProblems } from './chromium.ts';
import type { Theme } from './chromium.ts';
import { fits } from './dashboard-fixture.ts';

/** In what language pages are looked at: from left to right, and from right to left. */
export type GalleryLanguage = 'en' | 'ar';

/** How a page is looked at. */
export interface Look {
  readonly language: GalleryLanguage;
  readonly width: number;
  readonly theme: Theme;
  readonly print?: boolean;
}

/** A desktop and a phone, each light, dark and from right to left, by the names of their pictures. */
export const LOOKS = {
  desktop: { language: 'en', width: 1280, theme: 'light' },
  'desktop-dark': { language: 'en', width: 1280, theme: 'dark' },
  phone: { language: 'en', width: 390, theme: 'light' },
  'phone-dark': { language: 'en', width: 390, theme: 'dark' },
  'desktop-ar': { language: 'ar', width: 1280, theme: 'light' },
  'phone-ar': { language: 'ar', width: 390, theme: 'light' },
} as const satisfies Readonly<Record<string, Look>>;
/** A sheet of paper. */
export const PRINT = { print: { language: 'en', width: 720, theme: 'light', print: true } } as const;

export type Looks = Readonly<Record<string, Look>>;

/** Height of a window, in pixels; a picture is as high as its page. */
const HEIGHT = 800;

/** Shows a page as a look has it. */
export async function dress(page: Page, { width, theme, print = false }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, media: print ? 'print' : 'screen' });
  await page.setViewportSize({ width, height: HEIGHT });
  // What the pointer is over could show a tooltip.
  await page.mouse.move(0, 0);
}

/** What is wrong with a page: what axe finds, and that it sticks out sideways. @param only - rules of axe; all unless given */
export async function problemsOf(page: Page, only: readonly string[] = []): Promise<readonly string[]> {
  const found = await accessibilityProblems(page, only);
  return (await fits(page)) ? found : [...found, 'scrolls sideways'];
}

/** What can be wrong in the dark alone: a theme changes nothing but colours. */
const DARK_RULES = ['color-contrast', 'link-in-text-block'];

/** What one window shows, one after the other. */
export interface Tour {
  readonly language: GalleryLanguage;
  /** @param show - is called when a page is there; `wants` says whether anybody asked for it, by its name */
  walk(page: Page, show: Show, wants: (name: string) => boolean): Promise<void>;
}

/** What is done in each look before its picture, and after it. */
export interface Around {
  readonly before: () => Promise<void>;
  readonly after: () => Promise<void>;
}

/** Takes the pictures of what is in the window. */
export type Show = (name: string, around?: Around) => Promise<void>;

/** Takes the pictures of tours, and keeps what is wrong with their pages. */
export class Photographer {
  /** The pictures by page: the names of the looks. */
  readonly taken = new Map<string, string[]>();
  readonly problems: string[] = [];
  readonly #folder: string;
  readonly #wants: (name: string) => boolean;

  /** @param folder - of the pictures: `<look>/<page>.png` */
  constructor(folder: string, wants: (name: string) => boolean) {
    this.#folder = folder;
    this.#wants = wants;
  }

  /** Walks a tour in a window of each width. */
  async follow(browser: Browser, tour: Tour, looks: Looks): Promise<void> {
    const wanted = Object.entries(looks).filter(([, { language }]) => language === tour.language);
    for (const width of new Set(wanted.map(([, look]) => look.width))) {
      const context = await browser.newContext({ locale: tour.language, viewport: { width, height: HEIGHT } });
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      const ofWidth = wanted.filter(([, look]) => look.width === width);
      try {
        await tour.walk(page, (name, around) => this.#shoot(page, name, ofWidth, around), this.#wants);
      } catch (error) {
        // What the other tours show is worth looking at too.
        this.problems.push(`${page.url()} in ${tour.language} at ${width} px: ${String(error)}`);
      }
      await context.close();
    }
  }

  async #shoot(page: Page, name: string, looks: readonly (readonly [string, Look])[], around?: Around): Promise<void> {
    for (const [look, how] of looks) {
      await dress(page, how);
      await around?.before();
      // Nobody reads paper with a screen reader.
      const found = how.print === true ? [] : await problemsOf(page, how.theme === 'dark' ? DARK_RULES : []);
      this.problems.push(...found.map((problem) => `${name}, ${look}: ${problem}`));
      const path = join(this.#folder, look, `${name}.png`);
      mkdirSync(dirname(path), { recursive: true });
      // A header that stays in sight is drawn where the window is.
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path, fullPage: true, animations: 'disabled' });
      await around?.after();
      this.taken.set(name, [...(this.taken.get(name) ?? []), look]);
    }
  }
}
