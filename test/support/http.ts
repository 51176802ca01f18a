import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { checkerOf } from './openapi.ts';
import type { OpenApiChecker, Reply } from './openapi.ts';

export type { Reply } from './openapi.ts';

/** The two algorithms of request signatures, with node:crypto's names of their hashes. */
const HASHES = { 'HMAC-SHA256': 'sha256', 'HMAC-SHA3_256': 'sha3-256' } as const;

export interface SigningKeys {
  readonly apiToken: string;
  readonly signingSecret: string;
}

/** The parts of a request's signature; each can be made wrong. */
export interface SigningOptions {
  readonly algorithm?: keyof typeof HASHES;
  readonly delimiter?: string;
  /** Epoch milliseconds of `Date`. */
  readonly at: number;
}

/** Signs a request as an independent client would, from the documented scheme. */
export function signatureHeaders(
  keys: SigningKeys,
  method: string,
  target: string,
  body: string,
  options: SigningOptions,
): Record<string, string> {
  const algorithm = options.algorithm ?? 'HMAC-SHA256';
  const date = `${new Date(options.at).toISOString().slice(0, 19)}Z`;
  const md5 = body === '' ? [] : [createHash('md5').update(body).digest('hex')];
  const origin = [algorithm, date, `${method} ${target}`, ...md5].join(options.delimiter ?? ' | ');
  const signature = createHmac(HASHES[algorithm], keys.signingSecret).update(origin).digest('base64');
  return {
    'API-Token': keys.apiToken,
    Algorithm: algorithm,
    Date: date,
    ...(md5[0] === undefined ? {} : { 'Body-MD5': md5[0] }),
    Signature: signature,
  };
}

/** The part of the payment API's envelope that tests read. */
export interface Envelope<T = unknown> {
  readonly code: number;
  readonly message: string;
  readonly result: boolean;
  readonly data?: T;
  readonly trace_id?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly signing?: Readonly<Record<string, string>>;
}

export function envelope<T = unknown>(reply: Reply): Envelope<T> {
  return JSON.parse(reply.text) as Envelope<T>;
}

/** A reply's data; fails the test when the reply is an error. */
export function dataOf<T>(reply: Reply): T {
  const { code, data } = envelope<T>(reply);
  assert.equal(code, 0, reply.text);
  return data as T;
}

/** Fails the test unless the reply is this error in its envelope. */
export function assertError(reply: Reply, code: number): Envelope {
  const found = envelope(reply);
  assert.equal(found.code, code, reply.text);
  assert.equal(reply.status, Math.floor(code / 100));
  assert.equal(found.result, false);
  assert.equal('data' in found, false);
  assert.equal(found.trace_id, reply.headers['x-trace-id']);
  return found;
}

/** Headers to send; a list repeats the header. */
export type SentHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A request of {@link HttpClient}. */
export interface Sent {
  readonly headers?: SentHeaders;
  /** Text or bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** Signs the request. */
  readonly sign?: { readonly keys: SigningKeys } & SigningOptions;
}

/** A reused connection broke before any answer to its next request. */
class ClosedMeanwhile extends Error {}

/**
 * A client that sends targets and headers unchanged, and checks each JSON reply against the served OpenAPI document.
 */
export class HttpClient {
  readonly url: URL;
  #headers: SentHeaders;
  readonly #agent = new Agent({ keepAlive: true });
  #checker: OpenApiChecker | null = null;

  /** @param headers - sent with every request, for example credentials */
  constructor(url: string, headers: SentHeaders = {}) {
    this.url = new URL(url);
    this.#headers = headers;
  }

  /** The same server with other headers. */
  with(headers: SentHeaders): HttpClient {
    return new HttpClient(this.url.href, { ...this.#headers, ...headers });
  }

  /** Replaces these headers for all further requests. */
  send(headers: SentHeaders): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  async get(target: string, sent: Sent = {}): Promise<Reply> {
    return this.request('GET', target, sent);
  }

  async post(target: string, body: unknown, sent: Sent = {}): Promise<Reply> {
    return this.request('POST', target, { ...sent, body });
  }

  async request(method: string, target: string, sent: Sent = {}): Promise<Reply> {
    const reply = await this.#send(method, target, sent);
    this.#checker ??= checkerOf((await this.#send('GET', '/openapi.json', {})).text);
    this.#checker.check(method, target, reply);
    return reply;
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * A server may close a keep-alive connection just as it is reused, mostly after the process was blocked for longer
   * than the server waits: the request is then repeated on a new one. If the server resets because of the request, it
   * resets the new one too.
   */
  async #send(method: string, target: string, sent: Sent): Promise<Reply> {
    try {
      return await this.#sendOver(this.#agent, method, target, sent);
    } catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error;
      return this.#sendOver(false, method, target, sent);
    }
  }

  #sendOver(agent: Agent | false, method: string, target: string, { headers = {}, body, sign }: Sent): Promise<Reply> {
    const payload =
      typeof body === 'string' || body instanceof Uint8Array
        ? Buffer.from(body)
        : Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const signature = sign === undefined ? {} : signatureHeaders(sign.keys, method, target, payload.toString(), sign);
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const all = { ...type, ...this.#headers, ...signature, ...headers } as Record<string, string | string[]>;
    return new Promise((resolve, reject) => {
      const { hostname: host, port } = this.url;
      const request = httpRequest({ host, port, method, path: target, headers: all, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const closed = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(closed ? new ClosedMeanwhile('The kept connection was closed.', { cause: error }) : error);
      });
      request.end(payload.length === 0 ? undefined : payload);
    });
  }
}

/** The bytes received on a raw connection until it closed. */
export interface RawExchange {
  readonly text: string;
  readonly replies: readonly Reply[];
}

/**
 * Writes bytes to a port and reads until the server closes the connection, for tests of requests after which the server
 * must close. `step` may write more once something was received.
 */
export function rawExchange(
  port: number,
  bytes: string | Uint8Array,
  step?: (text: string, write: (more: string) => void) => void,
): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`The server kept the connection open after: ${text}`));
    }, 10_000);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      step?.(text, (more) => socket.write(more));
    });
    // A reset also closes the connection; the bytes before it count.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve({ text, replies: splitReplies(text) });
    });
  });
}

/** Splits a connection's bytes into replies by their Content-Length. */
function splitReplies(text: string): Reply[] {
  const replies: Reply[] = [];
  let rest = text;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    replies.push({ status: Number(first.split(' ')[1]), headers, text: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return replies;
}
