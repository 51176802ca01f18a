// A program of somebody else: it must compile against the packages as they are published.
import { createTillgate, isTillgateError } from 'tillgate';
import type { Order, RateSource, Tillgate, TillgateOptions } from 'tillgate';
import { createTillgateClient, isApiError, verifyWebhook } from '@tillgate/client';
import { definePlugin } from 'tillgate/plugin';
import { ethereum } from 'tillgate/plugins/ethereum';
import { sandbox } from 'tillgate/plugins/sandbox';

const fixed: RateSource = {
  name: 'fixed',
  fetch: () => Promise.resolve([{ symbol: 'ETH', usd: '2500', at: Date.now() }]),
};
export const options: TillgateOptions = {
  database: { url: 'sqlite:./till.db', tablePrefix: 'till_' },
  plugins: [ethereum({ rpcUrls: ['http://127.0.0.1:8545'] }), sandbox()],
  replace: { rates: [fixed] },
};

export async function sell(till: Tillgate): Promise<string> {
  const shop = await till.accounts.create({ email: 'shop@example.com' });
  const order: Order = await till.orders.create({ account: shop.id, price: '12.50', currency: 'EUR' });
  const direct = await till.orders.create(
    { account: shop.id, price: '25', currency: 'USD', chain: 'ETH', coin: 'USDT-ERC20' },
    { idempotencyKey: 'cart-7' },
  );
  till.on('order.succeeded', ({ id, order: paid }) => console.log(id, paid.merchantReference?.toUpperCase()));
  till.on('order.status', ({ orderId, to }) => console.log(orderId, to), { live: true });
  for await (const each of till.orders.all({ account: shop.id, status: 'SUCCESS' })) console.log(each.received);
  await till.refunds.create({ order: order.id, amount: '10.00' });
  return direct.payment?.address ?? order.payUrl;
}

export const till = await createTillgate(options);
export const refused = (error: unknown): boolean => isTillgateError(error, 'INVALID_FIELDS');

const client = createTillgateClient({ baseUrl: 'https://pay.example', credentials: { apiKey: 'key' } });
export const amount = async (id: string): Promise<string | undefined> =>
  (await client.orders.get(id)).payment?.amount.trim();
export const unknown = (error: unknown): boolean => isApiError(error, 'order_not_found');
export const verify: (request: Request) => Promise<unknown> = (request) =>
  verifyWebhook(request, { secrets: ['whsec_…'] });

export const plugin = definePlugin<{ readonly url: string }, { readonly url: URL }>({
  name: 'mine',
  version: '1.0.0',
  requires: '^1.7.0',
  options: ({ url }) => ({ url: new URL(url) }),
  setup: ({ options: { url }, logger }) => logger.info('ready', { host: url.host }),
});
