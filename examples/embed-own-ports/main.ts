/** The application's own prices, keys, callbacks and metrics: each port is one line of `replace`. */
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { MnemonicWallet, generateMnemonic } from '../../adapters/wallet/index.ts';
import { formatAmount, present, readDecimal } from '../../core/index.ts';
import type { CallbackTransport, Metrics, RateSource, Signer } from '../../core/index.ts';
import { createTillgate, merchantOf } from '../../host/embed/index.ts';
import sandbox from '../../plugins/sandbox/index.ts';

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
    storage: { client: 'sqlite', filename: ':memory:' },
    masterKey: randomBytes(32),
    baseUrl: 'https://shop.example.com/pay',
    mode: 'sandbox',
    plugins: [{ plugin: sandbox, options: { pollIntervalMs: 50 } }],
    callbacks: { allowPrivateNetworks: true },
    replace: { rates: [priceService], signer: hardwareModule, callbackTransport: queue, metrics },
  });
  try {
    await till.workers.start();
    const { id } = await till.createAccount.run({
      email: 'shop@example.com',
      password: randomBytes(18).toString('base64url'),
    });
    await till.createCredential.run(id);
    const vsPrice = present(readDecimal('25'), 'the price');
    const links = { callbackUrl: 'http://127.0.0.1/paid' };
    const order = await till.createOrder.inCoin(merchantOf(id), {
      chain: 'ETH',
      currency: 'ETH',
      vsCurrency: 'USD',
      vsPrice,
      links,
      enablePostCallback: true,
    });
    const { payment, asset } = till.orderQueries.payInfo(order);
    const amount = formatAmount({ asset, units: payment.units });
    say(`order     ${amount} ETH at the application's price`);

    const chain = present(till.chains.get('ETH'), 'the chain');
    await present(chain.simulator, 'the simulator').pay(payment.address, payment.currency, payment.units);
    await delivery;
    say(`metrics   ${counted.get('tillgate_orders_total') ?? 0} order changes counted by the application`);
    return amount;
  } finally {
    await till.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(console.log);
