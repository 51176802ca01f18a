import assert from 'node:assert/strict';
import { withStore } from '../../../adapters/http/greenfield/permission-table.ts';
import { merchantActor } from '../../../core/index.ts';
import type { Order, OrderPayment } from '../../../core/index.ts';
import { connectRequest } from '../../../host/dashboard/app/connect-request.ts';
import { connectShop, SHOP_PERMISSIONS } from '../../support/greenfield.ts';
import { dataOf } from '../../support/http.ts';
import type { TestStorage } from '../../support/storage.ts';
import { startTestTill } from '../../support/till.ts';
import { waitFor } from '../../support/wait.ts';
import type { TestMerchant, TestTill } from '../../support/till.ts';
import type { Act } from './recorded.ts';
import type { ActedOn, FormPost, World } from './run-story.ts';
import { startShop } from './shop.ts';

/** Of a key that is typed in. */
const EVERY_PERMISSION = [...SHOP_PERMISSIONS, 'btcpay.store.canmanagepullpayments'];
/** The payer's coin; simulated. */
const COIN = { chain: 'ETH', currency: 'USDT-ERC20' };
const BITCOIN = { chain: 'BTC', currency: 'BTC' };
/** Longer than an order waits, shorter than late payments are watched for and accepted at once. */
const PAST_THE_END_MS = 31 * 60_000;
/** Longer than a new address is delayed. */
const PAST_THE_DELAY_MS = 25 * 3_600_000;
/** More than any payment waits for, and than the chain keeps undecided. */
const FINAL = 130;
/** The payer's own wallets, by chain. */
const PAYERS: Readonly<Record<string, string>> = {
  BTC: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  ETH: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
};
/** Longer than any story. */
const LEASE_MS = 10 ** 12;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' };

/** A till to which stories are told, each in a world of its own. */
export interface StoryTill {
  readonly till: TestTill;
  /** A merchant who has sold nothing yet, with a key that may be typed in. */
  newWorld(): Promise<World>;
  close(): Promise<void>;
}

/** Starts a till on an open storage that outlives it, with a simulated chain and a clock that the acts advance. */
export async function startStoryTill(store: TestStorage): Promise<StoryTill> {
  const till = await startTestTill(store, { settings: { callbacks: { allowPrivateNetworks: true } } });
  const shop = await startShop({ timeoutMs: 10_000 });
  return {
    till,
    async newWorld() {
      const { id: storeId, apiKey, merchant } = await connectShop(till, EVERY_PERMISSION);
      // Payouts that refund no order need the verification of the account.
      await store.storage.accounts.update(merchant.account.id, {
        ...{ verifiedCurrencies: ['*'], modifiedAt: till.clock.now() },
      });
      return {
        ...{ shop, storeId, apiKey, baseUrl: till.url },
        act: (act, invoice) => new Acting(till, store, merchant, invoice).does(act),
        work: () => till.work(),
        authorize: (link) => agree(till, merchant, link),
      };
    },
    async close() {
      await shop.close();
      await till.close();
    },
  };
}

/** What a payer or the merchant does with an invoice. */
class Acting {
  readonly #till: TestTill;
  readonly #store: TestStorage;
  readonly #merchant: TestMerchant;
  readonly #id: string;
  readonly #viewLink: string | undefined;

  constructor(till: TestTill, store: TestStorage, merchant: TestMerchant, { id, viewLink }: ActedOn) {
    this.#till = till;
    this.#store = store;
    this.#merchant = merchant;
    this.#id = id;
    this.#viewLink = viewLink;
  }

  async does(act: Act): Promise<void> {
    switch (act) {
      case 'pays in full':
        await this.#choose();
        return this.#pay();
      case 'pays in full in Bitcoin':
        await this.#choose(BITCOIN);
        return this.#pay();
      case 'pays too much':
        await this.#choose();
        return this.#pay(2);
      case 'pays late in full':
        await this.#choose();
        await this.#end();
        return this.#pay();
      case 'pays a part until the end':
        await this.#choose();
        await this.#pay(0.5);
        return this.#end();
      case 'never pays':
        return this.#end();
      case 'merchant marks invalid':
        await this.#till.till.manage.orders.terminate(
          merchantActor(this.#merchant.account.id),
          (await this.#order()).id,
        );
        return this.#till.work();
      case 'payment becomes final':
        return this.#mine();
      case 'payer claims the refund':
        return this.#claim();
      case 'merchant approves the refund':
        return this.#payOut();
    }
  }

  async #payment(): Promise<OrderPayment> {
    const { payment } = await this.#order();
    assert(payment !== null);
    return payment;
  }

