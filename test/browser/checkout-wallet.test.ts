import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { CONFIRMATIONS, TillOnAnvil } from '../e2e/till-on-anvil.ts';
import { launch } from './chromium.ts';
import { injectWallet } from './injected-wallet.ts';
import type { InjectedWallet, WalletManners } from './injected-wallet.ts';
import { openPayer, says } from './payer-fixture.ts';

const PATIENCE_MS = 60_000;
const NAME = 'Pay with Test <b>Wallet</b>';

describe('a payer with a wallet in the browser', { concurrency: 1 }, () => {
  let browser: Browser;
  let till: TillOnAnvil;
  let accounts: readonly string[];
  before(async () => {
    [browser, till] = await Promise.all([launch(), TillOnAnvil.start('sqlite', { timeoutSeconds: 1_200 })]);
    accounts = await till.anvil.rpc<string[]>('eth_accounts');
  });
  after(async () => {
    await browser.close();
    await till.close();
  });

  interface Visit {
    readonly page: Page;
    readonly wallet: InjectedWallet;
    leave(): Promise<void>;
  }

  /** A page of a new order in a coin, with a wallet of these manners or none. */
  async function visit(coin: string, changes: Partial<WalletManners> | null = {}, script = true): Promise<Visit> {
    const { data, message, code } = await till.merchant.call('POST', '/api/order/pay-url', {
      price: 11,
      currency: 'EUR',
    });
    assert.equal(code, 0, message);
    const url = String(data['pay_url']).replace('localhost', '127.0.0.1');
    const { page, leave } = await openPayer(browser, url, [], { script });
    page.setDefaultTimeout(PATIENCE_MS);
    const payer = accounts[1] ?? '';
    const manners = {
      ...{ reported: payer, signs: payer, chainId: till.anvil.chainId, knows: [till.anvil.chainId] },
      ...{ refuses: false, lies: false, stays: false },
    };
    const wallet =
      changes === null ? { manners, calls: [] } : await injectWallet(page, till.anvil, { ...manners, ...changes });
    await page.goto(url);
    await page.locator(`form:has(input[name="currency"][value="${coin}"]) button`).click();
    await says(page, 'waiting', 'Awaiting payment');
    return { page, wallet, leave };
  }

  const said = (page: Page, words: string): Promise<void> =>
    page.locator('#wallets [role="status"]', { hasText: words }).waitFor();
  const sends = ({ calls }: InjectedWallet) => calls.filter(({ method }) => method === 'eth_sendTransaction');

  async function becomesPaid(page: Page): Promise<void> {
    await says(page, 'confirming', `1 of ${CONFIRMATIONS} confirmations`);
    await till.anvil.mine(CONFIRMATIONS - 1);
    await says(page, 'paid', 'Your payment is complete');
  }

  test('pays tokens with one click, exactly, and the chain alone makes it paid', async () => {
    const { page, wallet, leave } = await visit('USDT-ERC20');
    const [amount, address] = await page.locator('#pay code').allInnerTexts();
    await page.getByRole('button', { name: NAME }).click();
    await becomesPaid(page);
    const [sent, ...more] = sends(wallet);
    assert.deepEqual(more, []);
    const { to, value, data, from } = sent?.params[0] ?? {};
    assert.equal(String(to).toLowerCase(), till.tokens.honest.address.toLowerCase());
    assert.deepEqual([amount, value, from], ['12.1', '0x0', accounts[1]]);
    const word = (hex: string): string => hex.padStart(64, '0');
    assert.equal(data, `0xa9059cbb${word((address ?? '').slice(2).toLowerCase())}${word((12_100_000).toString(16))}`);
    await leave();
  });

  test('pays the chain’s coin', async () => {
    const { page, wallet, leave } = await visit('ETH');
    await page.getByRole('button', { name: NAME }).click();
    await becomesPaid(page);
    assert.equal(sends(wallet)[0]?.params[0]?.['data'], undefined);
    assert.equal(await till.anvil.rpc('eth_chainId'), sends(wallet)[0]?.params[0]?.['chainId']);
    await leave();
  });

  test('who declines has sent nothing, is told so, and may try again', async () => {
    const { page, wallet, leave } = await visit('USDT-ERC20', { refuses: true });
    await page.getByRole('button', { name: NAME }).click();
    await said(page, 'The payment was rejected in your wallet. Nothing was sent');
    wallet.manners.refuses = false;
    await page.getByRole('button', { name: NAME }).click();
    await becomesPaid(page);
    assert.equal(sends(wallet).length, 2);
    await leave();
  });

  test('a wallet on another network changes to the right one first', async () => {
    const { page, wallet, leave } = await visit('USDT-ERC20', { chainId: 1 });
    await page.getByRole('button', { name: NAME }).click();
    await becomesPaid(page);
    const methods = wallet.calls.map(({ method }) => method);
    assert.ok(methods.indexOf('wallet_switchEthereumChain') < methods.indexOf('eth_sendTransaction'));
    await leave();
  });

  test('a wallet that does not know the network is told of it, by what the page has, and then pays', async () => {
    const { page, wallet, leave } = await visit('USDT-ERC20', { chainId: 1, knows: [1] });
    const button = page.getByRole('button', { name: NAME });
    await button.click();
    await said(page, 'Your wallet is connected to another network. Switch it to Ethereum and try again.');
    assert.deepEqual(sends(wallet), []);
    // A preset brings these facts; the network of this test has none of its own.
    const network = {
      chainId: `0x${till.anvil.chainId.toString(16)}`,
      chainName: 'Test',
      rpcUrls: ['https://node.example'],
    };
    await page
      .locator('#wallets')
      .evaluate((place, facts) => place.setAttribute('data-network', facts), JSON.stringify(network));
    await button.click();
    await becomesPaid(page);
    const added = wallet.calls.find(({ method }) => method === 'wallet_addEthereumChain');
    assert.deepEqual(added?.params[0], network);
    await leave();
  });

  test('fault 245: a wallet that says it changed its network and did not is asked for no payment', async () => {
    const { page, wallet, leave } = await visit('USDT-ERC20', { chainId: 1, stays: true });
    await page.getByRole('button', { name: NAME }).click();
    await said(page, 'Your wallet is connected to another network.');
    assert.deepEqual(sends(wallet), []);
    await leave();
  });

  test('fault 246: a wallet that names a transaction it never sent pays nothing', async () => {
    const { page, wallet, leave } = await visit('USDT-ERC20', { lies: true });
    await page.getByRole('button', { name: NAME }).click();
    await said(page, 'Payment sent to the network.');
    await till.anvil.mine(CONFIRMATIONS);
    await till.caughtUp();
    await page.reload();
    await says(page, 'waiting', 'Awaiting payment');
    assert.equal(sends(wallet).length, 1);
    await leave();
  });

  test('a wallet that reports another account than it pays by: the payment counts by the chain', async () => {
    const { page, leave } = await visit('USDT-ERC20', { reported: accounts[5] ?? '' });
    await page.getByRole('button', { name: NAME }).click();
    await becomesPaid(page);
    await leave();
  });

  test('no second payment by a second click, while the first is on its way', async () => {
    await till.anvil.setAutomine(false);
    const { page, wallet, leave } = await visit('USDT-ERC20');
    const button = page.getByRole('button', { name: NAME });
    await button.click();
    await said(page, 'Payment sent to the network.');
    assert.equal(await button.isDisabled(), true);
    await button.evaluate((element: HTMLElement) => element.click());
    assert.equal(sends(wallet).length, 1);
    await till.anvil.mine();
    await till.anvil.setAutomine(true);
    await becomesPaid(page);
    await leave();
  });

  test('without a wallet, or without script, there is no button, and the page is as it was', async () => {
    for (const script of [true, false]) {
      const { page, leave } = await visit('USDT-ERC20', null, script);
      assert.equal(await page.locator('#wallets').isVisible(), false);
      assert.equal(await page.locator('#wallets button').count(), 0);
      await page.getByRole('link', { name: 'Open in wallet' }).waitFor();
      await leave();
    }
  });
});
