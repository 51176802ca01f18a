import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone } from '../messages.ts';
import type { HeaderMap, HttpRequest, RequestBody } from '../messages.ts';

/** A Node request as plain data. `mount` is the path that a framework removed from the request's URL. */
export function fromNode(req: IncomingMessage, res: ServerResponse, target: string, mount: string): HttpRequest {
  return {
    method: req.method ?? '',
    target,
    mount,
    headers: headerMap(req.rawHeaders),
    body: new NodeBody(req, res),
    peer: req.socket.remoteAddress ?? '',
    onGone: (listener) => {
      if (res.destroyed) listener();
      res.once('close', listener);
      return () => void res.off('close', listener);
    },
  };
}

/** Every value of every header: Node's own `headers` drops repeated values of some and joins others. */
export function headerMap(raw: readonly string[]): HeaderMap {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const value = raw[at + 1] as string;
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return headers;
}

class NodeBody implements RequestBody {
  readonly present: boolean;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
    const length = req.headers['content-length'];
    this.present = req.headers['transfer-encoding'] !== undefined || (length !== undefined && !/^0+$/.test(length));
  }

  async read(limit: number): Promise<Uint8Array | null> {
    if (this.#req.readableEnded)
      throw new Error('Another middleware has read the body: mount the till before any body parser.');
    if (this.#req.destroyed) throw new ClientGone('The client disconnected before its body was read.');
    if (Number(this.#req.headers['content-length'] ?? 0) > limit) return null;
    // 100 Continue is sent only when the body is read (RFC 9110, section 10.1.1).
    if (this.#req.headers.expect !== undefined) this.#res.writeContinue();
    return await collect(this.#req, limit);
  }
}

function collect(req: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    // The first settlement wins and later ones are ignored, so listeners need not be removed.
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else resolve(null);
    });
    req.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // 'error' is always followed by 'close'; without a listener it would end the process.
    req.on('error', () => reject(new ClientGone('The client disconnected before its body was complete.')));
    req.on('close', () => {
      // Creating an error captures its stack, so none is created when the request closes complete.
      if (!req.complete) reject(new ClientGone('The request ended before its body was complete.'));
    });
  });
}
