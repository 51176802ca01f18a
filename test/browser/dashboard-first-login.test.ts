import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR } from '../../core/index.ts';
import type { AccountId } from '../../core/index.ts';
import { freshDirectory, killAll, run, serve } from '../host/till-process.ts';
import { freePort } from '../support/free-port.ts';
import { codeAt } from '../support/totp.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, fits, goTo, logIn, openWindow, stepUp, submit } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

const CODE = 'Authentication code';
const STEP_MS = 30_000;
/** Each code is used once: that of now, then the next one, which is taken already. */
const codeOf = (secret: string, steps = 0): string => codeAt(secret, Date.now() + steps * STEP_MS);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByLabel(CODE).fill(code);
  await button(page, 'Log in').click();
}

/** The dialog that changes the password, and the step-up that it costs. */
async function changePassword(
  page: Page,
  { password }: Person,
  next: string,
  raise: () => Promise<void>,
): Promise<void> {
  await button(page, 'Change password').click();
  await page.locator('input[name="current"]').fill(password);
  await page.locator('input[name="new"]').fill(next);
  await page.locator('input[name="again"]').fill(next);
  await submit(page);
  await raise();
  await shows(page, 'Password changed');
}

/** An empty list says what its records are for, and its page has the button of a new record once. */
async function showsEmptyOrders(page: Page): Promise<void> {
  await goTo(page, '/orders');
  await page.getByText(/^No orders yet\. An order asks/).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Create order' }).count(), 1);
}

describe('the first login with the dashboard', { concurrency: 2 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser, { auth: { secondFactor: 'admins' } });
  });
  after(async () => {
    await fixture.close();
    await browser.close();
    await killAll();
  });

  /** Somebody whose password the operator set for a while. */
  async function newcomer(name: string): Promise<Person & { readonly id: AccountId }> {
    // Every character of a password counts.
    const person = { email: `${name}@example.com`, password: ` a temporary password of ${name} ` };
    const { account } = await fixture.host.till.manage.accounts.create(OPERATOR, {
      ...person,
      temporaryPassword: true,
    });
    return { ...person, id: account.id };
  }
  const enrol = async (id: AccountId): Promise<string> =>
    (await fixture.host.till.manage.security.enrol(OPERATOR, id, true)).secret;

  test('fault 369: with the second factor that init made: its first code logs in, and the next one raises the session', async () => {
    const directory = freshDirectory();
    const person = { email: 'boss@example.com', password: 'a good long password' };
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const flags = ['init', '--json', '--mode', 'sandbox', '--email', person.email, '--password-stdin'];
    const { code, out, err } = await run(
      directory.path,
      [...flags, '--base-url', url, '--port', port],
      {},
      undefined,
      `${person.password}\n`,
    );
    assert.equal(code, 0, err);
    const secret = /"secret":"([A-Z2-7]+)"/.exec(out)?.[1] ?? assert.fail(out);
    // The program that a test run builds has no dashboard.
    const till = serve(directory.path, { TILLGATE_PORT: port }, 'compiled');
    await till.url();
    const { page, leave } = await openWindow(browser, url);
    await page.goto(`${url}/dashboard`);
    await logIn(page, person);
    await shows(page, 'Enter the code from your authenticator app.');
    await look(page, 'login-code');
    assert.equal(await button(page, 'Use a passkey').count(), 0, 'the account has none');
    await giveCode(page, '000000');
    await page
      .getByText('Incorrect or already used code. Wait for the next code in your authenticator app, then try again.')
      .waitFor();
    await giveCode(page, codeOf(secret));
    await heading(page, 'Overview');
    await goTo(page, '/credentials');
    await button(page, 'Create API key').click();
    await page.locator('input[name="name"]').fill('shop');
    await submit(page);
    await page.getByRole('dialog', { name: 'Confirm your identity' }).getByLabel(CODE).waitFor();
    await look(page, 'step-up-code');
    await stepUp(page, codeOf(secret, 1), CODE);
    await page
      .getByRole('dialog', { name: 'Store these safely' })
      .getByText(/^whsec_/)
      .waitFor();
    await leave();
    await till.signal('SIGTERM');
    directory.remove();
  });

  test('with a password that somebody else set: it is changed first, and all is open afterwards', async () => {
    const person = await newcomer('newcomer');
    const { page, leave } = await fixture.window();
    await page.goto(`${fixture.url}/dashboard`);
    await logIn(page, person);
    await shows(page, 'Your password was set by someone else. Choose your own password to continue.');
    await look(page, 'first-password');
    const next = 'a password of my own';
    await changePassword(page, person, next, () => stepUp(page, person.password));
    await heading(page, 'Overview');
    await showsEmptyOrders(page);
    await leave();
  });

  test('with a password and a second factor that the operator set: both are asked for, and the password is changed with a code', async () => {
    const person = await newcomer('equipped');
    const secret = await enrol(person.id);
    const { page, leave } = await fixture.window({ width: 360 });
    await page.goto(`${fixture.url}/dashboard`);
    await logIn(page, person);
    await giveCode(page, codeOf(secret));
    await changePassword(page, person, 'a password of my own', () => stepUp(page, codeOf(secret, 1), CODE));
    await showsEmptyOrders(page);
    await leave();
  });

  test('of an admin without the second factor that is demanded: it is set up, and the next login asks for a code', async () => {
    const person = { email: 'bare@example.com', password: 'a long enough password of bare' };
    await fixture.host.till.createAccount.run({ ...person, role: 'admin' });
    const { page, leave } = await fixture.window();
    await page.goto(`${fixture.url}/dashboard`);
    await logIn(page, person);
    await page.getByText(/^Your account requires two-factor authentication/).waitFor();
    await button(page, 'Set up authenticator app').click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await look(page, 'first-factor');
    const secret = (await page.locator('code').first().textContent()) ?? '';
    await button(page, 'Confirm code').click();
    await page.getByRole('dialog').getByLabel(CODE).fill(codeOf(secret));
    await submit(page);
    await button(page, 'Log in').waitFor();
    await logIn(page, person);
    await giveCode(page, codeOf(secret, 1));
    // Back to where the session ended, which says no longer why.
    await heading(page, 'Security');
    await shows(page, 'Enabled');
    assert.equal(await page.getByText(/^Your account requires two-factor authentication/).count(), 0);
    await goTo(page, '/accounts');
    await page.getByRole('link', { name: 'Create account' }).waitFor();
    await leave();
  });

  test('fault 369: a session from before the operator set up a second factor is raised by its first code', async () => {
    const person = { email: 'earlier@example.com', password: 'a long enough password of earlier' };
    const { id } = await fixture.host.till.createAccount.run(person);
    const { page, leave } = await fixture.loggedIn({}, person);
    const secret = await enrol(id);
    await goTo(page, '/credentials');
    await button(page, 'Create API key').click();
    await page.locator('input[name="name"]').fill('shop');
    await submit(page);
    await stepUp(page, codeOf(secret), CODE);
    await page
      .getByRole('dialog', { name: 'Store these safely' })
      .getByText(/^whsec_/)
      .waitFor();
    await leave();
  });
});
