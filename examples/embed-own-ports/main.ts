/** The application's own prices, keys, callbacks and metrics: each port is one line of `replace`. */
import { pathToFileURL } from 'node:url';
import { createTillgate, generateMnemonic, MnemonicWallet } from 'tillgate';
import type { CallbackTransport, Metrics, RateSource, Signer } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

/** Prices from the application's own price service. */
const priceService: RateSource = {
  name: 'price-service',
  fetch: (symbols) =>
    Promise.resolve(symbols.map((symbol) => ({ symbol, usd: symbol === 'ETH' ? '2000' : '1', at: Date.now() }))),
};

/** Keys that never leave their module. Here a seed in memory plays the part of a hardware module. */
const hardwareModule: Signer = new MnemonicWallet(generateMnemonic());

/** Runs the example; `say` gets each line of its output. */
export async function run(say: (line: string) => void): Promise<string> {
  let delivered = (): void => undefined;
  const delivery = new Promise<void>((resolve) => (delivered = resolve));
  const queue: CallbackTransport = {
    send: ({ url, body }) => {
      say(`callback  to ${url}, ${(body ?? '').length} bytes, put on the application's queue`);
      delivered();
      return Promise.resolve({ kind: 'answered', status: 200, retryAfterSeconds: null, durationMs: 0 });
    },
  };
  const counted = new Map<string, number>();
  const metrics: Metrics = {
    count: (name, _labels, by = 1) => void counted.set(name, (counted.get(name) ?? 0) + by),
    gauge: () => undefined,
    observe: () => undefined,
  };

  const till = await createTillgate({
    database: 'sqlite::memory:',
    baseUrl: 'https://shop.example.com/pay',
    mode: 'sandbox',
    plugins: [sandbox({ pollIntervalMs: 50 })],
    callbacks: { allowPrivateNetworks: true },
    replace: { rates: [priceService], signer: hardwareModule, callbackTransport: queue, metrics },
  });
  try {
    const shop = await till.accounts.create({ email: 'shop@example.com' });
    const order = await till.orders.create({
      account: shop.id,
      price: '25',
      currency: 'USD',
      chain: 'ETH',
      coin: 'ETH',
      callbackUrl: 'http://127.0.0.1/paid',
      enablePostCallback: true,
    });
    const amount = order.payment?.amount ?? '';
    say(`order     ${amount} ETH at the application's price`);
    await till.sandbox.pay(order.id);
    await delivery;
    say(`metrics   ${counted.get('tillgate_orders_total') ?? 0} order changes counted by the application`);
    return amount;
  } finally {
    await till.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(console.log);
