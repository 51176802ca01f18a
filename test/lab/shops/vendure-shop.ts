import assert from 'node:assert/strict';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait.ts';
import { startShop } from './shop-process.ts';
import type { ShopProcess } from './shop-process.ts';
import type { PayableOrder, ShopTill } from './till.ts';

/** What the shop's admin shows of a payment. */
export interface AdminPayment {
  readonly id: string;
  readonly state: string;
  readonly amount: number;
  readonly transactionId: string;
  readonly errorMessage: string | null;
  readonly refunds: readonly AdminRefund[];
}

export interface AdminRefund {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface AdminOrder {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly totalWithTax: number;
  readonly payments: readonly AdminPayment[];
  readonly history: { readonly items: readonly { readonly type: string; readonly data: Record<string, unknown> }[] };
}

/** An order of a buyer with the payment that was begun. */
export interface BegunOrder extends PayableOrder {
  readonly id: string;
  /** Who asks for the order: the buyer's own session. */
  readonly buyer: Session;
}

const PASSWORD = 'a password of the tests';
const ORDER = `id code state totalWithTax
  payments { id state amount transactionId errorMessage refunds { id state total metadata } }
  history(options: { take: 100 }) { items { type data } }`;

/** Somebody who talks to one of the shop's two APIs. */
export class Session {
  readonly #url: string;
  #token: string | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async ask<T>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const reply = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(this.#token !== null && { Authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    this.#token = reply.headers.get('vendure-auth-token') ?? this.#token;
    const { data, errors } = (await reply.json()) as { data: T; errors?: unknown };
    assert.equal(errors, undefined, `${query}: ${JSON.stringify(errors)}`);
    return data;
  }
}

/** A real Vendure shop whose till is the given one, and what its buyers and its admin do. */
export class VendureShop {
  readonly webhookUrl: string;
  readonly endpoint: { readonly id: string; readonly secret: string };
  readonly #url: string;
  readonly #admin: Session;
  readonly #said: () => string;
  readonly stop: () => Promise<void>;

  private constructor({ url, said, stop }: ShopProcess, endpoint: VendureShop['endpoint'], admin: Session) {
    this.#url = url;
    this.#said = said;
    this.webhookUrl = `${url}/tillgate/webhook`;
    this.endpoint = endpoint;
    this.#admin = admin;
    this.stop = stop;
  }

  static async open(till: ShopTill): Promise<VendureShop> {
    const port = await freePort();
    const endpoint = await till.subscribe(`http://127.0.0.1:${port}/tillgate/webhook`);
    const shop = await startShop('vendure', {
      SHOP_PORT: String(port),
      SHOP_PASSWORD: PASSWORD,
      VENDURE_DISABLE_TELEMETRY: 'true',
      TILL_URL: till.url,
      TILL_API_TOKEN: till.credentials.apiToken,
      TILL_SIGNING_SECRET: till.credentials.signingSecret,
      TILL_WEBHOOK_SECRET: endpoint.secret,
    });
    const admin = new Session(`${shop.url}/admin-api`);
    await admin.ask('mutation ($p: String!) { login(username: "superadmin", password: $p) { __typename } }', {
      p: PASSWORD,
    });
    return new VendureShop(shop, endpoint, admin);
  }

  /** A buyer puts tea into the cart and goes as far as the payment. */
  async checkout(quantity = 1): Promise<Session> {
    const buyer = new Session(`${this.#url}/shop-api`);
    const { products } = await buyer.ask<{ products: { items: { variants: { id: string }[] }[] } }>(
      '{ products { items { variants { id } } } }',
    );
    await buyer.ask(
      'mutation ($v: ID!, $n: Int!) { addItemToOrder(productVariantId: $v, quantity: $n) { __typename } }',
      {
        v: products.items[0]?.variants[0]?.id,
        n: quantity,
      },
    );
    const email = `buyer-${Math.random().toString(36).slice(2)}@example.com`;
    await buyer.ask(
      'mutation ($e: String!) { setCustomerForOrder(input: { firstName: "B", lastName: "C", emailAddress: $e }) { __typename } }',
      { e: email },
    );
    await buyer.ask(
      'mutation { setOrderShippingAddress(input: { streetLine1: "1 Road", city: "Town", countryCode: "DE" }) { __typename } }',
    );
    const { eligibleShippingMethods } = await buyer.ask<{ eligibleShippingMethods: { id: string }[] }>(
      '{ eligibleShippingMethods { id } }',
    );
    await buyer.ask('mutation ($s: [ID!]!) { setOrderShippingMethod(shippingMethodId: $s) { __typename } }', {
      s: [eligibleShippingMethods[0]?.id],
    });
    await this.arrange(buyer);
    return buyer;
  }

