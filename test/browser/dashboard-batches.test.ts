import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR, present } from '../../core/index.ts';
import { parseCsv } from '../support/csv.ts';
import { waitFor } from '../support/wait.ts';
import { assertAccessible, launch, picture } from './chromium.ts';
import { DashboardFixture, download, fits, goTo, stepUp } from './dashboard-fixture.ts';

const [ONE, TWO] = ['0x90F79bf6EB2c4f870365E785982E1f101E93b906', '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'];
const HEADER = 'reference,address,coin,amount,fiat_amount,fiat_currency';

/** Looks at a page: its picture, axe, and whether it fits. */
async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  await picture(page, `dashboard-${name}`);
  assert.ok(await fits(page), `${name} scrolls sideways`);
}

async function choose(page: Page, name: string, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from([HEADER, ...lines].join('\r\n'));
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
}

describe('payout batches in the dashboard', () => {
  let browser: Browser;
  let fixture: DashboardFixture;
  before(async () => {
    browser = await launch();
    fixture = await DashboardFixture.open(browser);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  test('a file with bad rows is refused with their lines; a good one is previewed, approved and paid', async () => {
    const { manage, chains, createAccount } = fixture.host.till;
    const person = { email: 'payer@example.com', password: 'a long enough password of the payer' };
    const { id } = await createAccount.run({ ...person, name: 'Payer', verifiedCurrencies: ['*'] });
    const { page, leave } = await fixture.loggedIn({}, person);
    await page.getByRole('button', { name: 'Create and pay test order' }).click();
    const simulator = present(chains.get('ETH')?.simulator, 'the simulator');
    const actor = { accountId: id, role: 'user' as const, ip: null, traceId: null };
    const available = async (): Promise<bigint> =>
      (await manage.wallets.list(actor, id)).find(({ asset }) => asset.currency === 'ETH')?.available ?? 0n;
    await waitFor(
      async () => {
        await simulator.mine(20);
        return (await available()) > 2n * 10n ** 15n;
      },
      { describe: 'money to pay out', intervalMs: 200 },
    );

    await page.getByRole('menuitem', { name: 'Payout batches' }).click();
    await page.getByRole('button', { name: 'Upload CSV file' }).click();
    await choose(page, 'bad.csv', [`a,${ONE},ETH,0.001,,`, 'b,nowhere,ETH,0.001,,', `a,${TWO},ETH,,1,`]);
    await page.getByText(/^line 3: must be an address/).waitFor();
    await page.getByText(/^line 4: must be unique in the batch/).waitFor();
    await look(page, 'payout-batch-problems');
    await choose(page, 'may.csv', [`a,${ONE},ETH,0.001,,`, `b,${TWO},ETH,0.0009,,`]);
    await page.waitForURL(/payout-batches\/\d+\/show/);
    await page.getByText('may.csv', { exact: true }).waitFor();
    await page.getByText('0.0019 ETH').waitFor();
    assert.equal(await page.locator('tbody tr').count(), 2);
    await look(page, 'payout-batch');

    for (const address of [ONE, TWO])
      await manage.payees.create(OPERATOR, { accountId: id, chain: 'ETH', address, label: 'Friend' }, true);
    await page.getByRole('button', { name: 'Approve batch' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve batch' }).click();
    await stepUp(page, person.password);
    await page.getByText('Batch approved').waitFor();
    await waitFor(
      async () => {
        await simulator.mine(2);
        return (await page.locator('tbody').getByText('Paid').count()) === 2;
      },
      { describe: 'both rows to be paid', timeoutMs: 60_000, intervalMs: 300 },
    );
    await page.getByText('Done', { exact: true }).waitFor();
    const rows = parseCsv(await download(page, 'Download CSV', 'payout-batch.csv'));
    assert.equal(rows.length, 3);

    await goTo(page, '/payees');
    await page.getByRole('cell', { name: 'Friend' }).first().waitFor();
    await look(page, 'payees');
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Payee removed').waitFor();
    await leave();
  });
});
