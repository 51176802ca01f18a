import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { freePort } from '../../support/free-port.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { waitFor } from '../../support/wait.ts';
import { packagesOf, runInShop, startShop } from './shop-process.ts';
import type { PayableOrder, ShopTill } from './till.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The currencies that the shop sells in; they have two, no and three decimals. */
export type ShopCurrency = 'eur' | 'jpy' | 'kwd';

/** A cart with a payment that was begun. */
export interface BegunCart extends PayableOrder {
  readonly cartId: string;
  readonly collectionId: string;
  readonly sessionId: string;
}

/** What the shop's admin shows of a payment. */
export interface MedusaPayment {
  readonly id: string;
  readonly amount: number;
  readonly captured_at: string | null;
  readonly refunds: readonly { readonly amount: number }[];
  readonly captures: readonly { readonly amount: number }[];
}

/** What the shop says once it sells something. */
interface Facts {
  readonly variant: string;
  readonly regions: Readonly<Record<ShopCurrency, string>>;
  readonly shopKey: string;
  readonly adminKey: string;
}

/** What `npx medusa` runs. */
const MEDUSA = `${packagesOf('medusa')}/@medusajs/cli/cli.js`;
const HOOK = '/hooks/payment/tillgate_crypto';
const PROVIDER = 'pp_tillgate_crypto';

/** A real Medusa shop whose till is the given one, and what its buyers and its admin do. */
export class MedusaShop {
  readonly webhookUrl: string;
  readonly endpoint: { readonly id: string; readonly secret: string };
  readonly #url: string;
  readonly #facts: Facts;
  readonly said: () => string;
  readonly stop: () => Promise<void>;

  private constructor(
    { url, said }: { readonly url: string; said(): string },
    endpoint: MedusaShop['endpoint'],
    stop: () => Promise<void>,
  ) {
    const facts = /^sells (.*)$/m.exec(said())?.[1];
    assert(facts !== undefined);
    this.#url = url;
    this.#facts = JSON.parse(facts) as Facts;
    this.webhookUrl = url + HOOK;
    this.endpoint = endpoint;
    this.said = said;
    this.stop = stop;
  }

  static async open(till: ShopTill): Promise<MedusaShop> {
    const port = await freePort();
    const database = await freshDatabase();
    const endpoint = await till.subscribe(`http://127.0.0.1:${port}${HOOK}`);
    const environment = {
      DATABASE_URL: database.url,
      MEDUSA_DISABLE_TELEMETRY: 'true',
      SHOP_PORT: String(port),
      SHOP_SECRET: randomBytes(16).toString('hex'),
      TILL_URL: till.url,
      TILL_API_TOKEN: till.credentials.apiToken,
      TILL_SIGNING_SECRET: till.credentials.signingSecret,
      TILL_WEBHOOK_SECRET: endpoint.secret,
    };
    await runInShop('medusa', [MEDUSA, 'db:migrate', '--skip-scripts'], environment);
    const shop = await startShop('medusa', environment);
    return new MedusaShop(shop, endpoint, async () => {
      await shop.stop();
      await database.drop();
    });
  }

  async #send<T>(method: string, path: string, body?: Fields): Promise<{ readonly status: number; readonly data: T }> {
    const { shopKey, adminKey } = this.#facts;
    const isAdmin = path.startsWith('/admin/');
    const reply = await fetch(this.#url + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(isAdmin
          ? { Authorization: `Basic ${Buffer.from(`${adminKey}:`).toString('base64')}` }
          : { 'x-publishable-api-key': shopKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, data: (await reply.json()) as T };
  }

  async #ask<T>(method: string, path: string, body?: Fields): Promise<T> {
    const { status, data } = await this.#send<T>(method, path, body);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(data)}`);
    return data;
  }

  /** A buyer puts tea into the cart and chooses to pay at the till, with whatever a browser may send along. */
  async buy(currency: ShopCurrency = 'eur', data: Fields = {}): Promise<BegunCart> {
    const { regions, variant } = this.#facts;
    const { cart } = await this.#ask<{ cart: { id: string } }>('POST', '/store/carts', {
      region_id: regions[currency],
      email: 'buyer@example.com',
      items: [{ variant_id: variant, quantity: 1 }],
    });
    const { payment_collection: collection } = await this.#ask<{ payment_collection: { id: string } }>(
      'POST',
      '/store/payment-collections',
      { cart_id: cart.id },
    );
    return { cartId: cart.id, collectionId: collection.id, ...(await this.begin(collection.id, data)) };
  }

  async begin(collectionId: string, data: Fields = {}): Promise<PayableOrder & { readonly sessionId: string }> {
    const { payment_collection: begun } = await this.#ask<{
      payment_collection: { payment_sessions: { id: string; data: { pay_url: string; order_id: string } }[] };
    }>('POST', `/store/payment-collections/${collectionId}/payment-sessions`, { provider_id: PROVIDER, data });
    const session = begun.payment_sessions[0];
    assert(session !== undefined);
    return { sessionId: session.id, payUrl: session.data.pay_url, orderId: session.data.order_id };
  }

  /** The buyer's browser completes the cart, as it does when the payer comes back. @returns `order`, or `not_allowed` when it is not paid */
  async complete(cartId: string): Promise<string> {
    const { data } = await this.#send<{ type?: string; message?: string }>(
      'POST',
      `/store/carts/${cartId}/complete`,
      {},
    );
    return data.type ?? '';
  }

  /** The payments of an order's or a cart's collection, as the admin sees them. */
  async payments({ sessionId }: Pick<BegunCart, 'sessionId'>): Promise<readonly MedusaPayment[]> {
    const { payments } = await this.#ask<{ payments: readonly MedusaPayment[] }>(
      'GET',
      `/admin/payments?payment_session_id=${sessionId}&fields=*captures,*refunds`,
    );
    return payments;
  }

  /** Waits until the webhook has captured. */
  async captured(begun: BegunCart): Promise<MedusaPayment> {
    return await waitFor(async () => (await this.payments(begun)).find((each) => each.captured_at !== null), {
      timeoutMs: 60_000,
      intervalMs: 200,
      describe: () => `a captured payment; the shop said:\n${this.said().slice(-4000)}`,
    });
  }

  /** Waits until the shop itself has made an order of the cart. */
  async ordered({ cartId }: BegunCart): Promise<void> {
    const path = `/store/carts/${cartId}?fields=id,completed_at`;
    await waitFor(
      async () => (await this.#ask<{ cart: { completed_at: string | null } }>('GET', path)).cart.completed_at !== null,
      { timeoutMs: 60_000, intervalMs: 200, describe: () => `an order; the shop said:\n${this.said().slice(-4000)}` },
    );
  }

  /** The admin refunds. @returns the status of the answer */
  async refund({ id }: Pick<MedusaPayment, 'id'>, amount: number): Promise<number> {
    return (await this.#send('POST', `/admin/payments/${id}/refund`, { amount })).status;
  }
}
