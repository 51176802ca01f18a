/**
 * A small shop: it sells one thing, sends its buyer to the checkout page, and marks the purchase as paid after it has
 * verified the callback.
 *
 * In your own application the import is `@tillgate/client`.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallbackRejectedError, verifyCallback } from 'tillgate/client';
import type { TillgateClient } from 'tillgate/client';

const TEA = { name: 'A tin of tea', price: '12.50', currency: 'EUR' } as const;
const MAX_BODY = 64 * 1024;

/** The shop's record of a purchase. */
export interface Purchase {
  readonly orderId: string;
  readonly payUrl: string;
  readonly status: 'waiting' | 'paid' | 'too late';
}

/** The server's address and the shop's credentials. */
export interface ShopOptions {
  readonly client: TillgateClient;
  /** `whsec_…`, made together with the API key. */
  readonly callbackSecret: string;
}

/** A running shop. */
export interface Shop {
  readonly url: string;
  readonly purchases: ReadonlyMap<string, Purchase>;
  close(): Promise<void>;
}

/** Opens the shop on a free port of this machine. */
export async function openShop({ client, callbackSecret }: ShopOptions): Promise<Shop> {
  // A real shop keeps these two in its database.
  const purchases = new Map<string, Purchase>();
  const handled = new Set<string>();

  const buy = async (): Promise<Purchase> => {
    const order = await client.orders.create({
      price: TEA.price,
      currency: TEA.currency,
      chain: 'ETH',
      coin: 'USDT-ERC20',
      callbackUrl: `${url}/callbacks/till`,
      timeoutCallback: `${url}/callbacks/till`,
      enablePostCallback: true,
    });
    const purchase: Purchase = { orderId: order.id, payUrl: order.payUrl, status: 'waiting' };
    purchases.set(purchase.orderId, purchase);
    return purchase;
  };

  const callback = async (req: IncomingMessage): Promise<void> => {
    const { id, event, order } = await verifyCallback(
      { method: req.method, url: req.url, headers: req.headers, body: await readBody(req) },
      { callbackSecret },
    );
    const purchase = purchases.get(order.order_id);
    // A callback may come more than once; a second one changes nothing.
    if (purchase === undefined || handled.has(id)) return;
    handled.add(id);
    purchases.set(order.order_id, { ...purchase, status: event === 'order.succeeded' ? 'paid' : 'too late' });
  };

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [, page, id = ''] = (req.url ?? '').split('/');
    const purchase = purchases.get(id);
    if (req.method === 'GET' && page === '') {
      html(
        res,
        `<h1>${TEA.name}</h1><form method="post" action="/buy"><button>Buy for ${TEA.price} ${TEA.currency}</button></form>`,
      );
    } else if (req.method === 'POST' && page === 'buy') {
      res.writeHead(303, { Location: `/purchases/${(await buy()).orderId}` }).end();
    } else if (req.method === 'GET' && page === 'purchases' && purchase !== undefined) {
      html(res, `<h1>${TEA.name}: ${purchase.status}</h1><p><a href="${purchase.payUrl}">Pay</a></p>`);
    } else if (req.method === 'POST' && page === 'callbacks') {
      await callback(req);
      res.writeHead(204).end();
    } else {
      res.writeHead(404).end();
    }
  };

  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => {
      // A forged callback gets 400 and no reason. After any other error the server retries the callback.
      res.writeHead(error instanceof CallbackRejectedError ? 400 : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, purchases, close };
}

function html(res: ServerResponse, body: string): void {
  res
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    .end(`<!doctype html><title>The tea shop</title>${body}`);
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) throw new CallbackRejectedError('BODY', 'Longer than any callback.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
