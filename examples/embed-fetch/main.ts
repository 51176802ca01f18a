/** A Hono application on Node with payments, on the simulated chain; see README.md. */
import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { createTillgate } from 'tillgate';
import { sandbox } from 'tillgate/plugins/sandbox';

const port = Number(process.env['PORT'] ?? 3000);

const till = await createTillgate({
  database: `sqlite:${process.env['DATABASE'] ?? 'till.db'}`,
  baseUrl: `http://localhost:${port}/pay`,
  plugins: [sandbox()], // in production `ethereum` from 'tillgate/plugins/ethereum', with your node's address
  mode: 'sandbox',
});

// `till.fetch` alone would do. On Node the target and the headers can be passed exactly as they were received, which
// signatures cover, and the address of the client, by which payers are limited.
const pay = till.fetch.with({
  facts: (_request, { socket, url, rawHeaders }: HttpBindings['incoming']) => ({
    peer: socket.remoteAddress ?? '',
    target: url ?? '',
    rawHeaders,
  }),
});

const app = new Hono<{ Bindings: HttpBindings }>();
app.all('/pay/*', (c) => pay(c.req.raw, c.env.incoming));
app.get('/', (c) => c.text('the application'));

// A merchant with the keys of its server, shown once.
const shop = await till.accounts.create({ email: `shop-${randomBytes(4).toString('hex')}@example.com` });
const { apiKey } = await till.credentials.create({ account: shop.id, name: 'shop' });

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`till on http://localhost:${port}/pay`);
  console.log(`API key: ${apiKey}`);
});
process.once('SIGTERM', () => {
  server.close();
  void till.close();
});
