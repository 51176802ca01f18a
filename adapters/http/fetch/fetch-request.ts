import { ClientGone } from '../messages.ts';
import type { HeaderMap, HttpRequest, RequestBody } from '../messages.ts';
import { headerMap } from '../express/node-request.ts';
import { SINGLE_HEADERS } from '../request-checks.ts';

/** Facts that a `Request` does not contain; the embedder's server provides them. */
export interface RequestFacts {
  /** The address of the connection's client; logins are counted by it. */
  readonly peer: string;
  /**
   * The request target exactly as it came in (Node's `IncomingMessage.url`). Without it the target is that of
   * `Request.url`, which the URL parser has brought to its normal form: a signature over a target that is not in that
   * form is then refused, for there is nothing left to verify it with.
   */
  readonly target?: string;
  /** Names and values in turn, as they came in (Node's `rawHeaders`). Without it a value with a comma counts as two, where a header may appear only once. */
  readonly rawHeaders?: readonly string[];
}

/** A `Request` as plain data; `mount` is the path under which the table is mounted. */
export function fromFetch(request: Request, mount: string, { peer, target, rawHeaders }: RequestFacts): HttpRequest {
  const headers = rawHeaders === undefined ? splitHeaders(request.headers) : headerMap(rawHeaders);
  return {
    method: request.method,
    target: target ?? targetOf(request.url),
    mount,
    headers,
    body: new FetchBody(request, headers),
    peer,
    onGone: (listener) => {
      if (request.signal.aborted) listener();
      request.signal.addEventListener('abort', listener);
      return () => request.signal.removeEventListener('abort', listener);
    },
  };
}

/** Everything after the origin, also a fragment, which is refused and not dropped. */
function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}

/** `Headers` joins repeated values with a comma; where only one is allowed they are split again, and refused. */
function splitHeaders(headers: Headers): HeaderMap {
  return new Map([...headers].map(([name, value]) => [name, SINGLE_HEADERS.has(name) ? value.split(', ') : [value]]));
}

class FetchBody implements RequestBody {
  readonly present: boolean;
  readonly #request: Request;
  readonly #length: string | undefined;

  constructor(request: Request, headers: HeaderMap) {
    this.#request = request;
    this.#length = headers.get('content-length')?.[0];
    // A GET's body is no part of a `Request`; that one was announced has to be seen.
    const announced = this.#length === undefined ? headers.has('transfer-encoding') : !/^0+$/.test(this.#length);
    this.present = announced || request.body !== null;
  }

  async read(limit: number): Promise<Uint8Array | null> {
    const { body, bodyUsed } = this.#request;
    if (bodyUsed) throw new Error('Another handler has read the body: give the till the request as it came in.');
    if (Number(this.#length ?? 0) > limit) return null;
    return body === null ? new Uint8Array(0) : await collect(body, limit);
  }
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | null> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new ClientGone('The request ended before its body was complete.', { cause: error });
    });
    if (done) return joined(chunks, length);
    length += value.length;
    if (length > limit) {
      // The result of the cancellation does not matter: the rest is not read.
      void Promise.allSettled([reader.cancel()]);
      return null;
    }
    chunks.push(value);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
