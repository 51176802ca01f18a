import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received call. */
export interface ProxiedCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Returns an answer or another call for the node; `null` passes the call on unchanged. */
export type Interference = (
  call: ProxiedCall,
) =>
  | { readonly result: unknown }
  | { readonly error: { code: number; message: string } }
  | { readonly ask: ProxiedCall }
  | null;

/**
 * Some nodes return the state of the next block, which arrived meanwhile, for their latest one: this answers the first
 * calls of this method for the state of the block `hash` in that way.
 */
export function hasty(method: string, hash: string, times = 1): Interference {
  let told = 0;
  return ({ method: asked, params }) => {
    if (told === times || asked !== method || (params[1] as { blockHash?: string }).blockHash !== hash) return null;
    told += 1;
    return { ask: { method, params: [params[0], 'latest'] } };
  };
}

/** A proxy of an honest node that a test lets misbehave. */
export interface RpcProxy {
  readonly url: string;
  /** The number of received HTTP requests. */
  requests(): number;
  /** The number of calls in them. */
  calls(): number;
  stop(): Promise<void>;
}

/**
 * Starts a proxy of a node that changes some answers, delays or limits them.
 *
 * @param raw - answers a whole request instead: status and body
 */
export async function startProxy(
  target: string,
  interfere: Interference,
  raw: (body: string) => { readonly status: number; readonly body: string } | null = () => null,
): Promise<RpcProxy> {
  let requests = 0;
  let calls = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      const body = Buffer.concat(chunks).toString();
      const instead = raw(body);
      const answer =
        instead === null ? answerAll(body).then((text) => ({ status: 200, body: text })) : Promise.resolve(instead);
      void answer.then(({ status, body: text }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(text),
      );
    });
  });
  const answerAll = async (body: string): Promise<string> => {
    const parsed = JSON.parse(body) as (ProxiedCall & { id: number }) | (ProxiedCall & { id: number })[];
    calls += [parsed].flat().length;
    const one = async (call: ProxiedCall & { id: number }): Promise<unknown> => {
      const changed = interfere(call);
      if (changed !== null && !('ask' in changed)) return { jsonrpc: '2.0', id: call.id, ...changed };
      const asked = changed === null ? call : { ...call, ...changed.ask };
      const answered = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(asked),
      });
      return answered.json();
    };
    return JSON.stringify(Array.isArray(parsed) ? await Promise.all(parsed.map(one)) : await one(parsed));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    calls: () => calls,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
