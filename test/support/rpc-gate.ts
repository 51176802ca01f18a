import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One call of a JSON-RPC request or batch. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Stops a call before it reaches the node, or withholds its answer. */
export type Stop = 'before' | 'after';

interface Watch {
  readonly matches: (call: RpcCall) => boolean;
}

interface Hold extends Watch {
  readonly stop: Stop;
  readonly reached: () => void;
}

interface Act extends Watch {
  readonly run: () => Promise<unknown>;
}

/** A JSON-RPC proxy in front of a real node that stops a chosen call for ever, or does something before it. */
export interface RpcGate {
  readonly url: string;
  /** Stops the next call that matches; resolves when it arrived. */
  hold(stop: Stop, matches: (call: RpcCall) => boolean): Promise<void>;
  /** The next call that matches goes on to the node once `run` has resolved. */
  before(matches: (call: RpcCall) => boolean, run: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Removes the first that matches one of the calls. */
function take<T extends Watch>(watches: T[], calls: readonly RpcCall[]): T | undefined {
  const at = watches.findIndex(({ matches }) => calls.some(matches));
  return at < 0 ? undefined : watches.splice(at, 1)[0];
}

export async function startRpcGate(target: string): Promise<RpcGate> {
  const holds: Hold[] = [];
  const acts: Act[] = [];
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const calls = [JSON.parse(body.toString()) as RpcCall | RpcCall[]].flat();
    const hold = take(holds, calls);
    if (hold?.stop === 'before') {
      hold.reached();
      return;
    }
    await take(acts, calls)?.run();
    const { authorization } = incoming.headers;
    const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
    const reply = await fetch(target, { method: 'POST', headers, body });
    const answered = Buffer.from(await reply.arrayBuffer());
    if (hold === undefined) outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(answered);
    else hold.reached();
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (stop, matches) => new Promise((reached) => void holds.push({ matches, stop, reached })),
    before: (matches, run) => void acts.push({ matches, run }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
