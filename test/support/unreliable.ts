import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The fate of a request: it passes; it passes but its reply is lost; the connection is cut before it passes; a proxy
 * answers 503 in HTML; 429; a redirect; no answer at all.
 */
export type Mishap = 'pass' | 'lost' | 'cut' | 'busy' | 'limited' | 'redirect' | 'silent';

interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A proxy to a server with scripted failures. */
export interface Unreliable {
  readonly url: string;
  /** All received requests. */
  readonly seen: readonly Seen[];
  /** Sets the fate of the next requests, one each; all others pass. */
  next(...mishaps: readonly Mishap[]): void;
  /** Calls the listener when the next request is left without an answer. */
  onSilent(listener: () => void): void;
  close(): Promise<void>;
}

const LIMITED = JSON.stringify({
  error: { code: 'rate_limited', message: 'Too many requests; try again later.', trace_id: '0'.repeat(32) },
});

/** Starts a proxy to the server at `url`. */
export async function startUnreliable(url: string): Promise<Unreliable> {
  const seen: Seen[] = [];
  const plan: Mishap[] = [];
  let silent = (): void => undefined;

  const pass = async ({ method, target, headers, body }: Seen): Promise<{ status: number; text: string }> => {
    const {
      host: _host,
      connection: _connection,
      'content-length': _length,
      'transfer-encoding': _coding,
      ...rest
    } = headers;
    const reply = await fetch(url + target, {
      method,
      headers: rest as Record<string, string>,
      ...(body === '' ? {} : { body }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const act: Readonly<Record<Mishap, (request: Seen, res: ServerResponse) => void | Promise<void>>> = {
    pass: async (request, res) => {
      const { status, text } = await pass(request);
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
    },
    lost: async (request, res) => {
      await pass(request);
      res.destroy();
    },
    cut: (_request, res) => void res.destroy(),
    busy: (_request, res) =>
      void res.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>Service Unavailable</h1>'),
    limited: (_request, res) =>
      void res.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '7' }).end(LIMITED),
    redirect: (_request, res) => void res.writeHead(302, { Location: '/elsewhere' }).end(),
    silent: () => silent(),
  };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const request: Seen = {
        method: req.method ?? '',
        target: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(request);
      void act[plan.shift() ?? 'pass'](request, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (...mishaps) => void plan.push(...mishaps),
    onSilent: (listener) => (silent = listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
