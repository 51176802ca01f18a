import { Pool } from 'undici';
import { TillgateError } from '../../core/index.ts';

/** An endpoint gave no usable answer; the next one may. The message names only the host of the URL. */
export class TransportFailure extends Error {
  constructor(
    message: string,
    readonly tooLarge = false,
  ) {
    super(message);
    this.name = 'TransportFailure';
  }
}

/** Statuses that concern the endpoint, not the request. */
const ENDPOINT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 407, 408, 429]);
const CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter parts of a URL are words like `v2`, not keys. */
const SECRET_LENGTH = 6;

/** A JSON-over-HTTP endpoint: pooled connections, one timeout, a size limit of the reply, no redirects. */
export class HttpEndpoint {
  /** `name:port`, the only part of the URL that may be shown. */
  readonly host: string;
  readonly #path: string;
  readonly #search: string;
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;
  readonly #secrets: readonly string[];

  /**
   * @param headers - sent with each request; their values are secrets
   * @throws TillgateError `CONFIG_INVALID` when the text is not an http(s) URL; the message does not repeat it
   */
  constructor(
    url: string,
    readonly timeoutMs: number,
    readonly maxBytes: number,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
      throw new TillgateError('CONFIG_INVALID', 'A node URL is not a valid http or https URL.');
    }
    this.host = parsed.host;
    this.#path = parsed.pathname;
    this.#search = parsed.search;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...basicAuthorization(parsed),
      ...headers,
    };
    this.#secrets = secretsOf(parsed, Object.values(headers));
    this.#pool = new Pool(parsed.origin, { connections: CONNECTIONS, connect: { timeout: CONNECT_TIMEOUT_MS } });
  }

  /**
   * Posts a body and returns the reply's text.
   *
   * @param subPath - below the URL's own path, `/wallet/getnowblock`; the URL itself without one
   * @throws TransportFailure
   */
  async post(body: string, subPath = ''): Promise<string> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const reply = await this.#pool.request({
        path:
          subPath === ''
            ? `${this.#path}${this.#search}`
            : `${this.#path.replace(/\/+$/, '')}${subPath}${this.#search}`,
        method: 'POST',
        headers: this.#headers,
        body,
        signal,
        headersTimeout: this.timeoutMs,
        bodyTimeout: this.timeoutMs,
      });
      const { statusCode } = reply;
      // Some services reply to a refused call with 400 or 500 and a JSON-RPC error: that counts as an answer.
      if (ENDPOINT_STATUSES.has(statusCode) || (statusCode > 299 && statusCode < 400) || statusCode > 500) {
        await reply.body.dump({ limit: 65_536, signal });
        throw new TransportFailure(`${this.host} answered HTTP ${statusCode}`);
      }
      return await this.#read(reply.body);
    } catch (error) {
      if (error instanceof TransportFailure) throw error;
      throw new TransportFailure(`${this.host}: ${signal.aborted ? 'no answer in time' : errorWord(error)}`);
    }
  }

  /** The node's text without any part of this URL that could be a key, cut to one line. */
  redact(text: string): string {
    const clean = this.#secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
    return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #read(body: AsyncIterable<Buffer>): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      // Leaving the loop destroys the stream.
      if (size > this.maxBytes)
        throw new TransportFailure(`${this.host}: the answer is larger than ${this.maxBytes} bytes`, true);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size).toString('utf8');
  }
}

function basicAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function secretsOf(url: URL, more: readonly string[]): readonly string[] {
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values(), ...more];
  const all = [...parts, ...parts.map(decodePart)].filter((part) => part.length >= SECRET_LENGTH);
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The system's code of a failure (`ECONNREFUSED`); a full message could contain the request. */
function errorWord(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'failed';
}
