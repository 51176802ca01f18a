import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { classOfCalls, corsHeaders, methodOfPlainCall, requestHeaders } from '../../../core/index.ts';
import type { AdmissionVerdict, Clock, GatewayRouteTable, Millis, UsageSlot } from '../../../core/index.ts';
import { AnsweredCounts } from '../gateway-metrics.ts';
import type { ClientHandler, GatewayClient } from '../gateway-client.ts';
import { guardMethods } from '../guard-methods.ts';
import { HeaderList, headerLines } from '../header-list.ts';
import { HttpExchange } from '../http-exchange.ts';
import type { HttpExchangeDeps } from '../http-exchange.ts';
import { isResultText } from '../judged-response.ts';
import { codingOf } from '../reads/decode-body.ts';
import type { KeptAdmission } from '../request-authorizer.ts';
import { graceHeaders, newRequestContext } from '../request-context.ts';
import { newRequestHeadCache } from '../request-head-cache.ts';
import type { Expirable } from '../timeout-queue.ts';
import type { RawTransport, SentConnection, WholeResponseHandler } from '../upstream-request.ts';
import type { ClassTimes } from '../upstream-times.ts';
import type { Upstream } from '../upstream.ts';
import type { HeadPattern } from './http1/head-pattern.ts';
import { RequestText, varyingValue } from './http1/request-text.ts';

export interface PlainCallDeps extends HttpExchangeDeps {
  readonly clock: Clock;
  readonly traceId: () => string;
}

/** The client of plain calls, which writes their answers. */
export interface PlainCallClient extends GatewayClient {
  /** As `setHandler`, for a request whose body was read already. */
  setPlainHandler(handler: ClientHandler | null): void;
  /**
   * Writes a complete response with status 200.
   *
   * @param own - the lines of this response only
   * @param body - one character for each byte
   */
  respondPlain(common: HeaderList, own: string, body: string, idleMs: number): void;
}

const ALLOWED: AdmissionVerdict = { mode: 'enforce', verdict: 'allowed', refusal: null };
/** Further methods of a connection are looked up each time. */
const MAX_METHODS = 32;

/** What is known of the calls of one method. */
interface MethodFacts {
  readonly methods: readonly string[];
  readonly allowed: boolean;
  readonly units: number;
  readonly times: ClassTimes;
  readonly slot: UsageSlot;
}

/** What is decided for all requests whose heads match a pattern. */
interface Kept {
  readonly pattern: HeadPattern;
  readonly admission: KeptAdmission;
  readonly upstream: Upstream;
  readonly transport: RawTransport;
  readonly text: RequestText;
  /** The response's lines of the key and of CORS. */
  readonly lines: string;
  readonly counts: AnsweredCounts;
  readonly methods: Map<string, MethodFacts>;
}

/** A pattern whose requests are not plain, and by which versions. */
interface NotPlain {
  readonly pattern: HeadPattern;
  readonly keys: number | null;
  readonly table: GatewayRouteTable;
}

const NO_FIELDS: readonly string[] = [];

/**
 * The calls of one client connection that are the usual ones: a single JSON-RPC call whose head matches the one before,
 * to the only upstream of a route, answered at once with a result. What such a head decides is kept until a route, a
 * key, an App or an account changes. One object serves one call after another.
 *
 * For anything else, before it was sent or afterwards, the general way takes over in the state that it would be in:
 * `HttpExchange` from the start, or {@link HttpExchange.takeOver}.
 */
export class PlainCall implements ClientHandler, WholeResponseHandler, Expirable {
  expiresAt = 0;
  queuePlace = -1;
  readonly #deps: PlainCallDeps;
  readonly #client: PlainCallClient;
  #kept: Kept | null = null;
  #notPlain: NotPlain | null = null;
  // ---- the present call
  #facts: MethodFacts | null = null;
  #connection: SentConnection | null = null;
  #outgoing = '';
  #body = '';
  #startedAt = 0;
  #answer = '';
  #length = '';
  // ---- the last answer's head
  #fields = NO_FIELDS;
  #common = HeaderList.NONE;
  #coded = false;

  constructor(deps: PlainCallDeps, client: PlainCallClient) {
    this.#deps = deps;
    this.#client = client;
  }

