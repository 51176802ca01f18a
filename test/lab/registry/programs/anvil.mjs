// An application in production mode on a real node, whose address is the argument; the payer is somebody else.
import { createTillgate } from 'tillgate';
import { ethereum } from 'tillgate/plugins/ethereum';

const till = await createTillgate({
  database: 'sqlite:./till.db',
  plugins: [
    ethereum({ rpcUrls: [process.argv[2]], chainId: 31337, confirmations: 1, pollIntervalMs: 200, tokens: {} }),
  ],
  rates: { sources: [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }] },
  baseUrl: 'https://shop.example.com/pay',
});
const told = new Promise((resolve) => till.on('order.succeeded', ({ order }) => resolve(order)));
const shop = await till.accounts.create({ email: 'shop@example.com' });
const order = await till.orders.create({
  account: shop.id,
  price: '12.50',
  currency: 'EUR',
  chain: 'ETH',
  coin: 'ETH',
});
console.log(`order ${JSON.stringify(order)}`);
console.log(`paid ${JSON.stringify(await told)}`);
await till.close();
