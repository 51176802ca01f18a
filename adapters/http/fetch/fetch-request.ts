import { ClientGone } from '../messages.ts';
import type { HeaderMap, HttpRequest, RequestBody } from '../messages.ts';
import { headerMap } from '../express/node-request.ts';
import { SINGLE_HEADERS } from '../request-checks.ts';

/** Facts that a `Request` does not contain; the embedder's server provides them. */
export interface RequestFacts {
  /** The address of the connection's client; logins are limited by it. */
  readonly peer: string;
  /**
   * The request target exactly as it was sent (Node's `IncomingMessage.url`). Without it the target is taken from
   * `Request.url`, which the URL parser has normalised: the signature of a target that was not in normal form is then
   * refused, since the signed text is lost.
   */
  readonly target?: string;
  /**
   * Names and values in turn, as they were sent (Node's `rawHeaders`). Without them, a value with a comma counts as two
   * values in headers that may appear only once.
   */
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

/** Everything after the origin. A fragment is kept, so that it is refused and not dropped. */
function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}

/**
 * `Headers` joins repeated values with a comma. Headers that may appear only once are split again, so that repetitions
 * are refused.
 */
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
    // `Request` has no body for GET, so the headers show whether one was announced.
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
      // The result of the cancellation does not matter: the rest of the body is not read.
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
