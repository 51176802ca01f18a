import { connect } from 'node:net';
import { faultOfStatus, meaningOfBody } from '../../core/index.ts';
import type { Logger, MethodFamily } from '../../core/index.ts';
import type { LiveRoute, LiveRoutes } from './live-route.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import type { Upstream } from './upstream.ts';
import { blockHashOf, callRpc, MAX_REPLY_BYTES, UpstreamFault } from './upstream-rpc.ts';

export interface HealthDeps {
  readonly routes: LiveRoutes;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  /** The time between two rounds, in milliseconds; 0 for no checks. */
  readonly intervalMs: number;
}

const TIMEOUT_MS = 5_000;
/** Checks at intervals whether every upstream of every route answers, and reads its block height. */
export class HealthChecks {
  readonly #deps: HealthDeps;
  readonly #timer: NodeJS.Timeout | null;
  readonly #known = new Map<Upstream, boolean>();
  readonly #closing = new AbortController();
  #running = false;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
    this.#timer = deps.intervalMs > 0 ? setInterval(() => void this.run(), deps.intervalMs).unref() : null;
    if (this.#timer !== null) void this.run();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#closing.abort();
  }

  /** One round of checks; does nothing while another is running. */
  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      const pairs = [...this.#deps.routes.all()].flatMap((live) =>
        live.upstreams.map((upstream) => ({ live, upstream })),
      );
      await Promise.all(pairs.map(({ live, upstream }) => this.#check(live, upstream)));
      await Promise.all([...this.#deps.routes.all()].map((live) => this.#followFinal(live)));
      const present = new Set(pairs.map(({ upstream }) => upstream));
      for (const upstream of this.#known.keys()) if (!present.has(upstream)) this.#known.delete(upstream);
    } catch (error) {
      this.#deps.logger.warn('the upstreams could not be checked', { error });
    } finally {
      this.#running = false;
    }
  }

  async #check(live: LiveRoute, upstream: Upstream): Promise<void> {
    const { health } = upstream;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    let reason = 'unreachable';
    try {
      const askedAt = performance.now();
      upstream.checked(await headOf(live, upstream, signal), askedAt);
    } catch (error) {
      // Of the error only the reason is logged: its message could repeat a URL.
      if (this.#closing.signal.aborted) return;
      reason = error instanceof UpstreamFault ? error.reason : 'unreachable';
      health.checkFailed(performance.now());
    }
    this.#report(live, upstream, health.state(performance.now()) === 'up', reason);
  }

  async #followFinal({ final, upstreams }: LiveRoute): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    await final?.follow(upstreams, performance.now(), (upstream, block) => blockHashOf(upstream, block, signal));
  }

  #report({ route }: LiveRoute, upstream: Upstream, up: boolean, reason: string): void {
    const before = this.#known.get(upstream);
    this.#known.set(upstream, up);
    this.#deps.metrics.upstream(route.host, upstream.host, up);
    if (before === up || (before === undefined && up)) return;
    if (up) this.#deps.logger.info('an upstream is up again', { route: route.host, upstream: upstream.host });
    else this.#deps.logger.warn('an upstream is down', { route: route.host, upstream: upstream.host, reason });
  }
}

/** The upstream's block height, if it reports one. @throws Error when the upstream does not answer */
export async function headOf(
  { route, chain }: LiveRoute,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<number | null> {
  if (route.protocol === 'websocket') return dial(upstream, signal);
  if (route.protocol === 'http') return askHttp(upstream, signal);
  return askRpc(upstream, chain.family, signal);
}

function dial({ url, lookup }: Upstream, signal: AbortSignal): Promise<null> {
  const secure = url.protocol === 'wss:' || url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, lookup, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(null);
    });
    socket.once('error', reject);
  });
}

async function askHttp(upstream: Upstream, signal: AbortSignal): Promise<null> {
  const reply = await upstream.pool.request({
    path: upstream.target('/'),
    method: 'HEAD',
    headers: [...upstream.own.pairs],
    signal,
  });
  await reply.body.dump({ limit: MAX_REPLY_BYTES, signal });
  const fault = faultOfStatus(reply.statusCode, false);
  if (fault !== null) throw new UpstreamFault(fault);
  if (reply.statusCode >= 500) throw new Error(`HTTP ${reply.statusCode}`);
  return null;
}

async function askRpc(upstream: Upstream, family: MethodFamily | null, signal: AbortSignal): Promise<number | null> {
  const method = family === 'bitcoin' ? 'getblockcount' : 'eth_blockNumber';
  const { result, error } = await callRpc(upstream, method, [], signal);
  if (result === undefined && (error === undefined || error === null)) throw new Error('no JSON-RPC answer');
  const meaning = meaningOfBody(JSON.stringify({ error }), family);
  if (meaning.kind === 'fault') throw new UpstreamFault(meaning.reason);
  const head = typeof result === 'number' || typeof result === 'string' ? Number(result) : NaN;
  // An error response, for example for an unknown method, still shows that the upstream is up.
  return Number.isSafeInteger(head) ? head : null;
}
