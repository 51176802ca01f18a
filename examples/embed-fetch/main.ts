/** A Hono application on Node with payments, on the simulated chain; see README.md. */
import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { createTillgate } from '../../host/embed/index.ts';
import sandbox from '../../plugins/sandbox/index.ts';

const port = Number(process.env['PORT'] ?? 3000);

const till = await createTillgate({
  storage: { client: 'sqlite', filename: process.env['DATABASE'] ?? 'till.db' },
  masterKey: process.env['TILLGATE_MASTER_KEY'] ?? randomBytes(32),
  baseUrl: `http://localhost:${port}/pay`,
  plugins: [sandbox], // in production `ethereum` from 'tillgate/plugins/ethereum', with your node's address
  mode: 'sandbox',
});
await till.workers.start();

// Passes the target and the headers exactly as Node received them, since signatures cover them.
const pay = till.toFetch({
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
const shop = await till.createAccount.run({
  email: `shop-${randomBytes(4).toString('hex')}@example.com`,
  password: randomBytes(18).toString('base64url'),
});
const { apiKey } = await till.createCredential.run(shop.id, 'shop');

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`till on http://localhost:${port}/pay`);
  console.log(`API-Key: ${apiKey}`);
});
process.once('SIGTERM', () => {
  server.close();
  void till.close();
});
