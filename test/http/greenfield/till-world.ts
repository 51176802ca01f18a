import assert from 'node:assert/strict';
import { withStore } from '../../../adapters/http/greenfield/permission-table.ts';
import { merchantActor } from '../../../core/index.ts';
import type { Order } from '../../../core/index.ts';
import { connectRequest } from '../../../host/dashboard/app/connect-request.ts';
import { connectShop, SHOP_PERMISSIONS } from '../../support/greenfield.ts';
import { dataOf } from '../../support/http.ts';
import type { TestStorage } from '../../support/storage.ts';
import { startTestTill } from '../../support/till.ts';
import type { TestMerchant, TestTill } from '../../support/till.ts';
import type { Act } from './recorded.ts';
import type { FormPost, World } from './run-story.ts';
import { startShop } from './shop.ts';

/** Of a key that is typed in. */
const EVERY_PERMISSION = [...SHOP_PERMISSIONS, 'btcpay.store.canmanagepullpayments'];
/** The payer's coin; simulated. */
const COIN = { chain: 'ETH', currency: 'USDT-ERC20' };
/** Longer than an order waits, shorter than late payments are watched for and accepted at once. */
const PAST_THE_END_MS = 31 * 60_000;

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
      return {
        ...{ shop, storeId, apiKey, baseUrl: till.url },
        act: (act, { id }) => new Acting(till, store, merchant, id).does(act),
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

  constructor(till: TestTill, store: TestStorage, merchant: TestMerchant, id: string) {
    this.#till = till;
    this.#store = store;
    this.#merchant = merchant;
    this.#id = id;
  }

  async does(act: Act): Promise<void> {
    switch (act) {
      case 'pays in full':
        await this.#choose();
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
    }
  }

  async #order(): Promise<Order> {
    const order = await this.#store.storage.orders.findByCheckoutToken(this.#id);
    assert(order !== null, `invoice ${this.#id}`);
    return order;
  }

  /** An invoice with one coin has it already. */
  async #choose(): Promise<void> {
    if ((await this.#order()).payment === null)
      dataOf(await this.#till.client.post(`/checkout/${this.#id}/choice`, COIN));
    this.#till.clock.advance(1_000);
  }

  /** Sends the amount that is due, times a factor; the payment is then in a block. */
  async #pay(factor = 1): Promise<void> {
    const { amount } = dataOf<{ amount: string }>(await this.#till.client.get(`/checkout/${this.#id}/state`));
    const paid = String(Number((Number(amount) * factor).toFixed(6)));
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
