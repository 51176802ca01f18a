// An application that opens the database of programs/sandbox.mjs once more, and sells again.
import { createTillgate } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

const till = await createTillgate({
  database: 'sqlite:./till.db',
  plugins: [sandbox({ confirmations: 1 })], // one block makes the money spendable too
  mode: 'sandbox',
  baseUrl: 'https://shop.example.com/pay',
});
const former = [];
for await (const order of till.orders.all({})) former.push(order);
const told = new Promise((resolve) => till.on('order.succeeded', ({ order }) => resolve(order)));
const { id } = await till.orders.create({
  account: former[0].account,
  price: '25',
  currency: 'USD',
  chain: 'ETH',
  coin: 'USDT-ERC20',
});
await till.sandbox.pay(id);
console.log(`result ${JSON.stringify({ former, id, paid: await told })}`);
await till.close();
