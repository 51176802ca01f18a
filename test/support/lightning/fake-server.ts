import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../unit/adapters/callbacks/certificate.ts';

/** A parsed request. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** A fake's answer: a reply, or a stream of lines. */
export type FakeReply =
  | { readonly status: number; readonly body: unknown }
  | { readonly follow: (write: (message: unknown) => void, end: () => void) => () => void }
  | null;

/** The faults of the server in front of a fake. */
export interface Manners {
  /** Every connection is cut, and no new one is answered. */
  down: boolean;
  /** For payments: the request is lost before it reaches the node (silently or with an error), or its reply is. */
  loses: 'request' | 'gateway' | 'reply' | null;
}

/** A server on loopback. */
export interface FakeServer {
  readonly url: string;
  /** PEM; `null` on plain HTTP. */
  readonly certificate: string | null;
  readonly manners: Manners;
  /** Cuts every connection once. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * Serves a fake node.
 *
 * @param answer - `null` for an unknown path, which is answered with 404
 * @param pays - true for requests that start a payment
 */
export async function serveFake(
  tls: boolean,
  answer: (request: FakeRequest) => FakeReply | Promise<FakeReply>,
  pays: (request: FakeRequest) => boolean,
): Promise<FakeServer> {
  const manners: Manners = { down: false, loses: null };
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const url = new URL(request.url ?? '/', 'http://fake');
      const read = {
        method: request.method ?? 'GET',
        path: url.pathname,
        query: url.searchParams,
        body: Buffer.concat(chunks).toString(),
        headers: request.headers,
      };
      if (manners.down || (manners.loses === 'request' && pays(read))) return void request.socket.destroy();
      if (manners.loses === 'gateway' && pays(read))
        return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
      const reply = await answer(read);
      if (manners.down || (manners.loses === 'reply' && pays(read))) return void request.socket.destroy();
      write(response, reply);
    })().catch(
      (error: unknown) =>
        response.headersSent ||
        response.writeHead(500).end(JSON.stringify({ code: 2, message: (error as Error).message })),
    );
  };
  const certificate = tls ? selfSigned('lightning.test') : null;
  const server = certificate === null ? createServer(listener) : createTlsServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate: certificate?.cert ?? null,
    manners,
    cut: () => server.closeAllConnections(),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function write(response: ServerResponse, reply: FakeReply): void {
  if (reply === null)
    return void response
      .writeHead(404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ code: 5, message: 'Not Found', details: [] }));
  if ('status' in reply)
    return void response
      .writeHead(reply.status, { 'content-type': 'application/json' })
      .end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  // Like lnd, sends no head before the first message.
  const leave = reply.follow(
    (message) => void response.write(`${JSON.stringify(message)}\n`),
    () => void response.end(),
  );
  response.once('close', leave);
}
