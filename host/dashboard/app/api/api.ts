import { ApiError, STEP_UP_REQUIRED } from './api-error.ts';
import type { FieldProblem } from './api-error.ts';
import { placeOf } from './demands.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, unknown>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
  /** A body as CSV. */
  readonly csv?: string;
  /** Equal for every repetition of a request that moves money. */
  readonly idempotencyKey?: string;
  /** The version of the record that is changed. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}

export interface ApiDeps {
  /** The URL of `/manage/v1/`, with a slash at its end. */
  readonly base: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Performs a step-up; rejects when the person cancels it. */
  readonly stepUp: () => Promise<void>;
  /** Opens the page of the action that the server requires before all others. */
  readonly goTo: (place: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The two forms of replies, parsed. */
interface Reply {
  readonly data?: unknown;
  readonly msg?: string;
  readonly errors?: readonly FieldProblem[];
  readonly reason?: string;
}

interface CsrfReply {
  readonly csrf_token?: string;
}

const SESSION = 'session';
/** The waits before a change is repeated while the till is not ready. */
const WAITS_MS = [1_000, 3_000];
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * The management API for a browser: the session is a cookie, which no script can read, and each change carries the CSRF
 * token, which is kept only in memory.
 */
export class Api {
  readonly #deps: ApiDeps;
  #csrf: string | null = null;
  /** A request that renews the session's token; other requests wait for it. */
  #renewal: Promise<unknown> | null = null;

  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.request('GET', path, { query, ...(signal === undefined ? {} : { signal }) });
  }

  post<T>(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<T> {
    return this.request('POST', path, { ...options, body });
  }

  /** The URL of a file that the browser itself loads. */
  url(path: string, query: Query = {}): string {
    const text = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (isAsked(value) ? [[name, String(value)]] : [])),
    ).toString();
    return this.#deps.base + path + (text === '' ? '' : `?${text}`);
  }

  /**
   * Sends a request; when a step-up is required, it is performed and the same request is sent again.
   *
   * @throws ApiError
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.#raised(() => this.#sendCurrent(method, path, options))) as T;
  }

  /** As {@link renew}, for requests that need a step-up first. */
  renewRaised<T>(path: string, body: unknown): Promise<T> {
    return this.#raised(() => this.renew<T>(path, body));
  }

  async #raised<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== STEP_UP_REQUIRED) throw error;
    }
    await this.#deps.stepUp();
    return send();
  }

  /** Logs in, performs a step-up, or changes the password: each gives the session a new token. */
  async renew<T>(path: string, body: unknown): Promise<T> {
    const renewal = this.#send('POST', path, { body });
    this.#renewal = renewal;
    try {
      return (await renewal) as T;
    } finally {
      this.#renewal = null;
    }
  }

  /** The session of this browser. @throws ApiError with status 401 without one */
  async session<T>(): Promise<T> {
    return (await this.#send('GET', SESSION, {})) as T;
  }

  /** Sends a request, and repeats it once if another request or page has renewed the token. */
  async #sendCurrent(method: Method, path: string, options: RequestOptions): Promise<unknown> {
    // The request that started the renewal handles its failure.
    await this.#renewal?.catch(() => undefined);
    const csrf = this.#csrf;
    try {
      return await this.#sendPatiently(method, path, options);
    } catch (error) {
      if (!(error instanceof ApiError) || !mayBeOutdated(method, error)) throw error;
      await this.#renewal?.catch(() => undefined);
      // This request fails too if the session has ended.
      await this.session();
      if (error.status !== 401 && csrf === this.#csrf) throw error;
    }
    return this.#send(method, path, options);
  }

  /** Sends a request, and repeats it while the till is not ready, as after a restart, if that is safe. */
  async #sendPatiently(method: Method, path: string, options: RequestOptions): Promise<unknown> {
    for (const wait of isRepeatable(method, options) ? WAITS_MS : []) {
      try {
        return await this.#send(method, path, options);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 503) throw error;
      }
      await this.#deps.wait(wait);
    }
    return this.#send(method, path, options);
  }

  async #send(method: Method, path: string, options: RequestOptions): Promise<unknown> {
    const { query = {}, body, csv, signal } = options;
    const reply = await this.#fetch(this.url(path, query), {
      method,
      credentials: 'same-origin',
      headers: this.#headers(method, options),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(csv === undefined ? {} : { body: csv }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { data, msg, errors, reason = null } = await readReply(reply);
    const place = placeOf(reason);
    if (place !== null) this.#deps.goTo(place);
    if (!reply.ok) throw new ApiError(reply.status, msg ?? reply.statusText, reason, errors ?? []);
    if (isRecord(data)) this.#csrf = (data as CsrfReply).csrf_token ?? this.#csrf;
    return data;
  }

  #headers(method: Method, { body, csv, idempotencyKey, version }: RequestOptions): Record<string, string> {
    return {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(csv === undefined ? {} : { 'Content-Type': 'text/csv' }),
      ...(method === 'GET' || this.#csrf === null ? {} : { 'X-CSRF-Token': this.#csrf }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(version === undefined ? {} : { 'If-Match': String(version) }),
    };
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#deps.fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ApiError(0, 'tillgate.error.network');
    }
  }
}

const isAsked = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** A change that may be made twice; reads are repeated by their queries. */
const isRepeatable = (method: Method, { idempotencyKey }: RequestOptions): boolean =>
  method === 'PATCH' || method === 'DELETE' || idempotencyKey !== undefined;

/** A refusal that an outdated token may explain: an unknown session, or an old CSRF token. */
const mayBeOutdated = (method: Method, { status, reason }: ApiError): boolean =>
  status === 401 || (status === 403 && reason === null && method !== 'GET');

async function readReply(reply: Response): Promise<Reply> {
  try {
    const value: unknown = await reply.json();
    return isRecord(value) ? value : {};
  } catch {
    // A proxy may answer without JSON; the status is enough.
    return {};
  }
}
