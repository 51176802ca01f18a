import { Buffer } from 'node:buffer';
import type { LookupFunction } from 'node:net';
import { Pool } from 'undici';
import {
  replyHeaders,
  seedOf,
  ShownBlock,
  TillgateError,
  UpstreamAbilities,
  UpstreamHealth,
} from '../../core/index.ts';
import type { Millis, OwnHeaders, RouteTimeouts, RouteUpstream } from '../../core/index.ts';
import { checkedLookup } from '../../adapters/callbacks/checked-lookup.ts';
import { HeaderList } from './header-list.ts';
import type { RequestBodyStream } from './request-body-stream.ts';
import { MAX_CONNECTIONS } from './upstream-request.ts';
import type { UpstreamTimes } from './upstream-times.ts';
import { UndiciUpstreamRequest } from './undici-upstream-request.ts';
import type { OpenRawTransport, RawTransport, UpstreamRequest, UpstreamResponseHandler } from './upstream-request.ts';

const MAX_HEADER_BYTES = 32 * 1024;
/** Shorter parts of a URL are words like `v2`, not keys. */
const SECRET_LENGTH = 8;

/** An upstream of a route: its address, its health, and the connections to it. */
export class Upstream {
  readonly health = new UpstreamHealth();
  readonly abilities = new UpstreamAbilities();
  readonly shown = new ShownBlock();
  /** Whether an operator has taken it out of use. Requests that it already has go on. */
  cordoned = false;
  /** The durations of its requests that were not passed on to the metrics yet; `null` before the first one. */
  times: UpstreamTimes | null = null;
  readonly url: URL;
  /** From its URL and headers: the same on every instance. */
  readonly seed: number;
  /** `name:port`: the only part of the URL that may be logged. */
  readonly host: string;
  readonly hostname: string;
  readonly own: OwnHeaders;
  readonly secrets: readonly string[];
  /** For every connection to it: its name may lead elsewhere each time. */
  readonly lookup: LookupFunction;
  readonly #base: string;
  readonly #basePath: string;
  readonly #baseQuery: string;
  /** Set for an upstream without TLS, unless the fast path is off. */
  readonly #rawTransport: RawTransport | null;
  #pool: Pool | null = null;
  #lastFields: readonly string[] | null = null;
  #lastReturned = HeaderList.NONE;
  readonly #connectMs: number;

  /**
   * @param openRawTransport - `null` to use undici for every request
   * @param allowPrivate - whether its name may lead to a private address
   * @throws TillgateError `CONFIG_INVALID` for an invalid URL; the message does not repeat it
   */
  constructor(
    { url, headers }: RouteUpstream,
    { connectMs }: RouteTimeouts,
    openRawTransport: OpenRawTransport | null,
    allowPrivate: boolean,
  ) {
    if (!URL.canParse(url)) throw new TillgateError('CONFIG_INVALID', 'The URL of an upstream is not valid.');
    this.url = new URL(url);
    this.seed = seedOf(JSON.stringify([url, headers]));
    this.host = this.url.host;
    this.hostname = this.url.hostname;
    const { pathname, search } = this.url;
    this.#base = `${pathname}${search}`;
    this.#basePath = pathname.replace(/\/$/, '');
    this.#baseQuery = search.slice(1);
    this.#connectMs = connectMs;
    this.lookup = checkedLookup(allowPrivate);
    this.#rawTransport =
      this.url.protocol === 'http:' ? (openRawTransport?.(this.url, connectMs, this.lookup) ?? null) : null;
    const all = { ...authorization(this.url), ...lowerNames(headers) };
    this.own = { names: new Set(Object.keys(all)), pairs: Object.entries(all).flat() };
    this.secrets = secretsOf(this.url, all);
  }

  /** Records a successful health check that began at `askedAt`, with the chain's head where it is known. */
  checked(head: number | null, askedAt: Millis): void {
    this.health.checked(head, askedAt);
    if (head !== null) this.shown.checked(head, askedAt);
  }

  /** Records an answer that depends on the newest block. @param block - the number that it names; `null` for none */
  answered(block: number | null, now: Millis): void {
    if (block !== null) this.health.answered(block, now);
    this.shown.show(this.health.latest ?? 0, now);
  }

  /** A request to this upstream. Streamed bodies, and TLS, always use undici. */
  newRequest(body: Buffer | RequestBodyStream | null, handler: UpstreamResponseHandler): UpstreamRequest {
    const streamed = body !== null && !Buffer.isBuffer(body);
    if (this.#rawTransport !== null && !streamed) return this.#rawTransport.newRequest(this.health, handler);
    return new UndiciUpstreamRequest(this.pool, this.health, handler);
  }

  /** Its connections without TLS; `null` for none. */
  get transport(): RawTransport | null {
    return this.#rawTransport;
  }

  /** The target of a request: the base path and the rest, byte for byte. */
  target(rest: string): string {
    if (this.#baseQuery === '') return this.#basePath + rest;
    return `${this.#basePath}${rest}${rest.includes('?') ? '&' : '?'}${this.#baseQuery}`;
  }

  /**
   * The target of JSON-RPC: the base path, and the base query after the client's.
   *
   * @param rest - `/`, or `/?` and a query
   */
  rpcTarget(rest: string): string {
    if (rest === '/') return this.#base;
    return `${this.url.pathname}${rest.slice(1)}${this.#baseQuery === '' ? '' : `&${this.#baseQuery}`}`;
  }

  /** The response headers that are returned to the client. */
  returned(fields: readonly string[]): HeaderList {
    if (fields !== this.#lastFields) {
      this.#lastReturned = new HeaderList(replyHeaders(fields, this));
      this.#lastFields = fields;
    }
    return this.#lastReturned;
  }

  get pool(): Pool {
    this.#pool ??= new Pool(this.url.origin.replace(/^ws/, 'http'), {
      connections: MAX_CONNECTIONS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: this.#connectMs, lookup: this.lookup },
      // The gateway applies its own timeouts to each request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return this.#pool;
  }

  /** Closes each connection once it is idle, and all of them after `graceMs`. */
  async closeWhenIdle(graceMs: number): Promise<void> {
    const pool = this.#pool;
    const raw = this.#rawTransport;
    raw?.closeWhenIdle();
    const timer = setTimeout(() => {
      raw?.close();
      void pool?.destroy();
    }, graceMs).unref();
    await pool?.close();
    if (raw === null || raw.size === 0) clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.#rawTransport?.close();
    await this.#pool?.destroy();
  }
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  return {
    authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
  };
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Headers whose values are not secret. */
const PLAIN: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

function secretsOf(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (PLAIN.has(name) ? [] : [value]));
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values(), ...values];
  return [...new Set(parts)].filter((part) => part.length >= SECRET_LENGTH);
}
