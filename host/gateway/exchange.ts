import { isUtf8 } from 'node:buffer';
import { isRead, isRefusal, readJsonRpc, refuse, requestHeaders } from '../../core/index.ts';
import type { Logger, Refusal } from '../../core/index.ts';
import type { BodyListener, BodyStream } from './body-reader.ts';
import type { Budget } from './budget.ts';
import type { ClientListener, ClientSide } from './client-side.ts';
import type { Dated, Deadlines } from './deadlines.ts';
import { DIAL_TIMEOUT, UNSENDABLE } from './failure-words.ts';
import type { Gate } from './gate.ts';
import { LineCall } from './line-call.ts';
import { nextUpstream } from './live-route.ts';
import type { LiveRoute } from './live-route.ts';
import type { Meter } from './meter.ts';
import { PoolCall } from './pool-call.ts';
import { ReplyWriter } from './reply-writer.ts';
import type { CallFailure, CallListener, UpstreamCall } from './upstream-call.ts';
import type { Upstream } from './upstream.ts';
import { pathTemplate } from './visit.ts';
import type { Visit } from './visit.ts';

/** What an exchange works with. */
export interface ExchangeDeps {
  readonly gate: Gate;
  readonly meter: Meter;
  readonly deadlines: Deadlines;
  readonly logger: Logger;
  readonly budget: Budget;
}

/** Bodies up to this size are sent in one write, and replies up to it are collected while they come at once. */
const KEEP_BYTES = 64 * 1024;
const MAX_ATTEMPTS = 3;
/** What nginx writes down for a client that left. */
const CLIENT_LEFT = 499;

/** One HTTP request through the gateway, from its head to the last byte of its reply. */
export class HttpExchange implements BodyListener, CallListener, ClientListener, Dated {
  dueAt = 0;
  readonly #deps: ExchangeDeps;
  readonly #client: ClientSide;
  readonly #visit: Visit;
  #body: Buffer | BodyStream | null = null;
  /** True when another upstream may be asked although this one may have understood. */
  #repeatable = false;
  readonly #tried: Upstream[] = [];
  #attempts = 0;
  #call: UpstreamCall | null = null;
  #bodyRead = false;
  #inside = false;
  #over = false;
  readonly #reply: ReplyWriter;
  #bytesIn = 0;
  /** Bytes taken from the budget. */
  #kept = 0;

  constructor(deps: ExchangeDeps, client: ClientSide, visit: Visit) {
    this.#deps = deps;
    this.#client = client;
    this.#visit = visit;
    this.#reply = new ReplyWriter(client, visit);
  }

  start(): void {
    const refusal = this.#deps.gate.check(this.#visit);
    if (refusal !== null) {
      this.#refuse(refusal);
      return;
    }
    this.#visit.use?.enter();
    this.#inside = true;
    this.#client.listen(this);
    this.#readBody(this.#visit.live as LiveRoute);
  }

  /** After something failed that must not: answers, or ends the connection, whichever is still possible. */
  giveUp(): void {
    this.#call?.cancel('abandoned');
    this.#refuse(refuse('upstream_unavailable', { status: 503 }));
  }

  // ---- the request's body

