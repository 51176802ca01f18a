import { isUtf8 } from 'node:buffer';
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { isRefusal, readJsonRpc, refuse, UNREAD } from '../../core/index.ts';
import type { JsonRpcRequest, Logger, Refusal, RefusalReason } from '../../core/index.ts';
import { guarded } from './guard-methods.ts';
import type { RequestAuthorizer } from './request-authorizer.ts';
import { recordSent } from './exchange-report.ts';
import type { Counters } from './exchange-report.ts';
import { rpcRefusal, rpcRefusals } from './refusal-response.ts';
import type { RequestContext } from './request-context.ts';
import { onFlood } from './websocket-opening.ts';
import type { OpenedWebSocket } from './websocket-opening.ts';

interface BridgeDeps extends Counters {
  readonly authorizer: RequestAuthorizer;
  readonly logger: Logger;
}

/** What serves a client beside its own upstream connection, and after its end. */
export interface BridgeHelper {
  /** Answers an allowed request itself; false for one that the upstream has to answer. */
  take(request: JsonRpcRequest): boolean;
  /** A request is sent to the upstream. */
  sent(request: JsonRpcRequest): void;
  /** A message of the upstream is passed on. */
  received(bytes: Buffer): void;
  /** The upstream connection has ended. False when the client's has to end with it. */
  lostUpstream(): boolean;
  /** Called at each check. */
  check(): void;
  end(): void;
}

