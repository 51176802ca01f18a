import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { parse } from 'lossless-json';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { TillgateError } from '../../core/index.ts';

/** How a Lightning node is reached. */
export interface LightningRestOptions {
  /** `https://host:port`, with a path where the node stands behind one. */
  readonly url: string;
  /** Sent with each request; their values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM: the node's own certificate, or the authority that signed it. Nothing else is trusted then. `null`: the system's authorities. */
  readonly certificate: string | null;
}

/** One request. */
export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Below the node's URL, with its query. */
  readonly path: string;
  /** Sent as JSON, or as it is where it is text. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly timeoutMs?: number;
}

/** What came back: JSON with every number left as its digits, or the text itself where it is no JSON. */
export interface RestReply {
  readonly status: number;
  readonly body: unknown;
}

const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 20_000;
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** One message of a stream; a payment with many attempts has some hundred kilobytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const SHOWN_CHARACTERS = 200;
const SILENCE: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** A small HTTP client for one Lightning node: pinned certificate, bounded replies, and errors that hold no secret. */
export class LightningRestClient {
  /** `name:port`, all of the URL that may be told. */
  readonly host: string;
  readonly #path: string;
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, headers, certificate }: LightningRestOptions) {
    const parsed = new URL(url);
    this.host = parsed.host;
    this.#path = parsed.pathname.replace(/\/+$/, '');
    this.#headers = { accept: 'application/json', ...headers };
    this.#pool = new Pool(parsed.origin, { connections: CONNECTIONS, connect: { timeout: CONNECT_TIMEOUT_MS, ...(certificate === null ? {} : pinned(certificate)) } });
  }

  /** @throws TillgateError `NODE_FAILED` when no reply came, or one that is no answer; statuses up to 599 are answers */
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
   * A stream of messages, one JSON document a line. A reply of another status than 200 is the only message.
   *
   * @param idleMs - it ends when it was silent for so long
   * @throws TillgateError `NODE_FAILED` when it cannot be opened or breaks off
   */
  async *stream(request: RestRequest, signal: AbortSignal, idleMs: number): AsyncGenerator<RestReply> {
    try {
      const reply = await this.#send(request, signal, idleMs);
      if (reply.statusCode !== 200) yield { status: reply.statusCode, body: readable(await this.#text(reply.body)) };
      else for await (const line of this.#lines(reply.body)) yield { status: 200, body: readable(line) };
    } catch (error) {
      if (SILENCE.has(wordOf(error))) return;
      throw this.#failure(error, signal.aborted ? 'was left' : null);
    }
  }

  /** An error of the node's own, in its words, which may repeat what it was sent. */
  refusal(what: string, words: unknown): TillgateError {
    const text = typeof words === 'string' ? words : 'no reason given';
    const clean = Object.values(this.#headers).reduce((left, secret) => (secret.length < 8 ? left : left.replaceAll(secret, '***')), text);
    const shown = clean.length > SHOWN_CHARACTERS ? `${clean.slice(0, SHOWN_CHARACTERS)}…` : clean;
    return new TillgateError('NODE_FAILED', `The Lightning node at ${this.host} refused ${what}: ${shown}.`, { host: this.host });
  }

  /** @throws TillgateError `NODE_FAILED` when a part of an answer is not what it should be */
  malformed(what: string): TillgateError {
    return new TillgateError('NODE_FAILED', `The Lightning node at ${this.host} answered ${what} with something else than was asked for.`, { host: this.host });
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #send({ method, path, body, contentType }: RestRequest, signal: AbortSignal, timeoutMs: number): Promise<Dispatcher.ResponseData> {
    return this.#pool.request({
      method,
      path: `${this.#path}${path}`,
      headers: body === undefined ? this.#headers : { ...this.#headers, 'content-type': contentType ?? 'application/json' },
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
    return new TillgateError('NODE_FAILED', `The Lightning node at ${this.host} sent more than is read.`, { host: this.host });
  }

  #failure(error: unknown, why: string | null): TillgateError {
    if (error instanceof TillgateError) return error;
    return new TillgateError('NODE_FAILED', `The Lightning node at ${this.host} ${why ?? `cannot be reached (${wordOf(error)})`}.`, { host: this.host });
  }
}

/** Only the given certificates are trusted: as themselves, whatever name they bear, or as authorities for the host's name. */
function pinned(pem: string): object {
  const own = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((block) => new X509Certificate(block).raw);
  return {
    ca: pem,
    allowPartialTrustChain: true,
    checkServerIdentity: (host: string, shown: PeerCertificate) => (own.some((one) => one.equals(shown.raw)) ? undefined : checkServerIdentity(host, shown)),
  };
}

/** True for a host that no other machine can listen in on. */
export function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function readable(text: string): unknown {
  try {
    return parse(text, null, (digits) => digits);
  } catch {
    return text;
  }
}

/** The system's word for a failure (`ECONNREFUSED`); a full message could repeat the request. */
function wordOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'failed';
}