  #readBody({ route }: LiveRoute): void {
    const { contentLength, chunked, encoded, expectsContinue } = this.#visit.head ?? { contentLength: 0, chunked: false, encoded: false, expectsContinue: false };
    const rpc = route.protocol === 'jsonrpc';
    if ((contentLength ?? 0) > route.maxBodyBytes) {
      this.tooLarge();
      return;
    }
    if (rpc && encoded) {
      this.#refuse(refuse('bad_request', { message: 'The body must not be compressed.', rpcCode: -32700 }));
      return;
    }
    if (!chunked && (contentLength ?? 0) === 0) {
      this.whole(EMPTY);
      return;
    }
    this.#waitFor(route.timeouts.idleMs);
    this.#deps.deadlines.add(this);
    if (expectsContinue) this.#client.sayContinue();
    // What does not fit is streamed from its first byte on; JSON-RPC has to be seen whole before anything of it is sent.
    const keepBytes = rpc ? route.maxBodyBytes : (contentLength ?? 0) > KEEP_BYTES ? 0 : KEEP_BYTES;
    this.#client.readBody({ keepBytes, maxBytes: route.maxBodyBytes }, this);
  }

  progress(bytes: number): boolean {
    this.#bytesIn += bytes;
    const answering = this.#call !== null && this.#reply.status === 0;
    this.#waitFor(answering ? this.#timeouts.firstByteMs : this.#timeouts.idleMs);
    if (this.#body !== null || this.#over) return true;
    if (this.#deps.budget.take(bytes)) {
      this.#kept += bytes;
      return true;
    }
    this.#refuse(refuse('upstream_unavailable', { status: 503, message: 'The gateway is busy; try again.', retryAfterSeconds: 1 }));
    return false;
  }

  tooLarge(): void {
    if (this.#over) return;
    this.#call?.cancel('abandoned');
    this.#refuse(refuse('body_too_large'));
  }

  larger(stream: BodyStream): void {
    // undici reports the stream's end to the call; an error that nobody listens for would end the process.
    stream.on('error', () => undefined);
    this.#body = stream;
    this.#repeatable = false;
    this.#send();
  }

  whole(body: Buffer): void {
    if (this.#over) return;
    this.#bodyRead = true;
    this.#body = body.length === 0 ? null : body;
    const { live, method } = this.#visit;
    const refusal = live?.route.protocol === 'jsonrpc' ? this.#judge(body, live) : null;
    if (live?.route.protocol === 'http') this.#repeatable = method !== 'POST';
    if (refusal === null) this.#send();
    else this.#refuse(refusal);
  }

  /** Checks exactly the bytes that are going to be sent. */
  #judge(body: Buffer, { route, policy }: LiveRoute): Refusal | null {
    const text = isUtf8(body) ? body.toString('utf8') : null;
    const request = text === null ? refuse('bad_request', { message: 'The body is not valid UTF-8.', rpcCode: -32700 }) : readJsonRpc(text, route.maxBatch);
    if (isRefusal(request)) return request;
    this.#repeatable = request.methods.every(isRead);
    const verdict = this.#deps.gate.admitRequests(this.#visit, request, policy, 1);
    // The first thing that was, or would have been, refused is what is recorded.
    if (this.#visit.admission?.verdict !== 'would_refuse') this.#visit.admission = verdict;
    return verdict.verdict === 'refused' ? verdict.refusal : null;
  }

  // ---- the upstream

  #send(): void {
    const { live } = this.#visit;
    if (live === null || this.#over) return;
    const upstream = nextUpstream(live, this.#tried);
    if (upstream === null) {
      this.#refuse(refuse('upstream_unavailable', this.#attempts === 0 ? { status: 503, retryAfterSeconds: 1 } : {}));
      return;
    }
    this.#tried.push(upstream);
    this.#ask(upstream, live);
  }

  #ask(upstream: Upstream, { route }: LiveRoute): void {
    const visit = this.#visit;
    const body = this.#body;
    this.#attempts += 1;
    const headers = headersFor(visit, upstream);
    const whole = body === null || Buffer.isBuffer(body);
    const call = upstream.plain && whole ? new LineCall(upstream, this) : new PoolCall(upstream, this);
    this.#call = call;
    this.#waitFor(route.timeouts.connectMs);
    this.#deps.deadlines.add(this);
    const path = upstream.target(route.protocol === 'jsonrpc' ? null : visit.rest);
    call.start({ path, method: visit.method, headers, body, contentLength: visit.head?.contentLength ?? null });
  }

  sent(): void {
    this.#waitFor(this.#timeouts.firstByteMs);
  }

  failed({ sent, word }: CallFailure): void {
    if (this.#over) return;
    if (word === UNSENDABLE) {
      this.#refuse(refuse('bad_request'));
      return;
    }
    this.#log('an upstream failed', word);
    if (this.#reply.flushed) {
      this.#cut();
      return;
    }
    this.#reply.drop();
    this.#again(sent, refuse(word === DIAL_TIMEOUT ? 'upstream_timeout' : 'upstream_unavailable'));
  }

  /** Asks another upstream where that can do no harm; otherwise refuses. */
  #again(sent: boolean, refusal: Refusal): void {
    const { live } = this.#visit;
    const untouched = this.#body === null || Buffer.isBuffer(this.#body) || (!sent && !this.#body.destroyed);
    const next = live !== null && untouched && (!sent || this.#repeatable) && this.#attempts < MAX_ATTEMPTS ? this.#another(live, sent) : null;
    if (next === null || live === null) {
      this.#refuse(refusal);
      return;
    }
    this.#tried.push(next);
    this.#ask(next, live);
  }

  #another(live: LiveRoute, sent: boolean): Upstream | null {
    // A connection that was kept may have been closed just as it was taken up again: even a lone upstream is asked once more.
    const again = sent && this.#attempts === 1 && live.upstreams.length === 1;
    return nextUpstream(live, again ? [] : this.#tried);
  }

  // ---- the reply

  head(status: number, fields: readonly string[]): void {
    const call = this.#call;
    if (call === null || this.#over) return;
    if ((status === 502 || status === 503 || status === 504) && this.#mayAskAnother()) {
      call.cancel('over');
      this.#again(true, refuse('upstream_unavailable'));
      return;
    }
    if (status === 401 || status === 407) {
      // The upstream does not take our own credentials; the client's were in order.
      this.#log('an upstream refused the credentials it is configured with', String(status));
      call.cancel('over');
      this.#refuse(refuse('upstream_unavailable'));
      return;
    }
    this.#waitFor(this.#timeouts.idleMs);
    this.#reply.begin(status, fields, call.upstream);
  }

  #mayAskAnother(): boolean {
    const { live } = this.#visit;
    return this.#repeatable && live !== null && this.#attempts < MAX_ATTEMPTS && nextUpstream(live, this.#tried) !== null;
  }

  data(chunk: Buffer): boolean {
    if (this.#over) return true;
    this.#waitFor(this.#timeouts.idleMs);
    return this.#reply.data(chunk);
  }

  get holding(): boolean {
    return this.#reply.holding;
  }

  pausing(): void {
    if (!this.#over) this.#reply.flush();
  }

  end(): void {
    if (this.#over) return;
    this.#finish(this.#reply.status);
    this.#reply.end(this.#timeouts.idleMs);
  }

  drained(): void {
    if (this.#over) return;
    this.#waitFor(this.#timeouts.idleMs);
    this.#call?.resume();
  }

  // ---- ends

  /** A client that leaves ends its request at the upstream too. */
  left(): void {
    if (this.#over) return;
    this.#call?.cancel('abandoned');
    this.#finish(CLIENT_LEFT);
  }

  late(): void {
    if (this.#over) return;
    this.#call?.cancel('abandoned');
    this.#refuse(refuse('bad_request', { status: 408, message: 'The request did not arrive in time.' }));
  }

  overdue(): void {
    if (this.#over) return;
    const call = this.#call;
    if (call === null || (!this.#reply.flushed && this.#starved)) {
      // The client's doing: the upstream must not be blamed for it.
      call?.cancel('abandoned');
      this.#refuse(refuse('bad_request', { status: 408, message: 'The body did not arrive in time.' }));
      return;
    }
    const { sent } = call;
    call.cancel(this.#reply.blocked ? 'abandoned' : 'failed');
    this.#log('an upstream, or its client, was too slow', 'timeout');
    if (this.#reply.flushed) this.#cut();
    else if (sent) this.#refuse(refuse('upstream_timeout'));
    else this.#again(false, refuse('upstream_timeout'));
  }

  /** Ends the client's connection: it must not take what it has for the whole reply. */
  #cut(): void {
    this.#finish(this.#reply.status);
    this.#client.destroy();
  }

  #refuse(refusal: Refusal): void {
    if (this.#over) return;
    if (this.#reply.flushed) {
      this.#cut();
      return;
    }
    this.#reply.drop();
    const early = !this.#bodyRead;
    if (this.#body !== null && !Buffer.isBuffer(this.#body)) this.#body.destroy();
    const { live, target } = this.#visit;
    this.#deps.logger.debug('a gateway request was refused', {
      route: live?.route.host ?? 'unknown', reason: refusal.reason, status: refusal.status, path: target === '' ? '' : pathTemplate(this.#visit), trace_id: this.#visit.traceId,
    });
    this.#finish(refusal.status);
    this.#client.refuse(refusal, this.#visit, early);
  }

  #finish(status: number): void {
    this.#over = true;
    this.#deps.deadlines.delete(this);
    this.#deps.budget.give(this.#kept);
    const { live, auth, admission, startedAt } = this.#visit;
    if (this.#inside) {
      this.#visit.use?.leave();
      this.#client.listen(null);
    }
    const route = live?.route.host ?? 'unknown';
    const app = auth?.key.app.id;
    if (app !== undefined && admission !== null) this.#deps.meter.admission(route, app, admission);
    const seconds = (performance.now() - startedAt) / 1000;
    this.#deps.meter.request({ route, app: app ?? 'none', status, seconds, bytesIn: this.#bytesIn, bytesOut: this.#reply.bytes });
  }

  /** True while a streamed body waits for the client's next bytes. */
  get #starved(): boolean {
    return this.#body !== null && !Buffer.isBuffer(this.#body) && this.#body.starved;
  }

  get #timeouts(): LiveRoute['route']['timeouts'] {
    return (this.#visit.live as LiveRoute).route.timeouts;
  }

  #waitFor(ms: number): void {
    this.dueAt = performance.now() + ms;
  }

  #log(message: string, reason: string): void {
    this.#deps.logger.debug(message, { route: this.#visit.live?.route.host, upstream: this.#call?.upstream.host, reason, trace_id: this.#visit.traceId });
  }
}

const EMPTY = Buffer.alloc(0);

function headersFor({ rawHeaders, keyText, memo }: Visit, { own }: Upstream): readonly string[] {
  if (memo.headers === null || memo.own !== own) {
    memo.headers = requestHeaders(rawHeaders, keyText, own);
    memo.own = own;
  }
  return memo.headers;
}
