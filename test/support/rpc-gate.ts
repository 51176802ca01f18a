import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of a JSON-RPC request or batch. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Where a call is stopped: before the node hears of it, or with its answer withheld. */
export type Stop = 'before' | 'after';

interface Hold {
  readonly matches: (call: RpcCall) => boolean;
  readonly stop: Stop;
  readonly reached: () => void;
}

/** A JSON-RPC proxy in front of a real node that stops a call where a test wants it, for good. */
export interface RpcGate {
  readonly url: string;
  /** Stops the next call that matches; resolves when it came. */
  hold(stop: Stop, matches: (call: RpcCall) => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startRpcGate(target: string): Promise<RpcGate> {
  const holds: Hold[] = [];
  const server = createServer((incoming, outgoing) => {
    const { authorization } = incoming.headers;
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => outgoing.destroy());
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const calls = [JSON.parse(body.toString()) as RpcCall | RpcCall[]].flat();
      const at = holds.findIndex(({ matches }) => calls.some(matches));
      const [hold] = at < 0 ? [] : holds.splice(at, 1);
      if (hold?.stop === 'before') {
        hold.reached();
        return;
      }
      const upstream = request(
        target,
        {
          method: 'POST',
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            'content-type': 'application/json',
            'content-length': body.length,
          },
        },
        (reply) => {
          const answer: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => answer.push(chunk));
          reply.on('end', () => {
            if (hold !== undefined) {
              hold.reached();
              return;
            }
            outgoing
              .writeHead(reply.statusCode ?? 502, { 'content-type': 'application/json' })
              .end(Buffer.concat(answer));
          });
        },
      );
      upstream.on('error', () => outgoing.destroy());
      upstream.end(body);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (stop, matches) => new Promise((reached) => void holds.push({ matches, stop, reached })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
