import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { RequestFacts } from '../../adapters/http/fetch/index.ts';

/** The facts of a request that only Node has. */
export function rawFacts(_request: Request, { socket, url, rawHeaders }: IncomingMessage): RequestFacts {
  return { peer: socket.remoteAddress ?? '', target: url ?? '', rawHeaders };
}

/** A Node server for a fetch handler, as in Hono and similar frameworks. */
export function createFetchServer(handler: (request: Request, incoming: IncomingMessage) => Promise<Response>): Server {
  return createServer((req, res) => {
    void handler(toRequest(req), req).then(async (response) => {
      res.writeHead(response.status, [...response.headers].flat());
      res.end(new Uint8Array(await response.arrayBuffer()));
    });
  });
}

function toRequest(req: IncomingMessage): Request {
  const { method = 'GET', url = '/', headersDistinct } = req;
  const headers = new Headers(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  );
  const bodiless = method === 'GET' || method === 'HEAD';
  // A target without a path must also reach the binding, through its facts.
  const target = url.startsWith('/') ? url : '/';
  return new Request(`http://${req.headers.host ?? 'localhost'}${target}`, {
    method,
    headers,
    ...(bodiless ? {} : { body: bodyOf(req), duplex: 'half' }),
  });
}

/** The unread rest of a body is discarded, so that the connection can serve the next request. */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  let wanted = true;
  return new ReadableStream({
    start(controller) {
      req.on('data', (chunk: Buffer) => wanted && controller.enqueue(Uint8Array.from(chunk)));
      req.on('end', () => wanted && controller.close());
      req.on('error', (error) => wanted && controller.error(error));
    },
    cancel() {
      wanted = false;
    },
  });
}