  /**
   * Sends the call whose head matched the pattern last.
   *
   * @param text - begins with the head, and has the whole body up to `end`
   * @returns false, and has done nothing, for a call that is not plain
   */
  begin(text: string, end: number, pattern: HeadPattern): boolean {
    const { clock, timeoutQueue } = this.#deps;
    const now = clock.now();
    const kept = this.#keptFor(pattern, now);
    if (kept === null) return false;
    const { admission, upstream } = kept;
    const { live, keyText } = admission;
    const size = end - pattern.length;
    if (size > live.route.maxBodyBytes || holds(pattern.values, keyText)) return false;
    const method = methodOfPlainCall(text, pattern.length, end);
    const facts = method === null ? null : this.#factsOf(kept, method);
    if (facts === null || !facts.allowed) return false;
    const startedAt = performance.now();
    if (upstream.cordoned || upstream.health.state(startedAt) !== 'up') return false;
    const connection = kept.transport.takeIdle(startedAt);
    if (connection === null) return false;
    if (!this.#admit(admission, facts, size, now)) {
      connection.giveBack();
      return false;
    }
    upstream.health.started(startedAt);
    this.#facts = facts;
    this.#connection = connection;
    this.#startedAt = startedAt;
    this.#body = text.slice(pattern.length, end);
    this.#outgoing = `${kept.text.with(pattern.values)}content-length: ${size}\r\n\r\n${this.#body}`;
    this.expiresAt = timeoutQueue.expiryIn(live.route.timeouts.firstByteMs);
    timeoutQueue.add(this);
    this.#client.setPlainHandler(this);
    connection.sendWhole(this);
    return true;
  }

  get outgoing(): string {
    return this.#outgoing;
  }

