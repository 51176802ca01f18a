/** Receives callbacks; see ../README.md. In your own application the import is `@tillgate/client`. */
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { CallbackRejectedError, verifyCallback } from 'tillgate/client';

const port = Number(process.env['PORT'] ?? 9000);
const callbackSecret = process.env['CALLBACK_SECRET'] ?? '';
const MAX_BODY = 1_000_000;
const handled = new Set<string>(); // a table with a unique column, written in the transaction of `handle`

const handle = (orderId: string, status: string): void => console.log(`order ${orderId} is ${status}`);

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
  }
  if (length > MAX_BODY) throw new CallbackRejectedError('BODY', 'The body is too long.');
  return Buffer.concat(chunks);
}

async function receive(req: IncomingMessage): Promise<void> {
  if (req.method !== 'POST') throw new CallbackRejectedError('METHOD', 'This receiver asked for POST.');
  const { method, url, headers } = req;
  const { id, order } = await verifyCallback({ method, url, headers, body: await readBody(req) }, { callbackSecret });
  if (handled.has(id)) return;
  handle(order.order_id, order.status);
  handled.add(id);
}

const server = createServer((req, res) => {
  receive(req).then(
    () => res.writeHead(204).end(),
    (error: unknown) => res.writeHead(error instanceof CallbackRejectedError ? 400 : 500).end(),
  );
});
server.listen(port, '127.0.0.1', () => console.log(`listens on ${port}`));
