/** A request of a server without `fetch`: Node's `IncomingMessage`, Express's `Request`. */
export interface PlainRequest {
  readonly method?: string | undefined;
  /** Path and query as received (`originalUrl` in Express), or the whole URL. */
  readonly url?: string | undefined;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body; a parsed body cannot be verified. */
  readonly body?: string | Uint8Array | null;
}

/** A callback's request with its body. */
export interface ReadRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The origin to which the request was sent, `https://shop.example`; `null` when unknown. */
  readonly origin: string | null;
  readonly header: (name: string) => string | null;
  readonly body: Uint8Array;
}

/** In bytes; every callback is shorter. */
const MAX_BODY = 256 * 1024;

/**
 * Reads a request of either kind.
 * @returns `null` when its body is longer than that of any callback
 * @throws TypeError for a body that was read or parsed already
 */
export async function readRequest(request: Request | PlainRequest): Promise<ReadRequest | null> {
  const isFetch = typeof Request === 'function' && request instanceof Request;
  const body = isFetch ? await readStream(request) : plainBody((request as PlainRequest).body ?? '');
  if (body === null) return null;
  const url = request.url ?? '';
  const absolute = URL.canParse(url) ? new URL(url) : null;
  return {
    method: request.method ?? '',
    target: absolute === null ? url : absolute.pathname + absolute.search,
    origin: absolute?.origin ?? null,
    header: headerReader(request.headers),
    body,
  };
}

async function readStream(request: Request): Promise<Uint8Array | null> {
  if (request.bodyUsed)
    throw new TypeError(
      'The body of the callback was already read: verify the request before anything reads its body, or verify a clone.',
    );
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const chunk = part.value as Uint8Array;
    length += chunk.length;
    if (length > MAX_BODY) {
      await reader?.cancel();
      return null;
    }
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function plainBody(body: unknown): Uint8Array | null {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (!(bytes instanceof Uint8Array))
    throw new TypeError('A callback is verified by its raw body: pass the text or the bytes, not the parsed value.');
  return bytes.length > MAX_BODY ? null : bytes;
}

/** Repeated headers are joined as `fetch` does: no verified value contains a comma. */
function headerReader(headers: PlainRequest['headers']): (name: string) => string | null {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'object' ? value.join(', ') : value,
    ]),
  );
  return (name) => values.get(name.toLowerCase()) ?? null;
}
