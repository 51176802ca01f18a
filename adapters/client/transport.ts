import { utf8 } from './bytes.ts';
import { TillgateApiError, TillgateConnectionError, TillgateReplyError } from './errors.ts';
import type { CallFacts, Refusal } from './errors.ts';
import { md5Hex } from './md5.ts';
import { DEFAULT_RETRY, pause, pauseBefore, retryAfter } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { signRequest } from './sign-request.ts';
import type { SigningPair } from './sign-request.ts';
import { SigningTimes } from './signing-times.ts';

/** How the client sends a call. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path template, such as `/v1/orders/{id}`. */
  readonly path: string;
  /** The operation creates or moves money; it carries an `Idempotency-Key`, so that it can be retried. */
  readonly keyed?: true;
  /** The server accepts each signature of the operation once. */
  readonly once?: true;
  /** The operation changes a record whose version it must name. */
  readonly versioned?: true;
  /** The operation is a list that is read page by page. */
  readonly paged?: true;
}

/** The calls by resource and verb. */
export type CallTable = Readonly<Record<string, Readonly<Record<string, Call>>>>;

/** An API key or a signing pair. An account with Data Security needs the signing pair. */
export type Credentials = { readonly apiKey: string } | SigningPair;

/** The server's address and how to call it. */
export interface ClientOptions {
  /** The server's base URL, `https://pay.example.com`, with any path before `/v1`. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly retry?: RetryOptions;
  /** The timeout of one attempt in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Replaces the runtime's clock; epoch milliseconds. */
  readonly now?: () => number;
  /** Replaces the runtime's timer between attempts. */
  readonly wait?: (ms: number, signal: AbortSignal | null) => Promise<void>;
}

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call, also during a delay between attempts. */
  readonly signal?: AbortSignal;
}

/** Options of a call that creates or moves money. */
export interface WriteOptions extends CallOptions {
  /**
   * Your own key, to continue after a restart; by default a new one. It has at most 255 characters, and the server
   * keeps it for 24 hours.
   */
  readonly idempotencyKey?: string;
}

/** The parts of a call's request, with the names of the wire. */
export interface CallParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly version: number | undefined;
  readonly options: WriteOptions;
}

interface Prepared {
  readonly call: Call;
  readonly operation: string;
  readonly url: URL;
  readonly text: string;
  readonly key: string | null;
  /** `If-Match`. */
  readonly version: string | null;
  readonly signal: AbortSignal | null;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Sends calls: signs each attempt, reads the envelope, and retries what is safe to retry. */
export class Transport {
  readonly #base: URL;
  readonly #options: ClientOptions;
  readonly #retry: Required<RetryOptions>;
  readonly #now: () => number;
  readonly #times = new SigningTimes();

  /** @throws TypeError for a `baseUrl` that is not an http or https URL, or that contains credentials */
  constructor(options: ClientOptions) {
    this.#base = readBase(options.baseUrl);
    this.#options = options;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#now = options.now ?? Date.now;
  }

  /**
   * Makes a call.
   *
   * @param operation - its name, such as `orders.create`
   * @returns the data of the reply
   * @throws TillgateApiError, TillgateConnectionError, TillgateReplyError; TypeError for an id that is none
   */
  async send(operation: string, call: Call, { params, fields, version, options }: CallParts): Promise<unknown> {
    const inQuery = call.method === 'GET';
    const prepared: Prepared = {
      call,
      operation,
      url: this.#url(call.path, params, inQuery ? fields : {}),
      text: inQuery || Object.keys(fields).length === 0 ? '' : JSON.stringify(fields),
      key: call.keyed === true ? (options.idempotencyKey ?? crypto.randomUUID()) : null,
      version: version === undefined ? null : String(version),
      signal: options.signal ?? null,
    };
    // Retrying a POST without a key could have its effect twice.
    const again = inQuery || prepared.key !== null;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#try(prepared, tries);
      } catch (error) {
        const ms = again ? pauseBefore(error, tries, this.#retry, Math.random()) : null;
        if (ms === null) throw error;
        await (this.#options.wait ?? pause)(ms, prepared.signal);
      }
    }
  }

  #url(path: string, params: CallParts['params'], query: CallParts['fields']): URL {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => soundId(params[name]));
    const url = new URL(this.#base.pathname.replace(/\/$/, '') + filled, this.#base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, texted(value));
    return url;
  }

  async #try(prepared: Prepared, tries: number): Promise<unknown> {
    const { operation, key } = prepared;
    const facts: CallFacts = { operation, tries, idempotencyKey: key };
    const headers = await this.#headers(prepared);
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(prepared, headers);
      text = await response.text();
    } catch (error) {
      const aborted = prepared.signal?.aborted === true;
      throw new TillgateConnectionError(
        aborted ? 'aborted by the caller' : 'no reply from the till',
        aborted,
        facts,
        error,
      );
    }
    return readReply(response, text, this.#now(), facts);
  }

  async #fetch({ call, url, text, signal }: Prepared, headers: Record<string, string>): Promise<Response> {
    const deadline = AbortSignal.timeout(this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const send = this.#options.fetch ?? fetch;
    return await send(url.href, {
      method: call.method,
      headers,
      // Following a redirect would send the credentials to another address.
      redirect: 'manual',
      signal: signal === null ? deadline : AbortSignal.any([signal, deadline]),
      ...(text === '' ? {} : { body: text }),
    });
  }

  async #headers({ call, url, text, key, version }: Prepared): Promise<Record<string, string>> {
    const common = {
      Accept: 'application/json',
      ...(text === '' ? {} : { 'Content-Type': 'application/json' }),
      ...(key === null ? {} : { 'Idempotency-Key': key }),
      ...(version === null ? {} : { 'If-Match': version }),
    };
    const { credentials } = this.#options;
    if ('apiKey' in credentials) return { ...common, Authorization: `Bearer ${credentials.apiKey}` };
    const request = { method: call.method, target: url.pathname + url.search, body: utf8(text) };
    const now = this.#now();
    const at = call.once === true ? this.#times.take(`${request.target} ${md5Hex(request.body)}`, now) : now;
    return { ...common, ...(await signRequest(request, credentials, at)) };
  }
}

function readBase(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http or https URL.');
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new TypeError('baseUrl must have neither credentials nor a query.');
  return url;
}

/** A value of a query. */
const texted = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** An id as one path segment; `..` would lead to another operation. */
function soundId(id: unknown): string {
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id))
    throw new TypeError('An id is a text of letters and digits.');
  return id;
}

function readReply(response: Response, text: string, now: number, facts: CallFacts): unknown {
  const { status } = response;
  const asked = retryAfter(response.headers.get('retry-after'), now);
  const reply = readObject(text);
  // A success of something else than a till, such as the page of a proxy, is no JSON object.
  if (response.ok && reply !== null) return reply;
  const refusal = reply === null ? null : readRefusal(reply);
  if (refusal === null) throw new TillgateReplyError('the reply is not from a till', status, asked, facts);
  throw new TillgateApiError(refusal, status, asked, facts);
}

/** A JSON object; `null` for anything else. */
function readObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function readRefusal({ error }: { readonly error?: Partial<Refusal> }): Refusal | null {
  if (typeof error !== 'object' || error === null) return null;
  return typeof error.code === 'string' && typeof error.message === 'string' ? (error as Refusal) : null;
}
