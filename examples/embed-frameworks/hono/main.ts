/** A Hono application on Node with payments and the gateway; see README.md. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { openShop, port } from '../shop.ts';

const { till, buy } = await openShop();

const pay = till.fetch.with({
  facts: (_request, { socket, url = '', rawHeaders }: HttpBindings['incoming']) => ({
    peer: socket.remoteAddress ?? '',
    target: url,
    rawHeaders,
  }),
});

const app = new Hono<{ Bindings: HttpBindings }>();
app.all('/pay/*', (c) => pay(c.req.raw, c.env.incoming));
app.post('/buy', async (c) => c.json(await buy()));

// The gateway answers for its hosts before Hono does.
const listener = getRequestListener(app.fetch);
const server = createServer((req, res) => {
  if (till.gateway.handles(req.headers.host)) till.gateway.request(req, res);
  else void listener(req, res);
});
server.listen(port, '127.0.0.1', () => console.log(`shop on http://localhost:${port}`));

process.once('SIGTERM', () => {
  server.close();
  void till.close();
});
