/** A worker without HTTP: it makes an order of 25 euros in USDT, pays it on the simulated chain, and ships when told. */
import { pathToFileURL } from 'node:url';
import { createTillgate } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

/** Runs the example; `say` gets each line of its output. @returns what was shipped */
export async function run(say: (line: string) => void): Promise<string | null> {
  const till = await createTillgate({
    database: 'sqlite::memory:', // 'sqlite:./till.db' keeps it
    mode: 'sandbox',
    plugins: [sandbox({ confirmations: 2, pollIntervalMs: 50 })], // in production `ethereum({ rpcUrls })`
  });
  try {
    const shipped = new Promise<string | null>((resolve) => {
      // It runs at least once for each event, also after a crash: keep `id` to know the repetitions.
      till.on('order.succeeded', ({ id, order }) => {
        say(`event       ${id.slice(0, 4)}…: order ${order.id} is ${order.status}, ship ${order.merchantReference}`);
        resolve(order.merchantReference);
      });
    });

    const shop = await till.accounts.create({ email: 'shop@example.com' });
    const { id, payment } = await till.orders.create({
      account: shop.id,
      price: '25',
      currency: 'EUR',
      chain: 'ETH',
      coin: 'USDT-ERC20',
      merchantReference: 'invoice 7',
    });
    say(`order       ${id}: ${payment?.amount} ${payment?.coin} to ${payment?.address}`);

    say(`paid in     ${await till.sandbox.pay(id)}`);
    await till.sandbox.mine(2);
    return await shipped;
  } finally {
    await till.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(console.log);
