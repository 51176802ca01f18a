// A merchant's program: makes an order on the server that the first argument names, with the API key in the second, and
// waits until it is paid.
import { setTimeout as pause } from 'node:timers/promises';
import { createTillgateClient } from '@tillgate/client';

const [, , baseUrl, apiKey] = process.argv;
const client = createTillgateClient({ baseUrl, credentials: { apiKey } });
const order = await client.orders.create({ price: '12.50', currency: 'EUR', chain: 'ETH', coin: 'ETH' });
console.log(`order ${JSON.stringify(order)}`);
let now = order;
while (now.status === 'PENDING') {
  await pause(200);
  now = await client.orders.get(order.id);
}
const ids = [];
for await (const { id } of client.orders.all()) ids.push(id);
console.log(`result ${JSON.stringify({ status: now.status, ids })}`);
