import { isUtf8 } from 'node:buffer';
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { isRefusal, readJsonRpc, refuse, UNREAD } from '../../core/index.ts';
import type { JsonRpcRequest, Logger, Refusal, RefusalReason } from '../../core/index.ts';
import { guarded } from './guard-methods.ts';
import type { RequestAuthorizer } from './request-authorizer.ts';
import { recordSent } from './exchange-report.ts';
import type { Counters } from './exchange-report.ts';
import { rpcRefusal } from './refusal-response.ts';
import type { RequestContext } from './request-context.ts';

interface BridgeDeps extends Counters {
  readonly authorizer: RequestAuthorizer;
  readonly logger: Logger;
}

/** While one side has more unsent bytes than this, the other side is not read. */
const HIGH_WATER = 1024 * 1024;
/** The longest that the closing handshake may take. */
const CLOSE_MS = 500;
/** The code that `ws` reports for a close frame without one (RFC 6455, section 7.1.5). */
const NO_CODE = 1005;
/** Refusals of a key that is valid elsewhere. */
const OF_PLACE: ReadonlySet<RefusalReason> = new Set(['origin_not_allowed', 'address_not_allowed']);
/** A ping is sent after this many checks; a client that did not answer the last one is closed. */
const BEATS = 60;

/** Connects a client's WebSocket with the upstream WebSocket that was opened for it. */
export class WebSocketBridge {
  readonly context: RequestContext;
  readonly #client: WebSocket;
  readonly #upstream: WebSocket;
  readonly #deps: BridgeDeps;
  readonly #ended: () => void;
  #beats = 0;
  #alive = true;
  #over = false;
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(client: WebSocket, upstream: WebSocket, context: RequestContext, deps: BridgeDeps, ended: () => void) {
    this.context = context;
    this.#client = client;
    this.#upstream = upstream;
    this.#deps = deps;
    this.#ended = ended;
    // Binary frames are read as the same text, because some clients send all of their messages in them.
    client.on(
      'message',
      guarded(this, (data: RawData) => this.#fromClient(bytesOf(data))),
    );
    upstream.on(
      'message',
      guarded(this, (data: RawData, binary: boolean) => this.#fromUpstream(bytesOf(data), binary)),
    );
    client.on('pong', () => (this.#alive = true));
    client.on(
      'error',
      guarded(this, () => this.close(1002, '')),
    );
    upstream.on(
      'error',
      guarded(this, () => this.close(1011, 'upstream_unavailable')),
    );
    client.on(
      'close',
      guarded(this, (code: number) => this.#closed(this.#upstream, code)),
    );
    upstream.on(
      'close',
      guarded(this, (code: number) => this.#closed(this.#client, code)),
    );
    upstream.resume();
  }

  /** Ends both sides after an internal error. */
  abort(error: unknown): void {
    this.#deps.logger.error('a WebSocket failed', { error, trace_id: this.context.traceId });
    this.#client.terminate();
    this.#upstream.terminate();
  }

  /** Closes both sides; a side that does not complete the handshake in time is terminated. */
  close(code: number, reason: string): void {
    this.#end(this.#client, code, reason);
  }

  /** Closes both sides because the client's key is no longer accepted, or not from where the client is. */
  refuse({ status, reason }: Refusal): void {
    // The key cannot be checked now: 1013 means that the client should try again later.
    if (status === 503) this.close(1013, reason);
    else this.close(OF_PLACE.has(reason) ? 4403 : 4401, reason);
  }

  /** One side sends too many frames without messages. Its further bytes are not read. */
  flooded(side: WebSocket): void {
    if (side === this.#client) this.close(1008, 'too_many_frames');
    else this.close(1011, 'upstream_unavailable');
    side.pause();
  }

  /** Passes one side's close code to the other if permitted, but not the reason, which may contain a secret. */
  #closed(other: WebSocket, code: number): void {
    if (code === NO_CODE) this.#end(other, 1000, '');
    else if (mayBeSent(code)) this.#end(other, code, '');
    else this.#end(other, 1011, other === this.#client ? 'upstream_unavailable' : '');
  }

  #end(told: WebSocket, code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    for (const side of [this.#client, this.#upstream]) {
      // A paused socket would never receive the close frame.
      side.resume();
      if (side.readyState !== WebSocket.CLOSED) setTimeout(() => side.terminate(), CLOSE_MS).unref();
    }
    for (const side of [this.#client, this.#upstream])
      if (side === told) side.close(code, reason);
      else side.close(1000);
    this.#ended();
    const { live, auth } = this.context;
    this.#deps.metrics.bytes(live?.route.host ?? 'unknown', auth?.key.app.id ?? 'none', this.#bytesIn, this.#bytesOut);
  }

  /** Called at each check. */
  beat(): void {
    this.#beats += 1;
    if (this.#beats < BEATS) return;
    this.#beats = 0;
    if (!this.#alive) {
      this.close(1001, '');
      return;
    }
    this.#alive = false;
    this.#client.ping();
    this.#upstream.ping();
  }

  #fromUpstream(bytes: Buffer, binary: boolean): void {
    this.#bytesOut += bytes.length;
    // The call that it answers is not known.
    this.#count(UNREAD, 0, bytes.length);
    this.#pass(this.#client, this.#upstream, bytes, binary);
  }

  #fromClient(bytes: Buffer): void {
    if (this.#over) return;
    this.#bytesIn += bytes.length;
    const auth = this.#deps.authorizer.authenticateAgain(this.context);
    if (isRefusal(auth)) {
      this.refuse(auth);
      return;
    }
    // The App may have another quota by now.
    this.context.auth = auth;
    const answer = this.#check(bytes);
    if (answer === null) this.#pass(this.#upstream, this.#client, bytes, false);
    else this.#pass(this.#client, this.#client, Buffer.from(answer), false);
  }

  /** The answer to a refused message; `null` for an allowed one. */
  #check(bytes: Buffer): string | null {
    const { live, traceId, auth } = this.context;
    const { metrics, meter } = this.#deps;
    if (live === null || auth === null) return null;
    // ws checks the encoding of text frames only, and the method policy depends on it.
    const text = isUtf8(bytes) ? bytes.toString('utf8') : '';
    const request = readJsonRpc(text, live.route.maxBatch);
    const methods = isRefusal(request) ? UNREAD : request.methods;
    this.#count(methods, bytes.length, 0);
    if (isRefusal(request)) {
      meter.refused(auth.key.app.id, live.metered, methods);
      return rpcRefusal(request, 'null', traceId);
    }
    const admission = this.#deps.authorizer.admitRequests(this.context, request, live.policy, 0);
    metrics.admission(live.route.host, auth.key.app.id, admission);
    if (admission.verdict === 'refused') {
      meter.refused(auth.key.app.id, live.metered, methods);
      return refusalText(request, admission.refusal ?? refuse('bad_request'), traceId);
    }
    recordSent(this.#deps, auth.key.app, live.metered, methods);
    return null;
  }

  #count(methods: readonly string[], bytesIn: number, bytesOut: number): void {
    const { live, auth } = this.context;
    if (live !== null && auth !== null)
      this.#deps.meter.bytes(auth.key.app.id, live.metered, methods, bytesIn, bytesOut);
  }

  /** Forwards a message, and pauses its sender while too many bytes are unsent. */
  #pass(to: WebSocket, from: WebSocket, bytes: Buffer, binary: boolean): void {
    if (to.readyState !== WebSocket.OPEN) return;
    to.send(bytes, { binary }, () => {
      if (from.isPaused && to.bufferedAmount < HIGH_WATER / 2) from.resume();
    });
    if (to.bufferedAmount > HIGH_WATER) from.pause();
  }
}

/** One error for each request with an id; a single error without an id if all are notifications. */
function refusalText({ batch, ids }: JsonRpcRequest, refusal: Refusal, traceId: string): string {
  const answers = ids.flatMap((id) => (id === null ? [] : [rpcRefusal(refusal, id, traceId)]));
  if (answers.length === 0) return rpcRefusal(refusal, 'null', traceId);
  return batch ? `[${answers.join(',')}]` : (answers[0] ?? '');
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** True for a code that a close frame may have (RFC 6455, section 7.4); the others are for local use. */
function mayBeSent(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}