  async arrange(buyer: Session, state = 'ArrangingPayment'): Promise<void> {
    const { transitionOrderToState: order } = await buyer.ask<{ transitionOrderToState: { state?: string } }>(
      'mutation ($s: String!) { transitionOrderToState(state: $s) { ... on Order { state } ... on OrderStateTransitionError { transitionError } } }',
      { s: state },
    );
    assert.equal(order.state, state, JSON.stringify(order));
  }

  /** The buyer chooses to pay at the till, and says whatever a browser may say. */
  async begin(buyer: Session, metadata: Readonly<Record<string, unknown>> = {}): Promise<BegunOrder> {
    const { addPaymentToOrder: order } = await buyer.ask<{
      addPaymentToOrder: { id: string; state: string; payments: { metadata: { public: { payUrl: string } } }[] };
    }>(
      `mutation ($m: JSON!) { addPaymentToOrder(input: { method: "crypto", metadata: $m }) {
         ... on Order { id state payments { metadata } } ... on ErrorResult { errorCode message }
         ... on PaymentFailedError { paymentErrorMessage } } }`,
      { m: metadata },
    );
    assert.equal(order.state, 'ArrangingPayment', JSON.stringify(order));
    const { payments } = await this.order(order.id);
    const latest = payments.at(-1);
    assert.equal(latest?.state, 'Created');
    return {
      id: order.id,
      buyer,
      payUrl: order.payments.at(-1)?.metadata.public.payUrl ?? '',
      orderId: latest.transactionId,
    };
  }

  /** A buyer's order with a payment that was begun. */
  async buy(quantity = 1): Promise<BegunOrder> {
    return await this.begin(await this.checkout(quantity));
  }

  async order(id: string): Promise<AdminOrder> {
    return (await this.#admin.ask<{ order: AdminOrder }>(`query ($id: ID!) { order(id: $id) { ${ORDER} } }`, { id }))
      .order;
  }

  /** Waits until the order is as wanted. */
  async until(id: string, wanted: (order: AdminOrder) => boolean): Promise<AdminOrder> {
    let latest: AdminOrder | null = null;
    return await waitFor(
      async () => {
        latest = await this.order(id);
        return wanted(latest) ? latest : null;
      },
      {
        timeoutMs: 60_000,
        intervalMs: 100,
        describe: () => `an order that is now ${JSON.stringify(latest)}; the shop said:\n${this.#said().slice(-4000)}`,
      },
    );
  }

  /** The admin presses "Settle payment". @returns the state, or why not */
  async settle(paymentId: string): Promise<string> {
    const { settlePayment: outcome } = await this.#admin.ask<{ settlePayment: Record<string, string> }>(
      `mutation ($id: ID!) { settlePayment(id: $id) { ... on Payment { state } ... on ErrorResult { message }
         ... on SettlePaymentError { paymentErrorMessage } } }`,
      { id: paymentId },
    );
    return outcome['state'] ?? outcome['paymentErrorMessage'] ?? outcome['message'] ?? '';
  }

  /** The admin refunds. @returns the refund's state, or the code of the refusal */
  async refund(payment: AdminPayment, amount = payment.amount): Promise<string> {
    const { refundOrder: outcome } = await this.#admin.ask<{ refundOrder: Record<string, string> }>(
      `mutation ($p: ID!, $a: Money!) { refundOrder(input: { paymentId: $p, amount: $a, reason: "broken", lines: [], shipping: 0, adjustment: 0 }) {
         ... on Refund { state } ... on ErrorResult { errorCode message } } }`,
      { p: payment.id, a: amount },
    );
    return outcome['state'] ?? outcome['errorCode'] ?? '';
  }

  /** Does something while no event reaches the shop. */
  async without(till: ShopTill, work: () => Promise<void>): Promise<void> {
    await till.listen(this.endpoint.id, false);
    await work();
    await till.listen(this.endpoint.id, true);
  }

  async cancelOrder(id: string): Promise<void> {
    await this.#admin.ask('mutation ($id: ID!) { cancelOrder(input: { orderId: $id }) { __typename } }', { id });
  }

  async cancelPayment(id: string): Promise<void> {
    await this.#admin.ask('mutation ($id: ID!) { cancelPayment(id: $id) { __typename } }', { id });
  }
}