  /** The worker that signs and sends payments. */
  async #pays(): Promise<void> {
    const { chain } = await this.#payment();
    const runner = this.#till.till.payouts.get(chain);
    const lease = await this.#store.storage.leases.acquire(`payout:${chain}`, 'test', LEASE_MS);
    assert(runner !== undefined && lease !== null);
    while ((await runner.step(lease)) === 'advanced');
  }

  async #mine(): Promise<void> {
    const { chain } = await this.#payment();
    dataOf(await this.#till.client.post('/sandbox/v1/blocks', { chain, count: FINAL }));
    await this.#till.work();
  }

  /** Fills in and sends the form of the page at the link, as a browser without scripts. */
  async #claim(): Promise<void> {
    assert(this.#viewLink !== undefined, 'the link of a refund');
    const page = await (await fetch(this.#viewLink)).text();
    const key = /name="key" value="([0-9a-f]{32})"/.exec(page)?.[1];
    assert(key !== undefined, `a form at ${this.#viewLink}: ${page.slice(0, 300)}`);
    const { chain, currency } = await this.#payment();
    const form = new URLSearchParams({ key, address: PAYERS[chain] ?? '', currency, amount: '' });
    const options = { method: 'POST', headers: FORM, redirect: 'manual' } as const;
    const sent = await fetch(`${this.#viewLink}/claims`, { ...options, body: form.toString() });
    const back = sent.headers.get('location');
    assert.deepEqual([sent.status, back?.includes('error')], [303, false], `${back}`);
  }

  /** Approves the claim as a person, lets the delay of its address pass, and has the payment mined. */
  async #payOut(): Promise<void> {
    const { clock, till } = this.#till;
    const actor = merchantActor(this.#merchant.account.id);
    const { items } = await till.manage.pullPayments.claims(actor, { limit: 1 });
    const [asked] = items;
    assert.equal(asked?.claim.status, 'AWAITING_APPROVAL');
    await till.manage.pullPayments.approve(actor, asked.claim.id);
    clock.advance(PAST_THE_DELAY_MS);
    const paid = await waitFor(
      async () => {
        await this.#pays();
        await this.#mine();
        const claim = await till.manage.pullPayments.findClaim(actor, asked.claim.id);
        return claim.transfer?.status === 'CONFIRMED' ? claim : undefined;
      },
      { describe: () => `the payment of claim ${asked.claim.id}` },
    );
    assert(paid.txHash !== null);
    const pull = await till.manage.pullPayments.find(actor, paid.claim.pullPaymentId);
    if (pull.pull.orderId === null) return;
    const { refunds } = await till.manage.orders.find(actor, pull.pull.orderId);
    const order = await this.#order();
    const refunded = refunds.map(({ status, units }) => [status, units]);
    assert.deepEqual(refunded, [['CONFIRMED', paid.claim.units]], 'the refunds of the order');
    assert.equal(order.status === 'REFUNDED', paid.claim.units === order.received);
  }

  async #order(): Promise<Order> {
    const order = await this.#store.storage.orders.findByCheckoutToken(this.#id);
    assert(order !== null, `invoice ${this.#id}`);
    return order;
  }

  /** An invoice with one coin has it already. */
  async #choose(coin = COIN): Promise<void> {
    if ((await this.#order()).payment === null)
      dataOf(await this.#till.client.post(`/checkout/${this.#id}/choice`, coin));
    this.#till.clock.advance(1_000);
  }

  /** Sends the amount that is due, times a factor; the payment is then in a block. */
  async #pay(factor = 1): Promise<void> {
    const { amount } = dataOf<{ amount: string }>(await this.#till.client.get(`/checkout/${this.#id}/state`));
    const paid = String(Number((Number(amount) * factor).toFixed(8)));
    const { id } = await this.#order();
    dataOf(await this.#till.client.post('/sandbox/v1/pay', { order_id: id, amount: paid }));
    await this.#till.work();
  }

  async #end(): Promise<void> {
    this.#till.clock.advance(PAST_THE_END_MS);
    await this.#till.work();
  }
}

/**
 * The merchant follows a plugin's link to the page of the dashboard and agrees. The page's own reading of the link is used here; that a browser
 * then posts this form is tested in test/browser.
 */
async function agree(till: TestTill, merchant: TestMerchant, link: string): Promise<{ to: string; form: FormPost }> {
  const moved = await fetch(link, { redirect: 'manual' });
  const page = new URL(moved.headers.get('location') ?? '', link);
  assert.deepEqual([moved.status, page.pathname, page.hash], [302, '/dashboard', '#/connect']);
  const asked = connectRequest(page.searchParams, false);
  assert(!('problem' in asked), JSON.stringify(asked));
  assert(asked.redirect !== null);
  const policy = (await fetch(page)).headers.get('content-security-policy') ?? '';
  assert(policy.includes(`form-action ${asked.redirect.origin};`), policy);
  const { apiKey, id } = await connectShop(till, asked.permissions, merchant);
  const granted = asked.permissions.map((permission) => ['permissions[]', withStore(permission, id)] as const);
  return { to: asked.redirect.href, form: [['apiKey', apiKey], ['userId', id], ...granted] };
}
