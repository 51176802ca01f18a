import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Address } from 'viem';
import { CONFIRMATIONS, TillOnAnvil } from '../e2e/till-on-anvil.ts';
import { launch } from './chromium.ts';
import { openPayer, says } from './payer-fixture.ts';

describe('a payer with a browser, on a real chain', { concurrency: 1 }, () => {
  let browser: Browser;
  let till: TillOnAnvil;
  before(async () => {
    [browser, till] = await Promise.all([launch(), TillOnAnvil.start('sqlite', { timeoutSeconds: 600 })]);
  });
  after(async () => {
    await browser.close();
    await till.close();
  });

  async function payUrl(): Promise<string> {
    const links = {
      succeed_url: `${till.receiver.url}/thanks`,
      callback_url: `${till.receiver.url}/paid`,
      enable_post_callback: true,
    };
    const { data, message, code } = await till.merchant.call('POST', '/api/order/pay-url', {
      price: 11,
      currency: 'EUR',
      ...links,
    });
    assert.equal(code, 0, message);
    return String(data['pay_url']).replace('localhost', '127.0.0.1');
  }

  for (const script of [true, false]) {
    test(`pays tokens by what the page shows, ${script ? 'with' : 'without'} script, and is taken back to the shop`, async () => {
      const url = await payUrl();
      const { page, leave } = await openPayer(browser, url, [till.receiver.url], { script });
      await page.goto(url);
      await page.locator('button.coin:has-text("USDT · Ethereum")').click();
      await says(page, 'waiting', 'Awaiting payment');
      const [amount, address] = await page.locator('#pay code').allInnerTexts();
      assert.equal(amount, '12.1');
      const link = (await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')) ?? '';
      assert.equal(
        link,
        `ethereum:${link.slice(9, 51)}@${till.anvil.chainId}/transfer?address=${address ?? ''}&uint256=12100000`,
      );
      assert.equal(link.slice(9, 51).toLowerCase(), till.tokens.honest.address);

      await till.send(await till.signTransfer(till.tokens.honest, address as Address, 12_100_000n));
      await says(page, 'confirming', `1 of ${CONFIRMATIONS} confirmations`);
      await till.anvil.mine(CONFIRMATIONS - 1);
      await says(page, 'paid', 'Your payment is complete');
      await page.waitForURL(`${till.receiver.url}/thanks`);
      await leave();
    });
  }
});
