import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { OPERATOR, present } from '../../core/index.ts';
import type { AccountId, AccountRole, ChainSimulator, TransferId } from '../../core/index.ts';
import { establishAdmin } from '../support/established-admin.ts';
import { codeAt } from '../support/totp.ts';
import { waitFor } from '../support/wait.ts';
import { raisedSession } from './api-session.ts';
import type { Ask, Fields } from './api-session.ts';
import { assertAccessible, launch, picture, THEMES } from './chromium.ts';
import { DashboardFixture, fits, goTo, logIn, stepUp, submit } from './dashboard-fixture.ts';
import type { Person } from './dashboard-fixture.ts';

const SETTINGS = {
  // 25 USD in ETH are beyond it; each account that is asked for one has it held.
  withdrawals: { approveAbove: { ETH: '0.0001' } },
  orders: { minTimeoutSeconds: 1, watchSeconds: 0 },
  limits: { loginsPerMinute: 1000 },
};
const PAYER = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const RECEIVER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const STEP_MS = 30_000;
const PAGES = ['/alerts', '/transfers', '/deposits', '/chains', '/gateways', '/accounts', '/audit'] as const;

/** An account of this file. */
interface Member extends Person {
  readonly id: AccountId;
  /** A request of the management API in a raised session; its data. */
  readonly ask: Ask;
}

/** Waits for words in sight. */
const shows = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** The button of an open dialog. */
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').last().getByRole('button', { name, exact: true }).click();

/** While a dialog is open or closing, screen readers and axe see it alone. */
const dialogsClosed = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor();

