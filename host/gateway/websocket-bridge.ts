import { isUtf8 } from 'node:buffer';
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { isRefusal, readJsonRpc, refuse, rpcRefusal } from '../../core/index.ts';
import type { JsonRpcRequest, Logger, Refusal } from '../../core/index.ts';
import type { Gate } from './gate.ts';
import type { Meter } from './meter.ts';
import type { Visit } from './visit.ts';

/** What a bridge works with. */
interface BridgeDeps {
  readonly gate: Gate;
  readonly meter: Meter;
  readonly logger: Logger;
}

/** Bytes that may wait for one side before the other is no longer read. */
const HIGH_WATER = 1024 * 1024;
/** How long the other side of a closing connection may take to agree. */
const CLOSE_MS = 500;
/** Checks come twice a second; a client that answers none of the pings in this many of them is gone. */
const BEATS = 60;

/** One client's WebSocket and the upstream's that was opened for it. */
export class WebSocketBridge {
  readonly visit: Visit;
  readonly #client: WebSocket;
  readonly #upstream: WebSocket;
  readonly #deps: BridgeDeps;
  readonly #ended: () => void;
  #beats = 0;
  #alive = true;
  #over = false;
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(client: WebSocket, upstream: WebSocket, visit: Visit, deps: BridgeDeps, ended: () => void) {
    this.visit = visit;
    this.#client = client;
    this.#upstream = upstream;
    this.#deps = deps;
    this.#ended = ended;
    client.on('message', (data, binary) => this.#fromClient(data, binary));
    upstream.on('message', (data, binary) => this.#fromUpstream(bytesOf(data), binary));
    client.on('pong', () => (this.#alive = true));
    client.on('error', () => this.close(1002, ''));
    upstream.on('error', () => this.close(1011, 'upstream_unavailable'));
    client.on('close', () => this.close(1000, ''));
    upstream.on('close', (code) => this.close(code === 1000 || code === 1001 ? code : 1011, code === 1000 ? '' : 'upstream_unavailable'));
    upstream.resume();
  }

  /** Ends both sides; whoever does not agree in time is cut off. */
  close(code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    for (const side of [this.#client, this.#upstream]) {
      // A side that is not read would never see the other's agreement.
      side.resume();
      if (side.readyState !== WebSocket.CLOSED) setTimeout(() => side.terminate(), CLOSE_MS).unref();
    }
    this.#client.close(code, reason);
    this.#upstream.close(1000);
    const { live, auth } = this.visit;
    this.#deps.meter.bytes(live?.route.host ?? 'unknown', auth?.key.app.id ?? 'none', this.#bytesIn, this.#bytesOut);
    this.#ended();
  }

  /** Called twice a second: pings now and then, and ends a connection whose client is gone. */
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
    this.#pass(this.#client, this.#upstream, bytes, binary);
  }

  #fromClient(data: RawData, binary: boolean): void {
    if (this.#over) return;
    if (binary) {
      this.close(1003, 'bad_request');
      return;
    }
    const bytes = bytesOf(data);
    this.#bytesIn += bytes.length;
    const auth = this.#deps.gate.authenticate(this.visit.keyText);
    if (isRefusal(auth)) {
      this.close(auth.status === 503 ? 1013 : 4401, auth.reason);
      return;
    }
    const answer = this.#judge(bytes);
    if (answer === null) this.#pass(this.#upstream, this.#client, bytes, false);
    else this.#pass(this.#client, this.#client, Buffer.from(answer), false);
  }

  /** The answer to a refused message; `null` for one that may pass. */
  #judge(bytes: Buffer): string | null {
    const { live, traceId, auth } = this.visit;
    if (live === null || auth === null) return null;
    // ws has checked the encoding of a text message already; so that nothing hangs on that, it is looked at here too.
    const text = isUtf8(bytes) ? bytes.toString('utf8') : '';
    const request = readJsonRpc(text, live.route.maxBatch);
    if (isRefusal(request)) return rpcRefusal(request, 'null', traceId);
    const admission = this.#deps.gate.admitRequests(this.visit, request, live.policy, 0);
    this.#deps.meter.admission(live.route.host, auth.key.app.id, admission);
    return admission.verdict === 'refused' ? refusalText(request, admission.refusal ?? refuse('bad_request'), traceId) : null;
  }

  /** Sends on, and stops reading where it came from while too much waits. */
  #pass(to: WebSocket, from: WebSocket, bytes: Buffer, binary: boolean): void {
    if (to.readyState !== WebSocket.OPEN) return;
    to.send(bytes, { binary }, () => {
      if (from.isPaused && to.bufferedAmount < HIGH_WATER / 2) from.resume();
    });
    if (to.bufferedAmount > HIGH_WATER) from.pause();
  }
}

/** One error for each element that asked for an answer; for notifications alone, one without an id. */
function refusalText({ batch, ids }: JsonRpcRequest, refusal: Refusal, traceId: string): string {
  const answers = ids.flatMap((id) => (id === null ? [] : [rpcRefusal(refusal, id, traceId)]));
  if (answers.length === 0) return rpcRefusal(refusal, 'null', traceId);
  return batch ? `[${answers.join(',')}]` : (answers[0] ?? '');
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
