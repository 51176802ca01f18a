/** A Fastify application with payments and the gateway; see README.md. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import type { FastifyRequest } from 'fastify';
import { openShop, port } from '../shop.ts';

const { till, buy } = await openShop();

const app = Fastify({
  return503OnClosing: false, // the till refuses what comes while it closes, in its own form
  // The gateway answers for its hosts before Fastify does.
  serverFactory: (handler) =>
    createServer((req, res) => {
      if (till.gateway.handles(req.headers.host)) till.gateway.request(req, res);
      else handler(req, res);
    }),
});

const pay = till.fetch.with({
  facts: (_request, { socket, url = '', rawHeaders }: FastifyRequest['raw']) => ({
    peer: socket.remoteAddress ?? '',
    target: url,
    rawHeaders,
  }),
});

/** The request as `fetch` has it, with the body as it comes in. */
function fetchRequest({ raw, method, headers, originalUrl }: FastifyRequest): Request {
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(raw);
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Request(new URL(originalUrl, 'http://localhost'), {
    method,
    headers: Object.fromEntries(entries) as Record<string, string>,
    body: body as ReadableStream<Uint8Array> | null,
    duplex: 'half',
  });
}

await app.register(async (payments) => {
  // No parser reads the body: signatures cover the raw bytes.
  payments.removeAllContentTypeParsers();
  payments.addContentTypeParser('*', (_request, _body, done) => done(null));
  payments.all('/pay/*', (request) => pay(fetchRequest(request), request.raw));
});

app.post('/buy', buy);

await app.listen({ port, host: '127.0.0.1' });
console.log(`shop on http://localhost:${port}`);
process.once('SIGTERM', () => void Promise.all([app.close(), till.close()]));