describe('an operator with the dashboard', { concurrency: 3 }, () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  let made = 0;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser, SETTINGS);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  async function newMember(role: AccountRole): Promise<Member> {
    made += 1;
    const person = { email: `${role}-${made}@example.com`, password: `correct horse battery ${made}` };
    const { id } = await fixture.host.till.createAccount.run({ ...person, role, verifiedCurrencies: ['*'] });
    return { ...person, id, ask: await raisedSession(fixture.url, person) };
  }

  /** An order over 25 USD in ETH. */
  const newOrder = ({ ask }: Member, more: object = {}): Promise<Fields> =>
    ask('POST', 'orders', { chain: 'ETH', coin: 'ETH', price: '25', currency: 'USD', ...more });

  const simulator = (): ChainSimulator => present(fixture.host.till.chains.get('ETH')?.simulator, 'the simulator');

  async function pay({ payment }: Fields, blocks = 2): Promise<void> {
    await simulator().pay(String((payment as Fields)['address']), 'ETH', 10n ** 16n);
    await simulator().mine(blocks);
  }

  /** A withdrawal that waits for an approval. */
  async function heldWithdrawal(member: Member): Promise<TransferId> {
    const { manage, storage } = fixture.host.till;
    await pay(await newOrder(member));
    await manage.addresses.register(OPERATOR, { accountId: member.id, chain: 'ETH', address: RECEIVER }, true);
    const wallet = async (): Promise<unknown> =>
      ((await member.ask('GET', 'wallets'))['items'] as readonly Fields[]).find(({ coin }) => coin === 'ETH')?.[
        'available'
      ];
    await waitFor(async () => Number(await wallet()) > 0.005, { describe: 'money to withdraw' });
    const actor = { accountId: member.id, role: 'user' as const, ip: null, traceId: null };
    const { id } = await manage.wallets.withdraw(actor, {
      chain: 'ETH',
      currency: 'ETH',
      amount: { digits: 5n, scale: 3 },
    });
    assert.equal((await storage.transfers.find(id))?.status, 'HELD');
    return id;
  }

  test('approves another account’s withdrawal with the second factor, and not its own', async () => {
    const admin = await newMember('admin');
    await establishAdmin(fixture.host.till.storage, admin.id);
    const merchant = await newMember('user');
    const [own, other] = [await heldWithdrawal(admin), await heldWithdrawal(merchant)];
    const { secret } = await admin.ask('POST', 'security/totp');
    // Each code is used once: the one before, that of now and the next one are taken.
    const code = (steps: number): string => codeAt(String(secret), Date.now() + steps * STEP_MS);
    await admin.ask('POST', 'security/totp/confirm', { verify_code: code(-1) });
    const { page, leave } = await fixture.window();
    await page.goto(`${fixture.url}/dashboard`);
    await logIn(page, admin);
    await page.getByLabel('Code').fill(code(0));
    await press(page, 'Log in');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('menuitem', { name: 'Payouts' }).click();
    await shows(page, merchant.email);
    await assertAccessible(page, 'the approvals');
    await picture(page, 'dashboard-approvals');
    await page.getByRole('cell', { name: admin.email }).click();
    await shows(page, 'This payout belongs to your own account. Another administrator has to approve it.');
    assert.equal(await page.getByRole('button', { name: 'Approve payout' }).count(), 0);
    await goTo(page, `/transfers/${other}/show`);
    await shows(page, 'Waits for an operator to approve it.');
    await shows(page, '0 of 1 approvals given.');
    await assertAccessible(page, 'a held withdrawal');
    await picture(page, 'dashboard-approval');
    await press(page, 'Approve payout');
    await confirm(page, 'Approve payout');
    await stepUp(page, code(1), 'Authentication code');
    await shows(page, 'Transaction');
    await simulator().mine(12);
    await shows(page, 'Paid');
    await dialogsClosed(page);
    await assertAccessible(page, 'an approved withdrawal');
    await picture(page, 'dashboard-approved');
    assert.equal((await fixture.host.till.storage.transfers.find(own))?.status, 'HELD');
    await leave();
  });

  test('rejects a withdrawal with a reason, and freezes its account', async () => {
    const admin = await newMember('admin');
    const merchant = await newMember('user');
    const id = await heldWithdrawal(merchant);
    const { page, leave } = await fixture.loggedIn({}, admin);
    await goTo(page, `/transfers/${id}/show`);
    await press(page, 'Reject payout');
    await submit(page);
    await page.getByText('must not be empty').waitFor();
    await assertAccessible(page, 'a rejection without a reason');
    await page.getByLabel('Reason').fill('The receiver is not known.');
    await submit(page);
    await shows(page, 'The receiver is not known.');
    await page.getByRole('link', { name: merchant.email }).first().click();
    await press(page, 'Freeze withdrawals');
    await page.getByLabel('Reason').fill('A session was stolen.');
    await submit(page);
    await stepUp(page, admin.password);
    await page.getByText('Withdrawals are frozen: A session was stolen.').waitFor();
    await dialogsClosed(page);
    await assertAccessible(page, 'a frozen account');
    await picture(page, 'dashboard-account-frozen');
    await press(page, 'Unfreeze withdrawals');
    await confirm(page, 'Unfreeze withdrawals');
    await page.getByRole('button', { name: 'Freeze withdrawals' }).waitFor();
    await leave();
  });

  test('makes an account, changes it, switches it off and archives it', async () => {
    const admin = await newMember('admin');
    const { page, leave } = await fixture.loggedIn({}, admin);
    await page.getByRole('menuitem', { name: 'Accounts' }).click();
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.locator('input[name="email"]').fill('shop@example.com');
    await page.locator('input[name="password"]').fill('short');
    await submit(page);
    await stepUp(page, admin.password);
    await page.getByText(/^must have 12 to/).waitFor();
    await assertAccessible(page, 'a refused account');
    await picture(page, 'dashboard-account-refused');
    await page.locator('input[name="password"]').fill('a temporary password 7');
    await page.getByLabel('Verified currencies').click();
    await page.getByRole('option', { name: 'USDT-ERC20' }).click();
    await page.keyboard.press('Escape');
    await submit(page);
    await shows(page, 'shop@example.com');
    await shows(page, 'USDT-ERC20');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.locator('input[name="name"]').fill('The shop');
    await page.getByLabel('Role').click();
    await page.getByRole('option', { name: 'Administrator' }).click();
    await assertAccessible(page, 'the form of an account');
    await picture(page, 'dashboard-account-edit');
    await submit(page);
    await shows(page, 'Administrator');
    await press(page, 'Disable');
    await confirm(page, 'Disable');
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await press(page, 'Archive');
    await picture(page, 'dashboard-account-archive');
    await confirm(page, 'Archive');
    await shows(page, 'Archived');
    assert.equal(await page.getByRole('button', { name: 'Archive' }).count(), 0);
    await goTo(page, `/accounts/${admin.id}/show`);
    await shows(page, admin.email);
    await page.getByRole('button', { name: 'Freeze withdrawals' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Archive' }).count(), 0, 'nobody archives itself');
    await leave();
  });

  test('stops the payouts of a chain, resumes them, and finds both in the audit trail, which is verified', async () => {
    const admin = await newMember('admin');
    const { page, leave } = await fixture.loggedIn({}, admin);
    await page.getByRole('menuitem', { name: 'Chains' }).click();
    const ethereum = page.locator('section').filter({ hasText: 'Ethereum (ETH)' });
    await page.getByRole('button', { name: 'Show: Ethereum' }).click();
    await ethereum.getByRole('button', { name: 'Reconcile wallet' }).click();
    await ethereum.getByText('Hot wallet', { exact: true }).waitFor();
    const litecoin = page.locator('section').filter({ hasText: 'Litecoin (LTC)' });
    await page.getByRole('button', { name: 'Show: Litecoin' }).click();
    await litecoin.getByRole('button', { name: 'Stop payouts' }).click();
    await page.getByLabel('Reason').fill('A key may be stolen.');
    await submit(page);
    await stepUp(page, admin.password);
    await litecoin.getByText('Stopped by an operator: A key may be stolen.').waitFor();
    await dialogsClosed(page);
    await assertAccessible(page, 'chains, one of them stopped');
    await picture(page, 'dashboard-chains');
    await litecoin.getByRole('button', { name: 'Resume payouts' }).click();
    await confirm(page, 'Resume payouts');
    await litecoin.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('menuitem', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'Payouts on the chain stopped' }).first().waitFor();
    await page.getByRole('cell', { name: 'Payouts on the chain resumed' }).first().waitFor();
    await press(page, 'Verify audit log');
    await page.getByLabel('Previously saved hash (optional)').fill('not a head');
    await submit(page);
    await page.getByText('Enter a number, a colon and 64 hexadecimal digits.').waitFor();
    await page.getByLabel('Previously saved hash (optional)').fill('');
    await submit(page);
    await page.getByText(/^Verified: \d+ entries, none changed/).waitFor();
    await dialogsClosed(page);
    await assertAccessible(page, 'the audit trail');
    await picture(page, 'dashboard-audit');
    await leave();
  });

  test('closes an alert', async () => {
    const [admin, merchant] = [await newMember('admin'), await newMember('user')];
    const id = await heldWithdrawal(merchant);
    const { page, leave } = await fixture.loggedIn({}, admin);
    await page.getByRole('menuitem', { name: 'Alerts' }).click();
    const row = page.locator('tbody tr').filter({ hasText: `withdrawal ${id}` });
    await row.waitFor();
    await assertAccessible(page, 'the alerts');
    await picture(page, 'dashboard-alerts');
    await row.getByRole('button', { name: 'Close alert' }).click();
    await waitFor(async () => (await row.count()) === 0, { describe: 'the alert closed' });
    await page.getByLabel('Status').click();
    await page.getByRole('option', { name: 'Closed' }).click();
    await row.getByRole('link', { name: admin.email }).waitFor();
    await leave();
  });

  test('sees that a row of the audit trail was changed', async () => {
    const admin = await newMember('admin');
    const { page, leave } = await fixture.loggedIn({}, admin);
    await page.route(/audit\/chain\?from=1&limit=1000/, async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, body: (await reply.text()).replace('session.', 'account.') });
    });
    await goTo(page, '/audit');
    await press(page, 'Verify audit log');
    await submit(page);
    await page.getByText(/^Verification failed: row \d+ \(\d+\) was altered, inserted or moved/).waitFor();
    await picture(page, 'dashboard-audit-broken');
    await leave();
  });

  test('makes a gateway, changes what leads where, and switches it off', async () => {
    const admin = await newMember('admin');
    // Other tests make gateways at the same time.
    const gateway = async (): Promise<Fields | undefined> =>
      ((await admin.ask('GET', 'gateways'))['items'] as readonly Fields[]).find(
        ({ host }) => host === 'eth.gateway.example',
      );
    const { page, leave } = await fixture.loggedIn({}, admin);
    await page.getByRole('menuitem', { name: 'Gateways' }).click();
    await page.getByRole('link', { name: 'Create gateway' }).click();
    await page.locator('input[name="host"]').fill('eth.gateway.example');
    await page.locator('input[name="chain"]').fill('ETH');
    await page.locator('input[name="upstreams.0.url"]').fill('ftp://node.example');
    await page.locator('textarea[name="upstreams.0.headers"]').fill('X-Key: a secret of the provider');
    await submit(page);
    await stepUp(page, admin.password);
    await page
      .getByText(/must be an (absolute )?(http|URL)|must begin with|http/)
      .first()
      .waitFor();
    await assertAccessible(page, 'a refused gateway');
    await picture(page, 'dashboard-gateway-refused');
    await page.locator('input[name="upstreams.0.url"]').fill('https://node.example/rpc');
    await submit(page);
    await shows(page, 'https://node.example/…');
    await shows(page, 'Headers: X-Key');
    assert.equal(await page.getByText('a secret of the provider').count(), 0);
    // There is no such node.
    await page.getByText(/^(Down|Retrying)$/).waitFor({ timeout: 60_000 });
    const [health] = (await gateway())?.['upstream_health'] as readonly Fields[];
    assert.deepEqual([health?.['head'], health?.['lag_blocks'], health?.['latency_ms']], [null, null, null]);
    assert.match(String(health?.['state']), /^(down|trial)$/);
    await assertAccessible(page, 'a gateway');
    await picture(page, 'dashboard-gateway');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Requests per second').fill('20');
    await page.getByLabel('Burst size').fill('40');
    await page.getByLabel('Units per call').fill('eth_getLogs: 20\n*: 2');
    await page.getByLabel('Rates by method').fill('eth_getLogs: 5 20\ndebug_*: 0.5');
    await assertAccessible(page, 'the form of a gateway');
    await picture(page, 'dashboard-gateway-edit');
    await submit(page);
    await shows(page, 'eth_getLogs: 20, *: 2');
    await shows(page, 'eth_getLogs: 5 20, debug_*: 0.5');
    await press(page, 'Take out of use');
    await confirm(page, 'Take out of use');
    await page.getByText('Out of use', { exact: true }).waitFor();
    await assertAccessible(page, 'a gateway with a cordoned upstream');
    const [out] = (await gateway())?.['upstreams'] as readonly Fields[];
    assert.equal(out?.['cordoned'], true);
    await press(page, 'Put back in use');
    await page.getByText('Out of use', { exact: true }).waitFor({ state: 'detached' });
    await press(page, 'Disable');
    await confirm(page, 'Disable');
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    const { enabled, upstreams } = present(await gateway(), 'the gateway');
    assert.deepEqual([enabled, upstreams], [false, [{ ...out, cordoned: false }]]);
    await page.getByRole('menuitem', { name: 'Audit log' }).click();
    await page.getByRole('listitem').filter({ hasText: 'enabled: true → false' }).waitFor();
    await leave();
  });

  test('pays a late deposit back, gives one to its order, and has blocks read again', async () => {
    const [admin, merchant] = [await newMember('admin'), await newMember('user')];
    const late = await Promise.all([1, 2].map(() => newOrder(merchant, { expires_in: 1 })));
    await waitFor(
      async () =>
        (await Promise.all(late.map(({ id }) => merchant.ask('GET', `orders/${String(id)}`)))).every(
          ({ status }) => status !== 'PENDING',
        ),
      { describe: 'the deadline' },
    );
    for (const order of late) await pay(order, 12);
    const { page, leave } = await fixture.loggedIn({}, admin);
    await page.getByRole('menuitem', { name: 'Deposits' }).click();
    const rows = page.locator('main li').filter({ hasText: 'Received after the order’s watch period' });
    await waitFor(async () => (await rows.count()) === 2, { describe: 'both deposits' });
    await rows.last().getByRole('button', { name: 'Return deposit' }).waitFor();
    await assertAccessible(page, 'unassigned deposits');
    await picture(page, 'dashboard-deposits');
    await rows.last().getByRole('button', { name: 'Match to order' }).click();
    await submit(page);
    await stepUp(page, admin.password);
    await waitFor(async () => (await rows.count()) === 1, { describe: 'the other deposit' });
    await rows.getByRole('button', { name: 'Return deposit' }).click();
    assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), '', 'the sender is not proposed');
    await page.getByLabel('Address', { exact: true }).fill(PAYER);
    await submit(page);
    await shows(page, 'No unassigned deposits.');
    await press(page, 'Rescan blocks');
    await page.getByRole('dialog').getByLabel('Chain').click();
    await page.getByRole('option', { name: /\(ETH\)/ }).click();
    await page.getByLabel('First block').fill('1');
    await page.getByLabel('Last block').fill('2');
    await picture(page, 'dashboard-rescan');
    await submit(page);
    await page.getByText('Blocks 1 to 2 scanned: 0 new deposits.').waitFor();
    await leave();
  });

  test('finds a merchant by a part of the email address, and sees its orders alone', async () => {
    const admin = await newMember('admin');
    const [one, other] = [await newMember('user'), await newMember('user')];
    const [wanted, unwanted] = ['of the one', 'of the other'];
    await newOrder(one, { merchant_reference: wanted });
    await newOrder(other, { merchant_reference: unwanted });
    const { page, leave } = await fixture.loggedIn({}, admin);
    await goTo(page, '/orders');
    await shows(page, wanted);
    await shows(page, unwanted);
    await press(page, 'Add filter');
    await page.getByRole('menuitemcheckbox', { name: 'Merchant' }).click();
    const field = page.getByRole('combobox', { name: 'Merchant' });
    await field.fill(one.email.slice(2).toUpperCase());
    await page.getByRole('option', { name: one.email }).click();
    await page.getByText(unwanted, { exact: true }).waitFor({ state: 'detached' });
    await shows(page, wanted);
    await assertAccessible(page, 'orders of a merchant');
    await picture(page, 'dashboard-orders-of-merchant');
    await goTo(page, '/audit');
    await page.getByRole('combobox', { name: 'Account' }).fill(other.email.slice(2));
    await page.getByRole('option', { name: other.email }).click();
    await page.getByRole('cell', { name: other.email }).first().waitFor();
    await page.getByRole('cell', { name: one.email }).first().waitFor({ state: 'detached' });
    await goTo(page, '/accounts');
    await page.getByLabel('Email or name').fill(other.email.slice(2));
    await page.getByRole('cell', { name: one.email }).first().waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: other.email }).waitFor();
    await leave();
  });

  test('an account that a filter offered is shown once it was read as a whole', async () => {
    const [admin, merchant] = [await newMember('admin'), await newMember('user')];
    const { page, leave } = await fixture.loggedIn({}, admin);
    await goTo(page, '/audit');
    await page.getByRole('combobox', { name: 'Account' }).fill(merchant.email);
    // It offers records of a list, which have fewer fields than the page shows.
    await page.getByRole('option', { name: merchant.email }).waitFor();
    const whole = `**/manage/v1/accounts/${merchant.id}`;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = async (route: Route): Promise<void> => {
      await released;
      await route.continue();
    };
    await page.route(whole, hold, { times: 1 });
    // A page that fails asks for nothing.
    const asked = page.waitForRequest(whole);
    await goTo(page, `/accounts/${merchant.id}/show`);
    await asked;
    assert.equal(await page.getByText('This page has failed').count(), 0);
    release();
    await page.getByRole('main').getByText(merchant.email).first().waitFor();
    await leave();
  });

  test('a user sees none of these pages, and gets no data by their addresses', async () => {
    const [admin, user] = [await newMember('admin'), await newMember('user')];
    const held = await heldWithdrawal(user);
    const { page, leave } = await fixture.loggedIn({}, user);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    for (const name of ['Alerts', 'Payouts', 'Deposits', 'Chains', 'Gateways', 'Accounts', 'Audit log'])
      assert.equal(await page.getByRole('menuitem', { name }).count(), 0, name);
    for (const path of [...PAGES, `/transfers/${held}/show`, `/accounts/${admin.id}/show`, '/gateways/create']) {
      await goTo(page, path);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      assert.equal(await page.getByText(admin.email).count(), 0);
      await goTo(page, '/');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    }
    assert.deepEqual(
      asked.filter((path) => /alerts|chains|gateways|deposits|accounts|audit/.test(path)),
      [],
    );
    for (const path of [
      'alerts',
      'chains',
      'chains/ETH/wallet',
      'gateways',
      'deposits?status=unassigned',
      `payouts?account=${admin.id}`,
      'audit/chain',
      `accounts/${admin.id}`,
    ]) {
      const status = await page.evaluate(async (url) => (await fetch(url)).status, `manage/v1/${path}`);
      assert.ok(status === 403 || status === 404, `${path}: ${status}`);
    }
    await leave();
  });

  test('fits a telephone, in dark too', async () => {
    const [admin, user] = [await newMember('admin'), await newMember('user')];
    const held = await heldWithdrawal(user);
    const { id: gateway } = await admin.ask('POST', 'gateways', {
      host: 'a-rather-long-name-of-a-host.gateway.example',
      chain: 'ETH',
      network: 'mainnet',
      protocol: 'jsonrpc',
      upstreams: ['https://a-rather-long-name-of-a-node.example/with/a/path/that/is/long'],
    });
    const records = [
      `/transfers/${held}/show`,
      `/gateways/${String(gateway)}/show`,
      `/gateways/${String(gateway)}`,
      `/accounts/${user.id}/show`,
      '/accounts/create',
    ];
    for (const theme of THEMES) {
      const { page, leave } = await fixture.loggedIn({ width: 360, theme }, admin);
      for (const path of [...PAGES, ...records]) {
        await goTo(page, path);
        await page.waitForLoadState('networkidle');
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.ok(await fits(page), `${path} scrolls sideways`);
        await assertAccessible(page, `${path} in ${theme}`);
        await picture(page, `dashboard-360-${theme}${path.replaceAll('/', '-').replaceAll(/\d+/g, 'id')}`);
      }
      await leave();
    }
  });
});
