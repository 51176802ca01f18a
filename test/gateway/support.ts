import { createServer, request as httpRequest } from 'node:http';
import type { Agent, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe } from 'node:test';
import { WebSocketServer } from 'ws';
import {
  Cordons,
  DEFAULT_CORS,
  DEFAULT_MAX_BATCH,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_READS,
  DEFAULT_TIMEOUTS,
  newAppKeyText,
  NO_LIMITS,
  refuse,
  GatewayRouteTable,
  TillgateError,
} from '../../core/index.ts';
import type {
  AppId,
  AppKeyId,
  AppView,
  GatewayRoute,
  KeyDirectory,
  KeyView,
  Millis,
  RouteId,
} from '../../core/index.ts';
import { PromMetrics } from '../../adapters/metrics/index.ts';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { readBuffers } from '../../host/gateway/fast-path/index.ts';
import { createGateway } from '../../host/gateway/index.ts';
import type { Gateway, GatewayDeps } from '../../host/gateway/index.ts';
import { FakeClock, SeededRandom } from '../support/fakes.ts';

export const HOST = 'eth.gate.example';
export const KEY = newAppKeyText(new SeededRandom('gateway'));
export const OTHER_KEY = newAppKeyText(new SeededRandom('another'));
export const UNKNOWN_KEY = newAppKeyText(new SeededRandom('unknown'));

export const appView = (changes: Partial<AppView> = {}): AppView => ({
  id: '1000000000000000001' as AppId,
  accountId: '1000000000000000009' as AppView['accountId'],
  enabled: true,
  accountActive: true,
  chains: new Set(['ETH']),
  admissionMode: null,
  quota: null,
  prepaid: false,
  buyer: null,
  limits: null,
  ...changes,
});

export const keyView = (changes: Partial<KeyView> = {}): KeyView => ({
  id: '1000000000000000002' as AppKeyId,
  state: 'active',
  expiresAt: null,
  rules: null,
  app: appView(),
  ...changes,
});

/** Counts what is put into it and taken out of it. */
class CountedMap<Key, Value> extends Map<Key, Value> {
  changes = 0;

  override set(key: Key, value: Value): this {
    this.changes = (this.changes ?? 0) + 1;
    return super.set(key, value);
  }

  override delete(key: Key): boolean {
    this.changes += 1;
    return super.delete(key);
  }
}

/** A directory that holds what a test puts into it. */
export class FakeDirectory implements KeyDirectory {
  readonly keys = new CountedMap<string, KeyView>([[KEY, keyView()]]);
  readonly uses: (readonly [AppKeyId, Millis])[] = [];
  ready = true;
  readonly #listeners = new Set<() => void>();

  find(keyText: string): KeyView | null {
    if (!this.ready) throw new TillgateError('NOT_READY', 'Not sure.');
    return this.keys.get(keyText) ?? null;
  }

  version(): number | null {
    return this.ready ? this.keys.changes : null;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  used(id: AppKeyId, at: Millis): void {
    this.uses.push([id, at]);
  }

  set(keyText: string, view: KeyView): void {
    this.keys.set(keyText, view);
    this.changed();
  }

  /** As after each change of the feed. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}

export const routeOf = (upstreams: readonly string[], changes: Partial<GatewayRoute> = {}): GatewayRoute => ({
  id: '1000000000000000003' as RouteId,
  host: HOST,
  chain: 'ETH',
  network: 'mainnet',
  protocol: 'jsonrpc',
  upstreams: upstreams.map((url) => ({ url, headers: {} })),
  admission: 'enforce',
  enabled: true,
  methods: { allow: ['*'], deny: [] },
  limits: NO_LIMITS,
  timeouts: DEFAULT_TIMEOUTS,
  cors: DEFAULT_CORS,
  units: {},
  // Tests count the requests that arrive at a node, and want them at each of several ones.
  reads: { ...DEFAULT_READS, monotonic: false },
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  maxBatch: DEFAULT_MAX_BATCH,
  plans: [],
  ...changes,
});

/** One request as an upstream saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server that stands for a node. */
export interface FakeNode {
  readonly url: string;
  readonly port: number;
  readonly seen: Seen[];
  readonly server: Server;
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

/** Keeps every request; answers with `answer`, or as a JSON-RPC node that knows everything. */
export async function startNode(
  answer?: (req: IncomingMessage, res: ServerResponse, body: string) => void,
  raw?: RequestListener,
): Promise<FakeNode> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    if (raw !== undefined) {
      raw(req, res);
      return;
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({
        method: req.method ?? '',
        url: req.url ?? '',
        rawHeaders: req.rawHeaders,
        headers: req.headers,
        body,
      });
      if (answer !== undefined) answer(req, res, body);
      else answerRpc(res, body);
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, port, seen, server, sockets, close: () => closeServer(server) };
}

/** WebSockets of a node that answer each message with the same word. */
export function answeringSockets({ server }: FakeNode): WebSocketServer {
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('message', () => socket.send('answered'));
  });
  return sockets;
}

