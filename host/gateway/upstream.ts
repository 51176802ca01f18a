import { Pool } from 'undici';
import { replyHeaders, TillgateError, UpstreamHealth } from '../../core/index.ts';
import type { OwnHeaders, RouteTimeouts, RouteUpstream } from '../../core/index.ts';
import type { Deadlines } from './deadlines.ts';
import { Lines } from './lines.ts';

/** Connections to one upstream; further requests wait for one of them, as long as a connection may take. */
const CONNECTIONS = 1024;
const MAX_HEADER_BYTES = 32 * 1024;
/** Shorter parts of a URL are words like `v2`, not keys. */
const SECRET_LENGTH = 8;

/** A node behind a route: where it is, how it does, and the connections to it. */
export class Upstream {
  readonly health = new UpstreamHealth();
  readonly url: URL;
  /** `name:port`: all of the URL that may be told. */
  readonly host: string;
  readonly hostname: string;
  readonly own: OwnHeaders;
  readonly secrets: readonly string[];
  readonly #base: string;
  readonly #basePath: string;
  readonly #baseQuery: string;
  /** True for an upstream without TLS: what is there as a whole goes over connections of our own. */
  readonly plain: boolean;
  /** Only for a plain one. */
  readonly lines: Lines;
  #pool: Pool | null = null;
  #lastFields: readonly string[] | null = null;
  #lastReturned: readonly string[] = [];
  readonly #connectMs: number;

  /** @throws TillgateError `CONFIG_INVALID` when the URL is none; the message does not repeat it */
  constructor({ url, headers }: RouteUpstream, { connectMs }: RouteTimeouts, deadlines: Deadlines) {
    if (!URL.canParse(url)) throw new TillgateError('CONFIG_INVALID', 'The URL of an upstream is not valid.');
    this.url = new URL(url);
    this.host = this.url.host;
    this.hostname = this.url.hostname;
    const { pathname, search } = this.url;
    this.#base = `${pathname}${search}`;
    this.#basePath = pathname.replace(/\/$/, '');
    this.#baseQuery = search.slice(1);
    this.#connectMs = connectMs;
    this.plain = this.url.protocol === 'http:';
    this.lines = new Lines(this.url, connectMs, CONNECTIONS, deadlines);
    const all = { ...authorization(this.url), ...lowerNames(headers) };
    this.own = { names: new Set(Object.keys(all)), pairs: Object.entries(all).flat() };
    this.secrets = secretsOf(this.url, all);
  }

  /** The target of a request: the base path, and the rest byte for byte. For `null`, which is JSON-RPC, the base itself. */
  target(rest: string | null): string {
    if (rest === null) return this.#base;
    if (this.#baseQuery === '') return this.#basePath + rest;
    return `${this.#basePath}${rest}${rest.includes('?') ? '&' : '?'}${this.#baseQuery}`;
  }

  /** Those of a reply's headers that go back to a client. */
  returned(fields: readonly string[]): readonly string[] {
    if (fields !== this.#lastFields) {
      this.#lastReturned = replyHeaders(fields, this);
      this.#lastFields = fields;
    }
    return this.#lastReturned;
  }

  get pool(): Pool {
    this.#pool ??= new Pool(this.url.origin.replace(/^ws/, 'http'), {
      connections: CONNECTIONS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: this.#connectMs },
      // The gateway watches the time of each request itself.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return this.#pool;
  }

  /** Lets what is under way come to its end, for a while. */
  async retire(afterMs: number): Promise<void> {
    const pool = this.#pool;
    this.lines.retire();
    const timer = setTimeout(() => {
      this.lines.close();
      void pool?.destroy();
    }, afterMs).unref();
    await pool?.close();
    if (this.lines.size === 0) clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.lines.close();
    await this.#pool?.destroy();
  }
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  return { authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}` };
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Headers whose values are everybody's. */
const PLAIN: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

function secretsOf(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (PLAIN.has(name) ? [] : [value]));
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values(), ...values];
  return [...new Set(parts)].filter((part) => part.length >= SECRET_LENGTH);
}
