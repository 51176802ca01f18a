import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import type { SettingsInput } from '../../host/settings/settings.ts';
import type { DemoMerchant } from '../../host/boot/demo.ts';
import type { AccountId } from '../../core/index.ts';
import { present } from '../../core/index.ts';
import { freshDirectory } from '../host/till-process.ts';
import { waitFor } from '../support/wait.ts';
import { Complaints } from './chromium.ts';

/** A window of the dashboard. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Fails when the page complained, or asked anybody but the till for anything. */
  leave(): Promise<void>;
}

/** How a window is set up. */
export interface WindowOptions {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  /** The language that the browser asks for; English unless given. */
  readonly locale?: string;
  /** Origins besides the till's that its pages may ask. */
  readonly elsewhere?: readonly string[];
}

/** Somebody who logs in. */
export interface Person {
  readonly email: string;
  readonly password: string;
}

const HEIGHT = 900;
/** What the server refuses on purpose in these tests: no session, a step-up, another's record, a state, a stale version. */
const REFUSALS = [400, 401, 403, 404, 409, 412];

/** A till on simulated chains, with its dashboard. */
export class DashboardFixture {
  readonly host: Host;
  readonly url: string;
  readonly demo: DemoMerchant;
  readonly #browser: Browser;
  readonly #cleanUp: () => Promise<void>;

  private constructor(host: Host, browser: Browser, cleanUp: () => Promise<void>) {
    assert(host.demo !== null);
    this.host = host;
    this.demo = host.demo;
    this.url = host.url;
    this.#browser = browser;
    this.#cleanUp = cleanUp;
  }

  /** @param settings - of the till, in sandbox mode */
  static async open(browser: Browser, settings: SettingsInput = {}): Promise<DashboardFixture> {
    const directory = freshDirectory();
    const host = createHost(
      { mode: 'sandbox', listen: { port: 0 }, withdrawals: { addressHoldSeconds: 0 }, ...settings },
      { directory: directory.path },
    );
    await host.start();
    // From sources it is bundled now, which no test has to wait for.
    await host.loadDashboard();
    return new DashboardFixture(host, browser, async () => {
      await host.stop();
      directory.remove();
    });
  }

  /** Has blocks of the simulated Ethereum made until an account can spend so much of a coin, in its smallest unit. */
  async untilSpendable(account: AccountId, coin: string, least: bigint): Promise<void> {
    const { chains, storage } = this.host.till;
    const simulator = present(chains.get('ETH')?.simulator, 'the simulator');
    await waitFor(
      async () => {
        await simulator.mine(20);
        const balances = await storage.ledger.balances(`merchant:${account}:available`);
        return balances.some(({ currency, units }) => currency === coin && units >= least);
      },
      { intervalMs: 200, timeoutMs: 90_000, describe: 'the payment to become spendable' },
    );
  }

  close(): Promise<void> {
    return this.#cleanUp();
  }

  /** A browser window of its own. */
  window(options: WindowOptions = {}): Promise<Window> {
    return openWindow(this.#browser, this.url, options);
  }

  /** A window in which somebody is logged in. */
  async loggedIn(options: WindowOptions = {}, person: Person = this.demo): Promise<Window> {
    const window = await this.window(options);
    await window.page.goto(`${this.url}/dashboard`);
    await logIn(window.page, person);
    await window.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return window;
  }
}

/** A browser window of its own. @param url - of the till, the only one that its pages may ask */
export async function openWindow(
  browser: Browser,
  url: string,
  { width = 1280, theme = 'light', locale = 'en', elsewhere = [] }: WindowOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ locale, colorScheme: theme, viewport: { width, height: HEIGHT } });
  context.setDefaultTimeout(60_000);
  const complaints = new Complaints(context, url, elsewhere, REFUSALS);
  return {
    page: await context.newPage(),
    context,
    leave: async () => {
      await context.close();
      complaints.none();
    },
  };
}

export async function logIn(page: Page, { email, password }: Person): Promise<void> {
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Answers the dialog that asks for a fresh proof of who somebody is; the password unless it asks for something else. */
export async function stepUp(
  page: Page,
  value: string,
  label: 'Password' | 'Authentication code' = 'Password',
): Promise<void> {
  const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
  await asked.getByLabel(label).fill(value);
  await asked.getByRole('button', { name: 'Continue', exact: true }).click();
  await asked.waitFor({ state: 'detached' });
}

/** Submits the form of the open dialog, or else of the page. */
export const submit = (page: Page): Promise<void> => page.locator('button[type="submit"]').last().click();

/** Presses a button, again where the dashboard said instead that it could not be done, until what it does is seen. */
export async function pressUntil(button: Locator, seen: Locator): Promise<void> {
  for (let tries = 1; ; tries++) {
    await button.click();
    try {
      await seen.waitFor({ timeout: 20_000 });
      return;
    } catch (error) {
      const shown = await button.page().locator('body').innerText();
      if (tries === 3)
        throw new Error(`a button without the effect that it has; the page:\n${shown}`, { cause: error });
    }
  }
}

/** Goes to a page of the dashboard without loading it anew. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, path);
}

/** Downloads a file by a link, and reads it. */
export async function download(page: Page, link: string, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: link }).click()]);
  assert.equal(file.suggestedFilename(), name);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Whether nothing sticks out sideways. */
export const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
