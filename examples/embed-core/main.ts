/** Makes an order of 25 euros in USDT, pays it on the simulated chain, and shows what became of it. */
import { pathToFileURL } from 'node:url';
import { formatAmount, present, readDecimal } from '../../core/index.ts';
import type { OrderDetailView } from '../../core/index.ts';
import { openTill } from './till.ts';

/** Runs the example; `say` gets each line of its output. */
export async function run(say: (line: string) => void): Promise<OrderDetailView> {
  const till = await openTill(':memory:');
  try {
    till.events.on('order.status', ({ from, to, rule }) => say(`event       ${from} → ${to} (${rule})`));

    const vsPrice = present(readDecimal('25'), 'the price');
    const order = await till.createOrder.inCoin(till.merchant, {
      chain: 'ETH',
      currency: 'USDT-ERC20',
      vsCurrency: 'EUR',
      vsPrice,
    });
    const { asset, payment } = till.queries.payInfo(order);
    say(`order       ${order.id}: ${formatAmount({ asset, units: payment.units })} USDT to ${payment.address}`);

    const simulator = present(till.chain.simulator, 'the simulator');
    say(`paid in     ${await simulator.pay(payment.address, payment.currency, payment.units)}`);
    await till.follow();
    say(`one block   ${(await till.queries.detail(till.merchant.accountId, order.id)).order.status}`);

    await simulator.mine(1);
    await till.follow();
    const detail = await till.queries.detail(till.merchant.accountId, order.id);
    say(
      `two blocks  ${detail.order.status}, ${formatAmount({ asset, units: detail.order.received })} ${asset.currency} received`,
    );
    return detail;
  } finally {
    await till.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(console.log);
