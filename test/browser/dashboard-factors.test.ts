import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo, logIn, pressUntil, submit } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

const PATIENT = { timeout: 60_000 };
/** More presses than any way in these tests has. */
const MOST_PRESSES = 80;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor(PATIENT);

async function look(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

/** A device with passkeys whose owner always agrees. */
async function withAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const isFocused = (target: Locator): Promise<boolean> =>
  target
    .first()
    .evaluate((element) => element === document.activeElement)
    .catch(() => false);

/** Goes on by the Tab key until it is there, and sees where it is. */
async function tabTo(page: Page, target: Locator, what: string): Promise<void> {
  await target.first().waitFor(PATIENT);
  for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
    if (await isFocused(target)) {
      const shown = await target.first().evaluate((element) => {
        const focused = element.matches(':focus-visible');
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        // A field of text is marked by its line and its label.
        return focused && (element.tagName === 'INPUT' || (outlineStyle !== 'none' && outlineWidth !== '0px'));
      });
      assert.ok(shown, `the focus on ${what} is not seen`);
      return;
    }
    await page.keyboard.press('Tab');
  }
  assert.fail(`${what} is not reached by keyboard`);
}

describe('who holds the account, with the dashboard', { concurrency: 2 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser, { withdrawals: { addressHoldSeconds: 86_400 } });
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  async function newPerson(name: string): Promise<Person> {
    const person = { email: `${name}@example.com`, password: `a long enough password of ${name}` };
    await fixture.host.till.createAccount.run({ ...person, name, verifiedCurrencies: ['*'] });
    return person;
  }

  test('adds a passkey, logs in with it, and switches a protection off with it, which waits and is taken back', async () => {
    const person = await newPerson('holder');
    const { page, context, leave } = await fixture.loggedIn({}, person);
    await withAuthenticator(context, page);
    await goTo(page, '/security');
    await button(page, 'Add passkey').click();
    await page.locator('input[name="name"]').fill('The laptop');
    await submit(page);
    const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
    await asked.getByLabel('Password').fill(person.password);
    await button(page, 'Continue').click();
    await shows(page, 'The laptop');
    await look(page, 'passkeys');

    await button(page, 'Account').click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn(page, person);
    await shows(page, 'Use your passkey to log in.');
    await assertAccessible(page, 'a login with a passkey');
    await button(page, 'Use a passkey').click();
    await page.getByRole('menuitem', { name: 'Security' }).click(PATIENT);

    const part = (title: string) => page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });
    const demands = part('Security requirements');
    const signed = demands.getByRole('group', { name: 'Signature on every payment API request' });
    const switchOff = signed.getByRole('button', { name: 'Disable' });
    await signed.getByText(/^The payment API refuses requests without a signature/).waitFor();
    await signed.getByText('Disabled', { exact: true }).waitFor();
    await pressUntil(signed.getByRole('button', { name: 'Enable' }), switchOff);
    await switchOff.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    const waits = signed.getByText(/^Stays enabled until \w+/);
    await asked.or(waits).first().waitFor(PATIENT);
    if (await asked.isVisible()) await button(page, 'Use a passkey').click();
    await waits.waitFor(PATIENT);
    await look(page, 'protection-pending');
    await button(page, 'Keep enabled').click();
    await waits.waitFor({ state: 'detached', ...PATIENT });
    await signed.getByText('Enabled', { exact: true }).waitFor(PATIENT);

    const summary = part('Email notifications').getByRole('group', { name: 'Daily summary' });
    await summary.getByRole('button', { name: 'Enable' }).click();
    await summary.getByText('Enabled', { exact: true }).waitFor(PATIENT);
    const rows = page.getByRole('main').getByRole('group');
    assert.equal(await rows.count(), 5, 'every switch is such a row');
    assert.equal(await rows.getByRole('button').count(), 5, 'with one button');
    await leave();
  });

  test('logs in, makes an order, finds it in the list and cancels it by keyboard alone, and always sees where it is', async () => {
    const person = await newPerson('typist');
    const { page, leave } = await fixture.window();
    await page.goto(`${fixture.url}/dashboard`);
    await tabTo(page, page.locator('input[name="email"]'), 'the e-mail');
    await page.keyboard.type(person.email);
    await tabTo(page, page.locator('input[name="password"]'), 'the password');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor(PATIENT);
    await tabTo(page, page.getByRole('menuitem', { name: 'Orders' }), 'the menu');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'Create order' }), 'the new order');
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('input[name="price"]'), 'the price');
    await page.keyboard.type('12.50');
    await tabTo(page, page.locator('input[name="merchant_reference"]'), 'the reference');
    await page.keyboard.type('typed');
    await page.keyboard.press('Enter');
    const asked = page.getByRole('dialog', { name: 'Confirm your identity' });
    await tabTo(page, asked.getByLabel('Password'), 'the password of the step-up');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await asked.waitFor({ state: 'detached', ...PATIENT });
    await page.waitForURL(/orders\/\d+\/show/, PATIENT);
    await tabTo(page, page.getByRole('menuitem', { name: 'Orders' }), 'the menu');
    await page.keyboard.press('Enter');
    await tabTo(page, page.locator('tbody tr a'), 'the row');
    await picture(page, 'dashboard-focus');
    await page.keyboard.press('Enter');
    await tabTo(page, button(page, 'Cancel order'), 'the action');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Keep order' }).waitFor();
    await tabTo(page, dialog.getByRole('button', { name: 'Cancel order' }), 'the answer');
    await page.keyboard.press('Enter');
    await shows(page, 'Cancelled');
    await leave();
  });
});