/** While one side has more unsent bytes than this, the other side is not read. */
const HIGH_WATER = 1024 * 1024;
/** A client with more unsent notifications than this, in bytes, is closed. */
const MAX_UNSENT = 4 * 1024 * 1024;
/** The longest that the closing handshake may take. */
const CLOSE_MS = 500;
/** The same for a client that reads too slowly: the close frame is behind what it has not read. */
const SLOW_CLOSE_MS = 10_000;
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
  readonly #deps: BridgeDeps;
  readonly #ended: () => void;
  readonly #helper: BridgeHelper | null;
  /** `null` while another one is being opened. */
  #upstream: WebSocket | null = null;
  /** Messages that were read before the client could be paused, and wait for an upstream. */
  #held: Buffer[] = [];
  #beats = 0;
  #alive = true;
  #over = false;
  #unsent = 0;
  #bytesIn = 0;
  #bytesOut = 0;

  /** @param helper - given the bridge; `null` to end with the upstream */
  constructor(
    client: WebSocket,
    upstream: OpenedWebSocket,
    context: RequestContext,
    deps: BridgeDeps,
    ended: () => void,
    helper: ((bridge: WebSocketBridge) => BridgeHelper) | null = null,
  ) {
    this.context = context;
    this.#client = client;
    this.#deps = deps;
    this.#ended = ended;
    this.#helper = helper?.(this) ?? null;
    // Binary frames are read as the same text, because some clients send all of their messages in them.
    client.on(
      'message',
      guarded(this, (data: RawData) => this.#fromClient(bytesOf(data))),
    );
    client.on('pong', () => (this.#alive = true));
    client.on(
      'error',
      guarded(this, () => this.close(1002, '')),
    );
    client.on(
      'close',
      guarded(this, (code: number) => this.#closed(this.#upstream, code)),
    );
    this.use(upstream);
  }

  /**
   * Connects the client with an upstream, and continues with the messages that waited for one.
   *
   * @param before - called before these
   */
  use({ connection, transport }: OpenedWebSocket, before: () => void = () => undefined): void {
    this.#upstream = connection;
    connection.on(
      'message',
      guarded(this, (data: RawData, binary: boolean) => {
        if (connection === this.#upstream) this.#fromUpstream(bytesOf(data), binary);
      }),
    );
    connection.on(
      'error',
      guarded(this, () => this.#upstreamEnded(connection, 1011)),
    );
    connection.on(
      'close',
      guarded(this, (code: number) => this.#upstreamEnded(connection, code)),
    );
    if (transport !== null)
      onFlood(
        transport,
        guarded(this, () => this.flooded(connection)),
      );
    connection.resume();
    before();
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#fromClient(bytes);
    if (this.#held.length === 0) this.#client.resume();
  }

  /** Ends both sides after an internal error. */
  abort(error: unknown): void {
    this.#deps.logger.error('a WebSocket failed', { error, trace_id: this.context.traceId });
    this.#client.terminate();
    this.#upstream?.terminate();
    if (this.#over) return;
    this.#over = true;
    this.#finish();
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
    else this.#upstreamEnded(side, 1011);
    side.pause();
  }

  /** Sends a notification, unless the client reads too slowly. */
  notify(text: string): void {
    if (this.#over || this.#client.readyState !== WebSocket.OPEN) return;
    const bytes = Buffer.from(text);
    if (this.#unsent + bytes.length > MAX_UNSENT) {
      this.#end(this.#client, 1013, 'too_slow', SLOW_CLOSE_MS);
      return;
    }
    this.#unsent += bytes.length;
    this.#bytesOut += bytes.length;
    this.#count(UNREAD, 0, bytes.length);
    this.#client.send(bytes, { binary: false }, () => {
      this.#unsent -= bytes.length;
      // It may have been behind this that an answer of the upstream was sent.
      if (this.#upstream?.isPaused === true && this.#client.bufferedAmount < HIGH_WATER / 2) this.#upstream.resume();
    });
  }

  /** Sends an answer of the gateway to the client. */
  answer(text: string): void {
    if (!this.#over) this.#pass(this.#client, this.#client, Buffer.from(text), false);
  }

  /** Sends a message of the client to the upstream, without a check. */
  forward(text: string): void {
    if (this.#upstream !== null) this.#pass(this.#upstream, this.#client, Buffer.from(text), false);
  }

  /** Ends the upstream connection, for another one to be opened. */
  leaveUpstream(): void {
    if (this.#upstream !== null) this.#upstreamEnded(this.#upstream, 1001);
  }

  #upstreamEnded(connection: WebSocket, code: number): void {
    if (this.#over || connection !== this.#upstream) return;
    if (this.#helper !== null) {
      this.#upstream = null;
      this.#client.pause();
      connection.terminate();
      if (this.#helper.lostUpstream()) return;
      this.#upstream = connection;
    }
    this.#closed(this.#client, code);
  }

  /** Passes one side's close code to the other if permitted, but not the reason, which may contain a secret. */
  #closed(other: WebSocket | null, code: number): void {
    if (code === NO_CODE) this.#end(other, 1000, '');
    else if (mayBeSent(code)) this.#end(other, code, '');
    else this.#end(other, 1011, other === this.#client ? 'upstream_unavailable' : '');
  }

  #end(told: WebSocket | null, code: number, reason: string, closeMs = CLOSE_MS): void {
    if (this.#over) return;
    this.#over = true;
    const sides = this.#upstream === null ? [this.#client] : [this.#client, this.#upstream];
    for (const side of sides) {
      // A paused socket would never receive the close frame.
      side.resume();
      if (side.readyState !== WebSocket.CLOSED)
        setTimeout(() => side.terminate(), side === this.#client ? closeMs : CLOSE_MS).unref();
    }
    for (const side of sides)
      if (side === told) side.close(code, reason);
      else side.close(1000);
    this.#finish();
  }

  #finish(): void {
    this.#held = [];
    this.#helper?.end();
    this.#ended();
    const { live, auth } = this.context;
    this.#deps.metrics.bytes(live?.route.host ?? 'unknown', auth?.key.app.id ?? 'none', this.#bytesIn, this.#bytesOut);
  }

  /** Called at each check. */
  beat(): void {
    this.#helper?.check();
    this.#beats += 1;
    if (this.#beats < BEATS) return;
    this.#beats = 0;
    if (!this.#alive) {
      this.close(1001, '');
      return;
    }
    this.#alive = false;
    this.#client.ping();
    this.#upstream?.ping();
  }

  #fromUpstream(bytes: Buffer, binary: boolean): void {
    this.#bytesOut += bytes.length;
    // The call that it answers is not known.
    this.#count(UNREAD, 0, bytes.length);
    this.#helper?.received(bytes);
    if (this.#upstream !== null) this.#pass(this.#client, this.#upstream, bytes, binary);
  }

  #fromClient(bytes: Buffer): void {
    if (this.#over) return;
    if (this.#upstream === null) {
      this.#held.push(bytes);
      return;
    }
    this.#bytesIn += bytes.length;
    const auth = this.#deps.authorizer.authenticateAgain(this.context);
    if (isRefusal(auth)) {
      this.refuse(auth);
      return;
    }
    // The App may have another quota by now.
    this.context.auth = auth;
    const request = this.#admit(bytes);
    if (typeof request === 'string') this.answer(request);
    else if (this.#helper?.take(request) !== true) {
      this.#helper?.sent(request);
      this.#pass(this.#upstream, this.#client, bytes, false);
    }
  }

  /** An allowed request, or the answer to a refused one. */
  #admit(bytes: Buffer): JsonRpcRequest | string {
    const { live, traceId, auth } = this.context;
    const { metrics, meter } = this.#deps;
    if (live === null || auth === null) return rpcRefusal(refuse('not_found'), 'null', traceId);
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
      return rpcRefusals(request, admission.refusal ?? refuse('bad_request'), traceId);
    }
    recordSent(this.#deps, auth.key.app, live.metered, methods);
    return request;
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
      if (from.isPaused && this.#mayRead(from) && to.bufferedAmount < HIGH_WATER / 2) from.resume();
    });
    if (to.bufferedAmount > HIGH_WATER) from.pause();
  }

  /** Nothing of a client is read while it has no upstream. */
  #mayRead(side: WebSocket): boolean {
    return side !== this.#client || this.#upstream !== null;
  }
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
