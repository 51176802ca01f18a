/** Shared by the four applications: a till on the simulated chain, and the merchant's part. */
import { createTillgate } from 'tillgate';
import type { Tillgate } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

export const port = Number(process.env['PORT'] ?? 3000);
const baseUrl = `http://localhost:${port}`;
/** The host of the gateway, in front of the node that NODE_URL names. */
const GATEWAY_HOST = 'gate.localhost';
const EMAIL = 'shop@example.com';

export interface Shop {
  readonly till: Tillgate;
  /** Makes an order. @returns its id, and the page where it is paid */
  buy(): Promise<{ readonly id: string; readonly pay: string }>;
}

/** Opens the till, whose work begins at once, and makes the keys of its one merchant. */
export async function openShop(): Promise<Shop> {
  const node = process.env['NODE_URL'];
  const masterKey = process.env['TILLGATE_MASTER_KEY']; // by default it is kept in a file beside the database
  const till = await createTillgate({
    database: `sqlite:${process.env['DATABASE'] ?? 'till.db'}`,
    ...(masterKey !== undefined && { masterKey }),
    baseUrl: `${baseUrl}/pay`,
    plugins: [sandbox()], // in production `ethereum` from 'tillgate/plugins/ethereum', with your node's address
    mode: 'sandbox',
    ...(node !== undefined && {
      gateways: [{ host: GATEWAY_HOST, chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc', upstreams: [node] }],
    }),
  });
  // It may come more than once: an application keeps `id` in a unique column, in the transaction of what it does.
  till.on('order.succeeded', ({ id, order }) => console.log(`event ${id}: order ${order.id} is ${order.status}`));

  const { id: account } =
    (await till.ports.storage.accounts.findByEmail(EMAIL)) ?? (await till.accounts.create({ email: EMAIL }));
  const { apiKey } = await till.credentials.create({ account, name: 'shop' });
  console.log(`API key: ${apiKey}`);
  if (node !== undefined) {
    const { key } = await till.apps.create({ account, name: 'wallet', chains: ['ETH'] });
    console.log(`gateway key: ${key.apiKey}`);
  }

  return {
    till,
    buy: async () => {
      const { id, payUrl } = await till.orders.create({ account, price: '12.50', currency: 'EUR' });
      return { id, pay: payUrl };
    },
  };
}
