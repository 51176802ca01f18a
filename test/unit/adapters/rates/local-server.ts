import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** One request as the fake service saw it. */
export interface SeenRequest {
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
}

/** A service on loopback that answers with what the handler returns as JSON text, or as the handler itself decides. */
export interface LocalServer {
  readonly url: string;
  readonly seen: SeenRequest[];
}

/** Starts a service; it stops, broken connections and all, when the test ends. */
export async function startServer(
  t: TestContext,
  answer: (request: SeenRequest, response: ServerResponse) => string | null,
): Promise<LocalServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const request = { url: new URL(incoming.url ?? '/', 'http://local'), headers: incoming.headers };
    seen.push(request);
    const text = answer(request, response);
    if (text !== null) response.setHeader('content-type', 'application/json').end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
