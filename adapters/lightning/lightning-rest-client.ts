import { X509Certificate } from 'node:crypto';
import { checkServerIdentity } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { parse } from 'lossless-json';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { TillgateError } from '../../core/index.ts';

export interface LightningRestOptions {
  /** `https://host:port`, with the path of a reverse proxy, if any. */
  readonly url: string;
  /** Sent with each request; their values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM: the node's certificate, or the authority that signed it; nothing else is trusted then. `null` for the system's authorities. */
  readonly certificate: string | null;
}

export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Relative to the node's URL, with the query. */
  readonly path: string;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly timeoutMs?: number;
}

/** The body is JSON with every number kept as digits, or the text when it is not JSON. */
export interface RestReply {
  readonly status: number;
  readonly body: unknown;
}

const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 20_000;
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** The limit of one stream message; a payment with many attempts has some hundred kilobytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const SHOWN_CHARACTERS = 200;
const SILENCE: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** HTTP client for one Lightning node: pinned certificate, bounded replies, errors without secrets. */
export class LightningRestClient {
  /** `name:port`, the only part of the URL for logs and errors. */
  readonly host: string;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, headers, certificate }: LightningRestOptions) {
    const parsed = new URL(url);
    this.host = parsed.host;
    this.#path = parsed.pathname.replace(/\/+$/, '');
    this.#headers = { accept: 'application/json', ...headers };
    this.#pool = new Pool(parsed.origin, {
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(certificate === null ? {} : pinned(certificate)) },
    });
  }

  /** @throws TillgateError `NODE_FAILED` when there is no valid HTTP reply; any status is one */
  async request({ timeoutMs = TIMEOUT_MS, ...request }: RestRequest): Promise<RestReply> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const reply = await this.#send(request, signal, timeoutMs);
      return { status: reply.statusCode, body: readable(await this.#text(reply.body)) };
    } catch (error) {
      throw this.#failure(error, signal.aborted ? 'did not answer in time' : null);
    }
  }

  /**
   * A stream of messages, one JSON document a line. A reply with another status than 200 gives one message.
   *
   * @param idleMs - the stream ends after so long without data
   * @throws TillgateError `NODE_FAILED` when it cannot be opened or is cut off
   */
  async *stream(request: RestRequest, signal: AbortSignal, idleMs: number): AsyncGenerator<RestReply> {
    try {
      const reply = await this.#send(request, signal, idleMs);
      if (reply.statusCode !== 200) yield { status: reply.statusCode, body: readable(await this.#text(reply.body)) };
      else for await (const line of this.#lines(reply.body)) yield { status: 200, body: readable(line) };
    } catch (error) {
      if (SILENCE.has(wordOf(error))) return;
      throw this.#failure(error, signal.aborted ? 'stream was closed' : null);
    }
  }

  /** An error reported by the node. */
  refusal(what: string, words: unknown): TillgateError {
    return new TillgateError(
      'NODE_FAILED',
      `The Lightning node at ${this.host} refused ${what}: ${this.shown(words)}.`,
      {
        host: this.host,
      },
    );
  }

  /** The node's message for logs and errors. It may repeat the request, so secrets are removed. */
  shown(words: unknown): string {
    const text = typeof words === 'string' ? words : 'no reason given';
    const clean = Object.values(this.#headers).reduce(
      (left, secret) => (secret.length < 8 ? left : left.replaceAll(secret, '***')),
      text,
    );
    return clean.length > SHOWN_CHARACTERS ? `${clean.slice(0, SHOWN_CHARACTERS)}…` : clean;
  }

  /** The error for a reply with a missing or invalid part. */
  malformed(what: string): TillgateError {
    return new TillgateError('NODE_FAILED', `The Lightning node at ${this.host} sent an invalid reply to ${what}.`, {
      host: this.host,
    });
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #send(
    { method, path, body, contentType }: RestRequest,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Dispatcher.ResponseData> {
    return this.#pool.request({
      method,
      path: `${this.#path}${path}`,
      headers:
        body === undefined ? this.#headers : { ...this.#headers, 'content-type': contentType ?? 'application/json' },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  async #text(body: AsyncIterable<Buffer>): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_REPLY_BYTES) throw this.#tooLong();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size).toString('utf8');
  }

  async *#lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
    let rest: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
        [rest, size, from] = [[], 0, end + 1];
        if (line.trim() !== '') yield line;
      }
      size += chunk.length - from;
      if (size > MAX_LINE_BYTES) throw this.#tooLong();
      rest.push(chunk.subarray(from));
    }
    const last = Buffer.concat(rest).toString('utf8');
    if (last.trim() !== '') yield last;
  }

  #tooLong(): TillgateError {
    return new TillgateError('NODE_FAILED', `The Lightning node at ${this.host} sent a reply that is too large.`, {
      host: this.host,
    });
  }

  #failure(error: unknown, why: string | null): TillgateError {
    if (error instanceof TillgateError) return error;
    return new TillgateError(
      'NODE_FAILED',
      `The Lightning node at ${this.host} ${why ?? `cannot be reached (${wordOf(error)})`}.`,
      { host: this.host },
    );
  }
}

/** Trusts only the given certificates: pinned, whatever their name, or as authorities for the host's name. */
function pinned(pem: string): object {
  const own = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block).raw,
  );
  return {
    ca: pem,
    allowPartialTrustChain: true,
    checkServerIdentity: (host: string, shown: PeerCertificate) =>
      own.some((one) => one.equals(shown.raw)) ? undefined : checkServerIdentity(host, shown),
  };
}

function readable(text: string): unknown {
  try {
    return parse(text, null, (digits) => digits);
  } catch {
    return text;
  }
}

/** The error code (`ECONNREFUSED`); a full message could repeat the request. */
function wordOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'failed';
}
