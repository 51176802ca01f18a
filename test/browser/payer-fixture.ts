import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { Merchant, startReceiver } from '../host/merchant.ts';
import { freshDirectory } from '../host/till-process.ts';
import { waitFor } from '../support/wait.ts';
import { Complaints } from './chromium.ts';

/** Confirmations that the simulated chains ask for here. */
export const CONFIRMATIONS = 3;

/** A payer with a browser of their own. */
export interface Payer {
  readonly page: Page;
  /** Fails when the page complained, or asked anybody but the till and the shop for anything. */
  leave(): Promise<void>;
}

/** How a payer's browser is set up. */
export interface PayerOptions {
  readonly script?: boolean;
  readonly locale?: string;
}

/** A hosted order, and its page. */
export interface PlacedOrder {
  readonly url: string;
  readonly id: string;
  readonly token: string;
}

/** A shop, a till on simulated chains, and payers. */
export class PayersFixture {
  readonly host: Host;
  readonly merchant: Merchant;
  readonly #url: string;
  readonly #shop: Awaited<ReturnType<typeof startReceiver>>;
  readonly #browser: Browser;
  readonly #cleanUp: () => Promise<void>;

  private constructor(
    host: Host,
    shop: Awaited<ReturnType<typeof startReceiver>>,
    browser: Browser,
    cleanUp: () => Promise<void>,
  ) {
    assert(host.demo !== null);
    this.host = host;
    this.#url = host.url.replace('localhost', '127.0.0.1');
    this.merchant = new Merchant(this.#url, host.demo);
    this.#shop = shop;
    this.#browser = browser;
    this.#cleanUp = cleanUp;
  }

  /** @param timeoutSeconds - how long an order waits */
  static async open(browser: Browser, timeoutSeconds: number): Promise<PayersFixture> {
    const directory = freshDirectory();
    const shop = await startReceiver();
    const plugins = [{ use: 'sandbox', options: { confirmations: CONFIRMATIONS } }];
    const host = createHost(
      {
        mode: 'sandbox',
        listen: { port: 0 },
        orders: { timeoutSeconds },
        // A payer who leaves an address after the payment is refunded at once.
        withdrawals: { refunds: { addressHoldSeconds: 0 } },
        plugins,
      },
      { directory: directory.path },
    );
    await host.start();
    return new PayersFixture(host, shop, browser, async () => {
      await host.stop();
      await shop.close();
      directory.remove();
    });
  }

  close(): Promise<void> {
    return this.#cleanUp();
  }

  get shopUrl(): string {
    return this.#shop.url;
  }

  /** Makes a hosted order of 12.50 EUR and returns its pay_url and id. */
  async order(): Promise<PlacedOrder> {
    const links = { succeed_url: `${this.#shop.url}/thanks`, timeout_url: `${this.#shop.url}/too-late` };
    const { data, message, code } = await this.merchant.call('POST', '/api/order/pay-url', {
      price: 12.5,
      currency: 'EUR',
      ...links,
    });
    assert.equal(code, 0, message);
    const { pathname } = new URL(String(data['pay_url']));
    const token = pathname.split('/').at(-1) ?? '';
    const order = await this.host.till.storage.orders.findByCheckoutToken(token);
    assert(order !== null);
    return { url: `${this.#url}${pathname}`, id: order.id, token };
  }

  /** An order whose coin is chosen already, by the form of the page. */
  async chosen(chain: string, currency: string): Promise<PlacedOrder> {
    const order = await this.order();
    const reply = await fetch(`${order.url}/choice`, {
      method: 'POST',
      body: new URLSearchParams({ chain, currency }),
    });
    assert.equal(reply.status, 200);
    return order;
  }

  async pay(id: string, amount?: string): Promise<void> {
    const { code, message } = await this.merchant.pay(id, amount === undefined ? {} : { amount });
    assert.equal(code, 0, message);
  }

  /** Mines on one chain: tests that run beside each other take different ones. */
  async mine(chain: string, count: number): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(`${this.#url}/sandbox/v1/blocks`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ chain, count }),
    });
    assert.equal(reply.status, 200);
  }

  /** Opens a browser window of its own. */
  async payer(options: PayerOptions = {}): Promise<Payer> {
    return openPayer(this.#browser, this.#url, [this.#shop.url], options);
  }

  async becomes(id: string, status: string): Promise<void> {
    await waitFor(async () => (await this.merchant.status(id)) === status, {
      timeoutMs: 30_000,
      describe: `order ${id} to be ${status}`,
    });
  }
}

/** Opens a browser window of its own for a till at an address. */
export async function openPayer(
  browser: Browser,
  url: string,
  elsewhere: readonly string[],
  { script = true, locale = 'en' }: PayerOptions = {},
): Promise<Payer> {
  const context: BrowserContext = await browser.newContext({
    javaScriptEnabled: script,
    locale,
    viewport: { width: 390, height: 844 },
  });
  context.setDefaultTimeout(60_000);
  const complaints = new Complaints(context, new URL(url).origin, elsewhere);
  return {
    page: await context.newPage(),
    leave: async () => {
      await context.close();
      complaints.none();
    },
  };
}

/** Waits until the page says that the order is in a state, in these words. */
export async function says(page: Page, state: string, words: string): Promise<void> {
  await page.locator(`#status[data-state="${state}"]`).waitFor();
  const text = await page.locator('#status').innerText();
  assert.ok(text.includes(words), `${state} says: ${text}`);
}
