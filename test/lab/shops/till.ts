import assert from 'node:assert/strict';
import { createTillgateClient } from '../../../adapters/client/index.ts';
import type { TillgateClient } from '../../../adapters/client/index.ts';
import { createHost } from '../../../host/index.ts';
import type { SettingsInput } from '../../../host/settings/settings.ts';
import { freshDirectory } from '../../host/till-process.ts';
import { waitFor } from '../../support/wait.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a payer is shown of an order, and its id. */
export interface PayableOrder {
  readonly payUrl: string;
  readonly orderId: string;
}

/** A till on simulated chains, with what a merchant and a payer do there. */
export interface ShopTill {
  readonly url: string;
  readonly client: TillgateClient;
  readonly credentials: { readonly apiToken: string; readonly signingSecret: string };
  /** What callbacks of orders are signed with. */
  readonly callbackSecret: string;
  /** Makes the webhook endpoint of a shop. @returns its secret */
  subscribe(url: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** Switches an endpoint off and on: what happens meanwhile is never sent. */
  listen(endpointId: string, enabled: boolean): Promise<void>;
  /** Waits until an order has a status. */
  until(orderId: string, status: string): Promise<void>;
  /** Chooses a coin on the payer's page, and pays there. @param share - of what is due; all of it by default */
  pay(order: PayableOrder, share?: number): Promise<void>;
  /** Mines until an order can be refunded: what was paid is deep enough, and the till has read so. */
  mine(orderId: string): Promise<void>;
  /** Mines until the refund of an order is deep enough. */
  refunded(orderId: string): Promise<void>;
  stop(): Promise<void>;
}

const COIN = { chain: 'ETH', currency: 'ETH' };

/** Where the payers of these shops take their refunds. */
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Starts a till in sandbox mode in this process, as `npm start` does. */
export async function startShopTill(settings: SettingsInput = {}): Promise<ShopTill> {
  const directory = freshDirectory();
  const plugins = [{ use: 'sandbox', options: { pollIntervalMs: 250 } }];
  const host = createHost(
    { mode: 'sandbox', listen: { port: 0 }, plugins, ...settings },
    { directory: directory.path },
  );
  await host.start();
  const { demo } = host;
  assert(demo !== null);
  const url = host.url.replace('localhost', '127.0.0.1');
  const credentials = { apiToken: demo.api_token, signingSecret: demo.signing_secret };
  const client = createTillgateClient({ baseUrl: url, credentials });

  const send = async (method: string, path: string, body?: Fields, token?: string): Promise<Fields> => {
    const reply = await fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data, ...rest } = (await reply.json()) as { data: Fields };
    assert(reply.ok, `${method} ${path}: ${reply.status} ${JSON.stringify(rest)}`);
    return data;
  };
  const raised = async (): Promise<string> => {
    const { email, password } = demo;
    const { access_token: token } = await send('POST', '/manage/v1/session', { email, password });
    const session = await send('POST', '/manage/v1/session/step-up', { password }, String(token));
    return String(session['access_token']);
  };
  const token = await raised();
  const manage = (method: string, path: string, body?: Fields): Promise<Fields> =>
    send(method, `/manage/v1${path}`, body, token);
  const mine = async (): Promise<void> =>
    void (await send('POST', '/sandbox/v1/blocks', { chain: COIN.chain, count: 12 }));
  return {
    url,
    client,
    credentials,
    callbackSecret: demo.callback_secret,
    subscribe: async (to) => {
      const { id, secret } = await manage('POST', '/webhooks', { url: to, events: ['order.*', 'refund.*'] });
      return { id: String(id), secret: String(secret) };
    },
    listen: async (endpointId, enabled) => void (await manage('PATCH', `/webhooks/${endpointId}`, { enabled })),
    until: async (orderId, status) =>
      void (await waitFor(async () => (await client.orders.get(orderId)).status === status, {
        timeoutMs: 60_000,
        intervalMs: 100,
        describe: `order ${orderId} to be ${status}`,
      })),
    pay: async ({ payUrl, orderId }, share) => {
      await send('POST', `${new URL(payUrl).pathname}/choice`, COIN);
      await send('POST', `${new URL(payUrl).pathname}/refund-address`, { address: PAYER });
      const { payment } = await client.orders.get(orderId);
      const part = share === undefined ? {} : { amount: (Number(payment?.amount) * share).toFixed(8) };
      await send('POST', '/sandbox/v1/pay', { order_id: orderId, ...part });
    },
    mine: async (orderId) =>
      void (await waitFor(async () => (await mine(), (await client.orders.get(orderId)).refundable), {
        timeoutMs: 60_000,
        intervalMs: 250,
        describe: `order ${orderId} to be refundable`,
      })),
    refunded: async (orderId) =>
      void (await waitFor(async () => (await mine(), (await client.orders.get(orderId)).status === 'REFUNDED'), {
        timeoutMs: 60_000,
        intervalMs: 250,
        describe: `order ${orderId} to be refunded`,
      })),
    stop: async () => {
      await host.stop();
      directory.remove();
    },
  };
}