export function answerRpc(res: ServerResponse, body: string): void {
  const calls = JSON.parse(body === '' ? '{}' : body) as { id?: unknown } | { id?: unknown }[];
  const reply = (call: { id?: unknown }): object => ({ jsonrpc: '2.0', id: call.id ?? null, result: '0x10' });
  const text = JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls));
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

/** @param port - a free one unless given */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A gateway on a listener of its own, as the host puts it on its own. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly port: number;
  readonly directory: FakeDirectory;
  readonly clock: FakeClock;
  readonly server: Server;
  /** Everything logged, as it would be written. */
  log(): string;
  metrics(): Promise<string>;
  /** @param cordoned - URLs of upstreams that are out of use on all of them */
  setRoutes(routes: readonly GatewayRoute[], cordoned?: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * How requests are read and sent: `fast` by the gateway's own HTTP/1, as by default; `node` by node:http and undici, with
 * the fast path switched off; `mixed` read by node:http and sent by the fast path, as behind TLS or as middleware.
 */
export type Path = 'fast' | 'node' | 'mixed';

/** The same tests with the fast path on and off; bytes that it no longer may read are overwritten. */
export function bothPaths(title: string, tests: (path: Path) => void, more: readonly Path[] = []): void {
  readBuffers.overwrites = true;
  for (const path of ['fast', 'node', ...more] as const) describe(`${title} (${path})`, () => tests(path));
}

export async function startGateway(
  routes: readonly GatewayRoute[],
  deps: Partial<GatewayDeps> = {},
  path: Path = 'fast',
  atPort = 0,
): Promise<TestGateway> {
  const directory = new FakeDirectory();
  const clock = new FakeClock();
  let log = '';
  const logger = new PinoLogger({ level: 'debug', destination: { write: (line: string) => void (log += line) } });
  const metrics = new PromMetrics(logger, { processMetrics: false });
  let table = new GatewayRouteTable(routes);
  let traces = 0;
  const traceId = (): string => (++traces).toString(16).padStart(32, '0');
  const gateway = createGateway({
    routes: () => table,
    directory,
    clock,
    metrics,
    logger,
    traceId,
    healthIntervalMs: 0,
    fastPath: path !== 'node',
    ...deps,
  });
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 5_000, connectionsCheckingInterval: 100 });
  attach(server, gateway);
  if (path !== 'mixed') gateway.attach(server);
  const port = await listen(server, atPort);
  return {
    gateway,
    port,
    directory,
    clock,
    server,
    log: () => log,
    metrics: () => {
      gateway.flush();
      return metrics.text();
    },
    setRoutes: (next, cordoned = []) => {
      const pairs = next.flatMap(({ id }) => cordoned.map((url) => [id, url] as const));
      table = new GatewayRouteTable(next, new Cordons(pairs));
      directory.changed();
    },
    close: async () => {
      await gateway.close();
      await closeServer(server);
    },
  };
}

/** Puts a gateway at a listener; what is not the gateway's is 404. */
export function attach(server: Server, gateway: Gateway): void {
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (gateway.handles(req.headers.host)) gateway.request(req, res);
    else res.writeHead(404, { 'x-from': 'the application', connection: 'close' }).end();
  };
  server.on('request', serve);
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  for (const event of ['upgrade', 'connect'] as const)
    server.on(event, (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (gateway.handles(req.headers.host)) gateway.upgrade(req, socket, head);
      else socket.destroy();
    });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (gateway.clientError(error, socket)) return;
    const answering = (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage?.headersSent ?? false;
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
    if (socket.writable && !answering)
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
}

/** A reply of the gateway. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** How a test's request is sent; the key stands in the header unless told. */
export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Keeps connections; by default each request has one of its own. */
  readonly agent?: Agent;
}

export const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';

export function ask(
  port: number,
  { method = 'POST', path = '/', host = HOST, key = KEY, headers = {}, body, agent }: Ask = {},
): Promise<Answer> {
  const payload = body ?? (method === 'POST' ? CALL : undefined);
  const all = {
    host,
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: all, agent: agent ?? false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

/** The reason in a refusal's body, of either form. */
export function reasonOf({ text }: Answer): string {
  const { error } = JSON.parse(text) as { error: { code: unknown; data?: { reason: string } } };
  return error.data?.reason ?? String(error.code);
}

/** A message that the gateway must give with a reason. */
export const messageOf = (reason: Parameters<typeof refuse>[0]): string => refuse(reason).message;
