/** An Express application with payments, on the simulated chain; see README.md. */
import { randomBytes } from 'node:crypto';
import express from 'express';
import knex from 'knex';
import { createTillgate, merchantOf } from '../../host/embed/index.ts';
import { formatAmount, present, readDecimal } from '../../core/index.ts';
import sandbox from '../../plugins/sandbox/index.ts';

const port = Number(process.env['PORT'] ?? 3000);
const baseUrl = `http://localhost:${port}`;

// The application's own database, with the payment tables beside the others.
const db = knex({
  client: 'sqlite3',
  connection: { filename: process.env['DATABASE'] ?? 'app.db' },
  useNullAsDefault: true,
});

const till = await createTillgate({
  storage: { knex: db, tablePrefix: 'till_' },
  masterKey: process.env['TILLGATE_MASTER_KEY'] ?? randomBytes(32),
  baseUrl: `${baseUrl}/pay`,
  plugins: [sandbox], // in production `ethereum` from 'tillgate/plugins/ethereum', with your node's address
  mode: 'sandbox',
});
till.events.on('order.status', ({ orderId, to }) => console.log(`order ${orderId} is ${to}`));
await till.workers.start();

const app = express();
app.use('/pay', till.toExpress()); // before any body parser: signatures cover the raw bytes

// The rest is an ordinary application. It creates a new merchant at each start.
const shop = await till.createAccount.run({
  email: `shop-${randomBytes(4).toString('hex')}@example.com`,
  password: randomBytes(18).toString('base64url'),
});

app.post('/buy', express.json(), async (_req, res) => {
  const price = { vsCurrency: 'EUR', vsPrice: present(readDecimal('12.50'), 'the price') };
  const order = await till.createOrder.hosted(merchantOf(shop.id), price);
  res.status(201).json({ id: order.id, pay: till.orderQueries.payUrl(order) });
});

app.get('/orders/:id', async (req, res) => {
  const { order, asset } = await till.orderQueries.detail(shop.id, req.params.id);
  const amount = order.payment === null || asset === null ? null : formatAmount({ asset, units: order.payment.units });
  res.json({ status: order.status, amount, currency: asset?.currency ?? null });
});

const server = app.listen(port, '127.0.0.1', () => console.log(`shop on ${baseUrl}`));
process.once('SIGTERM', () => {
  server.close();
  void till.close().then(() => db.destroy());
});
