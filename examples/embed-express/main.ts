/** An Express application with payments, on the simulated chain; see README.md. */
import { randomBytes } from 'node:crypto';
import express from 'express';
import knex from 'knex';
import { createTillgate } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

const port = Number(process.env['PORT'] ?? 3000);
const baseUrl = `http://localhost:${port}`;

// The application's own database, with the payment tables beside the others.
const db = knex({
  client: 'sqlite3',
  connection: { filename: process.env['DATABASE'] ?? 'app.db' },
  useNullAsDefault: true,
});

const till = await createTillgate({
  database: { knex: db, tablePrefix: 'till_' },
  masterKey: process.env['TILLGATE_MASTER_KEY'] ?? randomBytes(32),
  baseUrl: `${baseUrl}/pay`,
  plugins: [sandbox()], // in production `ethereum` from 'tillgate/plugins/ethereum', with your node's address
  mode: 'sandbox',
});
till.on('order.succeeded', ({ order }) => console.log(`order ${order.id} is ${order.status}`));

const app = express();
app.use('/pay', till.express()); // before any body parser: signatures cover the raw bytes

// The rest is an ordinary application. It creates a new merchant at each start.
const shop = await till.accounts.create({ email: `shop-${randomBytes(4).toString('hex')}@example.com` });

app.post('/buy', async (_req, res) => {
  const order = await till.orders.create({ account: shop.id, price: '12.50', currency: 'EUR' });
  res.status(201).json({ id: order.id, pay: order.payUrl });
});

app.get('/orders/:id', async (req, res) => {
  const { status, payment } = await till.orders.get(req.params.id);
  res.json({ status, amount: payment?.amount ?? null, coin: payment?.coin ?? null });
});

const server = app.listen(port, '127.0.0.1', () => console.log(`shop on ${baseUrl}`));
process.once('SIGTERM', () => {
  server.close();
  void till.close().then(() => db.destroy());
});
