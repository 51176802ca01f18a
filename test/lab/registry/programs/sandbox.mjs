// An application on the simulated chain: two orders, of which one is paid and refunded.
import { createTillgate } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

const till = await createTillgate({
  database: 'sqlite:./till.db',
  plugins: [sandbox({ confirmations: 1 })], // one block makes the money spendable too
  mode: 'sandbox',
  baseUrl: 'https://shop.example.com/pay',
});
const told = new Promise((resolve) => till.on('order.succeeded', ({ order }) => resolve(order)));
const shop = await till.accounts.create({ email: 'shop@example.com', verifiedCoins: ['*'] });
const open = await till.orders.create({ account: shop.id, price: '12.50', currency: 'EUR' });
const { id } = await till.orders.create({
  account: shop.id,
  price: '25',
  currency: 'USD',
  chain: 'ETH',
  coin: 'USDT-ERC20',
});
await till.sandbox.pay(id);
const paid = await told;
const refund = await till.refunds.create({ order: paid.id, to: 'sender' });
console.log(`result ${JSON.stringify({ open, id, paid, refund, node: process.version })}`);
await till.close();