  /** Admits and counts the call; false, with nothing left of it, for one that the general way must refuse. */
  #admit(admission: KeptAdmission, facts: MethodFacts, size: number, now: Millis): boolean {
    const { authorizer, budget, meter, allowance } = this.#deps;
    const { live, auth, use } = admission;
    if (!budget.take(size)) return false;
    if (authorizer.admitKept(admission, facts.units, now)) {
      try {
        allowance.spend(auth.key.app, meter.sentOne(facts.slot));
        live.retries.count();
        live.detours.count();
        return true;
      } catch {
        use?.leave();
      }
    }
    budget.give(size);
    return false;
  }

  // ---- called by the upstream's connection

  onWholeResponse(status: number, fields: readonly string[], length: string, body: string): boolean {
    const [kept, facts] = [this.#kept, this.#facts];
    if (kept === null || facts === null || status !== 200) return false;
    if (!this.#isPlain(fields, kept.upstream) || !isResultText(body)) return false;
    const now = performance.now();
    const tookMs = now - this.#startedAt;
    const size = this.#body.length;
    facts.times.record('succeeded', tookMs / 1000);
    this.#deps.meter.bytesOfOne(facts.slot, size, body.length);
    this.#deps.metrics.answered(kept.counts, tookMs / 1000, size, body.length);
    kept.upstream.health.succeeded(tookMs, now);
    this.#deps.timeoutQueue.delete(this);
    this.#deps.budget.give(size);
    kept.admission.use?.leave();
    this.#client.setPlainHandler(null);
    this.#connection = null;
    this.#length = length;
    this.#answer = body;
    return true;
  }

  onWholeResponseEnd(): void {
    const { idleMs } = (this.#kept as Kept).admission.live.route.timeouts;
    const own = `X-Trace-Id: ${this.#deps.traceId()}\r\n${(this.#kept as Kept).lines}Content-Length: ${this.#length}\r\n`;
    const body = this.#answer;
    this.#forget();
    this.#client.respondPlain(this.#common, own, body, idleMs);
  }

  onOther(): void {
    this.#takeOver();
  }

  // ---- called by the client's connection and the timeout queue

  onClientAborted(): void {
    this.#takeOver()?.onClientAborted();
  }

  /** Nothing of the answer was written. */
  onDrain(): void {}

  onRequestTimeout(): void {
    this.#takeOver()?.onRequestTimeout();
  }

  onTimeout(): void {
    this.#takeOver()?.onTimeout();
  }

  abort(error: unknown): void {
    const exchange = this.#takeOver();
    if (exchange === null) throw error;
    exchange.abort(error);
  }

  // ----

  /** The exchange that goes on with the call; `null` when there is none. */
  #takeOver(): HttpExchange | null {
    const [kept, facts, connection] = [this.#kept, this.#facts, this.#connection];
    if (kept === null || facts === null || connection === null) return null;
    const { live, auth, keyText, rest, limits, use } = kept.admission;
    const request = kept.pattern.matched();
    const context = {
      ...newRequestContext(this.#deps.traceId(), request, this.#client),
      ...{ startedAt: this.#startedAt, live, auth, keyText, rest, limits, use },
      headCache: { ...newRequestHeadCache(), protocol: live.route.protocol, extracted: { keyText, rest } },
      admission: ALLOWED,
      methods: facts.methods,
      sent: true,
    };
    const body = Buffer.from(this.#body, 'latin1');
    const startedAt = this.#startedAt;
    this.#deps.timeoutQueue.delete(this);
    this.#forget();
    return HttpExchange.takeOver(this.#deps, this.#client, context, {
      body,
      upstream: kept.upstream,
      expiresAt: this.expiresAt,
      handOver: (handler) => connection.handOver(kept.upstream.health, handler, startedAt),
    });
  }

  #forget(): void {
    this.#facts = null;
    this.#connection = null;
    this.#outgoing = '';
    this.#body = '';
    this.#answer = '';
  }

  #isPlain(fields: readonly string[], upstream: Upstream): boolean {
    if (fields !== this.#fields) {
      this.#fields = fields;
      this.#coded = codingOf(fields) !== 'identity';
      this.#common = upstream.returned(fields);
    }
    return !this.#coded;
  }

  #keptFor(pattern: HeadPattern, now: Millis): Kept | null {
    const { authorizer } = this.#deps;
    const kept = this.#kept;
    if (kept !== null && kept.pattern === pattern && authorizer.holds(kept.admission, now)) return kept;
    const [{ keys, table }, not] = [authorizer.versions(now), this.#notPlain];
    if (not !== null && not.pattern === pattern && not.keys === keys && not.table === table) return null;
    this.#kept = this.#decide(pattern);
    this.#notPlain = this.#kept === null ? { pattern, keys, table } : null;
    return this.#kept;
  }

  /** `null` for a route or an App that needs more than a plain call does. */
  #decide(pattern: HeadPattern): Kept | null {
    const request = pattern.matched();
    const { origin, encoded, authorization } = request.head;
    const admission = encoded || authorization.length > 1 ? null : this.#deps.authorizer.keep(request);
    if (admission === null) return null;
    const { live, auth, keyText, rest } = admission;
    const { route, upstreams, reusesAnswers, monotonic } = live;
    const [upstream] = upstreams;
    const transport = upstream?.transport ?? null;
    if (upstream === undefined || transport === null || upstreams.length > 1) return null;
    if (reusesAnswers || monotonic || route.reads.logs !== null) return null;
    const { rawHeaders, httpVersion } = request;
    const marked = rawHeaders.slice();
    for (const [index, line] of pattern.varying.entries()) marked[2 * line + 1] = varyingValue(index);
    const headers = requestHeaders(marked, keyText, upstream.own, httpVersion, 'application/json');
    const text = RequestText.of(transport.hostHeader, 'POST', upstream.rpcTarget(rest), headers);
    if (text === null) return null;
    const lines = headerLines([...graceHeaders(auth), ...corsHeaders(route.cors, origin)]);
    const counts = new AnsweredCounts(route.host, auth.key.app.id, ALLOWED);
    return { pattern, admission, upstream, transport, text, lines, counts, methods: new Map() };
  }

  #factsOf(kept: Kept, method: string): MethodFacts {
    const found = kept.methods.get(method);
    if (found !== undefined) return found;
    const { live, auth } = kept.admission;
    const methods = [method];
    const facts = {
      methods,
      allowed: live.policy.allows(method),
      units: live.metered.method(method).units,
      times: this.#deps.metrics.timesOf(live.route.host, kept.upstream).of(classOfCalls(methods, false)),
      slot: { app: auth.key.app.id, route: live.metered, method, counts: null, removals: 0 },
    };
    if (kept.methods.size < MAX_METHODS) kept.methods.set(method, facts);
    return facts;
  }
}

function holds(values: readonly string[], key: string): boolean {
  for (const value of values) if (value.includes(key)) return true;
  return false;
}

guardMethods(PlainCall, ['onWholeResponse', 'onWholeResponseEnd', 'onOther', 'onClientAborted', 'onTimeout']);
