import { createServer, request as ask } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request: its answer is dropped after the server has acted on it, or it never reaches the server. */
export type Loss = 'answer' | 'request';

/** A proxy for browsers that loses what it is told to; everything else passes as it is, event streams too. */
export interface DroppingProxy {
  readonly url: string;
  /** How many requests were lost. */
  readonly lost: number;
  /** What is lost of each request, from now on; `null` for nothing. */
  lose(what: (request: Pick<IncomingMessage, 'method' | 'url'>) => Loss | null): void;
  close(): Promise<void>;
}

/** Starts a proxy to the server at `url`. */
export async function startDroppingProxy(url: string): Promise<DroppingProxy> {
  let lose: Parameters<DroppingProxy['lose']>[0] = () => null;
  let lost = 0;
  const server = createServer((incoming, outgoing) => {
    const loss = lose(incoming);
    if (loss !== null) lost += 1;
    if (loss === 'request') return void incoming.socket.destroy();
    const onward = ask(`${url}${incoming.url ?? '/'}`, { method: incoming.method, headers: incoming.headers });
    onward.on('response', (reply) => {
      if (loss === 'answer') {
        reply.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => incoming.socket.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lost() {
      return lost;
    },
    lose: (what) => {
      lose = what;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
