import type { Page } from 'playwright-core';
import { groupsFor, HOME, RECORD_PAGES, sectionsFor } from '../../host/dashboard/app/pages/sections.ts';
import type { RecordPage, Section } from '../../host/dashboard/app/pages/sections.ts';
import { waitFor } from '../support/wait.ts';
import { makeSamples, operatorOf } from './dashboard-samples.ts';
import { goTo } from './dashboard-fixture.ts';
import type { DashboardFixture, Person } from './dashboard-fixture.ts';
import type { GalleryLanguage, Show, Tour } from './gallery-looks.ts';

/** Stands for the id of a record in the address of its page. */
const ID = ':id';

/** The address of each page of a kind of records, which {@link kindOf} reads. */
const ADDRESSES: Readonly<Record<RecordPage, (kind: string) => string>> = {
  list: (kind) => `/${kind}`,
  show: (kind) => `/${kind}/${ID}/show`,
  create: (kind) => `/${kind}/create`,
  edit: (kind) => `/${kind}/${ID}`,
};

/** The addresses of a section: the pages of its records, and its others. */
function addressesOf({ records, routes = [] }: Section): readonly string[] {
  const ofRecords = records === undefined ? [] : RECORD_PAGES[records].map((page) => ADDRESSES[page](records));
  return [...ofRecords, ...routes];
}

/** Who looks at the dashboard, and at which addresses. */
interface Viewer {
  readonly name: string;
  readonly who: (fixture: DashboardFixture) => Person;
  readonly addresses: readonly string[];
  /** Whether the pictures are of a till without records. */
  readonly before: boolean;
}

const isList = (address: string): boolean => /^\/[\w-]+$/.test(address);
const ofMerchants = groupsFor('user').flatMap(({ sections }) => sections.flatMap(addressesOf));
const ofOperators = groupsFor('admin')
  .filter(({ folded }) => !folded)
  .flatMap(({ sections }) => sections.flatMap(addressesOf));
const ORDERS = sectionsFor('admin')
  .filter(({ name }) => name === 'orders')
  .flatMap(addressesOf);

const merchant = ({ demo }: DashboardFixture): Person => demo;

/** The menu decides what each of them sees. An operator's orders name their merchants. */
export const VIEWERS: readonly Viewer[] = [
  { name: 'new-merchant', who: merchant, addresses: [HOME.path, ...ofMerchants.filter(isList)], before: true },
  { name: 'new-operator', who: operatorOf, addresses: [HOME.path, ...ofOperators.filter(isList)], before: true },
  { name: 'merchant', who: merchant, addresses: [HOME.path, ...ofMerchants, '/nowhere'], before: false },
  { name: 'operator', who: operatorOf, addresses: [HOME.path, ...ofOperators, ...ORDERS], before: false },
];

/** The name of the picture of a page. */
export const pictureOf = ({ name }: Viewer, address: string): string =>
  `dashboard/${name}${address === HOME.path ? '/home' : address.replace(`/${ID}/show`, '/record').replace(`/${ID}`, '/edit')}`;

/** The pages of the dashboard that there are pictures of; dialogs are found on them. */
export const DASHBOARD_PAGES: readonly string[] = [
  'dashboard/login',
  ...VIEWERS.flatMap((viewer) => viewer.addresses.map((address) => pictureOf(viewer, address))),
];

/** The kind of records whose page an address is; `null` for other pages. */
const kindOf = (address: string): string | null => (address.includes(ID) ? (address.split('/', 2)[1] ?? null) : null);

/** Goes to a page as somebody who clicks does, and waits until nothing of it is loading. */
export async function openPage(page: Page, address: string, ids: Readonly<Record<string, string>>): Promise<void> {
  const kind = kindOf(address);
  await goTo(page, kind === null ? address : address.replace(ID, ids[kind] ?? ''));
  await settled(page);
}

/** Until no request is under way and nothing says that it loads. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const loading = page.locator('main').locator('[role=progressbar], .MuiSkeleton-root');
  let asked = -1;
  await waitFor(
    async () => {
      const before = asked;
      asked = await page.evaluate(() => performance.getEntriesByType('resource').length);
      return asked === before && (await loading.count()) === 0;
    },
    { intervalMs: 200, describe: () => `the page ${page.url()} to be there` },
  );
}

/** Logs in, in the language of the browser. */
export async function enter(page: Page, url: string, person: Person): Promise<void> {
  await page.goto(`${url}/dashboard`);
  await page.locator('input[name="email"]').fill(person.email);
  await page.locator('input[name="password"]').fill(person.password);
  await page.locator('button[type="submit"]').click();
  await page.locator('input[name="password"]').waitFor({ state: 'detached' });
  await page.locator('h1').first().waitFor({ state: 'attached' });
}

/** Every dialog that a button of the page opens, once for the button's words. */
async function dialogsOf(page: Page, name: string, show: Show): Promise<void> {
  const buttons = page.locator('main button[aria-haspopup=dialog]:visible:enabled');
  const words = new Set((await buttons.allInnerTexts()).map((text) => text.trim()));
  for (const [at, label] of [...words].entries()) {
    // The table of a desktop and the cards of a phone have buttons of their own, whose dialogs go with them.
    await show(`${name}+${at + 1}`, {
      before: async () => {
        await buttons.filter({ hasText: label }).first().click();
        await page.getByRole('dialog').waitFor();
      },
      after: () => closeDialogs(page),
    });
  }
}

async function closeDialogs(page: Page): Promise<void> {
  await waitFor(
    async () => {
      if ((await page.locator('.MuiDialog-root').count()) === 0) return true;
      await page.keyboard.press('Escape');
      return false;
    },
    { intervalMs: 300, describe: 'no dialog' },
  );
}

/** The tours through the dashboard, on a till without records and then with samples of each kind. */
export class DashboardGallery {
  readonly #fixture: DashboardFixture;
  #ids: Readonly<Record<string, string>> = {};

  constructor(fixture: DashboardFixture) {
    this.#fixture = fixture;
  }

  async makeSamples(): Promise<void> {
    this.#ids = await makeSamples(this.#fixture);
  }

  /** @param before - whether the till has no records yet */
  tours(before: boolean): readonly Tour[] {
    const ofViewers = VIEWERS.filter((viewer) => viewer.before === before).flatMap((viewer) => [
      this.#tour(viewer, 'en'),
      this.#tour(viewer, 'ar'),
    ]);
    return before ? [this.#login('en'), this.#login('ar'), ...ofViewers] : ofViewers;
  }

  #login(language: GalleryLanguage): Tour {
    const name = 'dashboard/login';
    return {
      language,
      walk: async (page, show, wants) => {
        if (!wants(name)) return;
        await page.goto(`${this.#fixture.url}/dashboard`);
        await page.locator('input[name="password"]').waitFor();
        await show(name);
      },
    };
  }

  #tour(viewer: Viewer, language: GalleryLanguage): Tour {
    return {
      language,
      walk: async (page, show, wants) => {
        const addresses = viewer.addresses.filter((address) => wants(pictureOf(viewer, address)));
        if (addresses.length === 0) return;
        await enter(page, this.#fixture.url, viewer.who(this.#fixture));
        for (const address of addresses) {
          await openPage(page, address, this.#ids);
          await show(pictureOf(viewer, address));
          if (!viewer.before) await dialogsOf(page, pictureOf(viewer, address), show);
        }
      },
    };
  }
}
