import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch } from './chromium.ts';
import { PayersFixture, says } from './payer-fixture.ts';

/** Long enough to open a page on a busy machine, short enough to wait for. */
const TIMEOUT_SECONDS = 25;

describe('a payer at the deadline', { concurrency: true }, () => {
  let browser: Browser;
  let fixture: PayersFixture;
  before(async () => {
    browser = await launch();
    fixture = await PayersFixture.open(browser, TIMEOUT_SECONDS);
  });
  after(async () => {
    await fixture.close();
    await browser.close();
  });

  test('who pays nothing is told so and taken to timeout_url; who chose no coin too, with and without script', async () => {
    const [chosen, unchosen] = [await fixture.chosen('LTC', 'LTC'), await fixture.order()];
    const [one, other] = [await fixture.payer(), await fixture.payer({ script: false })];
    await Promise.all([one.page.goto(chosen.url), other.page.goto(unchosen.url)]);
    await says(one.page, 'expired', 'No payment arrived in time.');
    await fixture.becomes(unchosen.id, 'OVERDUE');
    // Without script the list of coins comes again once a minute: a payer who reloads sees it at once.
    await other.page.reload();
    await says(other.page, 'expired', 'No payment arrived in time.');
    await Promise.all([
      one.page.waitForURL(`${fixture.shopUrl}/too-late`),
      other.page.waitForURL(`${fixture.shopUrl}/too-late`),
    ]);
    await Promise.all([one.leave(), other.leave()]);
  });

  test('who paid too little hears what is missing; what comes late is seen, confirmed and accepted', async () => {
    const { url, id } = await fixture.chosen('ETH', 'USDT-ERC20');
    const { page, leave } = await fixture.payer();
    await page.route(`${fixture.shopUrl}/**`, (route) => route.fulfill({ body: 'the shop' }));
    await page.goto(url);
    await fixture.pay(id, '4');
    await says(page, 'short', 'Send the remaining 9.5 USDT');
    await fixture.mine('ETH', 3);
    await fixture.becomes(id, 'PARTIAL');
    await says(page, 'partial', '4 USDT received, 9.5 USDT missing.');
    await fixture.pay(id, '9.5');
    await page.waitForURL(`${fixture.shopUrl}/too-late`);
    await page.goto(url);
    await says(page, 'late', 'arrived after the deadline');
    await fixture.mine('ETH', 3);
    await fixture.becomes(id, 'RESOLVED');
    await page.goto(url);
    await says(page, 'paidLate', 'arrived after the deadline and was accepted');
    await leave();
  });

  test('while the chain cannot be read nothing is decided: the time is over, a payment in time still counts', async () => {
    const { url } = await fixture.chosen('BTC', 'BTC');
    const { page, leave } = await fixture.payer();
    await page.goto(url);
    await says(page, 'waiting', 'Awaiting payment');
    await fixture.host.till.storage.chains.setHalted('BTC', 'test');
    await says(page, 'closing', 'A payment that you sent in time still counts');
    await leave();
  });
});
