/** Shared by the four applications: a till on the simulated chain, and the merchant's part. */
import { randomBytes } from 'node:crypto';
import { OPERATOR, present, readDecimal } from 'tillgate';
import { CallbackRejectedError, verifyCallback } from 'tillgate/client';
import { createTillgate, merchantOf } from 'tillgate/embed';
import type { Tillgate } from 'tillgate/embed';
import sandbox from 'tillgate/plugins/sandbox';

export const port = Number(process.env['PORT'] ?? 3000);
const baseUrl = `http://localhost:${port}`;
/** The host of the gateway, in front of the node that NODE_URL names. */
const GATEWAY_HOST = 'gate.localhost';
const EMAIL = 'shop@example.com';

/** A request with a raw body: of Node, of Express or of `fetch`. */
type Callback = Parameters<typeof verifyCallback>[0];

export interface Shop {
  readonly till: Tillgate;
  /** Makes an order. @returns its id, and the page where it is paid */
  buy(): Promise<{ readonly id: string; readonly pay: string }>;
  /** Takes a callback. @returns the status to answer with */
  receive(callback: Callback): Promise<204 | 400>;
}

/** Opens the till, whose work begins at once, and makes the keys of its one merchant. */
export async function openShop(): Promise<Shop> {
  const node = process.env['NODE_URL'];
  const till = await createTillgate({
    storage: { client: 'sqlite', filename: process.env['DATABASE'] ?? 'till.db' },
    masterKey: process.env['TILLGATE_MASTER_KEY'] ?? randomBytes(32), // a database is opened with the key it was made with
    baseUrl: `${baseUrl}/pay`,
    plugins: [sandbox], // in production `ethereum` from 'tillgate/plugins/ethereum', with your node's address
    mode: 'sandbox',
    ...(node !== undefined && {
      gateways: [{ host: GATEWAY_HOST, chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc', upstreams: [node] }],
    }),
  });
  await till.workers.start();
  const account =
    (await till.storage.accounts.findByEmail(EMAIL)) ??
    (await till.createAccount.run({ email: EMAIL, password: randomBytes(18).toString('base64url') }));
  const { apiKey, callbackSecret } = await till.createCredential.run(account.id, 'shop');
  console.log(`API-Key: ${apiKey}`);
  if (node !== undefined) {
    const { key } = await till.manage.apps.create(OPERATOR, { accountId: account.id, name: 'wallet', chains: ['ETH'] });
    console.log(`gateway key: ${key.text}`);
  }

  return {
    till,
    buy: async () => {
      const order = await till.createOrder.hosted(merchantOf(account.id), {
        vsCurrency: 'EUR',
        vsPrice: present(readDecimal('12.50'), 'the price'),
        links: { callbackUrl: `${baseUrl}/callbacks/till` },
        enablePostCallback: true,
      });
      return { id: order.id, pay: till.orderQueries.payUrl(order) };
    },
    receive: async (callback) => {
      try {
        // It may come more than once: an application keeps `id` in a unique column, in the transaction of what it does.
        const { id, order } = await verifyCallback(callback, { callbackSecret });
        console.log(`callback ${id}: order ${order.order_id} is ${order.status}`);
        return 204;
      } catch (error) {
        if (error instanceof CallbackRejectedError) return 400; // forged; after any other error the till sends it again
        throw error;
      }
    },
  };
}
