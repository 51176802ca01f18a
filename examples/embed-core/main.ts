/** Makes an order of 25 euros in USDT, pays it on the simulated chain, and shows what became of it. */
import { pathToFileURL } from 'node:url';
import { parseAmount, present, readDecimal } from '../../core/index.ts';
import type { OrderDetailRecord } from '../../core/index.ts';
import { openTill } from './till.ts';

/** Runs the example; `say` gets each line of its output. */
export async function run(say: (line: string) => void): Promise<OrderDetailRecord> {
  const till = await openTill(':memory:');
  try {
    till.events.on('order.status', ({ from, to, rule }) => say(`event       ${from} → ${to} (${rule})`));

    const vsPrice = present(readDecimal('25'), 'the price');
    const order = await till.createOrder.payInfo(till.merchant, { chain: 'ETH', currency: 'USDT-ERC20', vsCurrency: 'EUR', vsPrice });
    const { amount, address } = till.queries.payInfo(order);
    say(`order       ${order.id}: ${amount} USDT to ${address}`);

    const asset = present(till.chain.assets.find(({ currency }) => currency === 'USDT-ERC20'), 'USDT');
    const { units } = present(parseAmount(amount, asset), 'the amount due');
    const simulator = present(till.chain.simulator, 'the simulator');
    say(`paid in     ${await simulator.pay(address, 'USDT-ERC20', units)}`);
    await till.follow();
    say(`one block   ${(await till.queries.detail(till.merchant.accountId, order.id)).status}`);

    await simulator.mine(1);
    await till.follow();
    const detail = await till.queries.detail(till.merchant.accountId, order.id);
    say(`two blocks  ${detail.status}, ${detail.obtained} ${detail.currency} obtained`);
    return detail;
  } finally {
    await till.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(console.log);
