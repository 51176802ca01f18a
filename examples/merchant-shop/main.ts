/** Starts the shop beside a sandbox server, buys a tin of tea, pays it on the simulated chain, and waits until it is paid. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createTillgateClient } from 'tillgate/client';
import { openShop } from './shop.ts';
import type { Purchase } from './shop.ts';

/** The part of the server's `data/demo.json` that the shop needs. */
interface Demo {
  readonly api_token: string;
  readonly signing_secret: string;
  readonly callback_secret: string;
}

/** The server's address. */
export interface Place {
  readonly url: string;
  /** The file to which the server wrote its demo merchant. */
  readonly demo: string;
}

const PATIENCE_MS = 30_000;

/** Runs the example; `say` gets each line of its output. */
export async function run(say: (line: string) => void, { url, demo }: Place): Promise<Purchase> {
  const { api_token, signing_secret, callback_secret } = JSON.parse(readFileSync(demo, 'utf8')) as Demo;
  const client = createTillgateClient({
    baseUrl: url,
    credentials: { apiToken: api_token, signingSecret: signing_secret },
  });
  const shop = await openShop({ client, callbackSecret: callback_secret });
  try {
    const bought = await fetch(`${shop.url}/buy`, { method: 'POST', redirect: 'manual' });
    const page = bought.headers.get('location') ?? '';
    const orderId = page.split('/').at(-1) ?? '';
    say(`bought     order ${orderId}, to be paid at ${shop.purchases.get(orderId)?.payUrl ?? ''}`);

    await fetch(`${url}/sandbox/v1/pay`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ order_id: orderId }),
    });
    say('paid       on the simulated chain');

    const purchase = await settled(() => shop.purchases.get(orderId));
    say(`told       by a verified callback: ${purchase.status}`);
    const heading = /<h1>(.*)<\/h1>/.exec(await (await fetch(shop.url + page)).text());
    say(`the page   ${heading?.[1] ?? ''}`);
    say(`the till   ${(await client.orders.get(orderId)).status}`);
    return purchase;
  } finally {
    await shop.close();
  }
}

/** A buyer's browser would poll the shop's page; so does this. */
async function settled(look: () => Purchase | undefined): Promise<Purchase> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const purchase = look();
    if (purchase !== undefined && purchase.status !== 'waiting') return purchase;
    await pause(50);
  }
  throw new Error('The till has not called back; does it run in sandbox mode?');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await run(console.log, {
    url: process.env['TILLGATE_URL'] ?? 'http://127.0.0.1:8080',
    demo: process.argv[2] ?? 'data/demo.json',
  });
}
